"""Adapter of llm_inference.jsonl: weights, KV tokens, peak and whether it starts, by the sums of `size llm`.

`fits` is judged for vLLM and SGLang where card and utilization are stated: a run that started must fit with one request of
its context, one that refused for lack of cache or memory must not. For generate() the whole card is the limit. What failed
for another reason (a CUDA library that does not start) says nothing about memory and is left out.
"""

from __future__ import annotations

import re

from knowledge.errors import InputError
from knowledge.facts import error_bands
from tools.engine import engine_of_version
from tools.engines.transformers import CONTEXT_GIB, generate_version, peak_bytes
from tools.serving import BANDS, ServingSum, serving_sum
from tools.serving_job import TRANSFORMERS, VLLM
from tools.units import to_gib
from tools.usable import usable_gib
from tools.weights import served_precision

from .inference_rows import NOT_CUDA, InferenceRow, engine_name, read_row
from .rows import Measure, Quantity, Refusal, Row, gib_of, need, number, row_id, text, whole

MEMORY = re.compile(r"oom|out of memory|kv cache|kv needed|no kv|memory|more than \d+ gb", re.IGNORECASE)
"""Outcomes that speak of memory."""
AFTER_START = re.compile(r"later|graph capture", re.IGNORECASE)
"""Memory that ran out beside the pool: the account of the pool itself was in order, so the rest of the card is held against it."""
BLOCK = 16
"""Tokens of a block of vLLM when the row does not say."""


def predict(row: Row) -> list[Measure] | Refusal:
    """Figures of a row. A row of tokens per second alone, or one that lacks what its figure depends on, is refused."""
    if not _carries(row) and not _failed(row):
        return Refusal(row_id(row), "no memory figure in the row")
    try:
        read = read_row(row)
        parts = _generate(row, read) if read.job.engine == TRANSFORMERS else _served(row, read)
    except InputError as error:
        return Refusal(row_id(row), str(error))
    return parts


def _served(row: Row, read: InferenceRow) -> list[Measure]:
    """Weights, KV tokens and fit of an engine with a pool, whichever the row carries. InputError when it lacks all."""
    if read.tensor_parallel is None:
        raise InputError("missing: tp")
    found, missing = list[Measure](), ""
    pooled = read.gpu is not None and number(row, "gpu_memory_utilization") is not None
    account = _account(read) if pooled else None
    weights = number(row, "weights_mem")
    if weights:
        measured = gib_of(weights, text(row, "unit") or "", source=text(row, "source_url") or "")
        found.append(_measure(row, read, "weights", measured, to_gib(_weights(read, account))))
    tokens = _tokens(row)
    if account is None:
        missing = _missing(row, read)
    elif tokens and _shows_pictures(read):
        missing = "vLLM before 0.8 profiles with pictures, which is not summed"
    elif tokens:
        found.append(_measure(row, read, "kv_tokens", tokens, float(account.pool_tokens)))
    if account is not None and (fits := _fits(row, read, account)) is not None:
        found.append(fits)
    if not found:
        raise InputError(missing or _left_out(row))
    return found


def _missing(row: Row, read: InferenceRow) -> str:
    """Why there is no account of the pool."""
    if engine_name(row) in NOT_CUDA:
        return f"the pool of {engine_name(row)} is not summed"
    return "missing: gpu_memory_utilization" if read.gpu is not None else "missing: gpu_total_mem"


def _generate(row: Row, read: InferenceRow) -> list[Measure]:
    """Peak of generate(), and whether it fits the card. A row without lengths is one of weights alone at batch 1."""
    if whole(row, "batch_size") != 1:
        need(row, "batch_size", "output_len")
    predicted, found = to_gib(peak_bytes(read.job, devices=read.devices)), list[Measure]()
    peak = number(row, "peak_mem_total")
    if peak:
        measured = gib_of(peak, text(row, "unit") or "", source=text(row, "source_url") or "")
        note = read.note if text(row, "output_len") else "lengths not stated: weights alone"
        found.append(_measure(row, read, "peak", measured, predicted, note=note, band=BANDS[TRANSFORMERS]))
    if read.gpu is not None and read.devices == 1 and (_ran(row) or _failed(row)):
        fits = predicted + CONTEXT_GIB <= usable_gib(read.gpu)
        found.append(_measure(row, read, "fits", float(_ran(row)), float(fits)))
    if not found:
        raise InputError(_left_out(row))
    return found


