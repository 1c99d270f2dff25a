"""Cards, vCPU and memory of an instance type that a sentence states."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from knowledge.rows import Instance

from .card_facts import where
from .cues import connected, cue
from .finding import Finding, Voice, true_if
from .judge_memory import GPU_MEMORY
from .judge_names import describe_type
from .mentions import Mention
from .names import cards, instance
from .owned import bad_of, elsewhere, of_type
from .sentences import Clause
from .sized import ALSO, sized

BEHIND_VCPU = re.compile(r"(?:vcpus?|核|cores?)\s{0,2}(?:,|、|/|和|\+|and|with)?\s{0,2}$")
NOUN = re.compile(
    r"\s?(?:的|of )?(?:显存|内存|vram|(?:host|system|gpu|video|main) (?:memory|ram)|memory|ram)(?![a-z])"
)
HOST_MEMORY = re.compile(r"内存|(?<![a-z])(?:ram|host|system)(?![a-z])")
HOST_AFTER = re.compile(r"\s?(?:的)?(?:主机|系统)?内存|\s?(?:of )?(?:host |system )?ram(?![a-z])")


NAMED = re.compile(r"\s*(?:[x×*]|张|块)?\s*(?:nvidia|tesla)?\s*")
"""Between a count and the card that is counted."""
INSIDE = re.compile(r" (?:in|on|inside) (?:an? |the |each |one )?")
"""Between a count and the type that is said to have it: "8 GPUs in ecs.gn7i-c32g1.32xlarge"."""


@dataclass(frozen=True, slots=True)
class Detail:
    """One thing said of a type at [start, end); `wrong` are the mentions in it that do not hold."""

    start: int
    end: int
    wrong: tuple[Mention, ...]

    @property
    def holds(self) -> bool:
        return not self.wrong


def judge_types(clause: Clause, voice: Voice) -> Iterator[Finding]:
    """What a clause says of the one type it speaks of. Right and wrong details are statements of their own; a card
    with its count and its memory is one detail."""
    items = clause.inherited("type") if not clause.of("family") else clause.of("type")
    rows = [row for item in items[:1] if (row := instance(item.value))]
    if len(items) != 1 or not rows:
        return
    row, item = rows[0], items[0]
    judged = list(_judged(clause, row, item))
    if not judged:
        return
    details = _joined(clause, judged)
    fact = describe_type(row.instance_type, voice)
    denied = _denied(clause, item, [part for part, _ in judged])
    all_hold = all(detail.holds for detail in details)
    if denied or all_hold:
        verdict = true_if(all_hold != denied)
        yield Finding(clause.start, clause.end, row.instance_type, verdict, fact, row.source_ids)
        return
    for holds, run in groupby(details, key=lambda detail: detail.holds):
        parts = list(run)
        start, end = parts[0].start, parts[-1].end
        whole = holds or len(parts) == len(details)
        if whole and parts[0] == details[0] and clause.start <= item.start < start:
            start = item.start
        said = fact if holds else _right(clause, fact, parts, voice)
        yield Finding(start, end, row.instance_type, true_if(holds), said, row.source_ids)


def _denied(clause: Clause, item: Mention, parts: list[Mention]) -> bool:
    """Whether the clause denies the details. A label before them ("放不下：") or a remark behind does not."""
    end = max(part.end for part in parts) - clause.start
    called_wrong = cue("denial", "refuted").match(clause.text, end) is not None
    return clause.denies_about(item, *parts) or called_wrong


def _right(clause: Clause, fact: str, parts: list[Detail], voice: Voice) -> str:
    """The type as it is, and where the cards and sizes that it does not have are to be had."""
    spare = _sizes_of_card(clause)
    wrong = [part for detail in parts for part in detail.wrong]
    more = [elsewhere(*spare[part.start], voice) for part in wrong if part.start in spare]
    more += [where(part.value, voice).strip() for part in wrong if part.kind == "card"]
    return voice.pick("", " ").join([fact, *filter(None, more)])


def _joined(clause: Clause, judged: list[tuple[Mention, bool]]) -> list[Detail]:
    """The details in order of their place: a card, its count and its sizes ("8 × A100 80 GB") together."""
    sizes = {card.start: {amount.start for amount in amounts} for card, amounts in sized(clause)}
    groups: list[list[tuple[Mention, bool]]] = []
    for part, holds in sorted(judged, key=lambda pair: pair[0].start):
        last = groups[-1] if groups else []
        if any(_one_name(clause, other, part, sizes) for other, _ in last):
            last.append((part, holds))
        else:
            groups.append([(part, holds)])
    return [
        Detail(
            group[0][0].start,
            max(_with_noun(clause, part) for part, _ in group),
            tuple(part for part, holds in group if not holds),
        )
        for group in groups
    ]


def _one_name(clause: Clause, one: Mention, other: Mention, sizes: dict[int, set[int]]) -> bool:
    """Whether two neighbours name one card: its count before it, or a size said of it."""
    if one.kind == "count":
        return other.kind == "card" and NAMED.fullmatch(clause.between(one, other)) is not None
    return other.start in sizes.get(one.start, ()) or one.start in sizes.get(other.start, ())


def _sizes_of_card(clause: Clause) -> dict[int, tuple[str, float]]:
    """(card, GB) by the place of the sizes that are said of a card of a type."""
    return {
        amount.start: (card.value, amount.amount)
        for card, amounts in sized(clause)
        if card.kind == "card"
        for amount in amounts
    }


def _judged(clause: Clause, row: Instance, item: Mention) -> Iterator[tuple[Mention, bool]]:
    """(mention, whether it holds) of what the clause says of the type."""
    if cue("types", "workload").search(clause.text):
        return
    first = item.end if item.start >= clause.start else 0
    of_card = {
        amount.start: amount not in bad_of(clause, of_type(row), amounts)
        for card, amounts in sized(clause)
        if card.kind == "card"
        for amount in amounts
    }
    for part in clause.mentions:
        held: bool | None = None
        if part.kind == "card":
            held = row.gpu_id in cards()[part.value].gpu_ids
        elif part.start in of_card:
            held = of_card[part.start]
        elif part.start < first and not (part.kind == "count" and INSIDE.fullmatch(clause.between(part, item))):
            continue
        elif part.kind == "vcpu":
            held = part.amount == row.vcpu
        elif part.kind == "count" and not row.vgpu:
            held = part.amount == row.gpu_count
        elif part.kind == "memory":
            held = _memory(clause, part, row, item)
        if held is not None:
            yield part, held


def _behind_vcpu(clause: Clause, part: Mention) -> bool:
    """ "8 vCPU 32 GiB", "8 vCPU，32 GiB": the size right behind the vCPU is the host's memory."""
    text, place = clause.sentence.text, part.start - clause.sentence.start
    before = text[max(0, place - 12) : place]
    return BEHIND_VCPU.search(before) is not None


