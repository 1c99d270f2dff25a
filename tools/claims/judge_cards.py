"""Which card a family carries, how much memory a card or family has, whether Alibaba Cloud offers a card."""

from __future__ import annotations

import re
from collections.abc import Iterator

from knowledge import facts
from tools.results import Verdict

from .card_facts import card_sources, carries, sources_of, where
from .cues import both, compared_before, connected, cue
from .finding import Finding, Voice, true_if
from .judge_memory import ALSO, sized
from .mentions import Mention
from .names import cards, family, gpu_ids_of, is_cpu
from .sentences import Clause

GAP = 40
FAR = 100
NEAR_VERB = re.compile(
    r"(?:搭载|配备|采用|(?<![a-z])(?:with|carrying|having|featuring))\s*(?:the |an? |nvidia )?$"
)
SIZE = re.compile(r"\d{1,3} ?(?:gib|gb|g)(?![a-z0-9])")
BULLETS = re.compile(r"^[\s•◦▪●>-]+")
COUNT = re.compile(r"\d{1,2} ?(?:卡|张|块|x|×|gpus?|cards?)")
APART = re.compile(
    r"\s*\)?\s*(?:和|及|与|或|、|,|and\b|or\b|plus\b|\+)\s*(?:nvidia)?\s*$|\s*\)\s*[、,;]"
)


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
    if one.kind == "family" and GAP < len(gap) <= FAR and NEAR_VERB.search(gap):
        gap = gap[-GAP:]  # a long description between, and the verb right before the card
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
        part.amount for item, parts in sized(clause) if item.start in spoken for part in parts
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


def judge_offer(clause: Clause, voice: Voice) -> Iterator[Finding]:
    """Does Alibaba Cloud offer the card at all: "阿里云有 H100 实例", "H100 instances on Alibaba Cloud"."""
    if not cue("offers", "ours").search(clause.sentence.text) or clause.of("family"):
        return
    for item in clause.of("card"):
        place = item.start - clause.start
        end = item.end - clause.start
        named = cue("offers", "instance").match(clause.text, end) or cue("offers", "after").match(
            clause.text, end
        )
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
