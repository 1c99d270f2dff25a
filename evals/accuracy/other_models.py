"""Adapter of other_models.jsonl: image and video diffusion, speech, encoders."""

from __future__ import annotations

from dataclasses import replace

from knowledge.errors import InputError
from tools.cards import resolve_card
from tools.diffusion.demand import diffusion_estimate, has_own_constants
from tools.diffusion.job import DiffusionJob
from tools.encoders.demand import encoder_estimate
from tools.encoders.memory import ENGINES, EncoderJob
from tools.encoders.names import find_encoder, look_up_encoder
from tools.results import Estimate
from tools.speech.demand import speech_estimate
from tools.speech.memory import PROGRAMS, SpeechJob
from tools.speech.names import find_speech_model, look_up_speech_model
from tools.usable import usable_gib
from tools.weights import canonical_precision

from .diffusion_rows import diffusion_job, without_own_constants
from .rows import Measure, Refusal, Row, flag, gib_of, need, number, row_id, text, whole

WITH_CONTEXT = ("nvidia-smi", "requirement", "required", "reserved")
"""Words of `metric` that say the figure holds the CUDA context; the others are the allocator's."""

FAILED = ("oom", "out of memory", "failed")
SPEECH, ENCODER = ("asr", "speech", "audio"), ("embed", "encoder", "rerank")


def predict(row: Row) -> list[Measure] | Refusal:
    """Peak, weights and whether it ran, as far as the row tells them."""
    try:
        return _measures(row)
    except InputError as error:
        return Refusal(row_id(row), str(error))


def predict_general(row: Row) -> list[Measure] | Refusal:
    """Diffusion rows by the general constants alone: what was fitted on a model's own rows is taken away."""
    try:
        need(row, "kind", "model")
        job, note = diffusion_job(row)
        return _diffused(row, replace(job, model=without_own_constants(job.model)), note)
    except InputError as error:
        return Refusal(row_id(row), str(error))


def _measures(row: Row) -> list[Measure]:
    need(row, "kind", "model")
    kind = str(row["kind"]).lower()
    if "diffusion" in kind:
        return _diffused(row, *diffusion_job(row))
    if any(word in kind for word in SPEECH):
        return _speech(row)
    if any(word in kind for word in ENCODER):
        return _encoder(row)
    raise InputError(f"unknown kind: {kind}")


def _diffused(row: Row, job: DiffusionJob, note: str) -> list[Measure]:
    estimate = diffusion_estimate(job, gpus=whole(row, "num_gpus") or 1)
    groups = {
        "kind": ("video" if job.model.kind == "video" else "image") + (" training" if job.training else " inference"),
        "family": job.model.family,
        "constants": "own" if has_own_constants(job) else "general",
    }
    return _compared(row, estimate, groups, note=note)


def _speech(row: Row) -> list[Measure]:
    name = str(row["model"])
    if not find_speech_model(name):
        raise InputError(f"unknown model: {name}")
    program = _named(row, PROGRAMS, default="openai-whisper")
    job = SpeechJob(
        look_up_speech_model(name), program, _precision(row, "fp16"), whole(row, "batch_size") or 1
    )
    return _compared(row, speech_estimate(job), {"kind": "speech", "family": job.model.family, "program": program})


def _encoder(row: Row) -> list[Measure]:
    name = str(row["model"])
    if not find_encoder(name):
        raise InputError(f"unknown model: {name}")
    model, training = look_up_encoder(name), bool(flag(row, "training"))
    if not _weights_only(row):
        need(row, "seq_len", "batch_size")
    job = EncoderJob(
        model, whole(row, "seq_len") or 512, whole(row, "batch_size") or 1, _precision(row, "fp16"),
        _named(row, ENGINES, default="sentence-transformers"), training=training,
        method="lora" if "lora" in (text(row, "method") or "").lower() else "full",
        checkpointing=bool(flag(row, "gradient_checkpointing")),
    )  # fmt: skip
    return _compared(row, encoder_estimate(job), {"kind": "encoder" + (" training" if training else ""), "family": model.family})


def _named(row: Row, known: tuple[str, ...], *, default: str) -> str:
    framework = (text(row, "framework") or "").lower().replace("/", "-").replace(" ", "-")
    return next((name for name in known if name in framework), default)


def _precision(row: Row, default: str) -> str:
    said = text(row, "quantization") or text(row, "dtype") or default
    words = said.lower().split()
    for name in (said, " ".join(words[:1])):
        try:
            return canonical_precision(name)
        except InputError:
            continue
    raise InputError(f"unknown quantization: {said}")


def _weights_only(row: Row) -> bool:
    return "weights only" in (text(row, "metric") or "")


def _compared(row: Row, estimate: Estimate, groups: dict[str, str], *, note: str = "") -> list[Measure]:
    unit, source = text(row, "unit") or "GB", text(row, "source_url") or ""
    found = []
    weights, peak = number(row, "weights_mem"), number(row, "peak_mem")
    if weights is not None:
        measured = gib_of(weights, unit, source=source)
        found.append(Measure(row_id(row), "weights", measured, estimate.parts["weights"], groups=groups))
    if peak is not None and not _weights_only(row):
        measured, band = gib_of(peak, unit, source=source), estimate.per_gpu_gib
        share = _without_context(row, estimate) / band.best
        found.append(Measure(row_id(row), "peak", measured, band.best * share, band.low * share, band.high * share, groups, note))
    return [*found, *_ran(row, estimate, groups)]


def _without_context(row: Row, estimate: Estimate) -> float:
    metric = (text(row, "metric") or "").lower()
    held = any(word in metric for word in WITH_CONTEXT)
    return estimate.per_gpu_gib.best - (0.0 if held else estimate.parts.get("engine", 0.0))


def _ran(row: Row, estimate: Estimate, groups: dict[str, str]) -> list[Measure]:
    """Whether it ran on the card named, where exactly one card of the table is meant."""
    cards, outcome = resolve_card(text(row, "gpu") or ""), (text(row, "outcome") or "").lower()
    if len(cards) != 1 or not outcome or _weights_only(row):
        return []
    fits = estimate.per_gpu_gib.best <= usable_gib(cards[0])
    failed = any(word in outcome for word in FAILED)
    return [Measure(row_id(row), "fits", float(not failed), float(fits), groups=groups)]
