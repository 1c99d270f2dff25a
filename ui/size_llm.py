"""`xuanka size llm`: the memory of serving a language model and the machines it fits on. Needs no agent, no search."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from .budget import BudgetOption, wish_for
from .options import Json, Lang, Region, token_count
from .places import config_text, places
from .speech import choose_language

if TYPE_CHECKING:
    from tools.phrases import Language


def llm(
    model: Annotated[str, typer.Option("--model", "-m", help="Model name or size, e.g. Qwen2.5-72B-Instruct, 13B.")] = "",
    config: Annotated[str | None, typer.Option("--config", help="config.json of the model instead (- for stdin).")] = None,
    dtype: Annotated[str | None, typer.Option("--dtype", help="Weights: bf16, fp8, int8, awq, gptq, q4_k_m, …")] = None,
    kv_dtype: Annotated[
        str | None, typer.Option("--kv-dtype", "--kv-cache-dtype", help="KV cache: bf16, fp8, int8; q8_0 or q4_0 of llama.cpp.")
    ] = None,
    context: Annotated[
        int | None,
        typer.Option("--context", "--max-model-len", "-c", parser=token_count, metavar="TOKENS", help="Tokens per sequence: 8192, 32k, 3.2万."),
    ] = None,
    concurrency: Annotated[int | None, typer.Option("--concurrency", "-n", help="Sequences at once.")] = None,
    tp: Annotated[int | None, typer.Option("--tp", "--tensor-parallel-size", help="Tensor-parallel size.")] = None,
    pp: Annotated[int, typer.Option("--pp", "--pipeline-parallel-size", help="Pipeline stages inside each machine.")] = 1,
    dp: Annotated[int, typer.Option("--dp", "--data-parallel-size", help="Data-parallel ranks that share the sequences.")] = 1,
    ep: Annotated[bool, typer.Option("--ep", "--enable-expert-parallel", help="Keep experts whole on each card.")] = False,
    engine: Annotated[str, typer.Option("--engine", help="vllm, sglang, transformers, llama.cpp or ollama.")] = "vllm",
    engine_version: Annotated[str, typer.Option("--engine-version", help="Version of the engine, e.g. 0.16, 0.19, 0.22.")] = "",
    utilization: Annotated[
        float | None,
        typer.Option("--gpu-memory-utilization", "--mem-fraction-static", help="Share of the card that the engine may take."),
    ] = None,
    seqs: Annotated[int | None, typer.Option("--max-num-seqs", help="Most sequences that the engine schedules at once.")] = None,
    step: Annotated[int | None, typer.Option("--max-num-batched-tokens", help="Tokens of one scheduling step.")] = None,
    eager: Annotated[bool, typer.Option("--enforce-eager", help="No CUDA graphs.")] = False,
    loras: Annotated[int, typer.Option("--lora-adapters", "--max-loras", help="LoRA adapters served at once.")] = 0,
    lora_rank: Annotated[int, typer.Option("--lora-rank", "--max-lora-rank", help="Their largest rank.")] = 16,
    mtp: Annotated[bool, typer.Option("--mtp", help="Load the model's own layer for multi-token prediction.")] = False,
    draft: Annotated[str, typer.Option("--draft", help="Smaller model that guesses for speculative decoding.")] = "",
    prefix: Annotated[
        int | None, typer.Option("--shared-prefix", parser=token_count, metavar="TOKENS", help="Tokens that all sequences begin with.")
    ] = None,
    qps: Annotated[float | None, typer.Option("--qps", help="Requests per second to be served: how many machines it takes.")] = None,
    ttft: Annotated[float | None, typer.Option("--ttft", help="Seconds to the first token at most.")] = None,
    user_rate: Annotated[float | None, typer.Option("--tokens-per-s", help="Answer tokens per second of one user at least.")] = None,
    total_rate: Annotated[float | None, typer.Option("--total-tokens-per-s", help="Answer tokens per second of all users.")] = None,
    prompt: Annotated[int | None, typer.Option("--input", parser=token_count, metavar="TOKENS", help="Tokens of a prompt.")] = None,
    answer: Annotated[int | None, typer.Option("--output", parser=token_count, metavar="TOKENS", help="Tokens of an answer.")] = None,
    solve: Annotated[
        str | None, typer.Option("--solve", help="context or concurrency: the largest that fits on each place of --on.")
    ] = None,
    on: Annotated[
        list[str] | None, typer.Option("--on", help="Card, count of cards, family or type to check: A10, 4xA10, gn7e (repeatable).")
    ] = None,
    budget: BudgetOption = None,
    region: Region = None,
    lang: Lang = None,
    as_json: Json = False,
) -> None:
    """Size the serving of a language model."""
    from tools.serving_job import canonical_engine
    from tools.sizing import LlmRequest, size_llm

    language = choose_language(lang)
    require_one_model(model, config, language)

    request = LlmRequest(
        model=model,
        config_json=config_text(config, language) if config else None,
        weight_dtype=dtype,
        kv_dtype=kv_dtype,
        context=context,
        concurrency=concurrency,
        tensor_parallel=tp,
        pipeline_parallel=pp,
        data_parallel=dp,
        expert_parallel=ep,
        engine=canonical_engine(engine),
        engine_version=engine_version,
        gpu_memory_utilization=utilization,
        max_num_seqs=seqs,
        max_num_batched_tokens=step,
        enforce_eager=eager,
        lora_adapters=loras,
        lora_rank=lora_rank,
        mtp=mtp,
        draft=draft,
        shared_prefix=prefix or 0,
        input_tokens=prompt,
        output_tokens=answer,
        tokens_per_s=user_rate,
        solve=solve.strip().casefold() if solve is not None else None,
        on=tuple(place for name in on or [] for place in places(name, language)),
        wish=wish_for(region, budget),
    )
    users_at_speed = request.solve == "concurrency" and (qps, ttft, total_rate) == (None, None, None)
    if any(wish is not None for wish in (qps, ttft, user_rate, total_rate)) and not users_at_speed:
        from .size_speed import show_machines

        show_machines(request, language, as_json=as_json, qps=qps, ttft_s=ttft, tokens_per_s=user_rate, total_tokens_per_s=total_rate)
        return
    sizing = size_llm(request, language=language)
    if as_json:
        from .jobs import sized_json
        from .screen import show_json

        show_json(sized_json(sizing))
        return
    from .screen import show
    from .size_blocks import sizing_blocks

    show(sizing_blocks(sizing, language))


def require_one_model(model: str, config: str | None, language: Language) -> None:
    """InputError unless the model is named or described, not both."""
    if bool(model.strip()) != bool(config):
        return
    from knowledge.errors import InputError
    from tools.phrases import read_phrases, say

    raise InputError(say(read_phrases("tools", "phrases/serving.toml"), "one_model", language))
