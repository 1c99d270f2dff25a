"""Kinds of statements that are known by their words (`rules.toml`)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from tools.results import Verdict

from .cues import negated
from .finding import Finding, Voice
from .names import read_table
from .sentences import Clause, Sentence

CONTRARY: dict[str, Verdict] = {
    "wrong": "true",
    "outdated": "true",
    "true": "wrong",
    "partly": "partly",
    "cannot_judge": "cannot_judge",
}


@dataclass(frozen=True, slots=True)
class Rule:
    """One kind of statement. `denied` is what a denial of it is worth: a verdict, "skip" or "same"."""

    id: str
    all: tuple[re.Pattern[str], ...]
    none: re.Pattern[str] | None
    needs: re.Pattern[str] | None
    by_sentence: bool
    within: int  # greatest length of the stretch; 0 for any
    goes_back: bool  # all but the last list may be met in the sentences before, in the same line
    verdict: Verdict
    denied: str
    subject: str
    fact_zh: str
    fact_en: str
    source_ids: tuple[str, ...]


@cache
def rules() -> tuple[Rule, ...]:
    """The rules of the table, compiled."""
    return tuple(_rule(row) for row in read_table("rules.toml")["rule"])


def _rule(row: dict[str, Any]) -> Rule:
    def one(words: list[str] | None) -> re.Pattern[str] | None:
        return re.compile("|".join(words)) if words else None

    return Rule(
        row["id"], tuple(re.compile("|".join(words)) for words in row["all"]), one(row.get("none")), one(row.get("needs")),
        row.get("scope") == "sentence", int(row.get("within", 0)), bool(row.get("goes_back")), row["verdict"], row.get("denied", CONTRARY[row["verdict"]]),
        row["subject"], row["fact_zh"], row["fact_en"], tuple(row["source_ids"]),
    )  # fmt: skip


def judge_rules(clause: Clause, voice: Voice) -> Iterator[Finding]:
    """Findings of all rules; a rule by sentence speaks once, at the first clause of the sentence."""
    first = clause.sentence.clauses[0] is clause
    for rule in rules():
        if rule.by_sentence and not first:
            continue
        found = _match(rule, clause)
        if found is not None:
            start, end, denied = found
            verdict = rule.denied if denied and rule.denied != "same" else rule.verdict
            if verdict != "skip":
                yield Finding(
                    start,
                    end,
                    rule.subject,
                    _verdict(verdict),
                    voice.pick(rule.fact_zh, rule.fact_en),
                    rule.source_ids,
                )


def _verdict(name: str) -> Verdict:
    known: dict[str, Verdict] = {
        "true": "true",
        "wrong": "wrong",
        "partly": "partly",
        "outdated": "outdated",
        "cannot_judge": "cannot_judge",
    }
    return known[name]


def _match(rule: Rule, clause: Clause) -> tuple[int, int, bool] | None:
    """(start, end, denied) of the stretch that a rule speaks of."""
    sentence = clause.sentence
    text, base = (
        (sentence.text, sentence.start) if rule.by_sentence else (clause.text, clause.start)
    )
    matches = [rule.all[-1].search(text)]
    if matches[0] is None:
        return None
    matches = [*(pattern.search(text) for pattern in rule.all[:-1]), matches[0]]
    if (
        rule.goes_back
        and matches[-1]
        and any(pattern.search(sentence.earlier[-60:]) for pattern in rule.all[:-1])
    ):
        matches = [match or matches[-1] for match in matches]
    if (
        rule.none is not None
        and rule.none.search(text)
        or rule.needs is not None
        and not rule.needs.search(sentence.text)
    ):
        return None
    found = [match for match in matches if match]
    if not found or len(found) < len(matches):
        return None
    start, end = min(match.start() for match in found), max(match.end() for match in found)
    if rule.within and end - start > rule.within:
        return None
    spans = [(base + match.start(), base + match.end()) for match in found]
    return base + start, base + end, _denied(sentence, spans)


def _denied(sentence: Sentence, spans: list[tuple[int, int]]) -> bool:
    """Whether the clause that holds the thing said (the last of the spans) denies it. A "not" within the words of the
    rule itself ("not enough memory", "without a GPU") does not count."""
    first, (start, end) = min(spans)[0], spans[-1]
    if sentence.rhetorical:
        return False
    holder = next((item for item in sentence.clauses if item.start <= start < item.end), None)
    text, base = (holder.text, holder.start) if holder else (sentence.text, sentence.start)
    begin = max(base, first - 8, start - 24)
    refuted = any(
        item.refuted for item in sentence.clauses if item.start < end and item.end > first
    )
    for one, other in spans[:-1]:
        one, other = max(one, base), min(other, base + len(text))
        if one < other:
            text = text[: one - base] + "·" * (other - one) + text[other - base :]
    return refuted or negated(text[begin - base : end - base + 16])
