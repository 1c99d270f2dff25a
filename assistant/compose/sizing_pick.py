"""The pick and its sum: which instance and why, memory in parts, the margin, what bites."""

from __future__ import annotations

from tools.results import Recommendation
from tools.sizing_results import Replicas

from . import words
from .machine_view import MachineView
from .sizing_budget import over_budget
from .sizing_cautions import cautions
from .sizing_view import View


def headline(view: MachineView) -> str:
    """The first sentence: the instance, its cards and price, and why."""
    if not view.picks:
        return over_budget(view) or _nothing(view)
    if view.copies:
        return view.voice("pick_copies", users=view.users, copies=copies(view, view.copies))
    first = view.picks[0]
    code = "pick" if first.instances == 1 else "pick_machines"
    if code == "pick" and any(check.fits and (check.gpu_id, check.gpus) != (first.gpu_id, first.gpu_count) for check in view.sizing.checks):
        code = "pick_open"
    if code != "pick_machines" and view.owned:
        code = "pick_owned"
    return view.voice(
        code,
        instance=first.instance_type,
        machines=first.instances,
        cards=view.cards(first),
        price=view.price(first),
        why=_why(view, first),
    )


def _why(view: MachineView, first: Recommendation) -> str:
    region = words.region(view.asked_region, view.language)
    if first.price is not None and first.status == "on_sale":
        return view.voice("why_cheapest", region=region)
    if not view.sizing.region_has_prices:
        return view.voice("why_no_prices", region=region)
    if first.price is None and first.status == "on_sale":
        return view.voice("why_unpriced", region=region)
    return view.voice("why_only", status=view.status(first))


def copies(view: MachineView, replicas: Replicas) -> str:
    """The machines of copies that share the users, what each copy takes, and the cost."""
    several = "copies_machines" if replicas.copies > 1 else "copies_one_each"
    return view.voice(
        "copies_machine" if replicas.machine.instances == 1 else several,
        machines=replicas.machine.instances,
        instance=replicas.machine.instance_type,
        cards=view.cards(replicas.machine),
        copies=replicas.copies,
        tp=replicas.tensor_parallel,
        users=replicas.users,
        price=view.price(replicas.machine),
    )


def _nothing(view: MachineView) -> str:
    sizing = view.sizing
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
    return view.voice("nothing", need=view.need(), closest=closest)


def _layout(view: View) -> str:
    """`4`, or `8 × PP=3` over three machines."""
    size, stages = view.sizing.tensor_parallel, view.sizing.pipeline_parallel
    return f"{size} × PP={stages}" if stages > 1 else str(size)


def table(view: View) -> str:
    """Memory per GPU in parts, against the limit."""
    estimate, voice = view.sizing.estimate, view.voice
    users = view.sizing.shown_users
    rows = [voice("table_head_copy", tp=_layout(view), users=users) if view.copies else voice("table_head", tp=_layout(view))]
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
    split, stages = "", sizing.pipeline_parallel
    if sizing.tensor_parallel * stages > 1:
        mla = name == "kv_cache" and sizing.model.attention == "mla"
        parts = stages if mla else sizing.tensor_parallel * stages
        code = "split" if not mla or stages > 1 else "split_mla"
        split = view.voice(code, tp=int(view.derive(parts)))
    formula = name in ("activations", "engine")
    return view.voice(
        f"row_{name}",
        value=words.gib(value),
        dtype=sizing.weight_dtype,
        total=words.gib(totals.weights_gib if name == "weights" else totals.kv_gib),
        gb=words.gib(totals.weights_gb),
        each=words.gib(totals.kv_gib_per_sequence),
        users=sizing.shown_users,
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
    sizing, more = view.sizing, view.sizing.max_sequences - view.sizing.shown_users
    shared = {"context": words.tokens(sizing.context), "users": sizing.shown_users}
    if more > 0 and sizing.longest_context <= sizing.context:
        room = view.voice("room_plain", more=int(view.derive(more)), **shared)
    elif more > 0:
        room = view.voice("room", more=int(view.derive(more)), longest=f"{sizing.longest_context:,}", **shared)
    else:
        room = view.voice("room_none", holds=sizing.max_sequences, **shared)
    if sizing.estimate.will_show_gib is None:
        return room
    shown = view.voice("will_show", shown=words.gib(sizing.estimate.will_show_gib))
    return room + ("" if view.language == "zh" else " ") + shown
