"""Disk levels: do they exist, with what IOPS, throughput and smallest size."""

from __future__ import annotations

import re
from collections.abc import Iterator

from knowledge import facts
from knowledge.rows import Disk
from tools.results import Verdict

from .finding import Finding, Voice, figure, true_if
from .mentions import Mention, levels
from .sentences import Clause

SOURCES = ("ali-essd-zh", "ali-essd-plx-zh")
AT_LEAST = re.compile(
    r"起|至少|最小|最低|(?<![a-z])(?:from|min(?:imum)?|at least|starts?|smallest|or more)(?![a-z])"
)
LIMIT = re.compile(
    r"最高|最大|上限|最多|单盘|峰值|(?<![a-z])(?:max\w*|up to|limit\w*|at most|peak|reach\w*)"
)
SLACK = 0.03


def judge_disks(clause: Clause, voice: Voice) -> Iterator[Finding]:
    """Every level named, and the figures that follow it."""
    for item in clause.of("disk"):
        if f"pl{item.value}" not in levels():
            level = f"PL{item.value}"
            yield Finding(
                item.start,
                item.end,
                f"ESSD {level}",
                true_if(clause.denied),
                voice.say("disk_unknown", level=level),
                SOURCES,
            )
    if clause.of("family", "type"):
        return  # the limit of an instance, not of the disk
    named = clause.inherited("disk")
    if len({item.value for item in named}) == 1 and f"pl{named[0].value}" in levels():
        yield from _figures(clause, facts.disks()[levels()[f"pl{named[0].value}"]], voice)
    elif clause.of("disk") and len(named) > 1:
        yield from _listed(clause, named, voice)


def _listed(clause: Clause, named: list[Mention], voice: Voice) -> Iterator[Finding]:
    """ "PL1 50,000 IOPS and PL2 100,000": the figure right after each level."""
    for place, item in enumerate(named):
        stop = named[place + 1].start if place + 1 < len(named) else clause.end
        disk = facts.disks().get(levels().get(f"pl{item.value}", ""))
        values = [part for part in clause.of("iops", "rate") if item.end <= part.start < stop]
        if disk is not None and values:
            results = [held for part in values if (held := _holds(clause, disk, part)) is not None]
            if results:
                yield _finding(clause, disk, results, voice)


def _figures(clause: Clause, disk: Disk, voice: Voice) -> Iterator[Finding]:
    parts = clause.of("iops", "rate")
    results = [held for part in parts if (held := _holds(clause, disk, part)) is not None]
    if AT_LEAST.search(clause.text) and disk.min_size_gib is not None:
        sizes = [part.amount == disk.min_size_gib for part in clause.of("memory", "need")]
        results += [any(sizes)] if sizes else []
    if results and not (
        all(results) and _denied(clause)
    ):  # "never reaches" may be true of an instance
        yield _finding(clause, disk, results, voice)


def _denied(clause: Clause) -> bool:
    return clause.denies_about(*clause.of("disk", "iops", "rate", "memory", "need"))


def _holds(clause: Clause, disk: Disk, part: Mention) -> bool | None:
    """Whether a figure is the limit of the level; None for less than the limit where no limit is spoken of."""
    limit = disk.max_iops if part.kind == "iops" else disk.max_throughput_mb_s
    if limit is None:
        return None
    if part.amount < limit * (1 - SLACK) and not LIMIT.search(clause.text):
        return None
    return abs(part.amount - limit) <= SLACK * limit


def _finding(clause: Clause, disk: Disk, results: list[bool], voice: Voice) -> Finding:
    verdict: Verdict = "true" if all(results) else "partly" if any(results) else "wrong"
    if _denied(clause):
        verdict = "wrong" if verdict == "true" else "true"
    values = (disk.max_iops, disk.max_throughput_mb_s, disk.min_size_gib)
    iops, rate, size = ("?" if value is None else figure(value) for value in values)
    fact = voice.say("disk_facts", level=disk.level, iops=iops, rate=rate, size=size)
    return Finding(clause.start, clause.end, disk.level, verdict, fact, disk.source_ids)
