"""Cards, vCPU and memory of an instance type that a sentence states."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby

from knowledge.rows import Instance

from .card_facts import where
from .cues import connected, cue
from .finding import Finding, Voice, true_if
from .judge_memory import GPU_MEMORY
from .judge_names import describe_type
from .mentions import Mention
from .names import cards, instance
from .owned import bad_of, elsewhere, owner_of
from .sentences import Clause
from .sized import ALSO, sized

BEHIND_VCPU = re.compile(r"(?:vcpus?|核|cores?)\s{0,2}(?:,|、|/|和|\+|and|with)?\s{0,2}$")
NOUN = re.compile(
    r"\s?(?:的|of )?(?:显存|内存|vram|(?:host|system|gpu|video|main) (?:memory|ram)|memory|ram)(?![a-z])"
)
HOST_MEMORY = re.compile(r"内存|(?<![a-z])(?:ram|host|system)(?![a-z])")
HOST_AFTER = re.compile(r"\s?(?:的)?(?:主机|系统)?内存|\s?(?:of )?(?:host |system )?ram(?![a-z])")


def judge_types(clause: Clause, voice: Voice) -> Iterator[Finding]:
    """What a clause says of the one type it speaks of. Right and wrong details are statements of their own."""
    items = clause.inherited("type") if not clause.of("family") else clause.of("type")
    rows = [row for item in items[:1] if (row := instance(item.value))]
    if len(items) != 1 or not rows:
        return
    row, item = rows[0], items[0]
    details = sorted(_details(clause, row, item))
    if not details:
        return
    fact = describe_type(row.instance_type, voice)
    spare = _sizes_of_card(clause)
    all_hold = all(holds for _, _, holds in details)
    if clause.denied or all_hold:
        verdict = true_if(all_hold != clause.denied)
        yield Finding(clause.start, clause.end, row.instance_type, verdict, fact, row.source_ids)
        return
    for holds, run in groupby(details, key=lambda detail: detail[2]):
        parts = list(run)
        start, end = parts[0][0], parts[-1][1]
        whole = holds or len(parts) == len(details)
        if whole and parts[0] == details[0] and clause.start <= item.start < start:
            start = item.start
        more = [elsewhere(*spare[part[0]], voice) for part in parts if part[0] in spare]
        wrong_cards = [
            part.value
            for part in clause.of("card")
            if not holds and (part.start, part.end, holds) in parts
        ]
        more += [where(card, voice).strip() for card in wrong_cards]
        said = fact if holds else voice.pick("", " ").join([fact, *filter(None, more)])
        yield Finding(start, end, row.instance_type, true_if(holds), said, row.source_ids)


def _sizes_of_card(clause: Clause) -> dict[int, tuple[str, float]]:
    """(card, GB) by the place of the sizes that are said of a card of a type."""
    return {
        amount.start: (card.value, amount.amount)
        for card, amounts in sized(clause)
        if card.kind == "card"
        for amount in amounts
    }


def _details(clause: Clause, row: Instance, item: Mention) -> Iterator[tuple[int, int, bool]]:
    """(start, end, holds) of the details of the type in the clause."""
    if cue("types", "workload").search(clause.text):
        return
    first = item.end if item.start >= clause.start else 0
    of_card = {
        amount.start: amount not in bad_of(clause, owner, amounts)
        for card, amounts in sized(clause)
        if (owner := owner_of(clause, card, [])) is not None
        for amount in amounts
    }
    for part in clause.mentions:
        held: bool | None = None
        if part.kind == "card":
            held = row.gpu_id in cards()[part.value].gpu_ids
        elif part.start in of_card:
            held = of_card[part.start]
        elif part.start < first:
            continue
        elif part.kind == "vcpu":
            held = part.amount == row.vcpu
        elif part.kind == "count" and not row.vgpu:
            held = part.amount == row.gpu_count
        elif part.kind == "memory":
            held = _memory(clause, part, row, item)
        if held is not None:
            yield part.start, _with_noun(clause, part), held


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
