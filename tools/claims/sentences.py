"""Cuts a normalised text into clauses that know their sentence, their heading and what they name."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field

from .cues import compared_before, cue, denied_until, negated
from .lines import cut, level_of, lines, sentences_of
from .mentions import Mention, find_mentions
from .names import cards, gpu_ids_of, instance
from .normal import HIDDEN

PART = re.compile(
    r"[;]|,(?!\d{3}(?!\d))|(?<![a-z])(?:but|however|while|whereas|although|yet)(?![a-z])|但是|但|然而|不过|而是"
    r"|(?<![a-z])and(?= (?:does|do|is|are|has|have|can)(?: not|n't) )"
)
NEW_PREDICATE = re.compile(
    r"\s*(?:系列|实例)?\s*(?:要|需|不|则|没有|只有|有|是|搭载|支持|用的?|为|走|跑|只|仅|也|都|可以|能|适合|还|更|贵|便宜|就|已|主打|面向|定位"
    r"|needs?|requires?|no\b|does not|isn't|only|(?:is|are|has|uses?|runs?|carries|comes|offers?|gives?|costs?|goes|supports?|lacks?)\b)"
)
BRACKETS = 32
@dataclass(slots=True)
class Sentence:
    """A sentence with the headings above it. `asks` when it is a question, `supposed` when it holds only in thought,
    `alien` when it is of another cloud."""

    text: str
    start: int
    heading: list[Mention]
    heading_text: str
    before: list[Mention]
    earlier: str
    asks: bool
    supposed: bool
    alternative: bool
    rhetorical: bool
    alien: bool
    clauses: list[Clause] = field(default_factory=list)
    subjects: list[Clause] = field(
        default_factory=list
    )  # the clauses that name a card, family or type


@dataclass(slots=True)
class Clause:
    """A stretch between commas. `mentions` are those spoken of, `compared` those only compared with.

    `refuted` when the next words call it wrong ("…, which is wrong"); `denied` when it denies something or is refuted.
    """

    text: str
    start: int
    end: int
    mentions: list[Mention]
    compared: list[Mention]
    denied: bool
    refuted: bool
    sentence: Sentence

    def of(self, *kinds: str) -> list[Mention]:
        return [mention for mention in self.mentions if mention.kind in kinds]

    def between(self, one: Mention, other: Mention) -> str:
        """The text between two mentions of the clause, whichever comes first."""
        first, second = sorted((one, other), key=lambda mention: mention.start)
        return self.text[max(0, first.end - self.start) : max(0, second.start - self.start)]

    def inherited(self, *kinds: str) -> list[Mention]:
        """What the clause speaks of: its own, else that of the clause right before it in the sentence that names a
        subject. An earlier subject counts only when the later one belongs to it ("gn7i 用 A10，24 GB，没有 NVLink")."""
        own = self.of(*kinds)
        if own or self.compared_of(*kinds):
            return own
        earlier = [item for item in self.sentence.subjects if item.end <= self.start and not item.is_aside]
        for place, clause in enumerate(reversed(earlier)):
            found = clause.of(*kinds)
            if found:
                between = earlier[len(earlier) - place :]
                return found if all(_belong(found, later) for later in between) else []
        if not earlier and cue("pronoun", "start").match(self.text.strip()):
            return [mention for mention in self.sentence.before if mention.kind in kinds]
        return []

    @property
    def is_aside(self) -> bool:
        """Whether the clause only sets its names apart: "the L20, not the A10, supports FP8"."""
        return cue("aside").match(self.text) is not None and not self.of("link", "precision", "memory", "money")

    def denies_about(self, *items: Mention) -> bool:
        """Whether the clause denies what it says of these things, all of them named in it."""
        if self.sentence.rhetorical:
            return self.refuted
        own = [item for item in items if item.start >= self.start]
        end = max(item.end for item in own) - self.start
        begin = self.text.rfind(":", 0, min(item.start for item in own) - self.start) + 1
        return denied_until(self.text[begin:], end - begin) != self.refuted

    @property
    def supposed(self) -> bool:
        """Whether what the clause states holds only in thought: "如果 A10 支持 FP8", "if gn7i had NVLink"."""
        if self.sentence.supposed:
            return True
        said = [item.start - self.start for item in self.mentions if item.start >= self.start]
        return cue("conditional").search(self.text, 0, min(said, default=len(self.text))) is not None

    def compared_of(self, *kinds: str) -> list[Mention]:
        return [mention for mention in self.compared if mention.kind in kinds]


def _belong(subjects: list[Mention], later: Clause) -> bool:
    """Whether what a later clause names is a part of the subjects, or they of it: a card and who carries it."""
    held = {gpu_id for item in subjects for gpu_id in gpu_ids(item)}
    named = later.of("card", "family", "type")
    return all(held & gpu_ids(item) for item in named)


def gpu_ids(item: Mention) -> frozenset[str]:
    """The cards that a name stands for: a card's sizes, those of a family, that of a type."""
    if item.kind == "card":
        return frozenset(cards()[item.value].gpu_ids)
    if item.kind == "family":
        return gpu_ids_of(item.value)
    row = instance(item.value)
    return frozenset({row.gpu_id} if row else ())


