"""`xuanka size train`: the memory of training a language model and the machines it fits on."""

from __future__ import annotations

from typing import Annotated

import typer

from .budget import BudgetOption, wish_for
from .options import Json, Lang, Region, token_count
from .speech import choose_language


def train(
    model: Annotated[str, typer.Option("--model", "-m", help="Model name or size, e.g. Qwen2.5-7B-Instruct, 13B.")] = "",
    config: Annotated[str | None, typer.Option("--config", help="config.json of the model instead (- for stdin).")] = None,
    method: Annotated[str | None, typer.Option("--method", help="full, freeze, lora, qlora, dora, lora_embeddings, …")] = None,
    seq: Annotated[
        int | None,
        typer.Option("--seq", "-s", parser=token_count, metavar="TOKENS", help="Tokens per sequence: 2048, 32k, 3.2万."),
    ] = None,
    micro_batch: Annotated[int | None, typer.Option("--micro-batch", "-b", help="Sequences (or pairs) per card at once.")] = None,
    accumulation: Annotated[int | None, typer.Option("--accumulation", help="Steps of gradient accumulation.")] = None,
    optimizer: Annotated[
        str | None, typer.Option("--optimizer", help="adamw, adamw_8bit, paged_adamw_8bit, adafactor, lion, sgd, galore, …")
    ] = None,
    precision: Annotated[
        str | None, typer.Option("--precision", help="mixed, bf16 or fp32; for adapters the base's: nf4, int8, gptq, awq.")
    ] = None,
    checkpointing: Annotated[str | None, typer.Option("--checkpointing", help="none, selective or full.")] = None,
    flash_attention: Annotated[
        bool, typer.Option("--flash-attention/--no-flash-attention", help="FlashAttention or SDPA, or eager attention.")
    ] = True,
    cross_entropy: Annotated[str | None, typer.Option("--cross-entropy", help="eager, compiled, chunked or fused.")] = None,
    packing: Annotated[bool, typer.Option("--packing/--no-packing", help="Texts packed to full sequences.")] = False,
    objective: Annotated[
        str | None, typer.Option("--objective", help="sft, pretrain, dpo, orpo, kto, rm, ppo, grpo, classify.")
    ] = None,
    lora_rank: Annotated[int | None, typer.Option("--lora-rank", "-r", help="Rank of the adapter.")] = None,
    lora_targets: Annotated[str | None, typer.Option("--lora-targets", help="all-linear, or q_proj,v_proj,…")] = None,
    zero: Annotated[int | None, typer.Option("--zero", help="DeepSpeed ZeRO stage: 0, 1, 2 or 3.")] = None,
    parallel: Annotated[str | None, typer.Option("--parallel", help="ddp, fsdp, zero1, zero2, zero3, megatron.")] = None,
    tp: Annotated[int | None, typer.Option("--tp", help="Tensor-parallel size (Megatron).")] = None,
    pp: Annotated[int | None, typer.Option("--pp", help="Pipeline-parallel size (Megatron).")] = None,
    ep: Annotated[int | None, typer.Option("--ep", help="Expert-parallel size (Megatron).")] = None,
    offload: Annotated[str | None, typer.Option("--offload", help="none, optimizer or params, to main memory.")] = None,
    gpus: Annotated[int | None, typer.Option("--gpus", help="Number of cards.")] = None,
    generations: Annotated[int | None, typer.Option("--generations", help="GRPO: answers per prompt.")] = None,
    rollout: Annotated[str | None, typer.Option("--rollout", help="GRPO: engine colocate, sleep or server.")] = None,
    framework: Annotated[
        str | None, typer.Option("--framework", help="ms-swift, llama-factory, torchtune, axolotl, litgpt, …")
    ] = None,
    train_vision: Annotated[bool, typer.Option("--train-vision", help="The vision part is trained as well.")] = False,
    on: Annotated[
        list[str] | None, typer.Option("--on", help="Card, count of cards, family or type to check: A10, 4xA10, gn7e (repeatable).")
    ] = None,
    solve: Annotated[str | None, typer.Option("--solve", help="Largest value that fits: context, batch or lora-rank.")] = None,
    budget: BudgetOption = None,
    region: Region = None,
    lang: Lang = None,
    as_json: Json = False,
) -> None:
    """Size the training of a language model."""
    language = choose_language(lang)
    from tools.training.ask import TrainRequest, train_ask

    from .jobs import show_job
    from .places import config_text, places

    request = TrainRequest(
        model=model,
        config_json=config_text(config, language) if config else None,
        method=method,
        seq=seq,
        micro_batch=micro_batch,
        accumulation=accumulation,
        optimizer=optimizer,
        precision=precision,
        checkpointing=checkpointing,
        flash_attention=flash_attention,
        cross_entropy=cross_entropy,
        packing=packing,
        objective=objective,
        lora_rank=lora_rank,
        lora_targets=lora_targets,
        zero=zero,
        parallel=parallel,
        tensor_parallel=tp,
        pipeline_parallel=pp,
        expert_parallel=ep,
        offload=offload,
        gpus=gpus,
        generations=generations,
        rollout=rollout,
        framework=framework,
        train_vision=train_vision,
        on=tuple(place for name in on or [] for place in places(name, language)),
        wish=wish_for(region, budget),
    )
    show_job(train_ask(request, language=language), solve=solve, language=language, as_json=as_json)
