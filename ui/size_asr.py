"""`xuanka size asr`: the memory of speech recognition and the machines it fits on."""

from __future__ import annotations

from typing import Annotated

import typer

from .budget import BudgetOption, wish_for
from .options import Json, Lang, Region
from .speech import choose_language


def asr(
    model: Annotated[str, typer.Option("--model", "-m", help="Model name, e.g. whisper-large-v3, SenseVoiceSmall, Qwen3-ASR-1.7B.")],
    program: Annotated[
        str | None, typer.Option("--program", help="faster-whisper, openai-whisper, whisper.cpp, transformers, vllm, funasr.")
    ] = None,
    dtype: Annotated[str | None, typer.Option("--dtype", help="Weights: fp16, int8, fp32.")] = None,
    batch: Annotated[int | None, typer.Option("--batch", "-b", help="Windows of 30 s at once.")] = None,
    beams: Annotated[int | None, typer.Option("--beams", help="Beam size.")] = None,
    on: Annotated[
        list[str] | None, typer.Option("--on", help="Card, count of cards, family or type to check: A10, 4xA10, gn7e (repeatable).")
    ] = None,
    solve: Annotated[str | None, typer.Option("--solve", help="Largest value that fits: batch.")] = None,
    budget: BudgetOption = None,
    region: Region = None,
    lang: Lang = None,
    as_json: Json = False,
) -> None:
    """Size speech recognition."""
    language = choose_language(lang)
    from tools.speech.demand import SpeechRequest, asr_ask

    from .jobs import show_job
    from .places import places

    request = SpeechRequest(
        model=model,
        program=program,
        precision=dtype,
        batch=batch,
        beams=beams,
        on=tuple(place for name in on or [] for place in places(name, language)),
        wish=wish_for(region, budget),
    )
    show_job(asr_ask(request, language=language), solve=solve, language=language, as_json=as_json)
