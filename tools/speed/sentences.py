"""What faces and answers say of a speed, a price per token and machines for a wish, in both languages."""

from __future__ import annotations

from collections.abc import Iterator

from knowledge.facts import gpus
from tools.cards import card_label
from tools.phrases import Language, read_phrases, say
from tools.results import Band

from .efficiency import PHRASES
from .need_results import SpeedAnswer, SpeedMachines
from .results import Speed, TokenPrice

WISHES = ("qps", "total_tokens_per_s", "tokens_per_s", "ttft_s", "concurrency")


def speed_sentence(speed: Speed, language: Language) -> str:
    """First token, tokens per second of one user and of all, each with its range."""
    return say(
        read_phrases("tools", PHRASES), "speed", language,
        cards=speed.gpus, card=card_label(gpus()[speed.gpu_id], language), users=speed.concurrency,
        prompt=speed.input_tokens, answer=speed.output_tokens, **_band("first", speed.first_token_s),
        **_band("user", speed.tokens_per_s_per_user), **_band("total", speed.tokens_per_s),
    )  # fmt: skip


def bound_sentence(speed: Speed, language: Language) -> str:
    """What takes most of a step."""
    return say(read_phrases("tools", PHRASES), f"bound.{speed.bound_by}", language)


def price_sentence(price: TokenPrice, language: Language) -> str:
    """Price of a million tokens, of answers and of all, with its date and region."""
    table = read_phrases("tools", PHRASES)
    return say(
        table, "token_price", language,
        answer_best=figure(price.answer.best), answer_low=figure(price.answer.low), answer_high=figure(price.answer.high),
        all_best=figure(price.all_tokens.best), all_low=figure(price.all_tokens.low), all_high=figure(price.all_tokens.high),
        unit=say(table, f"unit.{price.currency}", language), date=price.as_of, region=price.region,
    )  # fmt: skip


def wish_sentence(answer: SpeedAnswer, language: Language) -> str:
    """What was asked for."""
    table = read_phrases("tools", PHRASES)
    asked = [(name, getattr(answer, name)) for name in WISHES]
    said = [say(table, f"wish.{name}", language, value=value) for name, value in asked if value is not None]
    wishes = ("、" if language == "zh" else ", ").join(said)
    return say(table, "need_wish", language, wishes=wishes, prompt=answer.input_tokens, answer=answer.output_tokens)


def pick_sentence(answer: SpeedAnswer, language: Language) -> str:
    """The first machines, or that there are none."""
    table = read_phrases("tools", PHRASES)
    if not answer.machines and answer.over_budget is None:
        return say(table, "need_none", language)
    row = answer.machines[0] if answer.machines else answer.over_budget
    assert row is not None  # one of the two is there
    return say(
        table, "need_pick" if answer.machines else "need_over_budget", language,
        machines=row.instances, type=row.instance_type, count=row.gpu_count, card=card_label(gpus()[row.gpu_id], language),
        copies=row.copies, tp=row.tensor_parallel, users=row.concurrency, cost=cost_words(row, language),
    )  # fmt: skip


def cost_words(row: SpeedMachines, language: Language) -> str:
    """Rent of all machines per hour, or that there is no price."""
    table = read_phrases("tools", PHRASES)
    if row.hourly is None or row.price is None:
        return say(table, "need_no_price", language)
    unit = say(table, f"unit.{row.price.currency}", language)
    return say(table, "need_cost", language, amount=f"{row.hourly:,}", unit=unit)


def slow_lines(answer: SpeedAnswer, language: Language) -> Iterator[str]:
    """Why other cards do not do, one line a card."""
    colon = "：" if language == "zh" else ": "
    for gpu_id, why in answer.too_slow.items():
        yield f"{card_label(gpus()[gpu_id], language)}{colon}{why}"


def figure(value: float) -> str:
    """Three figures at most; whole from a hundred on."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.2g}" if value < 1 else f"{value:.3g}"


def _band(name: str, band: Band) -> dict[str, str]:
    return {name: figure(band.best), f"{name}_low": figure(band.low), f"{name}_high": figure(band.high)}
