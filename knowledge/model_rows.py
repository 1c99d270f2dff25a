"""The rows of the tables about models, precisions and engines. Column names carry the unit; empty cells are None."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Model:
    """Architecture of a published model. Sizes in elements, not bytes.

    `attention` is None when only size and context were seen; its `type` is mha | gqa | mqa | mla | sliding | hybrid.
    """

    id: str
    hf_id: str
    aliases: tuple[str, ...]
    family: str
    modality: str  # text | vision-language | diffusion | encoder | asr
    params_total: int
    params_active: int | None
    params_source: str
    hidden_size: int | None
    layers: int | None
    heads: int | None
    kv_heads: int | None
    head_dim: int | None
    intermediate_size: int | None
    vocab_size: int | None
    tied_embeddings: bool | None
    max_context: int | None
    attention: Mapping[str, Any] | None
    moe: Mapping[str, Any] | None
    native_dtype: str | None
    checkpoint_bytes: int | None
    vision_params: int | None
    licence: str | None
    source_ids: tuple[str, ...]
    confidence: str
    note: str
    plain_mlp: bool = False  # feed-forward of two matrices (GELU, ReLU) instead of three (SwiGLU)


@dataclass(frozen=True, slots=True)
class Precision:
    """How weights are stored. Bits are per weight, scales included.

    `scope` says which weights have `bits`: all | body (all but embeddings and output head) | experts (routed experts);
    the others have `rest_bits`, embeddings and output head `embedding_bits`.
    """

    precision: str
    kind: str  # float | fp8 | int8 | int4 | fp4 | gguf
    bits: float
    scope: str
    rest_bits: float
    embedding_bits: float
    kv_bytes: float | None  # bytes per element when used for the KV cache; None: not used there
    min_compute_capability: float
    blocked_code: str  # why a card below that cannot run it
    load_flag: str  # `--quantization` value that quantises a 16-bit checkpoint while loading
    suffix: str  # how repositories that hold such weights end
    native: str  # native_dtype of models that are published this way
    aliases: tuple[str, ...]
    source_ids: tuple[str, ...]
    note: str


@dataclass(frozen=True, slots=True)
class EngineVersion:
    """Fitted start-up memory of one range of vLLM versions; `from_version` is the first of the range.

    `whole_prompt`: the profile run takes max_model_len tokens at once up to 32,768. `graphs_inside`: CUDA graphs count
    within gpu_memory_utilization.
    """

    group: str
    from_version: str
    sampler_factor: float  # fp32 copies of the logits alive in the profile run
    non_torch_tp1_gib: float
    non_torch_tp_gib: float
    graphs_gib: float
    expert_workspace: bool  # whether the fused experts' workspace is still held while sampling
    pool_tokens: str  # what the log's token count means: layers (pool / bytes of all layers) | requests (full ones × length)
    whole_prompt: bool
    graphs_inside: bool
    source_ids: tuple[str, ...]
    note: str


@dataclass(frozen=True, slots=True)
class GenerateVersion:
    """What `generate()` of Hugging Face takes besides weights and cache, by range of transformers versions.

    `measured`: what published figures of that range count: reserved | allocated | after (read when the run was over).
    """

    group: str
    from_version: str
    released: str  # ISO date of the first version of the range
    logits_bytes: int  # per prompt token and vocabulary entry; 0: only the last token's logits
    layer_elements: bool  # whether one layer's forward over the whole prompt is counted
    cache_copies: int  # of the cache while a token is added
    layer_mib: float  # fragments of the allocator per layer
    measured: str
    source_ids: tuple[str, ...]
    note: str


@dataclass(frozen=True, slots=True)
class EngineDefaults:
    """What the server picks when nothing is said; the first row whose card fits holds."""

    min_visible_gib: float
    excluded_names: tuple[str, ...]
    max_num_seqs: int
    max_num_batched_tokens: int
    source_ids: tuple[str, ...]
    note: str


@dataclass(frozen=True, slots=True)
class MeasuredBand:
    """5th and 95th percentile of (measured - predicted) / predicted, in percent, over `n` measured rows."""

    quantity: str
    low_pct: float
    high_pct: float
    n: int
    measured_in: str


@dataclass(frozen=True, slots=True)
class TypicalModel:
    """Shape of a usual dense model of that size; `like` names the model whose shape it is."""

    billions: float
    like: str
    hidden_size: int
    layers: int
    heads: int
    kv_heads: int
    head_dim: int
    intermediate_size: int
    vocab_size: int
    tied_embeddings: bool
    max_context: int
    source_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class QuantizedCheckpoint:
    """A family whose publisher offers every model in this precision, under the repository's name plus `suffix`."""

    family: str
    precision: str
    suffix: str
    bytes: int | None  # in memory, where the repository does not follow the precision's own layout
    source_ids: tuple[str, ...]
    note: str


@dataclass(frozen=True, slots=True)
class RemoteCode:
    """A repository whose tokenizer or configuration is code of its own, so that loading asks for `--trust-remote-code`."""

    hf_id: str
    source_ids: tuple[str, ...]
