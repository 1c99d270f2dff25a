"""Memory of a network by tracing it on the meta device, in a process of its own (tools/trace). Needs torch."""

from __future__ import annotations

from knowledge.vision_facts import vision_networks
from tools.phrases import Language
from tools.trace.request import TraceRequest, TraceResult

from .account import VisionAccount
from .job import VisionJob


def by_trace(job: VisionJob, *, language: Language = "en") -> VisionAccount:
    """The account of a traced step. InputError where torch is missing or the module cannot be run."""
    return account_of(run_trace(trace_request(job), language))


def trace_request(job: VisionJob) -> TraceRequest:
    """What the tracer is asked; cuDNN's workspace belongs to old runs only, as it was verified on those alone."""
    return TraceRequest(
        network=_trace_name(job),
        module=job.module,
        classes=job.classes,
        height=job.height,
        width=job.width,
        batch=job.batch,
        training=job.training,
        precision=job.precision,
        optimizer=job.optimizer,
        data_parallel=job.data_parallel,
        sync_bn=job.data_parallel,
        accumulate=job.accumulate,
        checkpointing=job.checkpointing,
        old_torch=job.era == "legacy",
        workspace=job.era == "legacy",
        options=trace_options(job.network.id) if job.network else {},
    )


def trace_options(network_id: str) -> dict[str, str | int | bool]:
    """The tracer's options of a network: yes and no are switches, digits are numbers."""
    row = vision_networks().get(network_id)
    pairs = [option.split("=", 1) for option in row.trace_options] if row else []
    return {name: _option(value) for name, value in pairs}


def _option(value: str) -> str | int | bool:
    if value in ("yes", "no"):
        return value == "yes"
    return int(value) if value.isdigit() else value


def _trace_name(job: VisionJob) -> str:
    if job.module or job.network is None:
        return ""
    row = vision_networks().get(job.network.id)
    return row.traced_as if row else job.network.label


def account_of(result: TraceResult) -> VisionAccount:
    """Bytes of a trace as an account."""
    parts = result.parts
    return VisionAccount(
        weights=parts.weights,
        gradients=parts.gradients,
        optimizer=parts.optimizer,
        buckets=parts.buckets,
        activations=parts.activations,
        workspace=parts.workspace,
        cached_pct=100 * (result.reserved / result.allocated - 1),
        way="traced",
        seconds=result.seconds,
    )


def run_trace(request: TraceRequest, language: Language) -> TraceResult:
    """One trace."""
    from tools.trace.front import trace

    return trace(request, language=language)
