"""The pick and its sum: which instance and why, memory in parts, the margin, what bites."""

from __future__ import annotations

from tools.results import Recommendation

from . import words
from .sizing_cautions import cautions
from .sizing_view import View


def headline(view: View) -> str:
    """The first sentence: the instance, its cards and price, and why."""
    if not view.picks:
        return _nothing(view)
    first = view.picks[0]
    code = "pick" if first.instances == 1 else "pick_machines"
    return view.voice(
        code,
        instance=first.instance_type,
        machines=first.instances,
        cards=view.cards(first),
        price=view.price(first),
        why=_why(view, first),
    )


def _why(view: View, first: Recommendation) -> str:
    region = words.region(view.asked_region, view.language)
    if first.price is not None and first.status == "on_sale":
        return view.voice("why_cheapest", region=region)
    if first.price is None and first.status == "on_sale":
        return view.voice("why_unpriced", region=region)
    return view.voice("why_only", status=view.status(first))


def _nothing(view: View) -> str:
    sizing = view.sizing
    need = view.voice(
        "nothing_need",
        weights=words.gib(sizing.totals.weights_gib),
        kv=words.gib(sizing.totals.kv_gib),
        users=sizing.concurrency,
        context=words.tokens(sizing.context),
    )
    closest = ""
    if sizing.advice.near_misses:
        miss = sizing.advice.near_misses[0]
        limit = view.derive(miss.required_gib_per_gpu + miss.headroom_gib)
        closest = view.voice(
            "nothing_closest",
            instance=miss.instance_type,
            cards=view.cards(miss),
            required=words.gib(miss.required_gib_per_gpu),
            limit=words.gib(limit),
            short=words.gib(view.derive(-miss.headroom_gib)),
        )
    return view.voice("nothing", need=need, closest=closest)


def table(view: View) -> str:
    """Memory per GPU in parts, against the limit."""
    estimate, voice = view.sizing.estimate, view.voice
    rows = [voice("table_head", tp=view.sizing.tensor_parallel)]
    rows += [_row(view, name, value) for name, value in estimate.parts.items()]
    rows.append(
        voice(
            "row_total",
            value=words.gib(estimate.per_gpu_gib.best),
            limit=words.gib(view.sizing.limit_gib),
            usable=f"{view.derive(view.sizing.limit_gib / view.utilization):.2f}",
            utilization=f"{view.utilization:g}",
        )
    )
    return "\n".join(rows)


def _row(view: View, name: str, value: float) -> str:
    sizing, totals = view.sizing, view.sizing.totals
    if not view.voice.has(f"row_{name}"):
        return view.voice("row_other", name=name, value=words.gib(value))
    split = ""
    if sizing.tensor_parallel > 1:
        mla = name == "kv_cache" and sizing.model.attention == "mla"
        split = view.voice("split_mla" if mla else "split", tp=sizing.tensor_parallel)
    formula = name in ("activations", "engine")
    return view.voice(
        f"row_{name}",
        value=words.gib(value),
        dtype=sizing.weight_dtype,
        total=words.gib(totals.weights_gib if name == "weights" else totals.kv_gib),
        gb=words.gib(totals.weights_gb),
        each=words.gib(totals.kv_gib_per_sequence),
        users=sizing.concurrency,
        context=words.tokens(sizing.context),
        split=split,
        mark=view.evidence.mark(["vllm-startup-logs"] if formula else sizing.model.source_ids),
    )


def tight(view: View) -> str:
    """That the need is within the error of the limit, and the flags that make room; empty otherwise."""
    estimate = view.sizing.estimate
    if not view.picks or not estimate.per_gpu_gib.best <= view.sizing.limit_gib < estimate.per_gpu_gib.high:
        return ""
    figures = {"required": words.gib(estimate.per_gpu_gib.best), "limit": words.gib(view.sizing.limit_gib)}
    flags = next((c.fits_with for c in view.sizing.checks if c.fits_with), None) or view.sizing.room_flags
    return view.voice("tight", flags=flags, **figures) if flags else view.voice("tight_plain", **figures)


def watch(view: View) -> str:
    """What bites on the card that is shown."""
    assumed = {"model_typical": "typical_shape"}.get(next(iter(view.sizing.assumed), ""))  # said there
    items = [caution.text for caution in cautions(view) if caution.code != assumed]
    return view.voice("watch", items=view.sentences(items)) if items and view.picks else ""


def room(view: View) -> str:
    """How many more sequences fit, and what nvidia-smi will show."""
    if not view.picks:
        return ""
    sizing, more = view.sizing, view.sizing.max_sequences - view.sizing.concurrency
    shared = {"context": words.tokens(sizing.context), "users": sizing.concurrency}
    if more > 0:
        room = view.voice("room", more=int(view.derive(more)), longest=f"{sizing.longest_context:,}", **shared)
    else:
        room = view.voice("room_none", holds=sizing.max_sequences, **shared)
    if sizing.estimate.will_show_gib is None:
        return room
    shown = view.voice("will_show", shown=words.gib(sizing.estimate.will_show_gib))
    return room + ("" if view.language == "zh" else " ") + shown
