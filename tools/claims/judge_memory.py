"""How much memory a card or a family has: sizes that stand tight by its name."""

from __future__ import annotations

import re
from collections.abc import Iterator

from knowledge import facts
from tools.results import Verdict

from .card_facts import card_sources, carries, sources_of
from .cues import connected, cue
from .finding import Finding, Voice, figure, join_sources, sizes, true_if
from .mentions import Mention
from .names import Card, cards, family, memory_of, totals_of
from .owned import (
    Owner,
    bad_of,
    denies_size,
    each_of,
    elsewhere,
    has_each,
    may_be_total,
    near,
    owner_of,
    placed_owner,
    type_of,
)
from .pairs import pairs
from .sentences import Clause
from .sized import listed_with, sized

GPU_MEMORY = re.compile(
    r"显存|每卡|单卡|每张|vram|(?:gpu|video|graphics|card) memory|per (?:gpu|card)|hbm|gddr"
)
ONLY = re.compile(r"只有|仅有|只是|(?<![a-z])only(?![a-z])")


def judge_memory(clause: Clause, voice: Voice) -> Iterator[Finding]:
    """Memory sizes that stand tight by a card or a family, or by a list of them ("T4/A10 (16/24 GB)")."""
    if cue("slices").search(clause.text):
        return
    yield from _going_on(clause, voice)
    joined = list(pairs(clause)) if clause.of("memory") else []
    for item, amounts in sized(clause):
        values = [amount.amount for amount in amounts]
        group = listed_with(clause, item)
        start = min(amounts[0].start, *(part.start for part in group))
        span = (start, max(item.end, amounts[-1].end))
        owner = owner_of(clause, item, joined)
        if (owner is not None and owner.row is not None) or _is_detail(clause, item):
            continue  # a type's details are judged together
        placed = {
            amount.start: own
            for amount in amounts
            if (own := placed_owner(clause, item, amount)) is not None
        }
        if owner is not None or placed:
            for amount in amounts:
                if amount.start in placed:
                    own = placed[amount.start]
                    yield from _owned_memory(clause, own, item, [amount], voice)
            rest = [amount for amount in amounts if amount.start not in placed]
            for part in _shared(owner, rest):
                yield from _owned_memory(clause, part, item, rest, voice)
        else:
            whole = list(_unowned(clause, group, values, span, voice))
            yield from _parted(clause, group, amounts, whole, voice)


def _going_on(clause: Clause, voice: Voice) -> Iterator[Finding]:
    """ "gn6i 用的是 T4，单卡 24GB": a clause that only gives the memory of what the one before it named."""
    amounts = clause.of("memory")
    if len(amounts) != 1 or clause.of("card", "family", "type", "disk", "params") or clause.compared or clause.supposed:
        return
    place = amounts[0].start - clause.start
    rest = clause.text[:place] + clause.text[amounts[0].end - clause.start :]
    if not GPU_MEMORY.search(rest) or not connected(rest) or clause.inherited("type"):
        return
    cards_named, families = clause.inherited("card"), clause.inherited("family")
    named = families or cards_named
    if len({item.value for item in named}) == 1 and all(item.end <= clause.start for item in named):
        yield from _unowned(clause, named[:1], [amounts[0].amount], (amounts[0].start, amounts[0].end), voice)


def _is_detail(clause: Clause, item: Mention) -> bool:
    """A card that a clause says a type of its own to have, wrongly: card and size are one detail of the type."""
    if item.kind != "card" or not clause.of("type") or type_of(clause) is None:
        return False
    return cue("types", "workload").search(clause.text) is None


def _unowned(
    clause: Clause, group: list[Mention], values: list[float], span: tuple[int, int], voice: Voice
) -> Iterator[Finding]:
    names = [part.value for part in group]
    if group[0].kind == "card":
        yield from _card_memory(clause, [cards()[name] for name in names], values, span, voice)
    elif all(family(name) and memory_of(name) for name in names):
        yield from _family_memory(clause, names, values, span, voice)


def _parted(
    clause: Clause,
    group: list[Mention],
    amounts: list[Mention],
    whole: list[Finding],
    voice: Voice,
) -> list[Finding]:
    """Of several sizes of one card or family the wrong ones alone, where others are right ("A10 有 24GB/40GB")."""
    if len(group) > 1 or len(amounts) < 2 or not whole or whole[0].verdict == "true":
        return whole
    if clause.sentence.alternative or denies_size(clause, (whole[0].start, whole[0].end)):
        return whole
    parts = [
        finding
        for amount in amounts
        for finding in _unowned(clause, group, [amount.amount], (amount.start, amount.end), voice)
    ]
    return parts if {part.verdict for part in parts} == {"true", "wrong"} else whole


def _shared(owner: Owner | None, amounts: list[Mention]) -> list[Owner]:
    """Whom the sizes are said of: one size of every family, several of all families together."""
    if owner is None or not amounts:
        return []
    return each_of(owner) if len(amounts) == 1 else [owner]


