"""Which card a family carries, how much memory a card or family has, whether Alibaba Cloud offers a card."""

from __future__ import annotations

import re
from collections.abc import Iterator

from knowledge import facts
from tools.cards import card_label
from tools.results import Verdict

from .cues import both, compared_before, connected, cue, denied_at
from .finding import Finding, Voice, figure, join_sources, sizes, true_if
from .mentions import Mention
from .names import Card, cards, family, gpu_ids_of, is_cpu, memory_of, not_family, totals_of
from .sentences import Clause

CATALOG = ("ali-gpu-families-zh", "ali-ebm-zh", "ali-families-zh")
GAP = 40
SIZE = re.compile(r"\d{1,3} ?(?:gib|gb|g)(?![a-z0-9])")
BULLETS = re.compile(r"^[\s•◦▪●>-]+")
COUNT = re.compile(r"\d{1,2} ?(?:卡|张|块|x|×|gpus?|cards?)")
APART = re.compile(
    r"\s*\)?\s*(?:和|及|与|或|、|,|and\b|or\b|plus\b|\+)\s*(?:nvidia)?\s*$|\s*\)\s*[、,;]"
)
ALSO = re.compile(r"\s*\)?\s*(?:和|及|与|或|、|and\b|or\b|plus\b|\+)")
LIST_GAP = re.compile(r"\s{0,2}(?:/|、|,|和|或|及|与|and|or|&)?\s{0,2}(?:nvidia|tesla)?\s?")


def judge_carried(clause: Clause, voice: Voice) -> Iterator[Finding]:
    """Pairs of families and cards that the clause, or its heading, puts together."""
    if cue("conditional").search(clause.text):
        return
    for names, named in pairs(clause):
        known = [item for item in names if family(item.value) or is_cpu(item.value)]
        known = [
            item
            for item in known
            if not _bare_name(item.value) and not _is_class(clause, item, named)
        ]
        yield from _judge_pair(clause, known, named, voice)


def _is_class(clause: Clause, item: Mention, named: list[Mention]) -> bool:
    """ "gn7 is A10/A100 class": the generation is meant."""
    after = clause.text[named[-1].end - clause.start :]
    return (
        item.value[-1].isdigit()
        and re.match(r"\s*(?:级|代|[- ]?class\b|generation)", after) is not None
    )


def _bare_name(name: str) -> bool:
    """A name of which only the name is known: nothing can be said of its card."""
    row = family(name)
    return row is not None and row.kind != "cpu" and not gpu_ids_of(name)


def pairs(clause: Clause) -> Iterator[tuple[list[Mention], list[Mention]]]:
    """(families, cards) that belong together: joined by a verb of carrying, by brackets, or side by side."""
    runs = _runs(clause)
    free = [True] * len(runs)
    for bracketed in (True, False):  # what stands in brackets belongs to the name before it
        for place in range(len(runs) - 1):
            one, other = runs[place], runs[place + 1]
            if not (free[place] and free[place + 1]) or one[0].kind == other[0].kind:
                continue
            if (
                bracketed
                and not _opens_bracket(clause, one[-1], other[0])
                or not _joined(clause, one[-1], other[0])
            ):
                continue
            free[place] = free[place + 1] = False
            yield (one, other) if one[0].kind == "family" else (other, one)
    if runs and all(run[0].kind == "card" and run[0] not in clause.compared for run in runs):
        above = _above(clause, runs[0][0])
        if above:
            yield above, [item for run in runs for item in run]


def _opens_bracket(clause: Clause, one: Mention, other: Mention) -> bool:
    return re.match(r"\s*(?:系列|实例|\d{1,3} ?gb?)?\s*\(", clause.between(one, other)) is not None


def _runs(clause: Clause) -> list[list[Mention]]:
    """Lists of families and lists of cards in order; memory sizes may stand within a list of cards."""
    named = [*clause.of("family", "card"), *clause.compared_of("family", "card")]
    runs: list[list[Mention]] = []
    for item in sorted(named, key=lambda item: item.start):
        last = runs[-1][-1] if runs else None
        if last and last.kind == item.kind and connected(SIZE.sub("", clause.between(last, item))):
            runs[-1].append(item)
        else:
            runs.append([item])
    return runs


def _joined(clause: Clause, one: Mention, other: Mention) -> bool:
    gap = clause.between(one, other)
    gap = COUNT.sub("", gap)
    if len(gap) > GAP or cue("breaks").search(gap) or "->" in gap or APART.match(gap):
        return False
    if gap.lstrip().startswith("(") and ")" not in gap and len(gap) <= 16:
        return True
    if one in clause.compared and not gap.lstrip().startswith(("(", ":", "=")):
        return False
    if other in clause.compared:
        return connected(gap, limit=GAP) and not compared_before().search(gap)
    verb = both("carry").search(gap)
    return connected(gap, limit=GAP) or (
        verb is not None and not (verb[0] in ("in", "on", "via") and one.kind == "family")
    )


def _above(clause: Clause, card: Mention) -> list[Mention]:
    """The families of the sentence or heading that a clause of cards only goes on to describe."""
    place = card.start - clause.start
    before = BULLETS.sub("", clause.text[clause.text.rfind(":", 0, place) + 1 : place])
    goes_on = connected(before) and (
        both("carry").search(before) or (ALSO.match(before) and clause.inherited("card"))
    )
    if cue("breaks").search(before) or not (goes_on or _opens(clause, place)):
        return []
    return clause.inherited("family") or clause.sentence.heading


def _opens(clause: Clause, place: int) -> bool:
    """A bullet that begins with a count of cards: "4 卡 A10"."""
    counts = clause.of("count")
    return (
        bool(counts)
        and counts[0].start - clause.start <= 6 + len(clause.text) - len(clause.text.lstrip())
        and connected(clause.text[counts[0].end - clause.start : place])
    )


