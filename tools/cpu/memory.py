"""Main memory of inference on a CPU.

    language model   W + sequences · cache + compute buffer + system
    encoder          W + T · (4h + m·I) · 4 + scores + system             (eager attention, fp32 activations)
    speech           W + cache + encoder + system
"""

from __future__ import annotations

from dataclasses import dataclass

from knowledge.errors import InputError
from knowledge.facts import precisions
from knowledge.other_facts import EncoderModel, SpeechModel
from knowledge.rows import Model
from tools.architecture import GENERATIVE, complete_shape
from tools.encoders.memory import EncoderJob, encoder_parts
from tools.engines.llamacpp import llamacpp_budget
from tools.kv_cache import kv_layout
from tools.part_sum import check_choice, check_range
from tools.phrases import Language, read_phrases, say
from tools.serving_job import LLAMACPP, ServingJob
from tools.speech.memory import SpeechJob, speech_parts
from tools.units import GIB
from tools.weights import canonical_precision, weights_bytes

PHRASES = "phrases/cpu.toml"

ENGINES = {
    "llm": ("llama.cpp",),
    "hybrid": ("ktransformers", "llama.cpp"),
    "encoder": ("onnxruntime", "openvino"),
    "whisper": ("faster-whisper", "whisper.cpp", "openai-whisper", "transformers"),
    "nar": ("funasr",),
    "llm speech": ("transformers",),
}
"""Programs by kind of model, the usual one first."""

GGUF, FLOAT = "gguf", "float"
EIGHT_BITS = 8.0
"""GGUF files of whole-byte formats are q8_0; everything narrower that is no GGUF type itself becomes q4_k_m."""

LOADED = {
    "encoder": ("fp32", "bf16", "fp16", "int8"),
    "whisper": ("int8", "fp32", "bf16", "fp16"),
    "nar": ("fp32", "int8"),
    "llm speech": ("bf16", "fp32"),
}
"""Precisions that the programs of other kinds load on a CPU, the usual one of whisper first."""

SYSTEM = 2.0 * GIB
"""Linux, Python and the program (a judgement)."""

SPARE = 1.10
"""What main memory must have above the sum: page cache, fragmentation (a judgement)."""

KV_BYTES = 2.0
"""llama.cpp keeps its cache in f16."""

MAX_CONTEXT, MAX_CONCURRENCY = 10_000_000, 10_000


@dataclass(frozen=True)
class CpuJob:
    """One model on a CPU. `context` is tokens per sequence or text, `concurrency` how many at once."""

    model: Model | EncoderModel | SpeechModel
    engine: str
    precision: str
    context: int = 4096
    concurrency: int = 1

    @property
    def kind(self) -> str:
        """llm | encoder | speech."""
        return {EncoderModel: "encoder", SpeechModel: "speech"}.get(type(self.model), "llm")

    @property
    def name(self) -> str:
        return self.model.id


def check_cpu_job(job: CpuJob, *, language: Language) -> None:
    """InputError with one sentence for what cannot be asked."""
    table = read_phrases("tools", PHRASES)
    check_range(say(table, "what_context", language), job.context, low=1, high=MAX_CONTEXT, language=language)
    check_range(say(table, "what_concurrency", language), job.concurrency, low=1, high=MAX_CONCURRENCY, language=language)
    if isinstance(job.model, Model) and (job.model.modality not in GENERATIVE or not job.model.layers):
        raise InputError(say(table, "no_shape", language, model=job.model.id))


def cpu_parts(job: CpuJob) -> dict[str, float]:
    """Bytes of main memory by part."""
    if isinstance(job.model, Model):
        return {**language_model_parts(job.model, job), "system": SYSTEM}
    if isinstance(job.model, EncoderModel):
        parts = encoder_parts(EncoderJob(job.model, job.context, job.concurrency, job.precision, "onnxruntime", "eager"))
        return {"weights": parts["weights"], "activations": 2 * parts["activations"], "system": SYSTEM}  # fp32 activations
    parts = speech_parts(SpeechJob(job.model, job.engine, job.precision, job.concurrency))
    return {name: size for name, size in parts.items() if name != "engine"} | {"system": SYSTEM}


def language_model_parts(model: Model, job: CpuJob) -> dict[str, float]:
    """Weights, cache and compute buffer of llama.cpp."""
    shape = complete_shape(model)
    serving = ServingJob(shape, job.precision, context=job.context, concurrency=job.concurrency, engine=LLAMACPP)
    layout = kv_layout(shape, KV_BYTES)
    budget = llamacpp_budget(serving)
    return {
        "weights": float(weights_bytes(model, job.precision)),
        "kv_cache": float(layout.sequence_bytes(job.context, step_tokens=budget.step_tokens) * job.concurrency),
        "activations": float(budget.activation),
    }


def cpu_engine(kind: str, given: str | None, *, language: Language) -> str:
    """The program as asked, else the usual one of the kind. InputError naming the choices."""
    plain = (given or ENGINES[kind][0]).strip().casefold().replace("_", "-").replace(" ", "-")
    plain = {"llamacpp": "llama.cpp", "llama-cpp": "llama.cpp", "onnx": "onnxruntime", "whispercpp": "whisper.cpp"}.get(plain, plain)
    check_choice(say(read_phrases("tools", PHRASES), "what_engine", language), plain, ENGINES[kind], language=language)
    return plain


def cpu_precision(kind: str, given: str, *, language: Language) -> str:
    """The precision as files of it exist: GGUF types for language models. InputError naming the choices."""
    name = canonical_precision(given, language=language)
    if kind in ("llm", "hybrid"):
        return _gguf_type(name)
    check_choice(say(read_phrases("tools", PHRASES), "what_precision", language), name, LOADED[kind], language=language)
    return name


def _gguf_type(name: str) -> str:
    row = precisions()[name]
    if row.kind in (GGUF, FLOAT):
        return name
    return "q8_0" if row.bits >= EIGHT_BITS else "q4_k_m"
