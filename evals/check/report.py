"""The report on the check as Markdown: goals, groups, and what was judged wrongly."""

from __future__ import annotations

from collections.abc import Iterator

from tools.phrases import Language

from .rates import ALARMS, CATCH, Failure, Report
from .words import say

SHOWN = 40
"""Failures that the text shows; `--json` has all."""
LINE = 160


def report_text(report: Report, language: Language) -> str:
    """The run for people."""
    parts = [say("title", language, cases=f"{report.cases:,}", right=f"{report.right:,}"), "\n".join(_goals(report, language))]
    parts += ["\n".join(_groups(report, language)), say("apart", language)]
    if report.failures:
        shown = _mixed(report.failures)
        parts += [say("failures", language, shown=len(shown), n=len(report.failures)), "\n".join(map(_line, shown))]
    return "\n\n".join(parts)


def _goals(report: Report, language: Language) -> Iterator[str]:
    yield say("goals", language)
    yield "|---|---|---|"
    yield f"| {say('catch', language)} | {report.catch:.2%} | ≥ {CATCH:.0%} |"
    yield f"| {say('bad_found', language)} | {report.bad_found:.2%} | ≥ {CATCH:.0%} |"
    yield f"| {say('alarms', language)} | {report.alarms:.2%} | ≤ {ALARMS:.0%} |"
    if report.ms:
        yield f"| {say('ms', language)} | {report.ms.p50:.1f} / {report.ms.p95:.1f} | |"


def _groups(report: Report, language: Language) -> Iterator[str]:
    yield say("groups", language)
    yield "|---|---|---|---|---|"
    for name, tallies in report.by.items():
        for group, tally in sorted(tallies.items()):
            yield f"| {say(f'by_{name}', language)}: {group} | {tally.cases:,} | {tally.right:,} | {tally.wrong:,} | {tally.apart:,} |"


def _mixed(failures: list[Failure], most: int = SHOWN) -> list[Failure]:
    """The first failures of every kind by turns, so that none hides the others."""
    queues: dict[str, list[Failure]] = {}
    for failure in failures:
        queues.setdefault(failure.reasons[0].partition(":")[0] + failure.id.partition("/")[2], []).append(failure)
    shown: list[Failure] = []
    while len(shown) < min(most, len(failures)):
        for queue in queues.values():
            if queue:
                shown.append(queue.pop(0))
    return shown[:most]


def _line(failure: Failure) -> str:
    text = " ".join(failure.text.split())
    cut = text if len(text) <= LINE else f"{text[: LINE - 1]}…"
    return f"- {failure.id}: {'; '.join(failure.reasons[:3])}\n  {cut}"
