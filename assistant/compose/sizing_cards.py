"""The cards and types that the user named: does it fit there, by how much, with which flags."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from knowledge import facts
from tools.sizing_results import CardCheck

from . import words
from .sizing_view import View

MAX_CHECKS = 4
JUST_OVER = 1.05
"""Need against the limit up to which "1.0 times" would say nothing."""


def card_lines(view: View) -> Iterator[str]:
    """One paragraph per card or type that the user named."""
    for check in view.sizing.checks[:MAX_CHECKS]:
        line = view.voice(_check_code(view, check), **card_figures(view, check))
        if check.fits_with and not check.blocked:
            line += ("" if view.language == "zh" else " ") + view.voice("check_flags", flags=check.fits_with)
        yield line + _type(view, check) + _not_sold(view, check)


def _not_sold(view: View, check: CardCheck) -> str:
    """That no machine has exactly this number of the card, and which counts there are."""
    if check.in_catalog or not check.nearest_counts:
        return ""
    counts = words.and_list([str(count) for count in check.nearest_counts], view.language)
    text = view.voice("check_not_sold", gpus=check.gpus, counts=counts)
    return text if view.language == "zh" else f" {text}"


def _type(view: View, check: CardCheck) -> str:
    """The first type with the named cards where they fit, and by how much it costs more than the first choice."""
    first = view.picks[0] if view.picks else None
    same = (p for p in view.picks if (p.gpu_id, p.gpu_count, p.instances) == (check.gpu_id, check.gpus, 1))
    named = next(same, None)
    if not check.fits or check.instance_type or first is None or named is None or named is first:
        return ""
    code, more = "check_type", Decimal(0)
    both = [price.currency for price in (named.price, first.price) if price is not None]
    if named.price is not None and first.price is not None and both == ["CNY", "CNY"]:
        code, more = "check_price_dearer", named.price.amount - first.price.amount
        view.derive(float(more))
    text = view.voice(code, instance=named.instance_type, price=view.price(named), more=words.money(more))
    return text if view.language == "zh" else f" {text}"


def _check_code(view: View, check: CardCheck) -> str:
    if check.blocked:
        return "check_blocked"
    if check.fits:
        return "check_tight" if check.tight else "check_fits"
    # Nobody asked for that many users: say how many it does hold before saying no.
    assumed = {"concurrency", "concurrency_lowered"} & set(view.sizing.assumed)
    if assumed and check.max_sequences == 0:
        return "check_none"
    fewer = bool(assumed) and check.max_sequences >= 1
    if fewer:
        return "check_fewer"
    return "check_just_misses" if (check.times_too_large or JUST_OVER) < JUST_OVER else "check_misses"


def card_figures(view: View, check: CardCheck) -> dict[str, object]:
    """The figures of one check as the phrases want them."""
    gpu = facts.gpus()[check.gpu_id]
    cards = words.cards(gpu, check.gpus, view.language)
    return {
        "label": f"`{check.instance_type}`" if check.instance_type else cards,
        "cards": cards,
        "tp": check.tensor_parallel,
        "required": words.gib(check.required_gib),
        "weights": words.gib(check.weights_gib),
        "kv": words.gib(check.kv_gib),
        "limit": words.gib(check.limit_gib),
        "usable": f"{check.usable_gib:.1f}",
        "utilization": f"{view.utilization:g}",
        "headroom": words.gib(check.headroom_gib),
        "sequences": check.max_sequences,
        "longest": f"{check.longest_context:,}",
        "users": view.sizing.concurrency,
        "context": words.tokens(view.sizing.context),
        "times": words.gib(check.times_too_large or 0),
        "reason": check.blocked or "",
        "mark": view.evidence.mark(gpu.source_ids[:1]),
    }