def _inside(mentions: list[Mention], starts: list[int], start: int, end: int) -> list[Mention]:
    return [
        item
        for item in mentions[bisect_left(starts, start) : bisect_left(starts, end)]
        if item.end <= end
    ]


def _in_short_brackets(text: str, place: int) -> bool:
    opening = text.rfind("(", max(0, place - BRACKETS), place)
    closing = text.find(")", place, place + BRACKETS)
    return (
        opening >= 0
        and closing >= 0
        and closing - opening <= BRACKETS
        and ")" not in text[opening:place]
    )


def _cuts_here(text: str, place: int, end: int, offset: int, mentions: list[Mention]) -> bool:
    """A comma inside brackets, or between two things of one kind ("A10, A30 and A100"), is no cut."""
    if _in_short_brackets(text, place):
        return False
    if text[place] != ",":
        return True
    left = [item for item in mentions if item.end == offset + place]
    right = re.match(r"\s*(?:and |or |和|或|以及)?\s*", text[end:])
    follow = offset + end + (right.end() if right else 0)
    listed = [
        item for one in left for item in mentions if item.start == follow and item.kind == one.kind
    ]
    return not any(NEW_PREDICATE.match(text, item.end - offset) is None for item in listed)


def _clauses(sentence: Sentence, mentions: list[Mention]) -> None:
    start = 0
    pieces: list[tuple[int, int]] = []
    for place, stop, end in cut(sentence.text, PART):
        if end == stop or _cuts_here(sentence.text, stop, end, sentence.start, mentions):
            pieces.append((start, stop))
            start = end
        del place
    if start < len(sentence.text) and (not pieces or pieces[-1][1] < len(sentence.text)):
        pieces.append((start, len(sentence.text)))
    for first, last in pieces:
        text = sentence.text[first:last]
        if not text.strip():
            continue
        begin = sentence.start + first
        named = [
            item for item in mentions if begin <= item.start and item.end <= sentence.start + last
        ]
        beside = [
            item
            for item in named
            if compared_before().search(text[max(0, item.start - begin - 24) : item.start - begin])
            or cue("compared", "after").match(text, item.end - begin)
        ]
        refuted = cue("falsity").match(sentence.text, last) is not None
        denied = (negated(text) and not sentence.rhetorical) != refuted
        spoken = [item for item in named if item not in beside]
        clause = Clause(
            text, begin, sentence.start + last, spoken, beside, denied, refuted, sentence
        )
        sentence.clauses.append(clause)
        if clause.of("card", "family", "type"):
            sentence.subjects.append(clause)


def _is_alien(text: str, whole: bool) -> bool:
    words = cue("other_clouds")
    if not words.search(text):
        return whole and not cue("other_clouds", "ours").search(text)
    return not cue("other_clouds", "ours").search(text)


def _families(named: list[Mention]) -> list[Mention]:
    """What a heading is about: its families, and the families of its types."""
    found = [item for item in named if item.kind == "family"]
    for item in named:
        if item.kind == "type":
            stem = item.value.removeprefix("ecs.").split(".")[0].split("-")[0]
            found.append(Mention("family", stem, item.start, item.end))
    return found


def split(text: str) -> Iterator[Clause]:
    """The clauses of a normalised text in order. Headings are kept for the lines below them."""
    mentions = find_mentions(text)
    starts = [item.start for item in mentions]
    stack: list[tuple[int, list[Mention], str]] = []
    whole = bool(cue("other_clouds").search(text)) and not cue("other_clouds", "ours").search(text)
    before: list[Mention] = []
    for offset, line in lines(text):
        if not line.strip():
            continue
        level, heads = level_of(line)
        while stack and (stack[-1][0] >= level):
            stack.pop()
        heading = next((item for item in reversed(stack) if item[1]), (0, [], ""))
        for first, stop, end in sentences_of(line):
            named = _inside(mentions, starts, offset + first, offset + stop)
            piece, full = line[first:stop], line[first:end].strip()
            if not piece.strip():
                continue
            sentence = Sentence(
                piece, offset + first, heading[1], heading[2], before, line[:first][-160:],
                asks=bool(cue("question", "asks").search(full)),
                supposed=bool(cue("conditional", "supposed").search(full)),
                alternative=bool(cue("question", "alternative").search(full)),
                rhetorical=bool(cue("question", "rhetorical").search(full)),
                alien=_is_alien(piece, whole),
            )  # fmt: skip
            _clauses(sentence, named)
            yield from sentence.clauses
            before = named or ([] if HIDDEN in piece else before)
        if heads:
            families = _families(_inside(mentions, starts, offset, offset + len(line)))
            stack.append((level, families, line))