def _owned_memory(
    clause: Clause, owner: Owner, item: Mention, amounts: list[Mention], voice: Voice
) -> Iterator[Finding]:
    """Sizes of a card that families carry: judged by its own card, not by every size of that name. The
    wrong sizes are one statement, the right ones another."""
    bad = bad_of(clause, owner, amounts)
    good = [amount for amount in amounts if amount not in bad]
    span = (min(item.start, amounts[0].start), max(item.end, amounts[-1].end))
    denied = denies_size(clause, span)
    if clause.sentence.alternative and good:
        bad, denied = [], False
    for parts, holds in ((bad, False), (good, True)):
        if not parts:
            continue
        start, end = parts[0].start, parts[-1].end
        if holds and not bad:
            start, end = span
        values = [part.amount for part in parts]
        fact = _say_owned(owner, item.value, [] if holds else values, voice)
        subject = f"{owner.name} {item.value} {'/'.join(map(figure, values))} GB"
        yield Finding(start, end, subject, true_if(holds != denied), fact, owner.source_ids)


def _say_owned(owner: Owner, card: str, spare: list[float], voice: Voice) -> str:
    """The card of the families, and where the size that was said is to be had."""
    parts = [carries(name, voice) for name in owner.families]
    parts += [elsewhere(card, value, voice) for value in spare]
    return voice.pick("", " ").join(part for part in parts if part)


def _card_memory(
    clause: Clause, group: list[Card], values: list[float], span: tuple[int, int], voice: Voice
) -> Iterator[Finding]:
    rows = [row for card in group for row in card.rows()]
    if not all(card.gpu_ids for card in group):
        return
    good = [
        any(
            near(value, row.memory_gb, row.usable_mib / 1024 if row.usable_mib else None)
            for row in rows
        )
        for value in values
    ]
    good = [
        ok or any(_is_total(clause, value, card) for card in group)
        for ok, value in zip(good, values, strict=True)
    ]
    spare = [value for ok, value in zip(good, values, strict=True) if not ok]
    others = [size for card in group for size in card.other_gb]
    if spare and all(any(abs(value - other) < 0.6 for other in others) for value in spare):
        return
    denied = denies_size(clause, span)
    verdict: Verdict = true_if(all(good) != denied)
    if denied and not clause.refuted and any(good) and not all(good):
        verdict = "partly"
    if clause.sentence.alternative and any(good):
        verdict = "true"
    elif all(good) and not denied and _only(clause, span) and _leaves_out(group, values):
        verdict = "wrong"
    fact = voice.pick("", " ").join(_say_memory(card, voice) for card in group)
    subject = f"{'/'.join(card.name for card in group)} {'/'.join(map(figure, values))} GB"
    yield Finding(
        *span, subject, verdict, fact, join_sources(*(card_sources(card.name) for card in group))
    )


def _only(clause: Clause, span: tuple[int, int]) -> bool:
    """ "A100 只有 40GB" speaks of all sizes of the card; with a family it speaks of the family's card."""
    stretch = clause.text[max(0, span[0] - clause.start - 8) : span[1] - clause.start]
    return ONLY.search(stretch) is not None and not clause.inherited("family", "type")


def _leaves_out(group: list[Card], values: list[float]) -> bool:
    rows = [row for card in group for row in card.rows()]
    held = [(row.memory_gb, row.usable_mib / 1024 if row.usable_mib else None) for row in rows]
    return any(not any(near(value, *size) for value in values) for size in held)


def _say_memory(card: Card, voice: Voice) -> str:
    place = voice.list(card.families)
    shown = voice.pick(f"，在 {place}", f", in {place}") if place else ""
    return voice.say("card_memory", card=card.name, sizes=sizes(card.sizes_gb, voice), where=shown)


def _is_total(clause: Clause, value: float, card: Card) -> bool:
    """A size that is the sum over the cards counted in the clause (8 x A10 = 192 GB)."""
    return any(
        abs(value - count.amount * size) < 1
        for count in clause.of("count")
        for size in card.sizes_gb
    )


def _family_memory(
    clause: Clause, names: list[str], values: list[float], span: tuple[int, int], voice: Voice
) -> Iterator[Finding]:
    held = {size for name in names for size in memory_of(name)}
    host = {row.memory_gib for row in facts.instances().values() if row.family in names}
    totals = {size for name in names for size in totals_of(name)}
    good = [
        any(near(value, size) for size in held)
        or (value in totals and (may_be_total(clause, value) or has_each(clause.of("memory"), held)))
        for value in values
    ]
    of_gpu = GPU_MEMORY.search(clause.text) is not None or bool(clause.of("card"))
    if not any(good) and any(value in host for value in values) and not of_gpu:
        return
    denied = denies_size(clause, span)
    verdict: Verdict = true_if(all(good) != denied)
    if any(good) and not all(good):
        verdict = "partly"
    fact = voice.pick("", " ").join(
        voice.say("family_memory", family=name, sizes=sizes(memory_of(name), voice))
        for name in names
    )
    yield Finding(
        *span,
        f"{'/'.join(names)} {'/'.join(map(figure, values))} GB",
        verdict,
        fact,
        join_sources(*map(sources_of, names)),
    )
