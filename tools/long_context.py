"""Contexts beyond the model's own: which models extend theirs by YaRN, and by how much."""

from __future__ import annotations

import json

from knowledge.rows import Model

TRAINED, FARTHEST, ROPE_THETA = 32_768, 131_072, 1_000_000
"""Qwen2.5 and Qwen3 as their cards say: trained on 32,768 tokens, validated with YaRN up to 131,072
(https://huggingface.co/Qwen/Qwen2.5-7B-Instruct; https://qwen.readthedocs.io/, deployment with vLLM)."""
BY_YARN = {"Qwen2.5": 32_768, "Qwen2.5-Coder": 32_768, "Qwen3": 40_960}
"""Own context of the models of each family whose cards describe it; the 2507 models have more and are not extended so."""
SMALLEST = 6_000_000_000
"""Cards of Qwen2.5 below 7B give 32,768 tokens as the full context; those of Qwen3 name YaRN for 4B and more."""


def yarn_factor(model: Model, context: int) -> float | None:
    """How many times the trained context is stretched to reach `context`, in halves; None where no card describes it."""
    if BY_YARN.get(model.family) != model.max_context or context > FARTHEST:
        return None
    if model.params_total < (SMALLEST if model.family != "Qwen3" else SMALLEST // 2):
        return None
    return -(-2 * context // TRAINED) / 2


def override_words(model: Model, context: int) -> list[str]:
    """The flag that makes vLLM take a context beyond the model's own; empty within it and where no card describes one.

    Form: https://docs.vllm.ai/en/stable/features/context_extension/ (`--rope-scaling` is no longer taken).
    """
    if not model.max_context or context <= model.max_context:
        return []
    factor = yarn_factor(model, context)
    if factor is None:
        return []
    rope = {"rope_type": "yarn", "rope_theta": ROPE_THETA, "factor": factor, "original_max_position_embeddings": TRAINED}
    return ["--hf-overrides", json.dumps({"rope_parameters": rope})]
