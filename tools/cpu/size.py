"""Sizes inference on a CPU: main memory, families, and what single changes save."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from knowledge.errors import UnknownModel
from knowledge.other_facts import EncoderModel, SpeechModel
from knowledge.rows import Model
from tools.encoders.names import look_up_encoder
from tools.lookup import look_up_model
from tools.part_sum import sum_parts
from tools.phrases import Language, read_phrases, say
from tools.results import Estimate
from tools.speech.names import find_speech_model, look_up_speech_model
from tools.units import GIB

from .families import choose_families, not_suited
from .memory import (
    PHRASES,
    SPARE,
    SYSTEM,
    CpuJob,
    check_cpu_job,
    cpu_engine,
    cpu_parts,
    cpu_precision,
)
from .results import CpuChange, CpuSizing

USUAL = {"llm": "q4_k_m", "encoder": "fp32", "whisper": "int8", "nar": "fp32", "llm speech": "bf16"}
"""Precision by kind where none is said."""
COMPUTE_TYPES = {"int8": "int8", "fp32": "float32", "fp16": "float32", "bf16": "bfloat16"}
"""Names of CTranslate2; on a CPU it computes 16-bit floats of fp16 in 32 (https://opennmt.net/CTranslate2/quantization.html)."""
LARGE_PARAMS = 15_000_000_000
"""Beyond this a dense model decodes a few tokens a second on most types."""


@dataclass(frozen=True)
class CpuRequest:
    """What a user asked; None leaves a setting to the default. `families` are names that the user asked about."""

    model: str
    precision: str | None = None
    context: int | None = None
    concurrency: int | None = None
    engine: str | None = None
    families: tuple[str, ...] = ()


def size_cpu(request: CpuRequest, *, language: Language = "en") -> CpuSizing:
    """Main memory and families. Raises UnknownModel, InputError."""
    job = _job(request, language)
    estimate = cpu_estimate(job, language=language)
    memory = estimate.per_gpu_gib.best * SPARE
    suited = choose_families(job, memory, language=language)
    unsuited = not_suited(request.families, language=language)
    cited = [source for row in suited[:3] + unsuited for source in row.source_ids]
    return CpuSizing(
        job="cpu_inference",
        subject=job.name,
        settings={"engine": job.engine, "precision": job.precision, "context": job.context, "concurrency": job.concurrency},
        estimate=estimate,
        memory_gib=memory,
        families=suited,
        not_suited=unsuited,
        changes=list(_changes(job, estimate, language)),
        assumed=list(_assumed(job, language)),
        cautions=list(_cautions(job, language)),
        source_ids=list(dict.fromkeys([*estimate.source_ids, *cited])),
    )


def cpu_estimate(job: CpuJob, *, language: Language = "en") -> Estimate:
    """Main memory of one process."""
    table = read_phrases("tools", PHRASES)
    said = {"engine": job.engine, "precision": job.precision, "concurrency": job.concurrency, "context": f"{job.context:,}"}
    return sum_parts(
        "cpu_inference", cpu_parts(job), gpus=0, band="cpu_inference",
        assumptions=[say(table, f"assume_{job.kind}", language, **said), say(table, "assume_system", language, system=SYSTEM / GIB)],
        command=_command(job),
        source_ids=job.model.source_ids,
    )  # fmt: skip


def find_cpu_model(name: str, *, language: Language = "en") -> Model | EncoderModel | SpeechModel:
    """The row that a name means: speech, encoder, else a language model. Raises UnknownModel."""
    if find_speech_model(name):
        return look_up_speech_model(name, language=language)
    try:
        return look_up_encoder(name, language=language)
    except UnknownModel:
        return look_up_model(name, language=language).model


def _job(request: CpuRequest, language: Language) -> CpuJob:
    model = find_cpu_model(request.model, language=language)
    plain = CpuJob(model, "", "")
    loaded = _loaded_as(model)
    context = {"encoder": min(512, model.max_tokens if isinstance(model, EncoderModel) else 512), "speech": 448}.get(plain.kind, 4096)
    job = CpuJob(
        model,
        engine=cpu_engine(loaded, request.engine, language=language),
        precision=cpu_precision(loaded, request.precision or USUAL[loaded], language=language),
        context=context if request.context is None else request.context,
        concurrency=(8 if plain.kind == "encoder" else 1) if request.concurrency is None else request.concurrency,
    )
    check_cpu_job(job, language=language)
    return job


def _loaded_as(model: Model | EncoderModel | SpeechModel) -> str:
    """Kind of program that a model needs: llm | encoder | whisper | nar | llm speech."""
    if isinstance(model, SpeechModel):
        return "llm speech" if model.kind == "llm" else model.kind
    return "encoder" if isinstance(model, EncoderModel) else "llm"


def _changes(job: CpuJob, estimate: Estimate, language: Language) -> Iterator[CpuChange]:
    table = read_phrases("tools", PHRASES)

    def change(code: str, changed: CpuJob, **said: object) -> CpuChange:
        need = cpu_estimate(changed, language=language).per_gpu_gib.best
        saved = estimate.per_gpu_gib.best - need
        return CpuChange(code=code, what=say(table, f"change_{code}", language, **said), memory_gib=need * SPARE, saves_gib=saved)

    made = []
    if job.kind == "llm" and job.precision != "q8_0":
        made.append(change("int8", replace(job, precision="q8_0")))
    if job.kind == "llm" and job.precision != "q4_k_m":
        made.append(change("q4_k_m", replace(job, precision="q4_k_m")))
    if job.concurrency > 1:
        made.append(change("concurrency", replace(job, concurrency=job.concurrency // 2), concurrency=job.concurrency // 2))
    if job.kind != "speech" and job.context > 512:
        made.append(change("context", replace(job, context=job.context // 2), context=f"{job.context // 2:,}"))
    yield from (row for row in made if row.saves_gib > 0)


def _assumed(job: CpuJob, language: Language) -> Iterator[str]:
    table = read_phrases("tools", PHRASES)
    yield from ([say(table, "assume_speed", language)] if job.kind == "llm" else [])
    yield say(table, "assume_prices", language)


def _cautions(job: CpuJob, language: Language) -> Iterator[str]:
    table = read_phrases("tools", PHRASES)
    if not isinstance(job.model, Model):
        return
    yield say(table, "slow_prefill", language)
    if (job.model.params_active or job.model.params_total) > LARGE_PARAMS:
        yield say(table, "large_model", language)


def _command(job: CpuJob) -> str:
    model = job.model
    if isinstance(model, Model):
        name = (model.hf_id or model.id).rpartition("/")[2]
        return f"llama-server -m {name}-{job.precision.upper()}.gguf -c {job.context * job.concurrency} -np {job.concurrency} --host 0.0.0.0"
    if isinstance(model, SpeechModel):
        return _speech_command(job, model)
    if job.precision == "int8":
        return f"optimum-cli export onnx -m {model.hf_id} ./onnx && optimum-cli onnxruntime quantize --onnx_model ./onnx --avx512_vnni -o ./onnx-int8"
    return f"optimum-cli export openvino -m {model.hf_id} ./openvino"


def _speech_command(job: CpuJob, model: SpeechModel) -> str:
    size = model.id.removeprefix("whisper-")
    if job.engine == "faster-whisper":
        kind = COMPUTE_TYPES[job.precision]
        made = f"m = WhisperModel('{size}', device='cpu', compute_type='{kind}')"
        return f"python -c \"from faster_whisper import WhisperModel; {made}; print([s.text for s in m.transcribe('audio.wav')[0]])\""
    if job.engine == "whisper.cpp":
        return f"whisper-cli -m models/ggml-{size}.bin -f audio.wav"
    if job.engine == "openai-whisper":
        return f"whisper audio.wav --model {size} --device cpu --fp16 False"
    if job.engine == "funasr":
        return f"python -c \"from funasr import AutoModel; print(AutoModel(model='{model.hf_id}', hub='hf', device='cpu').generate('audio.wav'))\""
    asked = f"pipeline('automatic-speech-recognition', '{model.hf_id}', device='cpu')('audio.wav', chunk_length_s=30)"
    return f"python -c \"from transformers import pipeline; print({asked})\""
