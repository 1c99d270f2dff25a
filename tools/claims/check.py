"""Finds statements in a text and judges them by the fact tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from tools.phrases import Language
from tools.results import ClaimReport, Statement

from .finding import Finding, Voice
from .judge_billing import judge_billing
from .judge_cards import judge_carried, judge_offer
from .judge_counts import judge_counts
from .judge_disks import judge_disks
from .judge_links import judge_links
from .judge_memory import judge_memory
from .judge_names import judge_names
from .judge_precision import judge_architecture, judge_precision
from .judge_prices import judge_prices
from .judge_rates import judge_bandwidth, judge_comparison
from .judge_status import judge_status, judge_tier
from .judge_types import judge_types
from .judge_weights import judge_weights
from .normal import Normal, hide_reported, normalise
from .rules import judge_rules
from .sentences import Clause, split

Judge = Callable[[Clause, Voice], Iterator[Finding]]
OF_FACTS: tuple[Judge, ...] = (
    judge_status, judge_tier, judge_carried, judge_offer, judge_memory, judge_precision, judge_architecture, judge_comparison,
    judge_bandwidth, judge_links, judge_types, judge_prices, judge_counts, judge_disks, judge_weights, judge_billing,
)  # fmt: skip
ALWAYS: tuple[Judge, ...] = (judge_names, judge_rules)
"""What judges a clause that holds only in thought too: a name is no better for it, and advice is given for a case."""


EDGE = "•◦▪·*#|>-:"


def check_claims(text: str, *, language: Language, questions: bool = True) -> ClaimReport:
    """Statements of `text` (Chinese, English or mixed) with their verdicts; the facts are worded in `language`.

    Offsets are those of `text` as given. What is said of other clouds, what is only supposed and what is only reported as
    wrong is left alone. A question is judged as the statement it asks about, unless `questions` is false, as it is for a
    document: there it states nothing. Text in which nothing is stated gives an empty report.
    """
    normal = normalise(text)
    voice = Voice(language)
    found: dict[tuple[int, int, str, str], Finding] = {}
    shown = hide_reported(normal.text)
    for clause in split(shown):
        if clause.sentence.alien or (clause.sentence.asks and not questions):
            continue
        for judge in ALWAYS if clause.supposed else (*ALWAYS, *OF_FACTS):
            for finding in judge(clause, voice):
                found.setdefault(
                    (finding.start, finding.end, finding.subject, finding.verdict), finding
                )
    statements = [
        _statement(text, normal, shown, finding)
        for finding in merge(found.values(), normal.text)
    ]
    statements.sort(key=lambda item: (item.start, item.end))
    return ClaimReport(
        statements=statements, counts=dict(Counter(item.verdict for item in statements))
    )


def merge(findings: Iterable[Finding], text: str) -> list[Finding]:
    """The findings in order of their place; those that overlap or lie side by side and say the same fact with
    the same verdict are one."""
    kept: dict[tuple[str, str], list[Finding]] = {}
    for finding in sorted(findings, key=lambda item: (item.start, item.end)):
        alike = kept.setdefault((finding.fact, finding.verdict), [])
        last = alike[-1] if alike else None
        beside = last is not None and not text[last.end : finding.start].strip(" ,、;/和及")
        if last is not None and (
            finding.start < last.end or (beside and last.subject == finding.subject)
        ):
            alike[-1] = replace(last, end=max(last.end, finding.end))
        else:
            alike.append(finding)
    return sorted((item for alike in kept.values() for item in alike), key=lambda item: item.start)


def _statement(text: str, normal: Normal, shown: str, finding: Finding) -> Statement:
    """The finding with the offsets of the original, without white space and words that only ask at its ends."""
    start, end = finding.start, finding.end
    while start < end and (normal.text[start].isspace() or normal.text[start] in EDGE):
        start += 1
    if shown[end - 1] != normal.text[end - 1]:
        end = start + len(shown[start:end].rstrip(" ?-"))
    while end > start and normal.text[end - 1].isspace():
        end -= 1
    first, last = normal.back(start, end)
    return Statement(
        text=text[first:last], start=first, end=last, subject=finding.subject, verdict=finding.verdict,
        fact=finding.fact, source_ids=list(finding.source_ids),
    )  # fmt: skip
