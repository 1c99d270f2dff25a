"""Shares of the price: spot, reserved instances, savings plans."""

from __future__ import annotations

import re
from collections.abc import Iterator

from knowledge import facts
from tools.results import Verdict

from .cues import cue
from .finding import Finding, Voice
from .sentences import Clause

TENTHS = re.compile(r"(?<![\d.])([一二两三四五六七八九]|[1-9](?:\.\d)?) ?折")
DIGITS = {name: value for value, name in enumerate("零一二三四五六七八九")} | {"两": 2}
CEILING = {"spot": ("spot-upto", 90.0), "reserved": ("ri-upto", 79.0), "plan": ("sp-upto", 76.0)}


def judge_billing(clause: Clause, voice: Voice) -> Iterator[Finding]:
    """A saving or a share of the list price that the clause gives for a way to pay."""
    shares = [item.amount for item in clause.of("percent") if item.amount <= 100]
    folds = [_fold(match[1]) for match in TENTHS.finditer(clause.text)]
    kind = _kind(clause) if shares or folds else None
    seen = cue("billing", "seen").search(clause.sentence.text)
    if kind is None or seen or cue("billing", "other").search(clause.text):
        return
    savings = [100 - fold for fold in folds]
    saves = cue("billing", "saves").search(clause.text) is not None
    savings += [share if saves or share > 60 else 100 - share for share in shares]
    verdict = _judge(
        kind,
        savings,
        cue("billing", "up_to").search(clause.text) is not None,
        cue("billing", "flat").search(clause.text) is not None,
    )
    if clause.denied:
        verdict = (
            "true" if verdict == "wrong" else "cannot_judge" if verdict == "partly" else verdict
        )
    fact, source_ids = _fact(kind, voice)
    yield Finding(clause.start, clause.end, kind, verdict, fact, source_ids)


def _kind(clause: Clause) -> str | None:
    """The way to pay of the clause; else of the sentence, else of the sentence before in the line."""
    for text in (clause.text, clause.sentence.text, clause.sentence.earlier):
        named = [kind for kind in CEILING if cue("billing", kind).search(text)]
        if named:
            return named[0] if len(named) == 1 else None
    return None


def _fold(text: str) -> float:
    return 10.0 * (DIGITS[text] if text in DIGITS else float(text))


def _judge(kind: str, savings: list[float], up_to: bool, flat: bool) -> Verdict:
    ceiling = CEILING[kind][1]
    if max(savings) > ceiling + 0.5:
        return "wrong"
    if up_to:
        return "true" if abs(max(savings) - ceiling) < 0.6 else "cannot_judge"
    if kind == "spot":
        return "wrong" if flat else "partly"
    return "cannot_judge"


def _fact(kind: str, voice: Voice) -> tuple[str, tuple[str, ...]]:
    row = facts.billing_facts()[CEILING[kind][0]]
    rows = [row, facts.billing_facts()["spot-reality"]] if kind == "spot" else [row]
    text = voice.pick("", " ").join(voice.pick(item.fact_zh, item.fact_en) for item in rows)
    return text, tuple(dict.fromkeys(source for item in rows for source in item.source_ids))
