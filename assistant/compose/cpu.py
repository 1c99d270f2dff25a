"""Composes the answer on running a model without a GPU: main memory in parts, the families that suit and those that do not."""

from __future__ import annotations

from assistant.answer import Caution
from assistant.evidence import Evidence, Finding
from assistant.read.reading import Reading
from tools.cpu.results import CpuChoice, CpuSizing
from tools.phrases import read_phrases

from . import words
from .draft import Draft, Voice, paragraphs

MAX_FAMILIES = 4
SLOW = 5.0
"""Tokens per second below which an answer is slower than it is read."""


def compose_cpu(reading: Reading, evidence: Evidence, finding: Finding) -> Draft:
    """The answer from one finding of `size_cpu`."""
    voice, sizing = Voice("cpu", reading.language), finding.read(CpuSizing)
    suited = [choice for choice in sizing.families if choice.fits]
    joined = "；" if reading.language == "zh" else "; "
    assumptions = list(dict.fromkeys([*sizing.assumed, *sizing.estimate.assumptions]))
    text = paragraphs(
        _own_machine(voice, sizing, reading),
        _headline(voice, sizing, suited, evidence),
        _table(voice, sizing, reading),
        "\n".join([voice("families"), *(_choice(voice, choice, evidence) for choice in suited[:MAX_FAMILIES])]) if suited else "",
        "\n".join([voice("not_suited"), *(_choice(voice, choice, evidence) for choice in sizing.not_suited)]) if sizing.not_suited else "",
        "\n".join([voice("changes"), *(voice("change", what=c.what, saves=words.gib(c.saves_gib), need=words.gib(c.memory_gib)) for c in sizing.changes)]) if sizing.changes else "",
        voice("watch", items=joined.join(item.rstrip("。.") for item in sizing.cautions)) if sizing.cautions else "",
        voice("command", command=sizing.estimate.command) if sizing.estimate.command else "",
        voice("assumptions", items=joined.join(item.rstrip("。.") for item in assumptions)) if assumptions else "",
    )
    return Draft(
        kind="sizing",
        text=text,
        assumptions=assumptions,
        cautions=[Caution(code="cpu", text=item, source_ids=sizing.source_ids[:2]) for item in sizing.cautions],
        estimate=sizing.estimate,
    )


def _own_machine(voice: Voice, sizing: CpuSizing, reading: Reading) -> str:
    """Whether the memory that the user has holds it; of a Mac, that its GPU works in the same memory."""
    shared = voice("unified") if reading.unified else ""
    if reading.ram_gib is None:
        return shared
    need = sizing.estimate.per_gpu_gib.best
    code = "own_misses" if need > reading.ram_gib else "own_tight" if sizing.memory_gib > reading.ram_gib else "own_holds"
    held = voice(code, subject=sizing.subject, ram=words.plain(reading.ram_gib), need=words.gib(need))
    return held + ("" if reading.language == "zh" or not shared else " ") + shared


def _headline(voice: Voice, sizing: CpuSizing, suited: list[CpuChoice], evidence: Evidence) -> str:
    figures = {"subject": sizing.subject, "memory": words.gib(sizing.memory_gib)}
    if not suited:
        return voice("none", **figures)
    speed = suited[0].tokens_per_s
    if speed and speed.high < SLOW:
        figures |= {"low": words.plain(round(speed.low, 1)), "high": words.plain(round(speed.high, 1))}
        return voice("pick_slow", family=suited[0].family, mark=evidence.mark(suited[0].source_ids), **figures)
    return voice("pick", family=suited[0].family, mark=evidence.mark(suited[0].source_ids), **figures)


def _table(voice: Voice, sizing: CpuSizing, reading: Reading) -> str:
    names = read_phrases("tools", "phrases/parts.toml")
    rows = [
        voice("row", name=names[part][reading.language] if part in names else part.replace("_", " "), value=f"{value:.2f}")
        for part, value in sizing.estimate.parts.items()
    ]
    total = voice("total", value=words.gib(sizing.estimate.per_gpu_gib.best), memory=words.gib(sizing.memory_gib))
    return "\n".join([voice("table_head"), *rows, total])


def _choice(voice: Voice, choice: CpuChoice, evidence: Evidence) -> str:
    speed = choice.tokens_per_s
    said = voice("speed", low=words.plain(round(speed.low, 1)), high=words.plain(round(speed.high, 1))) if speed else ""
    return voice("choice", family=choice.family, reason=choice.reason.rstrip("。."), speed=said, mark=evidence.mark(choice.source_ids))
