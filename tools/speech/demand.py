"""Transcribing as a demand on cards, and as a job to be sized."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from knowledge.other_facts import speech_models
from knowledge.rows import Gpu
from tools.demand import Wish
from tools.jobs.ask import ChangedDemand, JobAsk, Solvable
from tools.part_sum import sum_parts
from tools.phrases import Language, read_phrases, say
from tools.results import Estimate
from tools.units import GIB
from tools.usable import usable_is_estimated
from tools.weights import canonical_precision

from .memory import LLM_TOKENS, MAX_BATCH, PHRASES, SpeechJob, check_speech_job, speech_parts
from .names import look_up_speech_model

DISK_GIB, HOST_GIB = 45.0, 4.0
"""System, environment and audio; ffmpeg and decoding in main memory."""

MIN_COMPUTE_CAPABILITY = 6.1
"""CTranslate2 runs int8 from Pascal on (https://opennmt.net/CTranslate2/hardware_support.html)."""

GGML_TYPES = {"int8": "q8_0", "int4": "q5_0"}
"""Types of whisper.cpp's files that stand for widths said without a format."""

COMMANDS = {
    "faster-whisper": "python -c \"from faster_whisper import WhisperModel; m = WhisperModel('{name}', device='cuda', compute_type='{kind}'); "
    "print([s.text for s in m.transcribe('audio.wav', beam_size={beams})[0]])\"",
    "openai-whisper": "whisper audio.wav --model {name} --device cuda --beam_size {beams}",
    "whisper.cpp": "whisper-cli -m models/ggml-{name}{suffix}.bin -f audio.wav -bs {beams}",
    "transformers": "python -c \"from transformers import pipeline; print(pipeline('automatic-speech-recognition', '{hub}', device=0, "
    "torch_dtype='{dtype}', batch_size={batch})('audio.wav', chunk_length_s=30))\"",
    "vllm": "vllm serve {hub} --max-num-seqs {batch}",
    "funasr": "python -c \"from funasr import AutoModel; print(AutoModel(model='{hub}', hub='hf', device='cuda:0').generate('audio.wav'))\"",
}


@dataclass(frozen=True)
class SpeechDemand:
    """One way of transcribing, on one card."""

    job: SpeechJob
    language: Language = "en"

    def estimates(self, gpu: Gpu, gpus: int) -> tuple[Estimate, ...]:
        """On one card, however many there are: more cards take more audio."""
        return (speech_estimate(self.job, language=self.language, source_ids=gpu.source_ids),)

    def blocked(self, gpu: Gpu) -> str | None:
        """Code of the reason why the card cannot run it at all."""
        if gpu.compute_capability is None:
            return "not_cuda"
        return "compute_capability" if gpu.compute_capability < MIN_COMPUTE_CAPABILITY else None

    def cautions(self, gpu: Gpu, gpus: int) -> list[str]:
        """Codes of what bites on that card."""
        return ["usable_estimated"] if usable_is_estimated(gpu) else []

    @property
    def disk_gib(self) -> float:
        return self.job.model.params * 2 / GIB * 1.2 + DISK_GIB

    @property
    def host_memory_gib(self) -> float:
        return self.job.model.params * 2 / GIB + HOST_GIB


@dataclass(frozen=True)
class SpeechRequest:
    """What a user asked; None leaves a setting to the default."""

    model: str
    program: str | None = None
    precision: str | None = None
    batch: int | None = None
    beams: int | None = None
    on: tuple[str, ...] = ()
    wish: Wish = Wish()


def asr_ask(request: SpeechRequest, *, language: Language = "en") -> JobAsk:
    """The job to be sized. Raises UnknownModel, InputError."""
    model = look_up_speech_model(request.model, language=language)
    default = {"nar": "funasr", "llm": "vllm"}.get(model.kind, "faster-whisper")
    program = (request.program or default).lower().replace("_", "-").replace(" ", "-")
    named = canonical_precision(request.precision or "fp16", language=language)
    job = SpeechJob(
        model,
        program=program,
        precision=GGML_TYPES.get(named, named) if program == "whisper.cpp" else named,
        batch=1 if request.batch is None else request.batch,
        beams=5 if request.beams is None else request.beams,
    )
    check_speech_job(job, language=language)
    return JobAsk(
        job="asr_inference",
        subject=model.id,
        demand=SpeechDemand(job, language),
        phrase_table=PHRASES,
        settings={"program": job.program, "precision": job.precision, "batch": job.batch, "beams": job.beams if model.kind == "whisper" else None},
        cautions=tuple(say(read_phrases("tools", PHRASES), code, language) for code in (["vllm_takes_all"] if job.program == "vllm" else [])),
        changes=tuple(_changes(job, language)),
        solve=(Solvable("batch", lambda batch: SpeechDemand(replace(job, batch=batch), language), 1, MAX_BATCH, wished=request.batch),),
        wish=request.wish,
        on=request.on,
        source_ids=model.source_ids,
    )


def speech_estimate(job: SpeechJob, *, language: Language = "en", source_ids: tuple[str, ...] = ()) -> Estimate:
    """Memory of one card."""
    table, model = read_phrases("tools", PHRASES), job.model
    load = {"nar": "assume_nar", "llm": "assume_requests"}.get(model.kind, "assume_load")
    codes = ["assume_program", load, *(["assume_fp32"] if job.program == "openai-whisper" else []), "assume_context"]
    codes += [] if model.family == "Whisper" else ["not_validated"]
    said = {"program": job.program, "precision": job.precision, "batch": job.batch, "beams": job.beams, "tokens": f"{LLM_TOKENS:,}"}
    measured = ("faster-whisper-readme",) if job.program == "faster-whisper" else ()
    return sum_parts(
        "asr_inference", speech_parts(job), gpus=1, band="asr_inference",
        assumptions=[say(table, code, language, **said) for code in codes],
        command=_command(job),
        source_ids=[*model.source_ids, *measured, *source_ids],
    )  # fmt: skip


def _command(job: SpeechJob) -> str:
    name = job.model.id.removeprefix("whisper-").replace("large-v3-turbo", "turbo" if job.program == "openai-whisper" else "large-v3-turbo")
    kind = {"int8": "int8_float16", "fp32": "float32", "bf16": "bfloat16"}.get(job.precision, "float16")
    suffix = "" if job.precision == "fp16" else f"-{job.precision}"
    return COMMANDS[job.program].format(
        name=name, suffix=suffix, hub=job.model.hf_id, kind=kind, dtype="float32" if job.precision == "fp32" else "float16", beams=job.beams, batch=job.batch
    )


def _changes(job: SpeechJob, language: Language) -> Iterator[ChangedDemand]:
    """Single changes, the cheapest to the user first."""
    table = read_phrases("tools", PHRASES)

    def change(code: str, changed: SpeechJob, **arguments: object) -> ChangedDemand:
        return ChangedDemand(code, say(table, f"change_{code}", language, **arguments), SpeechDemand(changed, language))

    if job.model.kind == "whisper" and job.program != "faster-whisper":
        yield change("faster_whisper", replace(job, program="faster-whisper", precision="fp16"))
    if job.model.kind == "whisper" and job.program == "faster-whisper" and job.precision != "int8":
        yield change("int8", replace(job, precision="int8"))
    if job.batch > 1:
        yield change("batch", replace(job, batch=max(1, job.batch // 2)), batch=max(1, job.batch // 2))
    if job.model.kind == "whisper" and job.beams > 1:
        yield change("beam", replace(job, beams=1))
    if job.model.id == "whisper-large-v3":
        yield change("turbo", replace(job, model=speech_models()["whisper-large-v3-turbo"]))