def _account(read: InferenceRow) -> ServingSum:
    assert read.gpu is not None and read.tensor_parallel is not None
    return serving_sum(
        read.job, read.gpu, tensor_parallel=read.tensor_parallel, pipeline_parallel=read.pipeline_parallel
    )


def _shows_pictures(read: InferenceRow) -> bool:
    return read.job.model.modality != "text" and engine_of_version(read.job.engine_version).whole_prompt


def _weights(read: InferenceRow, account: ServingSum | None) -> int:
    if account is not None:
        return account.weights_bytes_per_gpu
    from knowledge.facts import gpus

    any_card = next(iter(gpus().values()))  # weights do not depend on it
    assert read.tensor_parallel is not None
    return serving_sum(
        read.job, any_card, tensor_parallel=read.tensor_parallel, pipeline_parallel=read.pipeline_parallel
    ).weights_bytes_per_gpu


def _fits(row: Row, read: InferenceRow, account: ServingSum) -> Measure | None:
    if text(row, "max_model_len") is None or not (_ran(row) or _failed(row)):
        return None
    room = account.limit_bytes + account.outside_bytes <= account.usable_bytes
    after = AFTER_START.search(text(row, "outcome") or "") is not None
    fits = account.fits and (room or not after)
    pictures = "the profile run of pictures is not summed" if read.job.model.modality != "text" else ""
    return _measure(row, read, "fits", float(_ran(row)), float(fits), note=pictures)


def _tokens(row: Row) -> float | None:
    tokens, blocks = number(row, "kv_cache_tokens"), number(row, "num_gpu_blocks")
    if tokens or not blocks:
        return tokens
    return blocks * (number(row, "block_size") or BLOCK)


def _carries(row: Row) -> bool:
    return any(number(row, name) for name in ("weights_mem", "kv_cache_tokens", "num_gpu_blocks", "peak_mem_total", "kv_cache_mem"))


def _ran(row: Row) -> bool:
    return (text(row, "outcome") or "").casefold() in ("ok", "success")


def _failed(row: Row) -> bool:
    """Whether it failed for lack of memory."""
    return not _ran(row) and MEMORY.search(text(row, "outcome") or "") is not None


def _left_out(row: Row) -> str:
    outcome = text(row, "outcome")
    if not _ran(row) and not _failed(row):
        return f"outcome says nothing of memory: {outcome}"
    return "missing: max_model_len" if text(row, "max_model_len") is None else "no figure that is summed"


def _measure(
    row: Row, read: InferenceRow, quantity: Quantity, measured: float, predicted: float, *, note: str = "", band: str = ""
) -> Measure:
    limits = error_bands()[band] if band else None
    return Measure(
        id=row_id(row),
        quantity=quantity,
        measured=measured,
        predicted=predicted,
        low=predicted * (1 + limits.low_pct / 100) if limits else None,
        high=predicted * (1 + limits.high_pct / 100) if limits else None,
        groups=_groups(row, read),
        note=note or read.note,
    )


def _groups(row: Row, read: InferenceRow) -> dict[str, str]:
    job, engine = read.job, engine_name(row)
    versions = generate_version if job.engine == TRANSFORMERS else engine_of_version
    attention = job.model.attention or {}
    return {
        "engine": engine,
        "version": f"{engine} {versions(job.engine_version).group}" if engine != "litgpt" else "litgpt 2023-10",
        "architecture": str(attention.get("type", "gqa")) + (" moe" if job.model.moe else ""),
        "precision": served_precision(job.model, job.weight_dtype).kind,
        "model": job.model.family,
        "cut": "one card" if read.devices == 1 else "several cards",
        **({"parallel": f"tp{read.tensor_parallel} pp{read.pipeline_parallel}"} if job.engine == VLLM else {}),
    }
