"""Official statements on vision, diffusion, speech and encoders as jobs of `size vision`, `size diffusion`, …"""

from __future__ import annotations

import re
from collections.abc import Callable

from knowledge.errors import InputError
from tools.diffusion.ask import DiffusionRequest, diffusion_ask
from tools.diffusion.names import find_diffusion_model, look_up_diffusion_model
from tools.encoders.demand import EncoderRequest, encoder_ask
from tools.encoders.names import find_encoder
from tools.places import Place
from tools.speech.demand import SpeechRequest, asr_ask
from tools.speech.names import find_speech_model
from tools.table_names import NamedSpan
from tools.vision.ask import vision_ask
from tools.vision.request import VisionRequest

from .official_sums import Judged, batch_of, judge_ask, model_of, precision_of, size_of
from .rows import Row, text

TRAINS = ("training", "lora", "full")
"""Words of `method` that say that a picture model is trained."""
PLAIN_PROGRAM, COMFYUI = "diffusers", "comfyui"
SMALL_CLIP = (480, 832)
"""Height and width where a page states none: 480p, as short contexts are taken for language."""

_SELF_SUPERVISED = re.compile(r"\b(?:MAE|DINO(?:v2)?|MoCo\w*|SwAV|SimCLR|BYOL|BEiT)\b.*(?:pre-?train|ImageNet)", re.IGNORECASE)


def judge_vision(row: Row, place: Place, utilization: float) -> Judged:
    """Training on all cards, each with the row's batch; inference on one. InputError for pre-training without labels."""
    if _SELF_SUPERVISED.search(model_of(row)):
        raise InputError(f"self-supervised pre-training is not sized: {model_of(row)!r}")
    training = text(row, "workload") == "vision_train"
    mixed = (text(row, "precision") or "").lower() in ("fp16", "bf16")  # "fp32/amp as in config" states neither
    request = VisionRequest(
        arch=model_of(row),
        task="classification" if "imagenet" in model_of(row).lower() else None,
        crop=size_of(row),
        batch=batch_of(row),
        precision=precision_of(row) if mixed else None,
        training=training,
        gpus=place.gpus if training else None,
    )
    return judge_ask(vision_ask(request), place, utilization, ("network", "batch", "height", "width", "precision"))


def judge_diffusion(row: Row, place: Place, utilization: float) -> Judged:
    """In the program that the page names; where it names none, in the plain pipeline, and in ComfyUI where that does not do."""
    named = COMFYUI in f"{text(row, 'engine') or ''} {model_of(row)}".lower()
    judged = _generated(row, place, utilization, COMFYUI if named else PLAIN_PROGRAM)
    if named or judged.fits or _trains(row):
        return judged
    other = _generated(row, place, utilization, COMFYUI)
    return other if other.fits else judged


def _generated(row: Row, place: Place, utilization: float, program: str) -> Judged:
    """One picture or clip: a picture of the pipeline's own size, a clip of the smaller usual size unless it is stated."""
    training = _trains(row)
    model = look_up_diffusion_model(_named(row, find_diffusion_model, "picture or video model"))
    size = size_of(row) or (SMALL_CLIP if model.kind == "video" else None)
    request = DiffusionRequest(
        model=model.id,
        size=(size[1], size[0]) if size else None,
        precision=precision_of(row) or _precision_in_name(row),
        program=None if training else program,
        training=training,
        method=("lora" if "lora" in (text(row, "method") or "").lower() else "full") if training else None,
    )
    return judge_ask(diffusion_ask(request), place, utilization, ("width", "height", "frames", "precision", "program", "offload", "method"))


def _trains(row: Row) -> bool:
    return any(word in (text(row, "method") or "").lower() for word in TRAINS)


def judge_speech(row: Row, place: Place, utilization: float) -> Judged:
    """One recording at a time."""
    request = SpeechRequest(_named(row, find_speech_model, "speech model"), precision=precision_of(row))
    return judge_ask(asr_ask(request), place, utilization, ("program", "precision", "batch"))


def judge_encoder(row: Row, place: Place, utilization: float) -> Judged:
    """The engine's usual batch."""
    request = EncoderRequest(_named(row, find_encoder, "embedding model or reranker"), precision=precision_of(row))
    return judge_ask(encoder_ask(request), place, utilization, ("batch", "tokens", "precision"))


def _named(row: Row, find: Callable[[str], tuple[NamedSpan, ...]], what: str) -> str:
    """The first model of the table that the row names. Raises InputError when it names none."""
    found = find(model_of(row))
    if not found:
        raise InputError(f"no {what} of the table in {model_of(row)!r}")
    return found[0].id


def _precision_in_name(row: Row) -> str | None:
    return "fp8" if "fp8" in model_of(row).lower() else None
