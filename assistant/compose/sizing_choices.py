"""The choices beside the pick: tight, safer, faster, what does not fit, and what one change saves."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from knowledge import facts
from tools.prices import HOURS_PER_MONTH
from tools.results import Recommendation
from tools.sizing_results import Variant

from . import words
from .draft import Voice
from .machine_view import MachineView
from .price import price_line
from .sizing_cards import card_figures
from .sizing_pick import copies
from .sizing_view import View

MAX_VARIANTS = 2
MAX_MISSES = 2
ROOMY = 0.95
"""Utilization that one may try where the default falls just short."""


def others(view: View) -> str:
    """The other choices as a list; empty when there is none."""
    lines = [*_tight_ones(view), *other(view, "safer"), *other(view, "faster"), *_full_load(view), *_replicas(view), *_misses(view), *_ruled_out(view)]
    return "\n".join([view.voice("others"), *lines]) if lines else ""


def other(view: MachineView, name: str) -> Iterator[str]:
    """The `safer` or `faster` pick as a list item; nothing where it is the first pick."""
    advice = view.sizing.advice
    chosen = getattr(advice, name)
    pick = next((p for p in view.picks[1:] if p.instance_type == chosen), None)
    if pick is None:
        return
    if name == "faster" and pick.instance_type == advice.safer:
        return
    gpu = facts.gpus()[pick.gpu_id]
    bandwidth = view.derive((gpu.memory_bandwidth_gb_s or 0) * pick.gpu_count)
    yield view.voice(
        f"other_{name}",
        instance=pick.instance_type,
        cards=view.cards(pick),
        headroom=words.gib(pick.headroom_gib),
        bandwidth=f"{bandwidth:,.0f}",
        price=view.price(pick),
        note=_note(view, pick),
    )


def _tight_ones(view: View) -> Iterator[str]:
    """The first pick of fewer cards that fits only just, so that the temptation is answered."""
    first = view.picks[0] if view.picks else None
    for pick in view.picks[1:]:
        estimate = view.sizing.advice.estimates.get(f"{pick.gpu_id}x{pick.gpu_count}")
        limit = pick.required_gib_per_gpu + pick.headroom_gib
        alone = first is not None and pick.instances == 1 and pick.gpu_id != first.gpu_id
        if alone and estimate and estimate.per_gpu_gib.high > limit:
            yield view.voice(
                "other_tight",
                instance=pick.instance_type,
                cards=view.cards(pick),
                required=words.gib(pick.required_gib_per_gpu),
                limit=words.gib(view.derive(limit)),
                flags=view.voice("other_tight_flags", utilization=f"{view.derive(0.95):.2f}"),
                price=view.price(pick),
            )
            return


def _misses(view: View) -> Iterator[str]:
    """The closest misses, one a card, those one can simply order first: a known card's failure is worth saying."""
    fitting = {(pick.gpu_id, pick.gpu_count) for pick in view.picks}
    misses = [m for m in view.sizing.advice.near_misses if (m.gpu_id, m.gpu_count) not in fitting]
    first_of_card = list({m.gpu_id: m for m in reversed(misses)}.values())[::-1]
    ordered = sorted(first_of_card, key=lambda m: (m.status != "on_sale" or m.price is None, -m.headroom_gib))
    for miss in ordered[:MAX_MISSES]:
        line = view.voice(
            "other_miss",
            instance=miss.instance_type,
            cards=view.cards(miss),
            required=words.gib(miss.required_gib_per_gpu),
            limit=words.gib(view.derive(miss.required_gib_per_gpu + miss.headroom_gib)),
            usable=f"{miss.usable_gib_per_gpu:.1f}",
            utilization=f"{view.utilization:g}",
        )
        if view.utilization < ROOMY and miss.required_gib_per_gpu < ROOMY * miss.usable_gib_per_gpu:
            flags = view.voice("check_flags", flags=f"--gpu-memory-utilization {view.derive(ROOMY):.2f}")
            line += flags if view.language == "zh" else f" {flags}"
        yield line


