"""Memory of transcribing.

    Whisper   W + beams · batch · cache + encoder + what the program keeps aside
    cache     cross attention 2 · L_dec · 1500 · h · b, self attention 2 · L_dec · 100 · h · b
    encoder   batch · 1500 · 6 · h · b               (input, output, and the four times wider feed-forward)

openai/whisper holds fp32 weights and casts them for each product; CTranslate2 (faster-whisper) shares the cross attention
between beams. Models without beams (SenseVoice, Paraformer) keep one layer's activations only; those that end in a
language model add its cache.
"""

from __future__ import annotations

from dataclasses import dataclass

from knowledge.facts import precisions
from knowledge.other_facts import SpeechModel
from tools.part_sum import check_choice, check_range
from tools.phrases import Language, read_phrases, say
from tools.units import GIB, MIB

PROGRAMS = ("faster-whisper", "openai-whisper", "whisper.cpp", "transformers", "vllm", "funasr")
PHRASES = "phrases/speech.toml"

LOADED = {
    "faster-whisper": ("fp16", "bf16", "fp32", "int8"),
    "openai-whisper": ("fp16", "fp32"),
    "whisper.cpp": ("fp16", "q8_0", "q5_0", "q5_1", "q4_0", "q4_1"),
    "transformers": ("fp16", "bf16", "fp32", "int8", "nf4"),
    "vllm": ("fp16", "bf16", "fp32", "fp8", "awq", "gptq", "gptq_int8", "int8", "nf4"),
    "funasr": ("fp16", "bf16", "fp32"),
}
"""Precisions that each program loads on a GPU (https://opennmt.net/CTranslate2/quantization.html for faster-whisper)."""

CONTEXT = 0.5 * GIB
"""CUDA context and libraries."""

WORKSPACE = {"faster-whisper": 0.65 * GIB, "openai-whisper": 0.3 * GIB, "whisper.cpp": 0.3 * GIB, "transformers": 0.6 * GIB, "vllm": 1.0 * GIB, "funasr": 1.2 * GIB}
"""Caching allocator and buffers. faster-whisper fitted on large-v2: 4,755 MB in fp16, 3,091 in int8 (README); the others are judgements."""

SLACK = {"openai-whisper": 1.2}
"""Blocks that PyTorch's allocator keeps: authors ask 10 GB for large and 11.4 GB were seen, where the sum is 8.4."""

TEXT_TOKENS = 100
"""Tokens of a window of 30 s: about three a second. The program allows 448."""

LLM_TOKENS = 4096
"""Audio and text tokens of one request of an audio language model."""

MAX_BATCH, MAX_BEAMS = 512, 20


@dataclass(frozen=True)
class SpeechJob:
    """One way of transcribing. `precision` is a name of precisions.csv; `batch` counts windows of 30 s at once."""

    model: SpeechModel
    program: str = "faster-whisper"
    precision: str = "fp16"
    batch: int = 1
    beams: int = 5

    @property
    def element_bytes(self) -> float:
        """Bytes of a cached element: 16 bit unless everything is fp32."""
        return 4.0 if self.precision == "fp32" and self.program != "openai-whisper" else 2.0


def check_speech_job(job: SpeechJob, *, language: Language) -> None:
    """InputError with one sentence for what cannot be asked."""
    table = read_phrases("tools", PHRASES)
    check_range(say(table, "what_batch", language), job.batch, low=1, high=MAX_BATCH, language=language)
    check_range(say(table, "what_beams", language), job.beams, low=1, high=MAX_BEAMS, language=language)
    check_choice(say(table, "what_program", language), job.program, PROGRAMS, language=language)
    check_choice(say(table, "what_precision", language), job.precision, LOADED[job.program], language=language)


def speech_weights(job: SpeechJob) -> float:
    """Bytes of the weights as the program holds them."""
    bits = 32 if job.program == "openai-whisper" else precisions()[job.precision].bits
    return job.model.params * bits / 8


def speech_parts(job: SpeechJob) -> dict[str, float]:
    """Bytes on one card by part."""
    slack = SLACK.get(job.program, 1.0)
    weights, cache, activations = speech_weights(job), _cache(job), _activations(job)
    kept = (slack - 1.0) * (weights + cache + activations)
    return {
        "weights": weights,
        "kv_cache": cache,
        "activations": activations,
        "workspace": WORKSPACE[job.program] + kept,
        "engine": CONTEXT,
    }


def _cache(job: SpeechJob) -> float:
    model, width = job.model, job.model.hidden_size * job.element_bytes
    if model.kind == "nar":
        return 0.0
    if model.kind == "llm":
        return 2.0 * model.decoder_layers * LLM_TOKENS * width * job.batch
    shared = 1 if job.program in ("faster-whisper", "whisper.cpp") else job.beams
    cross = 2.0 * model.decoder_layers * model.audio_positions * width * shared
    own = 2.0 * model.decoder_layers * min(model.text_positions, TEXT_TOKENS) * width * job.beams
    return (cross + own) * job.batch


def _activations(job: SpeechJob) -> float:
    """The encoder's live layer: input, output and the four times wider feed-forward; and buffers of the spectrogram."""
    positions = job.model.audio_positions or 1500
    return 6.0 * job.model.hidden_size * positions * job.batch * job.element_bytes + 64 * MIB