def _with_noun(clause: Clause, part: Mention) -> int:
    """The end of a size with the word behind it: "32G 内存"."""
    noun = NOUN.match(clause.text, part.end - clause.start) if part.kind == "memory" else None
    return clause.start + noun.end() if noun else part.end


def _memory(clause: Clause, part: Mention, row: Instance, item: Mention) -> bool | None:
    """Host memory, memory of one card or of all cards; None when the text may mean something else (a disk). A size
    called memory of the GPU is compared with the cards alone, one called host memory with the host."""
    begin = part.start - clause.start
    around = clause.text[max(0, begin - 24) : part.end - clause.start + 24]
    cards_hold = {row.gpu_memory_gb_each, row.gpu_memory_gb_total}
    known = cards_hold | {row.memory_gib}
    if part.amount in known:
        after = clause.text[begin:][:24]
        if GPU_MEMORY.search(after) and not HOST_MEMORY.search(after) and row.gpu_id:
            return part.amount in cards_hold
        if HOST_AFTER.match(clause.text, part.end - clause.start):
            return part.amount == row.memory_gib
        return True
    if cue("types", "disk").search(around):
        return None
    if _behind_vcpu(clause, part):
        return False
    if cue("types", "memory").search(around):
        return False
    if ALSO.match(clause.between(item, part)):
        return None  # "the type + 500 GB" is something beside it
    tied = item.start >= clause.start and connected(clause.between(item, part), limit=16)
    return False if tied else None
