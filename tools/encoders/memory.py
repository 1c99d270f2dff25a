"""Memory of encoders, embedding models and rerankers; T = batch · tokens of one forward.

    serve   W + T · (4h + m·I) · b + scores + context       one layer is alive at a time; m = 2 with a gated feed-forward
    scores  2 · batch · a · s² · b                          with eager attention only
    train   W + G + O + L · T · (c·h + m'·I) · …            as Korthikanti et al. (arXiv 2205.05198): a plain encoder layer
                                                            keeps 34·h bytes a token in 16 bits, and 5 · a · s with eager attention
    head    batch · tokens · V · 4 for masked language modelling only, which is not asked here
"""

from __future__ import annotations

from dataclasses import dataclass

from knowledge.facts import precisions
from knowledge.other_facts import EncoderModel
from tools.part_sum import check_choice, check_range
from tools.phrases import Language, read_phrases, say
from tools.units import GIB

PHRASES = "phrases/encoders.toml"
ENGINES = ("tei", "vllm", "sentence-transformers", "onnxruntime")
ATTENTIONS = ("flash", "eager")
METHODS = ("full", "lora")
MAX_BATCH, MAX_TOKENS = 8192, 131_072

CONTEXT = 0.5 * GIB
"""CUDA context and libraries."""

WORKSPACE = {"tei": 0.3 * GIB, "vllm": 1.0 * GIB, "sentence-transformers": 0.4 * GIB, "onnxruntime": 0.6 * GIB}
"""Buffers of each program besides one layer's activations (judgements; vLLM adds its profile run and CUDA graphs)."""

PLAIN_LAYER, GATED_LAYER = 34.0, (20.0, 8.0)
"""Bytes kept per token in 16 bits: 34·h of a plain layer; 20·h + 8·I of a gated one with RMSNorm (as for language models)."""

SCORES_KEPT = 5.0
"""Bytes per score of eager attention: softmax output, dropout mask and its output (arXiv 2205.05198)."""

STATE_BYTES = {"mixed": 16.0, "bf16": 8.0, "fp32": 16.0}
"""Weights, gradients and AdamW states per parameter: 16-bit autocast keeps fp32 weights, gradients and moments."""

ADAPTER_SHARE = 0.01
"""Parameters of a LoRA of rank 16 on attention, as a share of the model (a judgement)."""


@dataclass(frozen=True)
class EncoderJob:
    """One way of running or fine-tuning. `tokens` per text; `precision` is a name of precisions.csv."""

    model: EncoderModel
    tokens: int
    batch: int = 32
    precision: str = "fp16"
    engine: str = "tei"
    attention: str = "flash"
    training: bool = False
    method: str = "full"
    states: str = "mixed"
    checkpointing: bool = False

    @property
    def all_tokens(self) -> int:
        return self.batch * self.tokens

    @property
    def element_bytes(self) -> float:
        """Bytes of an activation: 16 bit unless everything is fp32."""
        return 4.0 if (self.states == "fp32" if self.training else self.precision == "fp32") else 2.0


def check_encoder_job(job: EncoderJob, *, language: Language) -> None:
    """InputError with one sentence for what cannot be asked."""
    table = read_phrases("tools", PHRASES)
    check_range(say(table, "what_batch", language), job.batch, low=1, high=MAX_BATCH, language=language)
    check_range(say(table, "what_tokens", language), job.tokens, low=1, high=MAX_TOKENS, language=language)
    check_choice(say(table, "what_engine", language), job.engine, ENGINES, language=language)
    check_choice(say(table, "what_attention", language), job.attention, ATTENTIONS, language=language)
    check_choice(say(table, "what_method", language), job.method, METHODS, language=language)
    check_choice(say(table, "what_states", language), job.states, STATE_BYTES, language=language)


def encoder_weights(model: EncoderModel, precision: str) -> float:
    """Bytes of the weights; quantisers leave the embedding table in 16 bits."""
    row = precisions()[precision]
    table = min(model.vocab_size * model.hidden_size, model.params)
    return ((model.params - table) * row.bits + table * row.embedding_bits) / 8


def encoder_parts(job: EncoderJob) -> dict[str, float]:
    """Bytes on one card by part."""
    return _training_parts(job) if job.training else _serving_parts(job)


def _serving_parts(job: EncoderJob) -> dict[str, float]:
    model, width = job.model, job.element_bytes
    feed = (2 if model.gated else 1) * model.intermediate_size
    live = job.all_tokens * (4.0 * model.hidden_size + feed) * width
    return {
        "weights": encoder_weights(model, job.precision),
        "activations": live + _scores(job, 2 * width),
        "workspace": WORKSPACE[job.engine],
        "engine": CONTEXT,
    }


def _training_parts(job: EncoderJob) -> dict[str, float]:
    model = job.model
    lora = job.method == "lora"
    trained = ADAPTER_SHARE * model.params if lora else float(model.params)
    per_param = STATE_BYTES[job.states]
    weight = 4.0 if job.states in ("mixed", "fp32") else 2.0
    one_layer = job.all_tokens * layer_bytes(model) * job.element_bytes / 2 + _scores(job, SCORES_KEPT * job.element_bytes / 2)
    inputs = job.all_tokens * model.hidden_size * job.element_bytes
    kept = model.layers * inputs + one_layer if job.checkpointing else model.layers * one_layer
    moments = per_param - 2 * weight
    return {
        "weights": model.params * (2.0 if lora else weight),
        "adapters": weight * trained if lora else 0.0,
        "gradients": weight * trained,
        "optimizer": moments * trained,
        "activations": kept,
        "workspace": WORKSPACE["sentence-transformers"],
        "engine": CONTEXT,
    }


def layer_bytes(model: EncoderModel) -> float:
    """Bytes that one layer keeps per token in 16 bits, scores left out."""
    if model.gated:
        return GATED_LAYER[0] * model.hidden_size + GATED_LAYER[1] * model.intermediate_size
    shared = (PLAIN_LAYER - 19.0) * model.hidden_size  # 19·h of the 34 belong to a feed-forward four times as wide
    return shared + 19.0 / 4 * model.intermediate_size


def _scores(job: EncoderJob, per_score: float) -> float:
    """Scores of eager attention of one layer; flash attention never holds them."""
    if job.attention == "flash":
        return 0.0
    return job.batch * job.model.heads * float(job.tokens) ** 2 * per_score
