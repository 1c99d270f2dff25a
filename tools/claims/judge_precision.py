"""Precisions in which cards compute, and their architecture."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from knowledge import facts
from knowledge.rows import Gpu

from .card_facts import card_sources, sources_of
from .cues import both, connected, cue, denied_until, negated
from .finding import Finding, Voice, true_if
from .mentions import Mention
from .names import cards, gpu_ids_of
from .sentences import Clause, gpu_ids
from .sized import LIST_GAP, SIZE

SAME = {
    "bfloat16": "bf16", "nvfp4": "fp4", "float16": "fp16", "float8": "fp8", "half precision": "fp16", "半精度": "fp16", "w8a8": "",
}  # fmt: skip
ARCH = {"安培": "ampere", "图灵": "turing", "伏特": "volta", "lovelace": "ada", "ada lovelace": "ada"}
SHOWN = ("FP16", "BF16", "FP8", "INT8")
STORED = re.compile(r" ?的?(?:kv|k/v|缓存|cache|权重|weights?|checkpoints?|模型|models?|格式|files?)(?![a-z])")
STORED_BEFORE = re.compile(r"(?:kv(?: ?cache)?|缓存|权重|weights?|checkpoints?)[^,。;:]{0,8}$")
"""A precision in which something is only kept: every card loads it, and computes in another."""
BRACKETED = re.compile(r"\([^)]*\)")
APART = 30
"""How far behind a precision the card may stand that is said to have it."""


def can(row: Gpu, precision: str) -> bool | None:
    """Whether a card computes in a precision; None when the table does not say."""
    if row.compute_capability is None:
        return None
    if precision in ("bf16", "fp8"):
        return row.bf16 if precision == "bf16" else row.fp8
    if precision == "fp4":
        return row.architecture == "Blackwell"
    rate = {
        "fp16": row.fp16_tflops,
        "tf32": row.tf32_tflops,
        "int8": row.int8_tops,
        "int4": row.int4_tops,
    }[precision]
    if rate is not None:
        return True
    if precision == "tf32" and row.compute_capability < 8:
        return False
    return None


def judge_precision(clause: Clause, voice: Voice) -> Iterator[Finding]:
    """ "A10 supports FP8", "T4 没有 BF16，只能用 FP16", "gn8is 支持 FP8"."""
    groups = _groups(clause)
    if not groups or not _speaks_of_support(clause, groups[0]):
        return
    denied = False
    for place, group in enumerate(groups):
        before = groups[place - 1][-1] if place else None
        if before is not None and _is_said_anew(clause.between(before, group[0])):
            denied = _denied_behind(clause, before, group)
        holders = _holders(clause, group)
        if place == 0 and holders:
            denied = clause.denies_about(*holders, *group)
        for item in holders:
            rows = [facts.gpus()[gpu_id] for gpu_id in sorted(gpu_ids(item))]
            if rows:
                yield from _precision(clause, item, group, rows, denied, voice)


def _groups(clause: Clause) -> list[list[Mention]]:
    """The precisions that the clause speaks of computing in; those that are said in one breath ("BF16 和 FP8") together."""
    groups: list[list[Mention]] = []
    for item in clause.of("precision"):
        start, end = item.start - clause.start, item.end - clause.start
        stored = STORED.match(clause.text, end) or STORED_BEFORE.search(clause.text[max(0, start - 24) : start])
        if stored or not SAME.get(item.value, item.value):
            continue
        gap = clause.between(groups[-1][-1], item) if groups else ""
        if groups and connected(gap) and not negated(gap):
            groups[-1].append(item)
        else:
            groups.append([item])
    return groups


def _is_said_anew(gap: str) -> bool:
    """Whether a later precision has a verb of its own: "has no BF16 and computes in FP16"."""
    return ":" in gap or negated(gap) or not connected(BRACKETED.sub("", gap))


def _denied_behind(clause: Clause, before: Mention, group: list[Mention]) -> bool:
    if clause.sentence.rhetorical:
        return clause.refuted
    first, last = before.end - clause.start, group[-1].end - clause.start
    return denied_until(clause.text[first:], last - first) != clause.refuted


def _holders(clause: Clause, group: list[Mention]) -> list[Mention]:
    """The cards, families or types that are said to have the precisions."""
    near = _nearest_list(clause, group[0], "card") or _nearest_list(clause, group[0], "family", "type")
    if near or clause.of("card", "family", "type") or not _goes_on(clause, group[0]):
        return near
    return clause.inherited("card") or clause.inherited("family", "type")


def _speaks_of_support(clause: Clause, group: list[Mention]) -> bool:
    if cue("needless").search(clause.text) or clause.of("params"):
        return False
    holders = [item for item in clause.of("card", "family", "type") if item.end <= group[0].start]
    gap = clause.between(holders[-1], group[0]) if holders else ""
    if ":" in gap and cue("weights", "denies").search(gap.partition(":")[0]):
        return False  # "A10 跑不动：FLUX 用 bf16 要 35.8 GiB" is of memory
    if both("supports").search(clause.text):
        return True
    subjects = clause.of("card", "family")
    return bool(subjects) and connected(clause.between(subjects[-1], group[0]))


def _nearest_list(clause: Clause, first: Mention, *kinds: str) -> list[Mention]:
    """The cards (or families) in one list right before the precision; those close behind it when none stands before it."""
    found: list[Mention] = []
    for item in reversed([item for item in clause.of(*kinds) if item.end <= first.start]):
        gap = SIZE.sub("", clause.between(item, found[0])) if found else ""
        if found and not LIST_GAP.fullmatch(gap.replace("()", "")):
            break
        found.insert(0, item)
    return found or [item for item in clause.of(*kinds) if 0 <= item.start - first.end <= APART]


def _goes_on(clause: Clause, first: Mention) -> bool:
    """Whether a clause without a card of its own only goes on ("…，支持 FP8"), without a subject in between."""
    place = first.start - clause.start
    match = both("supports").search(clause.text)
    opening = clause.text[: min(place, match.start()) if match else place]
    return connected(both("negation").sub("", opening), limit=24)


def _precision(
    clause: Clause, item: Mention, group: list[Mention], rows: list[Gpu], denied: bool, voice: Voice
) -> Iterator[Finding]:
    able = {name: can(rows[0], name) for name in dict.fromkeys(map(_name, group))}
    judged = {name: value for name, value in able.items() if value is not None}
    if not judged:
        return
    fact = describe_precision(item.value, rows[0], judged, voice)
    source_ids = card_sources(item.value) if item.kind == "card" else sources_of(item.value)
    start, end = min(item.start, group[0].start), max(group[-1].end, item.end if item.start > group[0].start else 0)
    if start < clause.start:
        start, end = clause.start, clause.end
    for holds in (True, False):
        names = [name for name, value in judged.items() if (value != denied) == holds]
        parts = [part for part in group if _name(part) in names]
        if not names:
            continue
        if len(names) < len(judged):  # only a part is wrong: each part is a statement of its own
            start, end = parts[0].start, parts[-1].end
        subject = f"{item.value} {'/'.join(name.upper() for name in names)}"
        yield Finding(start, end, subject, true_if(holds), fact, source_ids)


def _name(item: Mention) -> str:
    return SAME.get(item.value, item.value)


def describe_precision(name: str, row: Gpu, asked: Iterable[str], voice: Voice) -> str:
    """Which of the common precisions, and those asked for, the card computes in."""
    shown = dict.fromkeys([*(label for label in SHOWN), *(label.upper() for label in asked)])
    able = {label: can(row, label.lower()) for label in shown}
    yes = voice.say("supports", names=voice.list(label for label, value in able.items() if value))
    lacking = [label for label, value in able.items() if value is False]
    no = (
        voice.pick("，", " and") + voice.say("lacks", names=voice.list(lacking)) if lacking else ""
    )
    return voice.say("precision", card=name, arch=row.architecture, yes=yes, no=no)


def _rows(item: Mention) -> list[Gpu]:
    """The rows of a card, or of the cards of a family."""
    if item.kind == "card":
        return cards()[item.value].rows()
    return [facts.gpus()[gpu_id] for gpu_id in sorted(gpu_ids_of(item.value))]


def judge_architecture(clause: Clause, voice: Voice) -> Iterator[Finding]:
    """ "T4 是 Turing 架构", "gn8v is Hopper": one card or family, one architecture."""
    named, archs = clause.of("card") or clause.of("family"), clause.of("arch")
    rows = _rows(named[0]) if len(named) == 1 else []
    if len(archs) != 1 or not rows:
        return
    gap = clause.between(named[0], archs[0])
    if (
        len(gap) > 20
        or (not connected(gap) and both("carry").search(gap) is None)
        or cue("breaks").search(gap)
    ):
        return
    row = rows[0]
    same = row.architecture.lower().startswith(ARCH.get(archs[0].value, archs[0].value))
    fact = voice.say("arch", card=named[0].value, arch=row.architecture)
    yield Finding(
        clause.start,
        clause.end,
        f"{named[0].value} {archs[0].value}",
        true_if(same != clause.denies_about(named[0], archs[0])),
        fact,
        row.source_ids,
    )
