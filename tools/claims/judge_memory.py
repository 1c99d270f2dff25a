"""How much memory a card or a family has: sizes that stand tight by its name."""

from __future__ import annotations

import re
from collections.abc import Iterator

from knowledge import facts
from tools.results import Verdict

from .card_facts import card_sources, sources_of
from .cues import both, connected, cue, denied_at
from .finding import Finding, Voice, figure, join_sources, sizes, true_if
from .mentions import Mention
from .names import Card, cards, family, memory_of, totals_of
from .sentences import Clause

ALSO = re.compile(r"s?\s*\)?\s*(?:和|及|与|或|、|and\b|or\b|plus\b|\+)")
PRECISION = re.compile(r"(?<![a-z0-9])(?:fp8|fp16|bf16|int8|int4|tf32)(?![a-z0-9])")
ONLY = re.compile(r"只有|仅有|只是|(?<![a-z])only(?![a-z])")
HOST = re.compile(r"\s?(?:of )?(?:system |host )?ram(?![a-z])|\s?的?(?:主机)?内存")
LIST_GAP = re.compile(r"\s{0,2}(?:/|、|,|和|或|及|与|and|or|&)?\s{0,2}(?:nvidia|tesla)?\s?")


def judge_memory(clause: Clause, voice: Voice) -> Iterator[Finding]:
    """Memory sizes that stand tight by a card or a family, or by a list of them ("T4/A10 (16/24 GB)")."""
    if cue("slices").search(clause.text):
        return
    for item, amounts in sized(clause):
        values = [amount.amount for amount in amounts]
        group = _listed_with(clause, item)
        start = min(amounts[0].start, *(part.start for part in group))
        span = (start, max(item.end, amounts[-1].end))
        if item.kind == "card":
            yield from _card_memory(
                clause, [cards()[part.value] for part in group], values, span, voice
            )
        elif all(family(part.value) and memory_of(part.value) for part in group):
            yield from _family_memory(clause, [part.value for part in group], values, span, voice)


def _listed_with(clause: Clause, item: Mention) -> list[Mention]:
    """The item and those of its kind in one list with it, right before it."""
    group = [item]
    for other in reversed(
        [part for part in clause.of("card", "family", "memory") if part.end <= item.start]
    ):
        if other.kind != item.kind or not LIST_GAP.fullmatch(clause.between(other, group[0])):
            break
        group.insert(0, other)
    return group


def sized(clause: Clause) -> Iterator[tuple[Mention, list[Mention]]]:
    """(card or family, its memory sizes): the sizes follow it, or one stands right before it."""
    items = clause.of("card", "family", "memory")
    taken: set[int] = set()
    for place, item in enumerate(items):
        if item.kind == "memory":
            continue
        amounts = _following(clause, items, place)
        if amounts and _owner_follows(clause, items, place, amounts):
            amounts.pop()
        if amounts:
            taken.update(amount.start for amount in amounts)
            yield item, amounts
            continue
        before = items[place - 1] if place else item
        if (
            before.kind == "memory"
            and before.start not in taken
            and _right_before(clause.between(before, item))
        ):
            yield item, [before]


def _following(clause: Clause, items: list[Mention], place: int) -> list[Mention]:
    amounts: list[Mention] = []
    for later in items[place + 1 :]:
        last = amounts[-1] if amounts else items[place]
        gap = clause.between(last, later)
        if later.kind != "memory" or not connected(PRECISION.sub("", gap)):
            break
        if (not amounts and ALSO.match(gap)) or HOST.match(clause.text, later.end - clause.start):
            break
        amounts.append(later)
    return amounts


def _owner_follows(
    clause: Clause, items: list[Mention], place: int, amounts: list[Mention]
) -> bool:
    """ "gn7i 的 24GB A10": the size belongs to the name that stands right after it."""
    after = place + len(amounts) + 1
    if after >= len(items) or items[after].kind == "memory":
        return False
    if len(amounts) > 1 and ")" not in clause.between(amounts[-2], amounts[-1]):
        return False
    return _right_before(clause.between(amounts[-1], items[after]))


def _right_before(gap: str) -> bool:
    """The gap between a size and the name it belongs to: "80 GB A100", "24GB 显存的 A10"."""
    return re.search(
        r"[()\[\],、/;:|]|和|或|与|(?<![a-z])(?:and|or)(?![a-z])", gap
    ) is None and connected(gap, limit=16)


def _near(value: float, held: float, usable: float | None = None) -> bool:
    """The printed size, the usable size, or a fraction (31.4) as tools show it."""
    if abs(value - held) < 0.6 or (usable is not None and usable - 0.6 <= value <= held):
        return True
    return value % 1 != 0 and 0.9 * held <= value <= held


def _card_memory(
    clause: Clause, group: list[Card], values: list[float], span: tuple[int, int], voice: Voice
) -> Iterator[Finding]:
    rows = [row for card in group for row in card.rows()]
    if not all(card.gpu_ids for card in group):
        return
    good = [
        any(
            _near(value, row.memory_gb, row.usable_mib / 1024 if row.usable_mib else None)
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
    denied = _denies_size(clause, span)
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
    sizes_of_all = {size for card in group for size in card.sizes_gb}
    return any(all(abs(size - value) > 0.6 for value in values) for size in sizes_of_all)


def _denies_size(clause: Clause, span: tuple[int, int]) -> bool:
    """A size that is only part of the name ("A100 80GB") is not what a refutation is about."""
    if clause.sentence.rhetorical:
        return clause.refuted
    start, end = span[0] - clause.start, span[1] - clause.start
    stated = both("carry").search(clause.text, start, end) is not None
    return denied_at(clause.text, start, end) != (clause.refuted and stated)


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
    good = [any(_near(value, size) for size in held | totals) for value in values]
    if not any(good) and any(value in host for value in values):
        return
    denied = _denies_size(clause, span)
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
