"""A vision request as the JobAsk that `size_job` takes: demand, what may be changed, what may be solved for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from knowledge.vision_facts import vision_networks
from tools.jobs.ask import ChangedDemand, JobAsk, Solvable
from tools.phrases import Language, read_phrases, say
from tools.trace.front import has_torch

from .coefficients import find_coefficients
from .demand import VisionDemand, is_batchnorm_one
from .job import MAX_BATCH, PHRASES, VisionJob
from .memory import vision_account
from .request import VisionRequest, make_job

CROP_STEP = 32
"""Crops are multiples of what networks divide a picture by."""
LARGEST_CROP = 8192
LARGEST_MACHINE = 8
"""Cards of one machine; a larger number is spread over several."""
SMALLER_CROP = 0.75
"""Share of the side that the smaller crop keeps."""


def vision_ask(request: VisionRequest, *, language: Language = "en") -> JobAsk:
    """The job as understood. InputError, one sentence, for what cannot be asked for or is not known."""
    job, assumed = make_job(request, language=language)
    vision_account(job, language=language)  # what is not known is refused here, in one sentence
    divided = job.training and not request.batch_is_per_card and not _is_preset(job)
    several = request.gpus is not None and request.gpus > LARGEST_MACHINE
    demand = VisionDemand(job, language, divided, request.gpus if several and job.training else None)
    wish = request.wish
    if request.gpus and not several and wish.gpu_count is None:
        wish = replace(wish, gpu_count=request.gpus)
    return JobAsk(
        job="vision_training" if job.training else "vision_inference",
        subject=job.subject,
        demand=demand,
        phrase_table=PHRASES,
        settings=_settings(job, request),
        assumed=tuple(_say(code, job, language) for code in assumed),
        cautions=tuple(_cautions(job, language)),
        changes=tuple(_changes(demand, language)),
        solve=tuple(_solvables(demand)),
        wish=wish,
        on=request.on,
    )


def _settings(job: VisionJob, request: VisionRequest) -> dict[str, str | int | float | bool | None]:
    network = job.network
    if network is not None and network.preset is not None:
        return {"network": network.id.strip("/"), "task": network.task, "training": True, "preset": True}
    return {
        "network": network.id if network else None,
        "module": job.module or None,
        "task": network.task if network else None,
        "training": job.training,
        "batch": job.batch,
        "batch_per_card": request.batch_is_per_card or None,
        "height": job.height,
        "width": job.width,
        "classes": job.classes,
        "precision": job.precision,
        "optimizer": job.optimizer if job.training else None,
        "checkpointing": job.checkpointing or None,
        "accumulate": job.accumulate if job.accumulate > 1 else None,
        "gpus": request.gpus,
        "traced": job.trace or bool(job.module) or None,
    }


def _say(code: str, job: VisionJob, language: Language, **more: object) -> str:
    figures = {
        "batch": job.batch, "height": job.height, "width": job.width, "classes": job.classes, "precision": job.precision,
        "optimizer": job.optimizer, "network": job.subject,
    }  # fmt: skip
    return say(read_phrases("tools", PHRASES), code, language, **(figures | more))


def _cautions(job: VisionJob, language: Language) -> Iterator[str]:
    if is_batchnorm_one(job):
        yield _say("batchnorm_one", job, language)
    if job.training and job.network is not None and job.network.task == "detection":
        yield _say("detection_extrapolated", job, language)


def _changes(demand: VisionDemand, language: Language) -> Iterator[ChangedDemand]:
    """Single changes, the cheapest to the user first: mixed precision, accumulation, checkpointing, a smaller crop."""
    job = demand.job
    if _is_preset(job) or not job.training:
        return
    for code, changed in _changed_jobs(job):
        if _is_known(changed):
            yield ChangedDemand(
                code,
                _say(f"change_{code}", changed, language, accumulate=changed.accumulate),
                replace(demand, job=changed, _seen={}),
            )


def _changed_jobs(job: VisionJob) -> Iterator[tuple[str, VisionJob]]:
    if not job.amp:
        yield "amp", replace(job, precision="fp16")
    if job.batch >= 4:
        yield "accumulate", replace(job, batch=-(-job.batch // 2), accumulate=2 * job.accumulate)
    if not job.checkpointing:
        yield "checkpointing", replace(job, checkpointing=True)
    height, width = (max(CROP_STEP, round(SMALLER_CROP * side / CROP_STEP) * CROP_STEP) for side in (job.height, job.width))
    if height * width < job.height * job.width:
        yield "crop", replace(job, height=height, width=width)


def _is_known(job: VisionJob) -> bool:
    """Whether the changed job can be summed at all; checkpointing of detectors cannot."""
    if job.module or job.trace or (has_torch() and job.network is not None and job.network.id in vision_networks()):
        return True
    detects = job.network is not None and job.network.task == "detection"
    return not job.checkpointing if detects else find_coefficients(job) is not None


def _solvables(demand: VisionDemand) -> Iterator[Solvable]:
    job = demand.job
    if _is_preset(job):
        return
    yield Solvable(
        "batch", lambda batch: replace(demand, job=replace(job, batch=batch), _seen={}), 1, MAX_BATCH, wished=job.batch
    )
    yield Solvable(
        "crop", lambda side: replace(demand, job=replace(job, height=side, width=side), _seen={}), CROP_STEP, LARGEST_CROP,
        step=CROP_STEP, wished=max(job.height, job.width),
    )  # fmt: skip


def _is_preset(job: VisionJob) -> bool:
    return job.network is not None and job.network.preset is not None
