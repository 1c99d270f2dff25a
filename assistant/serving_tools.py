"""The tools that size the serving of a language model: its memory, and the machines for a wished speed."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from tools.places import named_wish
from tools.sizing import LlmRequest, size_llm
from tools.sizing_results import LlmSizing
from tools.speed.need_results import SpeedAnswer

from .evidence import SourceRef
from .tool_arguments import (
    Budget,
    Config,
    Context,
    Count,
    Dtype,
    KvDtype,
    Lang,
    Model,
    Monthly,
    Places,
    Region,
    Users,
    one_of,
    wish_of,
)
from .tool_sources import sizing_sources, speed_sources

Sources = list[SourceRef]


def size_llm_tool(
    model: Model = "",
    weight_dtype: Annotated[str | None, Field(description="bf16 fp8 int8 int4 awq q4_k_m …")] = None,
    context: Context = None,
    concurrency: Users = None,
    on: Places = [],  # noqa: B006
    region: Region = "cn-hangzhou",
    max_hourly: Budget = None,
    max_monthly: Monthly = None,
    gpu_count: Count = None,
    kv_dtype: KvDtype = None,
    engine: Annotated[str | None, one_of("vllm", "sglang", "transformers", "llama.cpp", "ollama")] = None,
    solve: Annotated[str | None, one_of("context", "concurrency", note="find the largest")] = None,
    only_named: Annotated[bool, Field(description="choose among `on` only")] = False,
    tokens_per_s: Annotated[float | None, Field(description="per user, with solve=concurrency")] = None,
    config_json: Config = None,
    tensor_parallel: int | None = None,
    pipeline_parallel: int | None = None,
    data_parallel: int | None = None,
    expert_parallel: bool = False,
    gpu_memory_utilization: float | None = None,
    max_num_seqs: int | None = None,
    max_num_batched_tokens: int | None = None,
    enforce_eager: bool = False,
    lora_adapters: int | None = None,
    lora_rank: int | None = None,
    language: Lang = "zh",
) -> tuple[LlmSizing, Sources]:
    """Sizes the serving of a model."""
    wish = wish_of(region, max_hourly, language, max_monthly=max_monthly, gpu_count=gpu_count)
    request = LlmRequest(
        model=model, config_json=config_json, weight_dtype=weight_dtype, kv_dtype=kv_dtype, context=context,
        concurrency=concurrency, tensor_parallel=tensor_parallel, pipeline_parallel=pipeline_parallel or 1,
        data_parallel=data_parallel or 1, expert_parallel=expert_parallel, engine=engine or "vllm",
        gpu_memory_utilization=gpu_memory_utilization, max_num_seqs=max_num_seqs,
        max_num_batched_tokens=max_num_batched_tokens, enforce_eager=enforce_eager, lora_adapters=lora_adapters or 0,
        lora_rank=lora_rank or LlmRequest.lora_rank, on=tuple(on), solve=solve, tokens_per_s=tokens_per_s,
        wish=named_wish(wish, on) if only_named else wish,
    )  # fmt: skip
    sizing = size_llm(request, language=language)
    return sizing, list(sizing_sources(sizing))


def size_speed_tool(
    model: Model = "",
    weight_dtype: Dtype = None,
    qps: Annotated[float | None, Field(description="requests per second")] = None,
    total_tokens_per_s: Annotated[float | None, Field(description="of all users")] = None,
    tokens_per_s: Annotated[float | None, Field(description="of one user")] = None,
    ttft_s: Annotated[float | None, Field(description="seconds to the first token")] = None,
    concurrency: Users = None,
    input_tokens: Annotated[int | None, Field(description="per request")] = None,
    output_tokens: Annotated[int | None, Field(description="per request")] = None,
    on: Places = [],  # noqa: B006
    region: Region = "cn-hangzhou",
    max_hourly: Budget = None,
    max_monthly: Monthly = None,
    kv_dtype: KvDtype = None,
    context: Context = None,
    tensor_parallel: int | None = None,
    config_json: Config = None,
    language: Lang = "zh",
) -> tuple[SpeedAnswer, Sources]:
    """Machines for a wished speed."""
    from tools.speed.copies import SpeedNeed
    from tools.speed.size import size_speed

    need = SpeedNeed(qps, total_tokens_per_s, tokens_per_s, ttft_s, concurrency, input_tokens, output_tokens)
    request = LlmRequest(
        model=model, config_json=config_json, weight_dtype=weight_dtype, kv_dtype=kv_dtype, context=context,
        concurrency=concurrency, tensor_parallel=tensor_parallel, wish=named_wish(wish_of(region, max_hourly, language, max_monthly=max_monthly), on),
    )  # fmt: skip
    answer = size_speed(request, need, language=language)
    return answer, list(speed_sources(answer))
