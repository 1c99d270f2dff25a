"""Shares of the price: spot, reserved instances, savings plans."""

from __future__ import annotations

import re
from collections.abc import Iterator

from knowledge import facts
from tools.results import Verdict

from .finding import Finding, Voice
from .sentences import Clause

SPOT = re.compile(r"抢占式|竞价|(?<![a-z])spot(?![a-z])|(?<![a-z])preemptible")
RESERVED = re.compile(r"预留实例券?|(?<![a-z])ri(?![a-z])|reserved instances?")
PLAN = re.compile(r"节省计划|savings? plans?")
SAVES = re.compile(
    r"省|节约|节省|降低|优惠|便宜|折扣|(?<![a-z])(?:sav(?:es?|ings?)|off|cheaper|discounts?|less|cuts?|lower)(?![a-z])"
)
UP_TO = re.compile(
    r"最多|最高|上限|高达|至多|可达|不超过|(?<![a-z])(?:up to|at most|maximum|max|as much as|ceiling|no more than)(?![a-z])"
)
BID = re.compile(
    r"出价|(?<![a-z])bid(?:s|ding)?(?![a-z])|中断率|interruption|observed|中位数|median|quotes?(?![a-z])|报价"
)
FLAT = re.compile(
    r"一律|固定|总是|始终|都是|永远|必定|一定|(?<![a-z])(?:always|flat|fixed|every|guaranteed|constant)(?![a-z])"
)
TENTHS = re.compile(r"(?<![\d.])([一二两三四五六七八九]|[1-9](?:\.\d)?) ?折")
DIGITS = {name: value for value, name in enumerate("零一二三四五六七八九")} | {"两": 2}
CEILING = {"spot": ("spot-upto", 90.0), "reserved": ("ri-upto", 79.0), "plan": ("sp-upto", 76.0)}


def judge_billing(clause: Clause, voice: Voice) -> Iterator[Finding]:
    """A saving or a share of the list price that the clause gives for a way to pay."""
    kind = _kind(clause)
    shares = [item.amount for item in clause.of("percent") if item.amount <= 100]
    folds = [_fold(match[1]) for match in TENTHS.finditer(clause.text)]
    if kind is None or not (shares or folds) or BID.search(clause.text):
        return
    savings = [100 - fold for fold in folds]
    saves = SAVES.search(clause.text) is not None
    savings += [share if saves or share > 60 else 100 - share for share in shares]
    verdict = _judge(
        kind, savings, UP_TO.search(clause.text) is not None, FLAT.search(clause.text) is not None
    )
    if clause.denied:
        verdict = (
            "true" if verdict == "wrong" else "cannot_judge" if verdict == "partly" else verdict
        )
    fact, source_ids = _fact(kind, voice)
    yield Finding(clause.start, clause.end, kind, verdict, fact, source_ids)


def _kind(clause: Clause) -> str | None:
    """The way to pay the clause is about; else that of the sentence, else of the sentence before in the line."""
    for text in (clause.text, clause.sentence.text, clause.sentence.earlier):
        named = [
            kind
            for kind, words in (("plan", PLAN), ("reserved", RESERVED), ("spot", SPOT))
            if words.search(text)
        ]
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
