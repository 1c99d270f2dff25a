"""`xuanka size encoder`: the memory of encoders, embedding models and rerankers, and the machines they fit on."""

from __future__ import annotations

from typing import Annotated

import typer

from .budget import BudgetOption, wish_for
from .options import Json, Lang, Region, token_count
from .speech import choose_language


def encoder(
    model: Annotated[str, typer.Option("--model", "-m", help="Model name, e.g. bge-m3, bert-base-chinese, Qwen3-Embedding-8B.")],
    tokens: Annotated[
        int | None, typer.Option("--tokens", "--seq", "--context", "-t", parser=token_count, metavar="TOKENS", help="Tokens of a text: 512, 8k.")
    ] = None,
    batch: Annotated[int | None, typer.Option("--batch", "-b", help="Texts at once.")] = None,
    dtype: Annotated[str | None, typer.Option("--dtype", help="Weights: fp32, fp16, int8.")] = None,
    engine: Annotated[str | None, typer.Option("--engine", help="tei, vllm, sentence-transformers, onnxruntime.")] = None,
    attention: Annotated[str | None, typer.Option("--attention", help="flash or eager.")] = None,
    train: Annotated[bool, typer.Option("--train", help="Fine-tune instead of serving.")] = False,
    method: Annotated[str | None, typer.Option("--method", help="full or lora (with --train).")] = None,
    states: Annotated[str | None, typer.Option("--states", help="mixed, bf16 or fp32 training (with --train).")] = None,
    checkpointing: Annotated[bool, typer.Option("--checkpointing", help="Gradient checkpointing (with --train).")] = False,
    on: Annotated[
        list[str] | None, typer.Option("--on", help="Card, count of cards, family or type to check: A10, 4xA10, gn7e (repeatable).")
    ] = None,
    solve: Annotated[str | None, typer.Option("--solve", help="Largest value that fits: batch or context (tokens).")] = None,
    budget: BudgetOption = None,
    region: Region = None,
    lang: Lang = None,
    as_json: Json = False,
) -> None:
    """Size an encoder, embedding model or reranker: serving or fine-tuning."""
    language = choose_language(lang)
    from tools.encoders.demand import EncoderRequest, encoder_ask

    from .jobs import show_job
    from .places import places

    request = EncoderRequest(
        model=model,
        tokens=tokens,
        batch=batch,
        precision=dtype,
        engine=engine,
        attention=attention,
        training=train,
        method=method,
        states=states,
        checkpointing=checkpointing,
        on=tuple(place for name in on or [] for place in places(name, language)),
        wish=wish_for(region, budget),
    )
    show_job(encoder_ask(request, language=language), solve=solve, language=language, as_json=as_json)
