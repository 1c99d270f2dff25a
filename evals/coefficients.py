"""Fits the memory coefficients of all vision networks from our own traces: `python -m evals.coefficients`.

Needs torch (the extra `trace`). Each network is traced at a few sizes, batches and numbers of classes; the lines through
them become a row of knowledge/data/vision_memory.csv, and traces that the fit has not seen tell its error. `--missing`
traces only networks without rows, `--only TEXT` those whose name contains it, `--rows TEXT` only the combinations whose
name does ("legacy", "modern training amp checkpointing").
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import fields, replace
from functools import partial
from importlib.resources import files
from pathlib import Path

from evals.coefficient_plan import (
    COMBINATIONS,
    MANY_CLASSES,
    Combination,
    Line,
    Plan,
    Point,
    is_wanted,
    plan_of,
)
from knowledge.errors import InputError
from knowledge.vision_facts import VisionMemory, VisionNetwork, vision_memory, vision_networks
from tools.trace.networks import find_network
from tools.trace.request import TraceRequest, TraceResult
from tools.vision.account import ELEMENT
from tools.vision.coefficients import dynamic_bytes
from tools.vision.job import VisionJob
from tools.vision.network import network_of
from tools.vision.traced import trace_request

SQUARED_FROM = 0.004
"""Relative difference between one large and four small pictures of equal pixels from which the squared term is real
(attention over the whole picture); below it is rounding of sizes and windows."""
LEAST_CACHED_PCT, MOST_CACHED_PCT = 3.0, 23.0
"""5th and 95th percentile of 179 replayed steps of published size: a share beyond them is that of a few megabytes in blocks
of twenty, which tells nothing of a larger job."""
STEP = "optimizer step"
MORE = 4
"""By how much the batches grow where a small one peaks in the optimizer's step, which tells nothing of the activations."""
Trace = Callable[[TraceRequest], TraceResult]


def fit_network(row: VisionNetwork, combination: Combination, trace: Trace, *, first: VisionMemory | None = None) -> VisionMemory:
    """One row of coefficients; `first` is that of the network's first combination.

    Raises InputError where the tracer cannot make the network.
    """
    job = _job(row, combination)
    bent = first is not None and (first.loss_c > 0 or first.body_c > 0)
    plan, traced = _traced_plan(job, plan_of(job.network.task if job.network else "", combination, bent=bent), trace)
    dynamic = {point: _dynamic(result, kept=combination.era == "legacy") for point, result in traced.items()}
    loss_a, slope, loss_c = _line(plan.loss, dynamic)
    body_a, body_b, body_c = _line(plan.body, dynamic)
    twice, parameters = plan.loss[1], traced[plan.loss[0]].parameters
    loss_k, per_class = _cost_of_class(plan, dynamic, traced, first)
    found = VisionMemory(
        network=row.network, era=combination.era, phase=combination.phase, precision=combination.precision,
        checkpointing=combination.checkpointing, classes=twice.classes, parameters=parameters, trained=parameters,
        parameters_per_class=per_class, buffers=max(0, traced[plan.loss[0]].parts.weights - ELEMENT * parameters),
        loss_a=round(loss_a), loss_b=round(slope - loss_k * twice.classes, 1), loss_k=round(loss_k, 2), loss_c=loss_c,
        body_a=round(body_a), body_b=round(body_b, 1), body_c=body_c,
        cached_pct=round(_cached_pct(traced.values()), 1), points=len(traced), heldout_pct=0.0,
    )  # fmt: skip
    errors = [_error(found, job, point, trace(_request(job, point))) for point in plan.unseen] or [0.0]
    worst = max(errors, key=abs)
    return replace(found, heldout_pct=round(worst, 2))


def _cost_of_class(
    plan: Plan, dynamic: dict[Point, int], traced: dict[Point, TraceResult], first: VisionMemory | None
) -> tuple[float, float]:
    """Bytes per pixel and class at the loss, and parameters per class; those of the first row where they were not traced.

    Without gradients there is no loss, and a classifier's classes cost parameters alone.
    """
    many, fewer = plan.loss[1], plan.fewer
    if fewer is None:
        trains = first is not None and plan.loss[0].classes == MANY_CLASSES
        return (first.loss_k if first and trains else 0.0), (first.parameters_per_class if first else 0.0)
    fewer_classes = many.classes - fewer.classes
    loss_k = max(0.0, (dynamic[many] - dynamic[fewer]) / (_pixels(many) * fewer_classes))
    return loss_k, round((traced[many].parameters - traced[fewer].parameters) / fewer_classes, 2)


def _traced_plan(job: VisionJob, plan: Plan, trace: Trace) -> tuple[Plan, dict[Point, TraceResult]]:
    """The plan's points traced, with larger batches where the optimizer's step is the peak."""
    traced = {point: trace(_request(job, point)) for point in plan.points}
    if all(result.phase != STEP for result in traced.values()):
        return plan, traced
    larger = plan.with_more(MORE)
    return larger, {point: trace(_request(job, point)) for point in larger.points}


def _job(row: VisionNetwork, combination: Combination) -> VisionJob:
    return VisionJob(
        network=network_of(row.network), batch=1, height=512, width=512, classes=19,
        precision="fp16" if combination.precision == "amp" else "fp32", training=combination.phase == "training",
        checkpointing=combination.checkpointing, era="legacy" if combination.era == "legacy" else "modern",
    )  # fmt: skip


def _request(job: VisionJob, point: Point) -> TraceRequest:
    asked = replace(job, batch=point.batch, height=point.side, width=point.width, classes=point.classes)
    return trace_request(asked)


