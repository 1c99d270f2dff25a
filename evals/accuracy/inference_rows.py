"""Reads a row of llm_inference.jsonl into the job, the card and the cut that `size llm` would be asked."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from knowledge.errors import InputError, UnknownModel
from knowledge.facts import gpus
from knowledge.rows import Gpu, Model
from tools.cards import resolve_card
from tools.engines.transformers import version_of_date
from tools.lookup import look_up_model
from tools.serving_job import SGLANG, TRANSFORMERS, VLLM, ServingJob, kv_precision
from tools.usable import CUDA_RESERVE_GIB

from .rows import Row, flag, number, text, whole

PRECISIONS = (
    (r"nf4.?dq", "nf4_dq"), (r"nf4|bnb", "nf4"), (r"nvfp4", "nvfp4"), (r"mxfp4", "mxfp4"),
    (r"gptq.*8|int8.*gptq", "gptq_int8"), (r"gptq.*4|gptq$", "gptq"), (r"awq.*8", "int8"), (r"awq", "awq"),
    (r"w8a8|w8a16|int8|8.?bit", "int8"), (r"int4|w4a16|4.?bit|wna16", "int4"), (r"fp8", "fp8"),
    (r"fp4", "nvfp4"), (r"w4a8|auto.?round|hqq", "int4"), (r"i?q\d-[a-z0-9-]+", ""),
)  # fmt: skip
"""Spellings of `quantization` → canonical precision; loaders' names (compressed-tensors, gguf) say none, the model does."""
LOADERS = (("gptq", "gptq"), ("bitsandbytes", "nf4"))
"""What a loader's name means where the model's name says no precision."""
DTYPES = {"bfloat16": "bf16", "float16": "fp16", "float32": "fp32", "half": "fp16", "bf16": "bf16", "fp16": "fp16", "fp32": "fp32"}
ENGINES = {"vllm": VLLM, "vllm-ascend": VLLM, "sglang": SGLANG, "transformers": TRANSFORMERS, "litgpt": TRANSFORMERS}
"""litgpt generates as transformers does: weights, a cache, the last token's logits. vllm-ascend loads the same weights."""
NOT_CUDA = ("vllm-ascend",)
"""Engines whose cards are not ours: their weights are summed, their pool and what it leaves out are not."""
LITGPT_VERSION = "4.45"
"""Range of transformers whose account litgpt's allocator peaks are held against."""
UNKNOWN_CARD = "nvidia-h100-80gb"
"""Row of the card table whose other columns a card outside the table gets; only its memory matters here."""


@dataclass(frozen=True)
class InferenceRow:
    """A row as the sums take it. `note` is what had to be assumed."""

    job: ServingJob
    gpu: Gpu | None
    devices: int
    tensor_parallel: int | None
    pipeline_parallel: int
    note: str = ""


def read_row(row: Row) -> InferenceRow:
    """The job of a row. Raises InputError naming the missing field, or the model or engine that is not known."""
    model, named = _model(row)
    engine = engine_name(row)
    if not engine:
        raise InputError("missing: " + ", ".join(n for n in ("engine", "max_model_len", "output_len") if text(row, n) is None))
    if engine not in ENGINES:
        raise InputError(f"engine {engine!r} is not one whose memory is summed")
    model = _with_head(model) if engine == "litgpt" else model
    dtype = precision_of(text(row, "quantization"), named, text(row, "dtype"))
    prompt, answer = whole(row, "input_len"), whole(row, "output_len")
    length = whole(row, "max_model_len")
    version, note = _version(row, engine)
    serves = ENGINES[engine] in (VLLM, SGLANG)
    job = ServingJob(
        model=model,
        weight_dtype=dtype,
        kv_dtype=_kv_dtype(text(row, "kv_cache_dtype"), dtype),
        context=(length or model.max_context or 4096) if serves else max((prompt or 0) + (answer or 0), 1),
        prompt=None if serves else prompt or 0,
        concurrency=1 if serves else whole(row, "batch_size") or 1,
        gpu_memory_utilization=number(row, "gpu_memory_utilization") or 0.9,
        max_num_seqs=whole(row, "max_num_seqs"),
        max_num_batched_tokens=whole(row, "max_num_batched_tokens"),
        engine=ENGINES[engine],
        engine_version=version,
        enforce_eager=flag(row, "enforce_eager") or False,
        data_parallel=whole(row, "dp") or 1,
    )
    cards = whole(row, "num_gpus")
    size = whole(row, "tp") or (cards if cards == 1 else None)
    card = None if engine in NOT_CUDA else card_of_row(row)
    return InferenceRow(job, card, cards or 1, size, whole(row, "pp") or 1, note)


def engine_name(row: Row) -> str:
    """The engine as we spell it: `vLLM`, `vllm_ascend`, `HF transformers` and `lit-gpt` are those of ENGINES."""
    low = re.sub(r"[\s_]+", "-", (text(row, "engine") or "").casefold()).removeprefix("hf-").removeprefix("huggingface-")
    return low.replace("lit-gpt", "litgpt")


def precision_of(quantization: str | None, named: str | None, dtype: str | None) -> str:
    """Canonical precision: what the field says, else the model's name, else the data type."""
    low = (quantization or "").casefold().replace("_", "-")
    for pattern, precision in PRECISIONS:
        if found := re.search(pattern, low):
            return precision or found[0].replace("-", "_")
    loaded = next((precision for name, precision in LOADERS if name in low), None)
    return named or loaded or DTYPES.get((dtype or "").casefold(), "bf16")


def card_of_row(row: Row) -> Gpu | None:
    """The card with the memory the row says the engine saw; None where neither card nor memory is known."""
    name, total = text(row, "gpu"), number(row, "gpu_total_mem")
    known = resolve_card(name) if name else ()
    if total is None:
        return known[0] if len(known) == 1 else None
    card = known[0] if known else replace(gpus()[UNKNOWN_CARD], name=name or "")
    return replace(card, usable_mib=round((total + CUDA_RESERVE_GIB) * 1024))


def _model(row: Row) -> tuple[Model, str | None]:
    name = text(row, "model")
    if name is None:
        raise InputError("missing: model")
    try:
        match = look_up_model(name)
    except UnknownModel as error:
        raise InputError(f"unknown model: {name}") from error
    if match.how == "typical":
        raise InputError(f"unknown model: {name}")
    native = match.model.native_dtype
    return match.model, match.weight_dtype or (native if native in ("fp8", "mxfp4", "nvfp4") else None)


def _with_head(model: Model) -> Model:
    """litgpt keeps the output head apart where the published weights share it with the embedding."""
    if not model.tied_embeddings:
        return model
    head = (model.vocab_size or 0) * (model.hidden_size or 0)
    return replace(model, tied_embeddings=False, params_total=model.params_total + head)


def _kv_dtype(stated: str | None, weight_dtype: str) -> str:
    if stated is None or stated.casefold() == "auto":
        return "fp32" if weight_dtype == "fp32" else "bf16"
    return kv_precision(stated)


def _version(row: Row, engine: str) -> tuple[str, str]:
    """Version of the engine, and what was taken where none is stated."""
    stated = text(row, "engine_version") or ""
    if engine == "litgpt":
        return LITGPT_VERSION, ""
    if engine == "transformers" and not re.search(r"\d+\.\d+", stated):
        date = (text(row, "source_date") or "")[:10]
        if not date:
            raise InputError("missing: engine_version")
        return version_of_date(date), f"version of transformers taken from the page's date {date}"
    return stated, "" if re.search(r"\d+\.\d+", stated) else "version of the engine not stated: the usual one taken"
