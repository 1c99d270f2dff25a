"""Hugging Face `generate()`: weights, the cache as it grows, and the forward over the whole prompt.

    < 4.45   KV(prompt) + 4·T·V + max(2·T·V, KV(prompt))     the logits of all T prompt tokens, in fp32 and in 16 bit; the
                                                             cache is copied into what the 16-bit ones leave
    ≥ 4.45   KV(prompt) + T·(3·I + 4·h)·b                    logits of the last token only, one layer's forward
    both     at least KV(prompt + answer), twice before 4.45, where `torch.cat` copies it

Fitted on the tables of the Qwen documentation (Qwen1.5 to Qwen3); the split by model stands in the accuracy report.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

from knowledge.facts import generate_versions, remote_code
from knowledge.rows import GenerateVersion, Model
from tools.architecture import complete_shape
from tools.engine import layer_elements
from tools.kv_cache import KvLayout, head_dim, kv_layout
from tools.serving_job import ServingJob, kv_element_bytes
from tools.units import MIB, from_gib
from tools.weights import ROPE_BYTES, served_precision, weights_bytes

from .budget import Budget
from .vllm import activation_bytes

CONTEXT_GIB = 0.5
"""CUDA context and cuBLAS workspaces, which the allocator's own figures leave out."""
OWN_CODE_LAYER_MIB = 17
"""Per layer, of models whose repository ships the code; fitted on the tables of Qwen-7B (Qwen README of December 2023)."""
SIXTEEN_BIT_SHARE = 1 / 3
"""Of the 6 bytes of a logit, 2 are of the 16-bit copy."""


def generate_budget(job: ServingJob, layout: KvLayout) -> Budget:
    """The budget on the device that holds the output head; `layout` is that device's cache."""
    version = generate_version(job.engine_version)
    tokens = layout.growing + layout.windowed
    room = _per_prompt_token(job, version, tokens)
    return Budget(
        activation=working_bytes(job, layout),
        engine=from_gib(CONTEXT_GIB),
        per_token=room,
        max_num_seqs=job.concurrency,
        step_tokens=job.prompt or job.context,
    )


def peak_bytes(job: ServingJob, *, devices: int = 1) -> int:
    """The allocator's peak over all `devices` that the layers are spread on, as published tables print it."""
    model = complete_shape(job.model)
    job = replace(job, model=model)
    layout = kv_layout(model, kv_element_bytes(job.kv_dtype), grouped=False)
    weights = weights_bytes(model, job.weight_dtype) + untied_head_bytes(model, job.weight_dtype)
    held = job.concurrency * layout.sequence_bytes(job.context, step_tokens=job.context)
    return max(weights + held + working_bytes(job, layout, devices=devices), weights + loaded_head_bytes(job))


def loaded_head_bytes(job: ServingJob) -> int:
    """The head that AutoAWQ loads apart and then ties to the embedding: the peak of short answers of small models.

    With it the peaks of Qwen2.5 1.5B and 3B for one token of prompt are 1.50 and 2.50 GiB, as published. Figures that
    were read after the run do not hold it.
    """
    awq = served_precision(job.model, job.weight_dtype).precision == "awq"
    if not (awq and job.model.tied_embeddings) or generate_version(job.engine_version).measured == "after":
        return 0
    return 2 * (job.model.vocab_size or 0) * (job.model.hidden_size or 0)


def working_bytes(job: ServingJob, layout: KvLayout, *, devices: int = 1) -> int:
    """Bytes beside weights and the final cache, over all `devices` that the layers are spread on.

    Each further device holds a forward of its own; the first takes the logits back before 4.45.
    """
    version, batch = generate_version(job.engine_version), job.concurrency
    prompt, step = job.prompt if job.prompt is not None else job.context, job.context
    held = batch * layout.sequence_bytes(job.context, step_tokens=step)
    given = batch * layout.sequence_bytes(prompt, step_tokens=step) if prompt else 0
    logits = batch * prompt * (job.model.vocab_size or 0) * version.logits_bytes
    layer = batch * prompt * layer_elements(job.model, 1)[0] * activation_bytes(job)
    counted = layer if version.layer_elements else 0.0
    copied = max(logits * SIXTEEN_BIT_SHARE, (version.cache_copies - 1) * given)
    prefill = given + logits * (1 - SIXTEEN_BIT_SHARE) + copied + counted
    others = max(logits * (1 - SIXTEEN_BIT_SHARE), counted) + (devices - 2) * layer * bool(logits or counted)
    peak = max(prefill, version.cache_copies * held) - held
    kept = layer_bytes(job.model, version) * (job.model.layers or 0)
    return round(max(peak, 0.0) + kept + (others if devices > 1 else 0.0)) + restored_bytes(job)


def layer_bytes(model: Model, version: GenerateVersion) -> float:
    """What each layer keeps besides weights and cache: fragments, and before 4.45 cosines and sines of all positions.

    Since then they are computed for the tokens at hand, once for all layers.
    """
    if version.logits_bytes == 0:
        return version.layer_mib * MIB
    if model.hf_id in remote_code():
        return OWN_CODE_LAYER_MIB * MIB
    return version.layer_mib * MIB + 2 * (model.max_context or 0) * (head_dim(model) or 0) * ROPE_BYTES


def restored_bytes(job: ServingJob) -> int:
    """bitsandbytes computes in 16 bit: one matrix at a time is restored, the largest being as large as the head."""
    model = job.model
    if not served_precision(model, job.weight_dtype).precision.startswith("nf4"):
        return 0
    return 2 * (model.hidden_size or 0) * max(model.vocab_size or 0, model.intermediate_size or 0)


def untied_head_bytes(model: Model, weight_dtype: str) -> int:
    """FP8 repositories of tied models hold the output head apart, and transformers loads it so (Qwen3-0.6B, 1.7B)."""
    tied = bool(model.tied_embeddings) and served_precision(model, weight_dtype).kind == "fp8"
    return 2 * (model.vocab_size or 0) * (model.hidden_size or 0) if tied else 0


@cache
def generate_version(version: str) -> GenerateVersion:
    """The range that holds a version of transformers; empty or unreadable means the newest."""
    rows, asked = generate_versions(), _numbers(version)
    if not asked:
        return rows[-1]
    older = [row for row in rows if _numbers(row.from_version) <= asked]
    return older[-1] if older else rows[0]


def version_of_date(date: str) -> str:
    """First version of the range that was current on an ISO date, for tables that print a date and no version."""
    older = [row for row in generate_versions() if row.released <= date]
    return (older[-1] if older else generate_versions()[0]).from_version


def _per_prompt_token(job: ServingJob, version: GenerateVersion, token: float) -> float:
    """Working memory of one more token of prompt."""
    logits = float((job.model.vocab_size or 0) * version.logits_bytes)
    copied = max(logits * SIXTEEN_BIT_SHARE, (version.cache_copies - 1) * token)
    layer = layer_elements(job.model, 1)[0] * activation_bytes(job) if version.layer_elements else 0.0
    return logits * (1 - SIXTEEN_BIT_SHARE) + copied + layer


def _numbers(version: str) -> tuple[int, ...]:
    found = re.search(r"(\d+)\.(\d+)", version)
    return (int(found[1]), int(found[2])) if found else ()
