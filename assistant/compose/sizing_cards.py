"""The cards and types that the user named: does it fit there, by how much, with which flags."""

from __future__ import annotations

from collections.abc import Iterator

from knowledge import facts
from tools.sizing_results import CardCheck

from . import words
from .sizing_view import View

MAX_CHECKS = 4


def card_lines(view: View) -> Iterator[str]:
    """One paragraph per card or type that the user named."""
    for check in view.sizing.checks[:MAX_CHECKS]:
        line = view.voice(_check_code(view, check), **card_figures(view, check))
        if check.fits_with and not check.blocked:
            line += ("" if view.language == "zh" else " ") + view.voice("check_flags", flags=check.fits_with)
        yield line + _dearer(view, check) + _not_sold(view, check)


def _not_sold(view: View, check: CardCheck) -> str:
    """That no machine has exactly this number of the card, and which counts there are."""
    if check.in_catalog or not check.nearest_counts:
        return ""
    counts = words.and_list([str(count) for count in check.nearest_counts], view.language)
    text = view.voice("check_not_sold", gpus=check.gpus, counts=counts)
    return text if view.language == "zh" else f" {text}"


def _dearer(view: View, check: CardCheck) -> str:
    """That the named card fits but costs more than the first choice, and by how much."""
    first = view.picks[0] if view.picks else None
    same = (p for p in view.picks[1:] if (p.gpu_id, p.gpu_count) == (check.gpu_id, check.gpus) and p.price)
    named = next(same, None)
    same_as_first = first is not None and (first.gpu_id, first.gpu_count) == (check.gpu_id, check.gpus)
    if not check.fits or same_as_first or named is None or named.price is None or first is None or first.price is None:
        return ""
    more = named.price.amount - first.price.amount
    view.derive(float(more))
    text = view.voice(
        "check_price_dearer", instance=named.instance_type, price=view.price(named), more=words.money(more)
    )
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
    return "check_fewer" if fewer else "check_misses"


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
