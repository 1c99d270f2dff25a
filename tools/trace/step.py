"""One training step or forward pass of a module on the meta device: from storages to the bytes of a GPU."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import torch
from torch import nn

from .allocator import Event, find_peak, replay, rounded
from .cuda_like import CudaLike
from .live import LiveStorages
from .request import OPTIMIZER_STATES, TraceParts, TraceRequest, TraceResult
from .workspace import temporary_bytes, winograd_bytes

BUCKET = 25 << 20
"""DistributedDataParallel's bucket_cap_mb; the buckets stay beside the gradients (gradient_as_bucket_view is off by default)."""
HALVES = {"fp32": None, "fp16": torch.float16, "bf16": torch.bfloat16}

Inputs = Callable[[], tuple[Any, ...]]
Run = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class _Static:
    """Tensors and bytes that live through the whole step."""

    weights: list[torch.Tensor]
    trained: list[torch.Tensor]
    gradients_stay: bool
    optimizer: list[int]
    buckets: list[int]

    @property
    def sizes(self) -> list[int]:
        stay = self.trained if self.gradients_stay else []
        return [*map(_bytes, self.weights), *map(_bytes, stay), *self.optimizer, *self.buckets]


def trace_step(model: nn.Module, *, inputs: Inputs, run: Run, request: TraceRequest, name: str) -> TraceResult:
    """Runs `run(model, *inputs())`, which returns a loss (or outputs without training), and follows every storage."""
    started = time.perf_counter()
    model.train(request.training)
    static = _static(model, request)
    for weight in static.trained:
        weight.grad = torch.zeros_like(weight) if static.gradients_stay else None
    stay = [weight.grad for weight in static.trained if weight.grad is not None]
    live = LiveStorages(
        [*static.weights, *stay], workspace=winograd_bytes if request.workspace else None,
        temporary=partial(temporary_bytes, old=request.old_torch),
    )  # fmt: skip
    like = CudaLike(HALVES[request.precision], old=request.old_torch, across_cards=request.sync_bn)
    phases = _run_phases(model, live=live, like=like, inputs=inputs, run=run, training=request.training)
    if request.training and not request.old_torch:
        live.add_transient(sum(map(_bytes, static.trained)), "optimizer step")
    result = _account(live, phases, static, model=model, name=name)
    for weight in static.trained:
        weight.grad = None
    return _timed(result, time.perf_counter() - started)


def _static(model: nn.Module, request: TraceRequest) -> _Static:
    parameters = list(model.parameters())
    trained = [p for p in parameters if p.requires_grad] if request.training else []
    states = OPTIMIZER_STATES[request.optimizer] if request.training else 0
    total = sum(map(_bytes, trained)) if request.data_parallel else 0
    buckets = [BUCKET] * (total // BUCKET) + ([total % BUCKET] if total % BUCKET else [])
    stay = request.training and (request.gradients_stay or request.old_torch or request.accumulate > 1)
    return _Static([*parameters, *model.buffers()], trained, stay, [*map(_bytes, trained)] * states, buckets)


def _run_phases(
    model: nn.Module, *, live: LiveStorages, like: CudaLike, inputs: Inputs, run: Run, training: bool
) -> dict[str, int]:
    """Runs the passes; the count of events at which each of them begins."""
    begins = {"forward": 0}
    with live:
        with like, torch.set_grad_enabled(training):
            result = run(model, *inputs())
        like.forget_copies()
        if training:
            begins["backward"] = len(live.events)
            result.backward()
            like.forget_copies()
        del result
    begins["optimizer step"] = len(live.events)
    return begins


def _account(
    live: LiveStorages, begins: dict[str, int], static: _Static, *, model: nn.Module, name: str
) -> TraceResult:
    events = live.events
    peak = find_peak(events)
    gradients = _gradient_uids(live, static)
    size = {event.uid: rounded(event.size) for event in events if event.uid > 0}
    born = sum(size[uid] for uid in peak.alive if uid in gradients)
    workspace = sum(size[uid] for uid in peak.alive if uid in live.workspace_uids)
    stay = static.trained if static.gradients_stay else []
    machine = replay(static.sizes, events)
    fixed = TraceParts(
        weights=_rounded(static.weights), gradients=_rounded(stay) + born, optimizer=sum(map(rounded, static.optimizer)),
        buckets=sum(map(rounded, static.buckets)), activations=0, workspace=workspace,
    )  # fmt: skip
    parts = TraceParts(
        fixed.weights, fixed.gradients, fixed.optimizer, fixed.buckets, machine.peak_allocated - fixed.total, workspace
    )
    return TraceResult(
        network=name, parameters=sum(p.numel() for p in model.parameters()), parts=parts,
        allocated=machine.peak_allocated, reserved=machine.peak_reserved,
        saved=_alive_at(events, begins.get("backward", len(events))), seconds=0.0,
        phase=[phase for phase, begin in begins.items() if begin <= max(peak.at, 0)][-1],
        peak_at=events[peak.at].what if events else "",
    )  # fmt: skip


def _gradient_uids(live: LiveStorages, static: _Static) -> set[int]:
    """Storages that are gradients of weights at the end of the step and were not there at its start."""
    if static.gradients_stay:
        return set()
    grads = [weight.grad for weight in static.trained if weight.grad is not None]
    return {live.uid_of(grad) for grad in grads}


def _alive_at(events: Sequence[Event], end: int) -> int:
    alive = 0
    for event in events[:end]:
        alive += rounded(event.size) if event.uid > 0 else -rounded(event.size)
    return alive


def _bytes(tensor: torch.Tensor) -> int:
    return tensor.numel() * tensor.element_size()


def _rounded(tensors: Iterable[torch.Tensor]) -> int:
    return sum(rounded(_bytes(tensor)) for tensor in tensors)


def _timed(result: TraceResult, seconds: float) -> TraceResult:
    return replace(result, seconds=round(seconds, 3))
