"""What programs for CPUs load: which engine runs which kind of model, and the file type that a width stands for."""

from __future__ import annotations

from knowledge.facts import precisions
from tools.part_sum import check_choice
from tools.phrases import Language, read_phrases, say
from tools.weights import canonical_precision

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
