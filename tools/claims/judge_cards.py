"""Which card a family carries, and whether Alibaba Cloud offers a card."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .card_facts import card_sources, carries, sources_of, where
from .cues import cue
from .finding import Finding, Voice, true_if
from .mentions import Mention
from .names import cards, family, gpu_ids_of, is_cpu
from .owned import bad_sizes
from .pairs import pairs
from .sentences import Clause


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


def _judge_pair(
    clause: Clause, names: list[Mention], named: list[Mention], voice: Voice
) -> Iterator[Finding]:
    """Every family must have one of the cards, every card must be in one of the families."""
    wanted = {item.value: frozenset(cards()[item.value].gpu_ids) for item in named}
    held = {item.value: gpu_ids_of(item.value) for item in names}
    wrong_sizes = bad_sizes(clause, names, named) if clause.of("memory") else []
    span = _span(clause, names, named)
    if any(span[0] <= size.start < span[1] for size in wrong_sizes):
        span = _span(
            clause, named, named
        )  # the size is wrong and stands between; the card is right
    denied = clause.denies_about(
        *[item for item in [*names, *named] if item.start >= clause.start]
    )
    matched: set[str] = set()
    lacking = False
    for name, ids in held.items():
        own = [card for card, card_ids in wanted.items() if ids & card_ids]
        matched.update(own)
        lacking = lacking or not own
        if own and denied and wrong_sizes:
            continue  # the size is denied, not the card
        fact = carries(name, voice)
        if not own:
            fact = _join(voice, fact, *(where(card, voice) for card in wanted))
        subject = f"{name} {'/'.join(own or wanted)}"
        yield Finding(*span, subject, true_if(bool(own) != denied), fact, sources_of(name))
    if denied or lacking or clause.sentence.alternative:
        return
    for card in wanted:
        if card in matched or (cards()[card].offered and not held):
            continue
        fact = _join(voice, *(carries(name, voice) for name in held), where(card, voice))
        yield Finding(*span, f"{'/'.join(held)} {card}".strip(), "wrong", fact, card_sources(card))


def _join(voice: Voice, *parts: str) -> str:
    return voice.pick("", " ").join(part.strip() for part in parts)


def _span(clause: Clause, names: list[Mention], named: list[Mention]) -> tuple[int, int]:
    """The stretch of the clause from the first to the last thing named in it."""
    inside = [item for item in [*names, *named] if clause.start <= item.start < clause.end]
    return min(item.start for item in inside), max(item.end for item in inside)


def judge_offer(clause: Clause, voice: Voice) -> Iterator[Finding]:
    """Does Alibaba Cloud offer the card at all: "阿里云有 H100 实例", "H100 instances on Alibaba Cloud"."""
    named = [] if clause.of("family", "type") else clause.of("card")
    if not named or not cue("offers", "ours").search(clause.sentence.text):
        return
    for item in named:
        place = item.start - clause.start
        end = item.end - clause.start
        follows = cue("offers", "instance").match(clause.text, end) or cue(
            "offers", "after"
        ).match(clause.text, end)
        if not follows and not cue("offers", "verb").search(
            clause.text, max(0, place - 24), place
        ):
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
