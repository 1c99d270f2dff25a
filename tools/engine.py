"""What the engine (vLLM) takes besides weights and cache: the profile run's activations, CUDA and NCCL.

The profile run does a dummy forward of T = max_num_batched_tokens, then samples with S = max_num_seqs sequences:

    sampler = c·S·V·4 + T·h·b          c fp32 copies of the logits; gathered, so not divided by tensor parallel
    forward = T·(3·I/tp + 4·h)·b       dense layer; experts: T·k·(3·I/tp + 2·h) in place of 3·I/tp
    experts = T·k·(max(2·I/tp, h) + I/tp)·b    workspace of the fused experts, kept while sampling since 0.18
    peak    = max(sampler + experts, forward)

c and the CUDA part are fitted on H100 logs (engines.csv). The expert workspace brings the five mixture-of-experts rows
of the golden file from 8-23 % low to 1-6 % low.
"""

from __future__ import annotations

import re
from functools import cache

from knowledge.facts import engine_defaults, engine_versions
from knowledge.rows import EngineDefaults, EngineVersion, Gpu, Model

from .units import from_gib, to_gib

LOGITS_BYTES = 4


USUAL_VERSION = "0.20"
"""The account that figures are stated in when no version is said: CUDA graphs beside the pool. From 0.21 on they count
inside; `commands.serve_command` raises the utilization where the room would otherwise fall short there."""


def current_engine() -> EngineVersion:
    """The range of versions that figures are stated in when none is said."""
    return engine_of_version(USUAL_VERSION)


@cache
def engine_of_version(version: str) -> EngineVersion:
    """The range that holds a version such as `0.16.0` or `<=0.11 (V1)`; unreadable or empty means current."""
    asked = _numbers(version) or _numbers(USUAL_VERSION)
    older = [row for row in engine_versions() if _numbers(row.from_version) <= asked]
    return older[-1] if older else engine_versions()[0]


def is_older(version: str, than: str) -> bool:
    """Whether a stated version comes before another; one that is not stated or not readable is the current one."""
    asked = _numbers(version)
    return bool(asked) and asked < _numbers(than)


def defaults_of(gpu: Gpu, usable: int) -> EngineDefaults:
    """max_num_seqs and max_num_batched_tokens that the server picks on this card. `usable` is bytes."""
    for row in engine_defaults():
        excluded = any(name in gpu.name for name in row.excluded_names)
        if to_gib(usable) >= row.min_visible_gib and not excluded:
            return row
    return engine_defaults()[-1]


def activation_peak(
    model: Model, *, engine: EngineVersion, element_bytes: int, max_num_seqs: int, step_tokens: int, tensor_parallel: int
) -> int:
    """Bytes of the profile run's peak on one GPU. Unknown vocabulary or width count as zero."""
    vocabulary, hidden = model.vocab_size or 0, model.hidden_size or 0
    logits = engine.sampler_factor * max_num_seqs * vocabulary * LOGITS_BYTES
    sampler = logits + step_tokens * hidden * element_bytes
    forward, workspace = layer_elements(model, tensor_parallel)
    kept = workspace if engine.expert_workspace else 0.0
    return round(max(sampler + step_tokens * kept * element_bytes, step_tokens * forward * element_bytes))


def engine_bytes(engine: EngineVersion, *, gpus: int) -> int:
    """Bytes outside the tensor allocator: CUDA context, and NCCL when there is more than one GPU."""
    return from_gib(engine.non_torch_tp1_gib if gpus == 1 else engine.non_torch_tp_gib)


def layer_elements(model: Model, tensor_parallel: int) -> tuple[float, float]:
    """Elements per token of one layer's forward, and of the expert workspace (0 for dense models)."""
    hidden, moe = model.hidden_size or 0, model.moe or {}
    chosen, width = moe.get("experts_per_token"), moe.get("moe_intermediate_size")
    if not (chosen and width):
        matrices = 2 if model.plain_mlp else 3
        return matrices * (model.intermediate_size or 0) / tensor_parallel + 4 * hidden, 0.0
    inner = int(width) / tensor_parallel
    forward = int(chosen) * (3 * inner + 2 * hidden) + 4 * hidden
    return forward, int(chosen) * (max(2 * inner, hidden) + inner)


def _numbers(version: str) -> tuple[int, ...]:
    found = re.search(r"(\d+)\.(\d+)", version)
    return (int(found[1]), int(found[2])) if found else ()
