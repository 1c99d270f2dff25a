"""What `size llm` shows: the pick, the sum as bars, the choices, the checks, the cheaper variants, the sources."""

from __future__ import annotations

from collections.abc import Iterator

from knowledge import facts
from tools.demand import Advice
from tools.phrases import Language, read_phrases
from tools.results import Recommendation
from tools.sizing_results import CardCheck, LlmSizing, Variant
from tools.solved import Solved

from .bars import Bar
from .blocks import Bars, Block, Lines, Markdown, Table, Title
from .figures import cards, gib, limit_of, money, price_amount, price_words, source_lines, tokens
from .size_speed import speed_blocks
from .speech import say

SHOWN = 6
"""Rows of the table of choices; `--json` has all."""
BARS = 4


def sizing_blocks(sizing: LlmSizing, language: Language) -> Iterator[Block]:
    """One sizing from its conclusion to its sources."""
    replicas = [sizing.replicas.machine] if sizing.replicas and sizing.replicas.leads else []
    picks = sizing.advice.recommendations or [*replicas, *sizing.advice.multi]
    yield Markdown("\n\n".join([_head(sizing, language), verdict(picks, sizing.advice, language), _sum(sizing, language)]))
    yield memory_bars(sizing, language)
    yield choices(rows_to_choose(picks, sizing.advice), language)
    lines = [*(solved_line(item, language) for item in sizing.solved), *(_check(check, language) for check in sizing.checks)]
    lines += _replicas(sizing, language)
    if lines:
        yield Markdown("\n".join(f"- {line}" for line in lines))
    if sizing.speed:
        yield from speed_blocks(sizing.speed, sizing.token_price, language)
    if sizing.variants:
        lines = list(_variants(sizing.variants, language))
        yield Markdown("\n".join([f"**{say('size.variants', language)}**", "", *lines]))
    if sizing.estimate.command:
        yield Title(say("size.command", language))
        yield Lines([sizing.estimate.command])
    yield from _small_print(sizing, picks, language)


def memory_bars(sizing: LlmSizing, language: Language) -> Bars:
    """The first choices and the closest misses, one card and count each."""
    advice = sizing.advice
    bars: dict[str, Bar] = {}
    for row in [*(advice.recommendations or advice.multi or advice.over_budget or advice.price_unknown), *advice.near_misses]:
        key = f"{row.gpu_id}x{row.gpu_count * row.instances}"
        estimate = advice.estimates.get(key)
        if estimate is not None and key not in bars:
            bars[key] = Bar(machines_of(row), estimate.parts, limit_of(row), row.usable_gib_per_gpu)
        if len(bars) == BARS:
            break
    first = next(iter(bars.values()), None)
    share = f"{first.limit_gib / first.usable_gib:.2g}" if first else "0.9"
    return Bars(list(bars.values()), part_names(sizing.estimate.parts, language), say("bars.limit", language, utilization=share))


def part_names(parts: dict[str, float], language: Language) -> dict[str, str]:
    """Words of the legend; a part without a word keeps its name."""
    table = read_phrases("tools", "phrases/parts.toml")
    names = {part: row[language] for part, row in table.items()}
    return {part: names.get(part, part.replace("_", " ")) for part in parts} | {"free": say("part.free", language)}


def choices(rows: list[Recommendation], language: Language) -> Table:
    """Types with their need against the limit, price and status."""
    codes = ["col.type", "col.cards", "col.need", "col.price", "col.status"]
    head = [say(code, language) for code in codes]
    body = [
        [
            machines_of(row),
            cards(row.gpu_id, row.gpu_count, language),
            f"{'' if row.fits else '✗ '}{gib(row.required_gib_per_gpu)} / {gib(limit_of(row))}",
            price_amount(row.price, language),
            say(f"status.{row.status}", language),
        ]
        for row in rows
    ]
    return Table(head, body, right=frozenset({2, 3}))


def machines_of(row: Recommendation) -> str:
    """The type, with how many of it where it is more than one."""
    return row.instance_type if row.instances == 1 else f"{row.instances} × {row.instance_type}"


def _head(sizing: LlmSizing, language: Language) -> str:
    billions = sizing.model.params_billion
    return say(
        "size.head",
        language,
        model=sizing.model.model_id,
        params=f"{billions:.3g}B" if billions < 1000 else f"{billions:.0f}B",
        dtype=sizing.weight_dtype,
        kv_dtype=sizing.kv_dtype,
        context=tokens(sizing.context),
        users=sizing.concurrency,
    )


def rows_to_choose(picks: list[Recommendation], advice: Advice) -> list[Recommendation]:
    """The picks, else what fits and costs too much, and the closest misses."""
    fitting = picks or advice.over_budget or advice.price_unknown
    return [*fitting[:SHOWN], *advice.near_misses[:2]] if fitting else advice.near_misses[:SHOWN]


def verdict(picks: list[Recommendation], advice: Advice, language: Language) -> str:
    """The pick with its price and reasons; where the budget leaves none, the cheapest that fits, or one without a price."""
    for code, rows in (("size.over_budget", advice.over_budget), ("size.budget_unknown", advice.price_unknown)):
        if rows and not picks:
            return say(code, language) + "\n\n" + _pick(rows[0], language)
    return _pick(picks[0], language) if picks else say("size.nothing", language)


