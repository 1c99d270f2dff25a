"""What a training run costs: hours from work, cards and the published share of their peak; then the price.

    hours = tokens · epochs · operations per token / (cards · peak · share) / 3600

Or the hours as given, or from a measured rate of pictures: no formula tells the time of vision training well.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from knowledge import facts
from knowledge.errors import InputError
from knowledge.rows import Gpu, Instance
from tools.cards import card_label
from tools.names import show_instance
from tools.phrases import Language
from tools.prices import DEFAULT_REGION, NoPrice, all_prices, cost, hourly, region_id, why_no_price
from tools.results import Price
from tools.site import site_currency
from tools.units import from_gib
from tools.usable import usable_gib

from .figures import plain, sentence
from .limits import positive, whole
from .results import RunPrice, TrainingCost
from .training_run import TokenRun, TrainingRun, check_run, token_run
from .training_share import share_of
from .training_words import given_words, token_words
from .ways import newest

BYTES_OF_BASE = {"full": 16.0, "adapter": 2.0, "quantised": 0.6}
"""Bytes a parameter of what has to lie on the cards: mixed-precision AdamW, a 16-bit base, a base of four bits."""
ROOM = 0.8
"""Of a card's memory for it; the rest is activations."""


@dataclass(frozen=True)
class _Hours:
    """Hours of one run, with the sentences and sources behind them."""

    low: float
    high: float
    fields: dict[str, object]
    assumptions: list[str]
    cautions: list[str]
    sources: tuple[str, ...] = ()


def training_cost(
    instance_type: str, *, run: TrainingRun, machines: int = 1, runs: int = 1, region: str = DEFAULT_REGION, currency: str | None = None,
    language: Language = "en",
) -> TrainingCost:  # fmt: skip
    """Hours and price of `runs` training runs on `machines` of a type.

    Raises UnknownInstance, UnknownModel, and InputError for a run that says too little, a type without whole cards, a card
    whose rate is not published, or a number out of range.
    """
    instance, home = show_instance(instance_type, language=language), region_id(region, language=language)
    wished = (currency or site_currency()).strip().upper()
    whole(machines, "machines", language)
    whole(runs, "runs", language)
    cards = instance.gpu_count * machines
    if not instance.gpu_count or instance.vgpu:
        raise InputError(sentence("train.no_cards", language, name=instance.instance_type))
    hours = _hours(check_run(run, language), instance, machines, language)
    positive(hours.high, "hours", 1e9, language)
    prices = list(_prices(instance.instance_type, home, wished, hours, machines, runs))
    missing = "" if any(row.way == "payg" for row in prices) else _missing(instance.instance_type, home, wished, language)
    return TrainingCost.model_validate({
        "instance_type": instance.instance_type, "machines": machines, "cards": cards, "region": home, "runs": runs, **hours.fields,
        "hours_low": hours.low, "hours_high": hours.high, "prices": prices, "no_price": missing, "assumptions": hours.assumptions,
        "cautions": hours.cautions, "source_ids": list(dict.fromkeys([*(row.source_id for row in prices), *hours.sources])),
    })  # fmt: skip


def _hours(run: TrainingRun, instance: Instance, machines: int, language: Language) -> _Hours:
    cards = instance.gpu_count * machines
    if run.hours is not None or run.gpu_hours is not None:
        each = run.hours if run.hours is not None else (run.gpu_hours or 0.0) / cards
        return _Hours(each, each, {}, given_words(language), [])
    if run.images is not None and run.images_per_s is not None:
        each = run.images * run.epochs / run.images_per_s / 3600
        measured = sentence("train.measured", language, rate=plain(run.images_per_s), images=plain(run.images), epochs=plain(run.epochs))
        return _Hours(each, each, {}, [measured, sentence("train.rate_whole", language)], [])
    return _of_tokens(token_run(run, language), run, instance, machines, language)


def _of_tokens(task: TokenRun, run: TrainingRun, instance: Instance, machines: int, language: Language) -> _Hours:
    gpu, cards = facts.gpus()[instance.gpu_id], instance.gpu_count * machines
    peak = gpu.bf16_tflops or gpu.fp16_tflops
    if not peak:
        raise InputError(sentence("train.no_peak", language, card=card_label(gpu, language)))
    sharded = cards > 1 and _needs_shards(task, gpu)
    share = share_of(gpu, quantised=task.quantised, tokens=task.pass_tokens, sharded=sharded and task.kind == "adapter", moe=task.moe)
    each = task.work.flop_per_token(task.kind, sequence=task.sequence, recompute=task.recompute)
    full_speed = task.tokens * each / (cards * peak * 1e12) / 3600
    fields: dict[str, object] = {
        "tokens": round(task.tokens), "parameters": task.work.parameters, "method": task.label, "gflop_per_token": each / 1e9,
        "peak_tflops": peak, "share_low": share.low, "share_high": share.high,
    }  # fmt: skip
    assumptions, cautions = token_words(task, run, share, gpu, each, language)
    cautions += _machine_words(instance, machines, language)
    return _Hours(full_speed / share.high, full_speed / share.low, fields, assumptions, cautions, (*share.sources, *gpu.source_ids))


def _needs_shards(task: TokenRun, gpu: Gpu) -> bool:
    """Whether one card cannot hold what the method keeps of all parameters."""
    each = BYTES_OF_BASE["quantised" if task.quantised else task.kind]
    return task.whole * each > ROOM * from_gib(usable_gib(gpu))


def _machine_words(instance: Instance, machines: int, language: Language) -> list[str]:
    holds = {"train.no_nvlink": instance.gpu_count > 1 and not instance.nvlink, "train.machines": machines > 1}
    return [sentence(code, language) for code, true in holds.items() if true]


def _prices(name: str, home: str, currency: str, hours: _Hours, machines: int, runs: int) -> Iterator[RunPrice]:
    """By the hour, and spot by the range of its day; the slow end of one goes with the dear end of the other."""
    for item in newest(all_prices(name, home)):
        if item.currency != currency or item.billing not in ("payg", "spot"):
            continue
        way: Literal["payg", "spot"] = "payg" if item.billing == "payg" else "spot"
        dear = item.model_copy(update={"amount": item.amount_high or item.amount})
        low, high = _sum(item, hours.low, machines), _sum(dear, hours.high, machines)
        yield RunPrice(
            way=way, low=low, high=high, all_low=low * runs, all_high=high * runs, currency=item.currency, region=item.region,
            as_of=item.as_of, source_id=item.source_id,
        )  # fmt: skip


def _sum(item: Price, hours: float, machines: int) -> Decimal:
    return cost(item, amount_of_time=Decimal(repr(hours)), instances=machines).quantize(Decimal("0.01"))


def _missing(name: str, home: str, currency: str, language: Language) -> str:
    found = hourly(name, region=home, currency=currency)
    return why_no_price(found, language) if isinstance(found, NoPrice) else sentence("note.no_payg", language)
