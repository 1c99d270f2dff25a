"""What a figure belongs to: the instance types, families, cards, their number and the region named beside it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from knowledge import facts
from knowledge.kept import kept
from tools.claims import names as known

from .patterns import CARD, NAME

EMPTY: frozenset[str] = frozenset()


class Subject(NamedTuple):
    """Names in the catalog's spelling; a type brings its family and its card."""

    types: frozenset[str] = EMPTY
    families: frozenset[str] = EMPTY
    gpus: frozenset[str] = EMPTY
    counts: frozenset[int] = frozenset()
    regions: frozenset[str] = EMPTY

    @property
    def named(self) -> bool:
        """Whether a machine or a card is named."""
        return bool(self.types or self.families or self.gpus)

    def joined(self, other: Subject) -> Subject:
        """Both together."""
        return Subject(self.types | other.types, self.families | other.families, self.gpus | other.gpus, self.counts | other.counts, self.regions | other.regions)

    def over(self, outer: Subject) -> Subject:
        """This one, with what it leaves open taken from `outer`; a machine named here is not mixed with one there."""
        if self.named:
            return self._replace(regions=self.regions or outer.regions, counts=self.counts or (outer.counts if self.gpus & outer.gpus else frozenset()))
        return Subject(outer.types, outer.families, outer.gpus, self.counts or outer.counts, self.regions or outer.regions)

    def agrees(self, other: Subject) -> bool:
        """Whether both may be of one thing: the narrowest kind of name that both have is shared, and so are number and region."""
        for mine, theirs in zip(self[:3], other[:3], strict=True):
            if mine and theirs:
                if not mine & theirs:
                    return False
                break
        if self.counts and other.counts and not self.counts & other.counts:
            return False
        return not (self.regions and other.regions and not self.regions & other.regions)

    def shares(self, other: Subject) -> bool:
        """Whether both name a machine or card, and the same."""
        return self.agrees(other) and any(mine & theirs for mine, theirs in zip(self[:3], other[:3], strict=True))


def find_subjects(text: str) -> Iterator[tuple[int, int, Subject]]:
    """The machines, cards and regions of a text with their places, in order."""
    found = [(m.start(), m.end(), subject_of(m.group())) for pattern in (NAME, CARD) for m in pattern.finditer(text)]
    lower = text.lower()
    regions = _regions() if len(lower) == len(text) else {}  # some capitals grow in lower case; places must hold
    if regions:
        found += [(m.start(), m.end(), regions[m.group()]) for m in _region_pattern().finditer(lower)]
    return ((start, end, subject) for start, end, subject in sorted(found, key=lambda item: item[:2]) if any(subject))


@kept
def subject_of(name: str) -> Subject:
    """The subject of one name as people write it; empty if the catalog has none of it."""
    return _subject(name.lower().rstrip(".-"))


def _subject(word: str) -> Subject:
    row = known.instance(word)
    if row is not None:
        return Subject(frozenset([row.instance_type]), frozenset([row.family]), frozenset([row.gpu_id] if row.gpu_id else []), frozenset([row.gpu_count] if row.gpu_id else []))
    family = word.removeprefix("ecs.").split(".")[0]
    if family in facts.families() and "." not in word.removeprefix("ecs."):
        return Subject(families=frozenset([family]), gpus=known.gpu_ids_of(family))
    if word in facts.gpus():
        return Subject(gpus=frozenset([word]))
    card = known.card_words().get(known.squeeze(word))
    if card is None and word.startswith("pro "):
        card = known.card_words().get(known.squeeze(f"rtx{word}"))
    ids = known.cards()[card].gpu_ids if card else ()
    return Subject(gpus=frozenset(ids) or (frozenset([f"card:{card}"]) if card else EMPTY))


@kept
def _regions() -> dict[str, Subject]:
    """Regions by their id and the words for them, in lower case."""
    return {word.lower(): Subject(regions=frozenset([row.region])) for row in facts.regions().values() for word in (row.region, *row.aliases)}


@kept
def _region_pattern() -> re.Pattern[str]:
    words = sorted(_regions(), key=len, reverse=True)
    firsts = "".join(sorted({re.escape(word[0]) for word in words}))  # looked for first: the words are many
    return re.compile(rf"(?=[{firsts}])(?<![a-z0-9-])(?:" + "|".join(map(re.escape, words)) + r")(?![a-z0-9-])")


def join(subjects: Iterable[Subject]) -> Subject:
    """All of them together."""
    whole = Subject()
    for subject in subjects:
        whole = whole.joined(subject)
    return whole