def _pick(first: Recommendation, language: Language) -> str:
    price = price_words(first.price, language)
    if first.price is not None:
        comma = "，" if language == "zh" else ", "
        price = f"{first.price.region} {price}{comma}{first.price.as_of}"
    code = "size.pick" if first.instances == 1 else "size.pick_machines"
    named = cards(first.gpu_id, first.gpu_count, language)
    lines = [say(code, language, type=first.instance_type, cards=named, price=price, machines=first.instances)]
    return "\n".join([*lines, "", *(f"- {reason}" for reason in first.reasons)])


def _sum(sizing: LlmSizing, language: Language) -> str:
    totals, need = sizing.totals, sizing.estimate.per_gpu_gib
    return say(
        "size.sum",
        language,
        weights=gib(totals.weights_gib),
        each=f"{totals.kv_gib_per_sequence:.3g}",
        per_token=f"{totals.kv_kib_per_token:g}",
        kv=gib(totals.kv_gib),
        best=gib(need.best),
        low=gib(need.low),
        high=gib(need.high),
        tp=sizing.tensor_parallel,
        limit=gib(sizing.limit_gib),
    )


def solved_line(solved: Solved, language: Language) -> str:
    """The largest value on a place, and the machine that takes the wish where the place falls short."""
    said = {
        "label": solved.instance_type or f"{solved.gpus} × {facts.gpus()[solved.gpu_id].name}",
        "count": solved.gpus, "quantity": say(f"solve.{solved.quantity}", language), "value": f"{solved.value:,}",
        "required": gib(solved.required_gib or 0.0), "limit": gib(solved.limit_gib), "reason": solved.blocked,
    }  # fmt: skip
    if solved.blocked:
        return say("size.check_blocked", language, **said)
    if solved.tokens_per_s is not None and not solved.value:
        return say("job.solved_too_slow", language, rate=f"{solved.tokens_per_s:g}", **said)
    line = say("job.solved_none" if not solved.value else "job.solved_capped" if solved.capped else "job.solved", language, **said)
    if solved.tokens_per_s is not None:
        line += say("job.solved_speed", language, rate=f"{solved.tokens_per_s:g}")
    if solved.next_machine is None or solved.wished is None:
        return line
    return line + say("job.solved_next", language, wished=f"{solved.wished:,}", type=solved.next_machine.instance_type)


def _check(check: CardCheck, language: Language) -> str:
    said = {
        "label": check.label,
        "count": check.gpus,
        "required": gib(check.required_gib),
        "limit": gib(check.limit_gib),
        "short": gib(-check.headroom_gib),
        "sequences": check.max_sequences,
        "longest": f"{check.longest_context:,}",
        "reason": check.blocked,
    }
    if check.blocked:
        return say("size.check_blocked", language, **said)
    code = ("size.check_tight" if check.tight else "size.check_fits") if check.fits else "size.check_short"
    flags = say("size.check_flags", language, flags=check.fits_with) if check.fits_with else ""
    return say(code, language, **said) + flags


def _replicas(sizing: LlmSizing, language: Language) -> Iterator[str]:
    replicas = sizing.replicas
    if replicas is None or replicas.machine.price is None:
        return
    row, unit = replicas.machine, f"{say('currency.CNY', language)}/{say('per.hour', language)}"
    yield say(
        "size.replicas",
        language,
        machines=row.instances,
        type=row.instance_type,
        cards=cards(row.gpu_id, row.gpu_count, language),
        copies=replicas.copies,
        tp=replicas.tensor_parallel,
        users=replicas.users,
        total=f"{money(replicas.machine.price.amount * row.instances)} {unit}",
    )


def _variants(variants: list[Variant], language: Language) -> Iterator[str]:
    for variant in variants:
        change = say(f"size.change.{variant.code}", language)
        held = budget_words(variant.within_budget, language)
        if variant.hourly is None:
            yield "- " + say("size.variant_only", language, change=change, type=variant.instance_type) + held
            continue
        unit = f"{say('currency.CNY', language)}/{say('per.hour', language)}"
        said = {"change": change, "type": variant.instance_type, "price": f"{money(variant.hourly)} {unit}"}
        if variant.saves_per_hour is None:
            yield "- " + say("size.variant_priced", language, **said) + held
            continue
        yield "- " + say("size.variant", language, saving=money(variant.saves_per_hour), **said) + held


def budget_words(within: bool | None, language: Language) -> str:
    """Whether a change keeps the budget; empty without one."""
    return "" if within is None else say("size.within_budget" if within else "size.still_over", language)


def _small_print(sizing: LlmSizing, picks: list[Recommendation], language: Language) -> Iterator[Block]:
    said = {
        "context": tokens(sizing.context),
        "users": sizing.concurrency,
        "dtype": sizing.weight_dtype,
        "model": sizing.model.model_id,
        "others": ", ".join(sizing.model.alternatives[:4]),
    }
    assumed = [say(f"size.assumed.{code}", language, **said) for code in sizing.assumed]
    lines = list(dict.fromkeys([*assumed, *sizing.estimate.assumptions]))
    yield Markdown("\n".join([f"**{say('assumptions', language)}**", "", *(f"- {line}" for line in lines)]))
    cautions = list(dict.fromkeys([*(picks[0].cautions if picks else []), *sizing.advice.notes]))
    if cautions:
        yield Markdown("\n".join([f"**{say('cautions', language)}**", "", *(f"- {line}" for line in cautions)]))
    prices = [row.price.source_id for row in picks[:SHOWN] if row.price]
    yield Title(say("sources", language))
    yield Lines(source_lines([*sizing.model.source_ids, *prices, *sizing.estimate.source_ids], language), dim=True)
