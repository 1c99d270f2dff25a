"""Is a family on sale, stopped, by invitation or through sales; is it entry-level or high-end?"""

from __future__ import annotations

import re
from collections.abc import Iterator

from knowledge.rows import Family
from tools.results import Verdict

from .cues import connected, cue, negated
from .finding import Finding, Voice, sizes
from .mentions import Mention
from .names import family, memory_of
from .sentences import Clause

BIG_GB = 70.0
SMALL_GB = 16.0
SAID = ("phased_out", "invite_only", "contact_sales", "on_sale")


def judge_status(clause: Clause, voice: Voice) -> Iterator[Finding]:
    """What the clause says of the sale of the families it speaks of."""
    said = [(key, match) for key in SAID if (match := cue("status", key).search(clause.text))]
    if not said:
        return
    said = [(key, match) for key, match in said if not _of_another_time(clause, key)]
    for mention in clause.inherited("family") if said else []:
        row = family(mention.value)
        if row is None or row.status == "name_only" or row.kind == "cpu":
            continue
        about = [(key, match) for key, match in said if _about(clause, mention, match)]
        if about:
            yield _status(clause, row, *about[0], voice)


def _of_another_time(clause: Clause, said: str) -> bool:
    """What was on sale may be no longer so, and what will be stopped is still sold."""
    return cue("past", "words" if said == "on_sale" else "future").search(clause.text) is not None


def _about(clause: Clause, mention: Mention, match: re.Match[str]) -> bool:
    """Whether the words speak of this family: the only one, or one of the list they stand by."""
    families = clause.inherited("family")
    if len(families) <= 1:
        return True
    if mention.start < clause.start:
        return False
    place = mention.end - clause.start
    if place > match.start():
        return connected(clause.text[match.end() : mention.start - clause.start], limit=8)
    between = [
        item
        for item in families
        if mention.start <= item.start and item.end - clause.start <= match.start()
    ]
    listed = all(
        connected(clause.between(one, other))
        for one, other in zip(between, between[1:], strict=False)
    )
    gap = clause.text[place : match.start()]
    return listed and len(gap) <= 40 and ")" not in gap


def _status(clause: Clause, row: Family, said: str, match: re.Match[str], voice: Voice) -> Finding:
    verdict: Verdict = "true" if _same(row.status, said) else "wrong"
    if verdict == "wrong" and {row.status, said} <= {"on_sale", "invite_only", "contact_sales"}:
        verdict = "partly"
    if negated(clause.text[max(0, match.start() - 8) : match.start()]):
        verdict = "wrong" if verdict == "true" else "true"
    fact = voice.say(f"status_{row.status}", family=row.family)
    return Finding(clause.start, clause.end, row.family, verdict, fact, row.source_ids)


def _same(status: str, said: str) -> bool:
    return status == said or (status, said) == ("overseas_only", "contact_sales")


def judge_tier(clause: Clause, voice: Voice) -> Iterator[Finding]:
    """Entry-level or high-end, measured by the memory per GPU."""
    low, high = cue("entry", "low").search(clause.text), cue("entry", "high").search(clause.text)
    if not (low or high) or clause.denied:
        return
    for mention in clause.of("family"):
        row, held = family(mention.value), memory_of(mention.value)
        if row is None or row.kind == "cpu" or not held:
            continue
        if min(held) >= BIG_GB:
            code, verdict = ("tier", "wrong") if low else ("tier_large", "true")
        elif high and max(held) <= SMALL_GB and row.status != "phased_out":
            code, verdict = "tier_small", "wrong"
        else:
            continue
        fact = voice.say(code, family=row.family, sizes=sizes(held, voice))
        yield Finding(
            clause.start,
            clause.end,
            row.family,
            "wrong" if verdict == "wrong" else "true",
            fact,
            row.source_ids,
        )