def _dynamic(result: TraceResult, *, kept: bool) -> int:
    """Bytes that live only within the step; gradients count where they come and go."""
    parts = result.parts
    stands = parts.weights + parts.optimizer + parts.buckets + (parts.gradients if kept else 0)
    return result.allocated - stands


def _line(points: Line, dynamic: dict[Point, int]) -> tuple[float, float, float]:
    """a, b and c of a + b · N·px + c · N·px²; c only where large pictures need clearly more than small ones of as many pixels."""
    small, twice = points[:2]
    per_pixel = (dynamic[twice] - dynamic[small]) / (_pixels(twice) - _pixels(small))
    squared = 0.0
    for large in points[2:]:
        linear = dynamic[small] + per_pixel * (_pixels(large) - _pixels(small))
        if dynamic[large] / linear - 1 > SQUARED_FROM:
            share = (_pixels(large) - _pixels(small)) / (_pixels(twice) - _pixels(small))
            bend = _squared(large) - _squared(small) - share * (_squared(twice) - _squared(small))
            squared = (dynamic[large] - linear) / bend
    first, second = (dynamic[point] - squared * _squared(point) for point in (small, twice))
    slope = (second - first) / (_pixels(twice) - _pixels(small))
    return first - slope * _pixels(small), slope, float(f"{squared:.4g}")


def _pixels(point: Point) -> int:
    return point.batch * point.side * point.width


def _squared(point: Point) -> int:
    return point.batch * (point.side * point.width) ** 2


def _cached_pct(results: Iterable[TraceResult]) -> float:
    """Percent that the allocator reserves beyond what is allocated, of the largest trace: blocks weigh less there."""
    largest = max(results, key=lambda result: result.allocated)
    return min(MOST_CACHED_PCT, max(LEAST_CACHED_PCT, 100 * (largest.reserved / largest.allocated - 1)))


def _error(row: VisionMemory, job: VisionJob, point: Point, result: TraceResult) -> float:
    """Percent by which the coefficients miss a trace, of all that is allocated."""
    asked = replace(job, batch=point.batch, height=point.side, width=point.width, classes=point.classes)
    stands = result.allocated - _dynamic(result, kept=row.era == "legacy")
    floor = 0 if row.era == "legacy" or not job.training else 2 * ELEMENT * row.trained
    return 100 * ((stands + max(floor, dynamic_bytes(asked, row))) / result.allocated - 1)


def fit_all(row: VisionNetwork, combinations: Sequence[Combination], *, trace: Trace | None = None) -> list[VisionMemory] | str:
    """All rows of one network, or why it cannot be traced."""
    if trace is None:
        from tools.trace.front import trace as trace_front

        trace = trace_front
    found: list[VisionMemory] = []
    reason = ""
    first = _shipped_first(row) if COMBINATIONS[0] not in combinations else None
    for combination in combinations:
        if not is_wanted(row, combination):
            continue
        try:
            _check_name(row)
            found.append(fit_network(row, combination, trace, first=first))
            first = first or found[0]
        except (InputError, RuntimeError, AssertionError, KeyError, IndexError) as error:
            reason = f"{combination}: {type(error).__name__}: {str(error)[:160]}"
    return found or reason


def _shipped_first(row: VisionNetwork) -> VisionMemory | None:
    """The first row as the table has it, where only other combinations are traced."""
    first = COMBINATIONS[0]
    return vision_memory().get((row.network, first.era, first.phase, first.precision, first.checkpointing))


def _check_name(row: VisionNetwork) -> None:
    """The tracer must mean the same network: a name that it reads as another would give a wrong row."""
    found = find_network(row.traced_as)
    method, _, rest = row.traced_as.partition(" ")
    if (found.method, found.backbone) != (method, rest.partition(" ")[0]):
        raise InputError(f"the tracer reads {row.traced_as!r} as {found.method} {found.backbone}")


def _selected(asked: argparse.Namespace) -> Iterator[VisionNetwork]:
    known = {key[0] for key in vision_memory()} if asked.missing else set()
    for row in vision_networks().values():
        if row.network not in known and asked.only in row.network:
            yield row


def write_table(rows: Iterable[VisionMemory], path: Path) -> None:
    """The table, in the order of the network table."""
    names = [item.name for item in fields(VisionMemory)]
    order = {name: place for place, name in enumerate(vision_networks())}
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(names)
        for row in sorted(rows, key=lambda r: (order.get(r.network, 0), r.era != "modern", r.phase, r.precision, r.checkpointing)):
            cells = [getattr(row, name) for name in names]
            writer.writerow(["yes" if cell is True else "no" if cell is False else cell for cell in cells])


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--only", default="", help="networks whose name contains this")
    parser.add_argument("--missing", action="store_true", help="only networks without rows")
    parser.add_argument("--rows", default="", help="combinations whose name contains this, e.g. legacy")
    parser.add_argument("--workers", type=int, default=2)
    asked = parser.parse_args(arguments)
    combinations = [item for item in COMBINATIONS if asked.rows in item.name]
    rows = dict(vision_memory())
    path = Path(str(files("knowledge").joinpath("data", "vision_memory.csv")))
    chosen = list(_selected(asked))
    with ProcessPoolExecutor(asked.workers) as pool:
        for network, found in zip(chosen, pool.map(partial(fit_all, combinations=combinations), chosen), strict=True):
            if isinstance(found, str):
                if found:
                    sys.stderr.write(f"{network.network}: {found}\n")
                continue
            rows.update({(r.network, r.era, r.phase, r.precision, r.checkpointing): r for r in found})
            worst = max(found, key=lambda r: abs(r.heldout_pct))
            sys.stdout.write(f"{network.network}: {len(found)} rows, worst unseen error {worst.heldout_pct:+.1f} %\n")
            sys.stdout.flush()
            write_table(rows.values(), path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
