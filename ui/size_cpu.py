"""`xuanka size cpu`: main memory of inference without a GPU, or with experts in main memory (`--experts-in-ram`)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from .options import Json, Lang, Region, default_region, token_count
from .speech import choose_language

if TYPE_CHECKING:
    from tools.cpu.results import CpuChoice, CpuSizing
    from tools.phrases import Language

    from .blocks import Block

SHOWN = 4


def cpu(
    model: Annotated[str, typer.Option("--model", "-m", help="Model name, e.g. Qwen2.5-7B-Instruct, bge-m3, whisper-small.")],
    dtype: Annotated[str | None, typer.Option("--dtype", help="Weights: q4_k_m, q8_0, bf16, int8, fp32.")] = None,
    context: Annotated[
        int | None, typer.Option("--context", "-c", parser=token_count, metavar="TOKENS", help="Tokens per sequence or text.")
    ] = None,
    concurrency: Annotated[int | None, typer.Option("--concurrency", "-n", help="Sequences or texts at once.")] = None,
    engine: Annotated[str | None, typer.Option("--engine", help="llama.cpp, onnxruntime, faster-whisper, ktransformers.")] = None,
    on: Annotated[list[str] | None, typer.Option("--on", help="Family or type that you think of: c8i, g7se (repeatable).")] = None,
    experts_in_ram: Annotated[
        bool, typer.Option("--experts-in-ram", help="MoE with its experts in main memory and the rest on one GPU.")
    ] = False,
    solve: Annotated[str | None, typer.Option("--solve", help="With --experts-in-ram: context.")] = None,
    region: Region = None,
    lang: Lang = None,
    as_json: Json = False,
) -> None:
    """Size inference on a CPU instance."""
    language = choose_language(lang)
    if experts_in_ram:
        _hybrid(model, dtype, context, concurrency, engine, on, solve, region, language, as_json)
        return
    from tools.cpu.size import CpuRequest, size_cpu

    request = CpuRequest(model, dtype, context, concurrency, engine, tuple(on or []))
    sizing = size_cpu(request, language=language)
    if as_json:
        from .screen import show_json

        show_json(sizing.model_dump(mode="json", by_alias=True))
        return
    from .screen import show

    show(cpu_blocks(sizing, language))


def _hybrid(
    model: str, dtype: str | None, context: int | None, concurrency: int | None, engine: str | None,
    on: list[str] | None, solve: str | None, region: str | None, language: Language, as_json: bool,
) -> None:  # fmt: skip
    from tools.cpu.hybrid import HybridRequest, hybrid_ask
    from tools.demand import Wish

    from .jobs import show_job
    from .places import places

    named = tuple(place for name in on or [] for place in places(name, language))
    request = HybridRequest(model, dtype, context, concurrency, engine, named, Wish(region=default_region(region)))
    show_job(hybrid_ask(request, language=language), solve=solve, language=language, as_json=as_json)


def cpu_blocks(sizing: CpuSizing, language: Language) -> Iterator[Block]:
    """One sizing from its conclusion to its sources."""
    from tools.phrases import read_phrases, say

    from .blocks import Lines, Markdown, Title
    from .figures import source_lines
    from .speech import say as word

    table, need = read_phrases("tools", "phrases/cpu.toml"), sizing.estimate.per_gpu_gib
    comma = "，" if language == "zh" else ", "
    names = read_phrases("tools", "phrases/parts.toml")
    parts = comma.join(f"{names[part][language] if part in names else part} {size:.1f} GiB" for part, size in sizing.estimate.parts.items())
    head = say(table, "show_head", language, subject=sizing.subject, need=need.best, low=need.low, high=need.high, memory=sizing.memory_gib, **sizing.settings)
    yield Markdown(f"{head}{comma}{say(table, 'show_parts', language, parts=parts)}")
    yield Markdown("\n".join(f"- {_choice(row, language)}" for row in sizing.families[:SHOWN]))
    yield Markdown("\n".join([f"**{say(table, 'show_not_suited', language)}**", "", *(f"- {_choice(row, language)}" for row in sizing.not_suited)]))
    if sizing.changes:
        lines = [f"- {say(table, 'show_change', language, what=row.what, saves=row.saves_gib, memory=row.memory_gib)}" for row in sizing.changes]
        yield Markdown("\n".join([f"**{say(table, 'show_changes', language)}**", "", *lines]))
    if sizing.estimate.command:
        yield Title(word("job.command", language))
        yield Lines(sizing.estimate.command.splitlines())
    said = [*sizing.cautions, *sizing.estimate.assumptions, *sizing.assumed]
    yield Markdown("\n".join([f"**{word('assumptions', language)}**", "", *(f"- {line}" for line in dict.fromkeys(said))]))
    yield Lines(source_lines(sizing.source_ids, language), dim=True)


def _choice(row: CpuChoice, language: Language) -> str:
    from tools.phrases import read_phrases, say

    table, semicolon = read_phrases("tools", "phrases/cpu.toml"), "；" if language == "zh" else "; "
    reason = semicolon.join([row.reason, *row.cautions])
    if row.instance_type is None:
        return say(table, "show_choice_none", language, family=row.family, reason=reason)
    speed = say(table, "show_speed", language, low=row.tokens_per_s.low, high=row.tokens_per_s.high) if row.tokens_per_s else ""
    return say(table, "show_choice", language, type=row.instance_type, vcpu=row.vcpu, gib=row.memory_gib, speed=speed, reason=reason)
