"""The family or type whose card a memory size is said of: its own card counts, not every size of that name."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from knowledge import facts
from knowledge.rows import Instance

from .card_facts import sources_of
from .cues import both, denied_at
from .finding import Voice, figure, join_sources
from .mentions import Mention
from .names import OFFERED, cards, gpu_ids_of, instance, memory_of, totals_of
from .sentences import Clause
from .sized import listed_with, sized

TOTAL = re.compile(
    r"共|总|合计|加起来|一起|(?<![a-z])(?:total|altogether|combined|together|in all|sum)(?![a-z])"
)
PLACE = re.compile(r"\s*(?:显存|版本|版|的)?\s*(?:\(|在|(?:on|in) (?:the )?)\s*")
EACH = re.compile(r"每卡|每张|单卡|单张|(?<![a-z])(?:per (?:gpu|card)|each)(?![a-z])")


@dataclass(frozen=True, slots=True)
class Owner:
    """One type (`row`) or the families that a clause says to carry a card; sizes are GB."""

    families: tuple[str, ...]
    row: Instance | None
    sizes: frozenset[float]  # of one GPU
    totals: frozenset[float]  # of all GPUs of a type
    usable: tuple[tuple[float, float], ...]  # (printed, usable) GB of the cards

    @property
    def name(self) -> str:
        return self.row.instance_type if self.row else "/".join(self.families)

    @property
    def source_ids(self) -> tuple[str, ...]:
        return self.row.source_ids if self.row else join_sources(*map(sources_of, self.families))


Pairs = list[tuple[list[Mention], list[Mention]]]


def owner_of(clause: Clause, item: Mention, joined: Pairs) -> Owner | None:
    """Who carries the card `item` of the clause; None when the clause says so of nobody, or of one that does not.
    `joined` are the pairs of the clause."""
    if item.kind != "card":
        return None
    wanted = {
        gpu_id for part in listed_with(clause, item) for gpu_id in cards()[part.value].gpu_ids
    }
    row = type_of(clause)
    if row is not None and row.gpu_id in wanted:
        return of_type(row)
    for names, named in joined:
        if item in named:
            own = [part.value for part in names if gpu_ids_of(part.value) & wanted]
            return _of_families(own) if own else None
    return None


def type_of(clause: Clause) -> Instance | None:
    """The one type that a clause speaks of, with no family beside it but its own."""
    families = {part.value for part in clause.of("family")}
    types = clause.of("type") if families else clause.inherited("type")
    row = instance(types[0].value) if len(types) == 1 else None
    return row if row is not None and families <= {row.family} else None


def placed_owner(clause: Clause, item: Mention, amount: Mention) -> Owner | None:
    """The family that stands right behind one size of a card: "A100 有 40GB（gn7）和 80GB（gn7e）"."""
    if item.kind != "card":
        return None
    behind = clause.text[amount.end - clause.start :]
    match = PLACE.match(behind)
    if match is None:
        return None
    place = amount.end + match.end()
    names = [part.value for part in clause.of("family") if part.start == place]
    own = [name for name in names if gpu_ids_of(name) & set(cards()[item.value].gpu_ids)]
    return _of_families(own) if own else None


def of_type(row: Instance) -> Owner:
    """The type as owner of its card."""
    each = {row.gpu_memory_gb_each} if row.gpu_memory_gb_each else set()
    total = {row.gpu_memory_gb_total} if row.gpu_memory_gb_total else set()
    return Owner((row.family,), row, frozenset(each), frozenset(total), _usable({row.gpu_id} if row.gpu_id else set()))


def _of_families(names: list[str]) -> Owner:
    each = frozenset(size for name in names for size in memory_of(name))
    total = frozenset(size for name in names for size in totals_of(name))
    ids = {gpu_id for name in names for gpu_id in gpu_ids_of(name)}
    return Owner(tuple(dict.fromkeys(names)), None, each, total, _usable(ids))


def each_of(owner: Owner) -> list[Owner]:
    """The families one by one: "gn7e 和 gn7 都是 A100 80GB" is right of one and wrong of the other."""
    return [_of_families([name]) for name in owner.families]


def _usable(ids: set[str]) -> tuple[tuple[float, float], ...]:
    rows = [facts.gpus()[gpu_id] for gpu_id in sorted(ids)]
    return tuple((row.memory_gb, row.usable_mib / 1024) for row in rows if row.usable_mib)


def bad_of(clause: Clause, owner: Owner, amounts: list[Mention]) -> list[Mention]:
    """The sizes that no card of the owner has, nor all its cards together where a total may be meant."""
    return [
        part
        for part in amounts
        if not any(near(part.amount, size) for size in owner.sizes)
        and not any(near(part.amount, held, usable) for held, usable in owner.usable)
        and not (part.amount in owner.totals and (may_be_total(clause, part.amount) or has_each(amounts, owner.sizes)))
    ]


def has_each(amounts: list[Mention], sizes: Iterable[float]) -> bool:
    """Whether the size of one card stands beside, so that another may be that of all: "96 GB per GPU (768 GB with eight)"."""
    return any(near(part.amount, size) for part in amounts for size in sizes)


def may_be_total(clause: Clause, value: float) -> bool:
    """Whether a size may be that of all cards: it is called so, or no card has so much or so little."""
    if TOTAL.search(clause.text):
        return True
    if value in {row.memory_gb for row in facts.gpus().values()}:
        return bool(clause.of("count")) and not clause.of("card") and not EACH.search(clause.text)
    return not EACH.search(clause.text)


def bad_sizes(clause: Clause, names: list[Mention], named: list[Mention]) -> list[Mention]:
    """The sizes beside the cards `named` that the families `names`, or those they are placed on, do not have."""
    owner = _of_families([item.value for item in names if gpu_ids_of(item.value)])
    spoken = {item.start for item in named}
    found: list[Mention] = []
    for item, amounts in sized(clause):
        if item.start in spoken:
            for part in amounts:
                found += bad_of(clause, placed_owner(clause, item, part) or owner, [part])
    return found


def elsewhere(card: str, value: float, voice: Voice) -> str:
    """Where the card with another memory size is to be had; empty when nowhere."""
    ids = {row.gpu_id for row in cards()[card].rows() if abs(row.memory_gb - value) < 0.6}
    names = [
        row.family
        for row in facts.families().values()
        if row.gpu_id in ids and row.status in OFFERED
    ]
    named = f"{card} {figure(value)} GB"
    return voice.say("card_in", card=named, families=voice.list(names)).strip() if names else ""


def near(value: float, held: float, usable: float | None = None) -> bool:
    """The printed size, the usable size, or a fraction (31.4) as tools show it."""
    if abs(value - held) < 0.6 or (usable is not None and usable - 0.6 <= value <= held):
        return True
    return value % 1 != 0 and 0.9 * held <= value <= held


def denies_size(clause: Clause, span: tuple[int, int]) -> bool:
    """A size that is only part of the name ("A100 80GB") is not what a refutation is about."""
    if clause.sentence.rhetorical:
        return clause.refuted
    start, end = span[0] - clause.start, span[1] - clause.start
    stated = both("carry").search(clause.text, start, end) is not None
    return denied_at(clause.text, start, end) != (clause.refuted and stated)