def _judge_pair(
    clause: Clause, names: list[Mention], named: list[Mention], voice: Voice
) -> Iterator[Finding]:
    """Every family must have one of the cards, every card must be in one of the families."""
    wanted = {item.value: frozenset(cards()[item.value].gpu_ids) for item in named}
    held = {item.value: gpu_ids_of(item.value) for item in names}
    span = _span(clause, names, named)
    denied = clause.denies_about(
        *[item for item in [*names, *named] if item.start >= clause.start]
    )
    matched: set[str] = set()
    lacking = False
    for name, ids in held.items():
        own = [card for card, card_ids in wanted.items() if ids & card_ids]
        matched.update(own)
        lacking = lacking or not own
        verdict = true_if(bool(own) != denied)
        if own and not denied:
            verdict = _sizes_verdict(clause, name, named, len(held))
        yield Finding(
            *span,
            f"{name} {'/'.join(own or wanted)}",
            verdict,
            carries(name, voice),
            sources_of(name),
        )
    if denied or lacking or clause.sentence.alternative:
        return
    for card in wanted:
        if card in matched or (cards()[card].offered and not held):
            continue
        fact = " ".join([*(carries(name, voice) for name in held), where(card, voice)])
        yield Finding(*span, f"{'/'.join(held)} {card}".strip(), "wrong", fact, card_sources(card))


def _sizes_verdict(clause: Clause, name: str, named: list[Mention], families: int) -> Verdict:
    """The card is right; so must be the memory size written with it ("gn7 has A100 80GB" is wrong)."""
    spoken = {item.start for item in named}
    amounts = [
        part.amount for item, parts in _sized(clause) if item.start in spoken for part in parts
    ]
    ids = gpu_ids_of(name)
    sizes_here = {facts.gpus()[gpu_id].memory_gb for gpu_id in ids}
    rows = [
        row.memory_gb
        for item in named
        for row in cards()[item.value].rows()
        if ids & set(cards()[item.value].gpu_ids)
    ]
    about = [amount for amount in amounts if amount in rows]
    if not about or all(amount in sizes_here for amount in about):
        return "true"
    if any(amount in sizes_here for amount in about):
        return "true" if families > 1 else "partly"
    return "wrong"


def _span(clause: Clause, names: list[Mention], named: list[Mention]) -> tuple[int, int]:
    """The stretch of the clause from the first to the last thing named in it."""
    inside = [item for item in [*names, *named] if clause.start <= item.start < clause.end]
    return min(item.start for item in inside), max(item.end for item in inside)


def carries(name: str, voice: Voice) -> str:
    """Which card a family has."""
    if is_cpu(name):
        row = not_family(name)
        return (
            voice.pick(row.fact_zh, row.fact_en)
            if row
            else voice.say("family_no_gpu", family=name)
        )
    rows = [facts.gpus()[gpu_id] for gpu_id in sorted(gpu_ids_of(name))]
    card = voice.pick(" 或 ", " or ").join(card_label(row, voice.language) for row in rows)
    code = "family_card" if memory_of(name) <= {row.memory_gb for row in rows} else "family_slices"
    return voice.say(code, family=name, card=card, each=sizes(memory_of(name), voice))


def where(card: str, voice: Voice) -> str:
    """Which families have a card, or that none has."""
    row = cards()[card]
    if not row.offered:
        return voice.say("card_absent", card=card)
    return voice.say("card_in", card=card, families=voice.list(row.families)).strip()


def sources_of(name: str) -> tuple[str, ...]:
    row, other = family(name), not_family(name)
    return row.source_ids if row else other.source_ids if other else CATALOG


def card_sources(card: str) -> tuple[str, ...]:
    return join_sources(*(row.source_ids for row in cards()[card].rows()), CATALOG)[:4]


def judge_offer(clause: Clause, voice: Voice) -> Iterator[Finding]:
    """Does Alibaba Cloud offer the card at all: "阿里云有 H100 实例", "H100 instances on Alibaba Cloud"."""
    if not cue("offers", "ours").search(clause.sentence.text) or clause.of("family"):
        return
    for item in clause.of("card"):
        place = item.start - clause.start
        named = cue("offers", "instance").match(clause.text, item.end - clause.start)
        if not named and not cue("offers", "verb").search(clause.text, max(0, place - 24), place):
            continue
        row = cards()[item.value]
        fact = (
            voice.say("card_offered", card=item.value, families=voice.list(row.families))
            if row.offered
            else where(item.value, voice)
        )
        yield Finding(
            clause.start,
            clause.end,
            item.value,
            true_if(row.offered != clause.denies_about(item)),
            fact,
            card_sources(item.value),
        )


def judge_memory(clause: Clause, voice: Voice) -> Iterator[Finding]:
    """Memory sizes that stand tight by a card or a family, or by a list of them ("T4/A10 (16/24 GB)")."""
    if cue("slices").search(clause.text):
        return
    for item, amounts in _sized(clause):
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


def _sized(clause: Clause) -> Iterator[tuple[Mention, list[Mention]]]:
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
        if later.kind != "memory" or not connected(gap) or (not amounts and ALSO.match(gap)):
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
    return abs(value - held) < 0.6 or (usable is not None and usable - 0.6 <= value <= held)


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
    fact = voice.pick("", " ").join(_say_memory(card, voice) for card in group)
    subject = f"{'/'.join(card.name for card in group)} {'/'.join(map(figure, values))} GB"
    yield Finding(
        *span, subject, verdict, fact, join_sources(*(card_sources(card.name) for card in group))
    )


def _denies_size(clause: Clause, span: tuple[int, int]) -> bool:
    """A size that is only part of the name ("A100 80GB") is not what a refutation is about."""
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
