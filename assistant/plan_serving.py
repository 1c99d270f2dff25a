"""The tool calls that size the serving of a language model: its memory, or the machines for a wished speed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from knowledge import facts

from .filters import asks_token_price, asks_token_rate
from .plan_places import budget_of, places_of
from .read.reading import ModelMention, Reading

LADDER = ("7B", "14B", "32B", "70B", "110B", "405B")
"""Sizes tried for "what is the largest model that this card takes"."""
MAX_MODELS = 3
SPEEDS = ("qps", "total_tokens_per_s", "tokens_per_s", "ttft_s", "input_tokens", "output_tokens")
SPEED_ARGUMENTS = (
    "model", "config_json", "weight_dtype", "kv_dtype", "context", "concurrency", "tensor_parallel", "on", "max_hourly", "max_monthly",
    "region", "language",
)  # fmt: skip
"""What a sizing for a speed takes of the arguments of any sizing."""
SUMMED_ENGINES = ("vllm", "sglang", "transformers", "llama.cpp", "ollama")
ENGINE_DTYPES = {"ollama": "q4_k_m", "llama.cpp": "q4_k_m"}
"""The usual files of engines for GGUF: what Ollama's tags load unless they name another."""
Call = tuple[str, dict[str, Any]]
"""A tool of the toolbox and its arguments."""


def size_calls(reading: Reading, names: list[str], placed: dict[str, Any]) -> Iterator[Call]:
    """One sum per model, per precision of a single model, or per size of the ladder where a card is to be filled."""
    if not names and not reading.config_json:
        alone = reading.concurrency or 1  # "the largest model" is what one user can load
        filled = reading.model_copy(update={"weight_dtype": reading.weight_dtype or "awq", "concurrency": alone})
        yield from (size_call(filled, size, placed) for size in LADDER)
    elif len(names) <= 1 and len(reading.weight_dtypes) > 1:
        for dtype in reading.weight_dtypes[:MAX_MODELS]:
            yield size_call(reading.model_copy(update={"weight_dtype": dtype}), (names or [""])[0], placed)
    else:
        yield from (size_call(reading, name, placed) for name in (names or [""]))


def speed_calls(reading: Reading, names: list[str], placed: dict[str, Any]) -> Iterator[Call]:
    """Machines for the speed that was asked for, one call a model; what a copy needs is summed in the second round."""
    for name in names or [""]:
        sized = size_call(reading, name, placed)[1]
        kept = {key: value for key, value in sized.items() if key in SPEED_ARGUMENTS and value is not None}
        speeds = {name: getattr(reading, name) for name in SPEEDS}
        yield ("size_speed", {**kept, **{key: value for key, value in speeds.items() if value is not None}})


def model_name(mention: ModelMention) -> str:
    """As typed, so that the look-up can say how it understood it; a bare size of a series by its full name."""
    in_series = bool(mention.model_id) and mention.text[:1].isdigit()
    return str(mention.model_id) if in_series else mention.text


def size_call(reading: Reading, model: str, placed: dict[str, Any]) -> Call:
    alone = bool(places_of(reading)) and (asks_token_rate(reading) or asks_token_price(reading))  # how fast is it there?
    return (
        "size_llm",
        {
            "model": "" if reading.config_json else model,
            "config_json": reading.config_json,
            "weight_dtype": reading.weight_dtype or dtype_of_engine(reading),
            "kv_dtype": reading.kv_dtype,
            "context": reading.context,
            "concurrency": reading.concurrency,
            "tensor_parallel": reading.tensor_parallel,
            **_engine_flags(reading),
            "on": places_of(reading),
            "only_named": alone,
            "gpu_count": reading.gpus if alone or not places_of(reading) else None,
            **budget_of(reading.budget),
            **placed,
        },
    )


def _engine_flags(reading: Reading) -> dict[str, Any]:
    """The engine and its flags, where they were said."""
    return {
        "engine": reading.engine if reading.engine in SUMMED_ENGINES else None,
        "pipeline_parallel": reading.pipeline_parallel,
        "data_parallel": reading.data_parallel,
        "expert_parallel": bool(reading.expert_parallel),
        "gpu_memory_utilization": reading.utilization,
        "max_num_seqs": reading.max_num_seqs,
        "max_num_batched_tokens": reading.max_num_batched_tokens,
        "enforce_eager": bool(reading.enforce_eager),
        "lora_adapters": reading.lora_adapters,
        "lora_rank": reading.lora_rank,
        "tokens_per_s": reading.tokens_per_s if reading.solve == "concurrency" else None,
        "solve": reading.solve if reading.solve in ("context", "concurrency") else None,
    }


def dtype_of_engine(reading: Reading) -> str | None:
    """What an engine loads where no precision is said, for a model that is published in 16 bit or not in the table."""
    models = facts.models()
    native = [models[m.model_id].native_dtype for m in reading.models if m.model_id in models]
    if reading.weight_dtype or not all(dtype in ("bfloat16", "float16") for dtype in native):
        return None
    return ENGINE_DTYPES.get(reading.engine or "")
