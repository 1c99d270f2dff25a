"""Composes the answer to a wished speed: which machines, how many, what a user sees, what a token costs."""

from __future__ import annotations

from collections.abc import Sequence

from assistant.evidence import Evidence, Finding
from assistant.filters import asks_token_price
from assistant.read.reading import Reading
from knowledge import facts
from tools.results import Recommendation
from tools.sizing_results import LlmSizing
from tools.speed.need_results import SpeedAnswer, SpeedMachines
from tools.speed.sentences import (
    bound_sentence,
    figure,
    pick_sentence,
    price_sentence,
    slow_lines,
    speed_sentence,
    wish_sentence,
)

from . import words
from .draft import Draft, Voice, paragraphs

SHOWN = 5
MAX_SLOW = 3


def compose_speed(reading: Reading, evidence: Evidence, findings: Sequence[Finding]) -> Draft:
    """The answer from findings of `size_speed`, one a model, with the memory of a copy where it was summed."""
    sized = [finding.read(LlmSizing) for finding in evidence.of_tool("size_llm")]
    answers = [finding.read(SpeedAnswer) for finding in findings]
    parts = [_one(reading, evidence, answer) for answer in answers]
    sizing = sized[0] if sized else None
    assumptions = _assumptions(answers)
    voice = Voice("speed", reading.language)
    joined = "；" if reading.language == "zh" else "; "
    return Draft(
        kind="sizing",
        text=paragraphs(*parts, _memory(voice, sizing), voice("assumptions", items=joined.join(a.rstrip("。.") for a in assumptions))),
        assumptions=assumptions,
        estimate=sizing.estimate if sizing else None,
        recommendations=_recommended(answers, sized),
        derived=[100.0 * row.load for answer in answers for row in answer.machines],
    )


def _one(reading: Reading, evidence: Evidence, answer: SpeedAnswer) -> str:
    language, voice = reading.language, Voice("speed", reading.language)
    first = answer.machines[0] if answer.machines else None
    mark = evidence.mark([*(first.speed.source_ids if first else []), *answer.source_ids])
    slow = list(slow_lines(answer, language))[:MAX_SLOW]
    cost = price_sentence(first.token_price, language) if first and first.token_price else ""
    cost_first = asks_token_price(reading)
    return paragraphs(
        cost if cost_first else "",
        f"{pick_sentence(answer, language)}{mark}",
        wish_sentence(answer, language),
        " ".join([speed_sentence(first.speed, language), bound_sentence(first.speed, language)]) if first else "",
        "" if cost_first else cost,
        _table(voice, evidence, answer.machines[:SHOWN]) if len(answer.machines) > 1 else "",
        "\n".join([voice("too_slow"), *(f"- {line}" for line in slow)]) if slow else "",
    )


def _table(voice: Voice, evidence: Evidence, rows: Sequence[SpeedMachines]) -> str:
    return "\n".join([voice("head"), *(_row(voice, evidence, row) for row in rows)])


def _row(voice: Voice, evidence: Evidence, row: SpeedMachines) -> str:
    price = words.plain(float(row.hourly)) + evidence.mark([row.price.source_id]) if row.hourly is not None and row.price else "—"
    return voice(
        "row",
        machines=row.instances,
        instance=row.instance_type,
        cards=words.cards(facts.gpus()[row.gpu_id], row.gpu_count, voice.language),
        copies=row.copies,
        tp=row.tensor_parallel,
        users=row.concurrency,
        user=figure(row.speed.tokens_per_s_per_user.low),
        first=figure(row.speed.first_token_s.high),
        price=price,
        million="—" if row.token_price is None else f"{figure(row.token_price.answer.low)}–{figure(row.token_price.answer.high)}",
    )


def _memory(voice: Voice, sizing: LlmSizing | None) -> str:
    """What one copy takes at its load, and the command."""
    if sizing is None:
        return ""
    check = sizing.checks[0] if sizing.checks else None
    if check is None:
        return ""
    parts = {"required": words.gib(check.required_gib), "limit": words.gib(check.limit_gib), "users": sizing.concurrency,
             "context": words.tokens(sizing.context), "tp": check.tensor_parallel}  # fmt: skip
    command = voice("command", command=sizing.estimate.command) if sizing.estimate.command else ""
    return paragraphs(voice("memory", **parts), command)


def _assumptions(answers: Sequence[SpeedAnswer]) -> list[str]:
    said = [line for answer in answers for row in answer.machines[:1] for line in row.speed.assumptions]
    return list(dict.fromkeys([*said, *(line for answer in answers for line in answer.assumptions)]))


def _recommended(answers: Sequence[SpeedAnswer], sized: Sequence[LlmSizing]) -> list[Recommendation]:
    """The machines chosen for their speed, as the memory sums describe them, at their number."""
    rows = {pick.instance_type: pick for s in sized for pick in [*s.advice.recommendations, *s.advice.near_misses]}
    return [
        rows[row.instance_type].model_copy(update={"instances": row.instances})
        for answer in answers for row in answer.machines[:1] if row.instance_type in rows
    ]  # fmt: skip
