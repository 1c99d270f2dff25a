"""What `size train`, `vision`, `encoder`, `diffusion` and `asr` show: the pick, the sum as bars, checks, changes, sources."""

from __future__ import annotations

from collections.abc import Iterator

from knowledge import facts
from tools.jobs.results import JobChange, JobCheck, JobSizing, Solved
from tools.phrases import Language

from .bars import Bar
from .blocks import Bars, Block, Lines, Markdown, Title
from .figures import cards, gib, limit_of, money, source_lines
from .size_blocks import (
    BARS,
    SHOWN,
    budget_words,
    choices,
    machines_of,
    part_names,
    rows_to_choose,
    verdict,
)
from .speech import say


def job_blocks(sizing: JobSizing, language: Language) -> Iterator[Block]:
    """One sizing from its conclusion to its sources."""
    advice = sizing.advice
    picks = advice.recommendations or advice.multi
    lines = [*(_solved(item, language) for item in sizing.solved), *(_check(check, language) for check in sizing.checks)]
    yield Markdown("\n\n".join([_head(sizing, language), verdict(picks, advice, language), _sum(sizing, language)]))
    if lines:
        yield Markdown("\n".join(f"- {line}" for line in lines))
    yield _bars(sizing, language)
    yield choices(rows_to_choose(picks, advice), language)
    if sizing.changes:
        changes = [f"- {_change(change, language)}" for change in sizing.changes]
        yield Markdown("\n".join([f"**{say('job.changes', language)}**", "", *changes]))
    if sizing.estimate.command:
        yield Title(say("job.command", language))
        yield Lines(sizing.estimate.command.splitlines())
    yield from _small_print(sizing, language)


def _head(sizing: JobSizing, language: Language) -> str:
    said = [f"{name.replace('_', ' ')} {_value(value)}" for name, value in sizing.settings.items() if value not in (None, "", False)]
    comma = "，" if language == "zh" else ", "
    return f"**{sizing.subject}**" + (f" ({comma.join(said)})" if said else "")


def _value(value: str | int | float | bool | None) -> str:
    """A count with separators, a switch as yes."""
    if isinstance(value, bool):
        return "✓"
    return f"{value:,}" if isinstance(value, int) else f"{value:g}" if isinstance(value, float) else str(value)


def _sum(sizing: JobSizing, language: Language) -> str:
    need, estimate = sizing.estimate.per_gpu_gib, sizing.estimate
    band = estimate.error_band
    said = say(
        "job.sum", language,
        best=gib(need.best), low=gib(need.low), high=gib(need.high), gpus=estimate.gpus, limit=gib(sizing.limit_gib),
    )  # fmt: skip
    basis = say(f"job.basis.{estimate.basis.replace(' ', '_')}", language)
    if band is None:
        return said + basis + ("。" if language == "zh" else ".")
    return said + basis + say("job.band", language, low=f"{band.low_pct:+.0f}", high=f"{band.high_pct:+.0f}", n=band.n, source=band.from_)


def _bars(sizing: JobSizing, language: Language) -> Bars:
    """The first choices and the closest misses, one card and count each."""
    advice, bars = sizing.advice, dict[str, Bar]()
    for row in [*(advice.recommendations or advice.multi or advice.over_budget or advice.price_unknown), *advice.near_misses]:
        key = f"{row.gpu_id}x{row.gpu_count * row.instances}"
        estimate = advice.estimates.get(key)
        if estimate is not None and len(bars) < BARS:
            bars.setdefault(key, Bar(machines_of(row), estimate.parts, limit_of(row), row.usable_gib_per_gpu))
    return Bars(list(bars.values()), part_names(sizing.estimate.parts, language), say("bars.limit_plain", language))


def _solved(solved: Solved, language: Language) -> str:
    said = {
        "label": solved.instance_type or f"{solved.gpus} × {facts.gpus()[solved.gpu_id].name}",
        "quantity": solved.quantity, "value": f"{solved.value:,}",
        "required": gib(solved.required_gib or 0.0), "limit": gib(solved.limit_gib), "reason": solved.blocked,
    }  # fmt: skip
    if solved.blocked:
        return say("size.check_blocked", language, **said)
    code = "job.solved_none" if not solved.value else "job.solved_capped" if solved.capped else "job.solved"
    line = say(code, language, **said)
    if solved.next_machine is None or solved.wished is None:
        return line
    return line + say("job.solved_next", language, wished=f"{solved.wished:,}", type=solved.next_machine.instance_type)


def _check(check: JobCheck, language: Language) -> str:
    said = {
        "label": check.label, "count": check.gpus, "limit": gib(check.limit_gib), "reason": check.blocked,
        "required": "–" if check.required_gib is None else gib(check.required_gib),
        "short": "–" if check.headroom_gib is None else gib(abs(check.headroom_gib)),
    }  # fmt: skip
    if check.blocked:
        return say("size.check_blocked", language, **said)
    if check.required_gib is None:
        return say("job.check_cannot_cut", language, **said)
    code = ("job.check_tight" if check.tight else "job.check_fits") if check.fits else "job.check_short"
    comma = "；" if language == "zh" else "; "
    helps = say("job.help", language, changes=comma.join(check.fits_with)) if check.fits_with else ""
    return say(code, language, **said) + helps


def _change(change: JobChange, language: Language) -> str:
    line = change.what
    if change.saves_gib is not None and change.per_gpu_gib is not None and change.saves_gib > 0:
        line += say("job.change_saves", language, saves=gib(change.saves_gib), need=gib(change.per_gpu_gib))
    if change.instance_type and change.hourly is not None:
        named = cards(change.gpu_id or "", change.gpu_count or 0, language)
        unit = f"{say('currency.CNY', language)}/{say('per.hour', language)}"
        line += say("job.change_machine", language, type=change.instance_type, cards=named, price=f"{money(change.hourly)} {unit}")
        line += budget_words(change.within_budget, language)
    return line


def _small_print(sizing: JobSizing, language: Language) -> Iterator[Block]:
    picks = sizing.advice.recommendations or sizing.advice.multi
    lines = list(dict.fromkeys([*sizing.assumed, *sizing.estimate.assumptions]))
    if lines:
        yield Markdown("\n".join([f"**{say('assumptions', language)}**", "", *(f"- {line}" for line in lines)]))
    cautions = list(dict.fromkeys([*sizing.cautions, *(picks[0].cautions if picks else []), *sizing.advice.notes]))
    if cautions:
        yield Markdown("\n".join([f"**{say('cautions', language)}**", "", *(f"- {line}" for line in cautions)]))
    prices = [row.price.source_id for row in picks[:SHOWN] if row.price]
    yield Title(say("sources", language))
    yield Lines(source_lines([*sizing.estimate.source_ids, *prices, *sizing.source_ids[:6]], language), dim=True)