def _note(view: MachineView, pick: Recommendation) -> str:
    """Status where it is no plain sale, then what bites on that card."""
    status = [] if pick.status == "on_sale" else [view.status(pick)]
    return view.sentences([*status, *pick.cautions[:2]])


def _full_load(view: View) -> Iterator[str]:
    """What the usual number of users would take, where the answer is for fewer."""
    machines = view.sizing.full_load
    if machines is not None:
        yield view.voice(
            "other_full_load",
            users=view.sizing.full_load_concurrency,
            context=words.tokens(view.sizing.context),
            machines=machines.instances,
            instance=machines.instance_type,
            price=view.price(machines),
        )


def _replicas(view: View) -> Iterator[str]:
    """Copies of the model that share the users, where they do not come first anyway."""
    if view.sizing.replicas and not view.copies:
        yield view.voice("other_replicas", copies=copies(view, view.sizing.replicas))


def _ruled_out(view: View) -> Iterator[str]:
    """The largest card that cannot run the job, and whether memory would have been enough."""
    check = view.sizing.ruled_out
    if check is None or any(named.gpu_id == check.gpu_id for named in view.sizing.checks):
        return
    yield view.voice(
        "other_ruled_out" if check.headroom_gib >= 0 else "other_ruled_out_short", **card_figures(view, check)
    )


def savings(view: View) -> Iterator[str]:
    """What one change saves, one sentence a change."""
    useful = [v for v in view.sizing.variants if not view.has_budget or v.within_budget]
    first_to = {variant.instance_type: variant for variant in reversed(useful)}
    for variant in [v for v in useful if first_to[v.instance_type] is v][:MAX_VARIANTS]:
        yield _saving(view, variant)
    yield from _weight_only(view)


def _weight_only(view: View) -> Iterator[str]:
    """FP8 weights on a cheaper card without FP8 units, for who accepts that."""
    variant = view.sizing.weight_only
    if variant is not None and variant.hourly is not None:
        gpu = facts.gpus()[facts.instances()[variant.instance_type].gpu_id]
        yield view.voice(
            "weight_only",
            instance=variant.instance_type,
            cards=words.cards(gpu, variant.gpu_count, view.language),
            hourly=words.money(variant.hourly),
        )


def _saving(view: View, variant: Variant) -> str:
    gpu = facts.gpus()[facts.instances()[variant.instance_type].gpu_id]
    change = view.voice(
        f"change_{variant.code}", weights=words.gib(variant.weights_gib), kv=words.gib(variant.kv_gib)
    )
    shared = {
        "change": change,
        "instance": variant.instance_type,
        "cards": words.cards(gpu, variant.gpu_count, view.language),
        "effect": view.voice(f"effect_{variant.code}"),
    }
    if variant.hourly is None:
        return view.voice("cheaper_unpriced", **shared)
    if variant.saves_per_hour is None and variant.within_budget:
        return view.voice("within_budget", hourly=words.money(variant.hourly), **shared)
    if variant.saves_per_hour is None:
        joined = bool(view.picks) and view.picks[0].price is not None
        return view.voice("single_machine" if joined else "cheaper_orderable", hourly=words.money(variant.hourly), **shared)
    return view.voice(
        "cheaper",
        hours=f"{view.derive(HOURS_PER_MONTH):g}",
        hourly=words.money(variant.hourly),
        saving=words.money(variant.saves_per_hour),
        monthly=words.money_round(variant.saves_per_month or Decimal(0)),
        **shared,
    )


def other_billing(view: MachineView) -> str:
    """Subscription and spot prices of the pick, where the question asks for them."""
    ways = [way for way in ("month", "spot") if way in view.billing]
    if not ways or not view.picks:
        return ""
    first, voice = view.picks[0], Voice("price", view.language)
    lines = []
    for way in ways:
        found = [price for price in first.prices if price.billing == way]
        here = [price for price in found if price.region == view.asked_region] or found
        lines += [price_line(voice, view.evidence, price) for price in here[:3]]
        lines += [] if found else [voice(f"none_{way}", name=f"`{first.instance_type}`")]
    return "\n".join(lines)
