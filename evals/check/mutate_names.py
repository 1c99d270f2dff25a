"""Spoils names of the catalog: another type, family or card, or one character off."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from random import Random

from knowledge import facts

from .change import Change, Kind
from .spans import URL, Span, words_of

TYPE = re.compile(r"(?<![A-Za-z0-9.-])(?:ecs|eci)\.[a-z0-9-]+\.[0-9a-z]+(?![A-Za-z0-9-])")
CARDS = ("T4", "A10", "A100", "V100", "L20", "H20", "P100", "A30", "L40S", "H100", "A800", "H800", "RTX 4090")
"""Cards as answers write them, any of which may stand in place of another."""
CARD = re.compile(rf"(?<![A-Za-z0-9.-])(?:{'|'.join(sorted(CARDS, key=len, reverse=True))})(?![A-Za-z0-9-])")


def types(text: str, random: Random) -> Iterator[Change]:
    """Each instance type becomes another one of the catalog."""
    yield from _swapped("type", _outside_links(text, TYPE), sorted(facts.instances()), random)


def families(text: str, random: Random) -> Iterator[Change]:
    """Each family becomes another one of the catalog."""
    yield from _swapped("family", _outside_links(text, family_pattern()), sorted(facts.families()), random)


def cards(text: str, random: Random) -> Iterator[Change]:
    """Each card becomes another one."""
    yield from _swapped("card", _outside_links(text, CARD), CARDS, random)


def misspelt(text: str, random: Random) -> Iterator[Change]:
    """One character of each type and family is another, missing, or doubled, so that no such name is in the catalog."""
    known = {*facts.instances(), *facts.families()}
    for span in [*_outside_links(text, TYPE), *_outside_links(text, family_pattern())]:
        for _ in range(20):
            new = _one_off(span.text, random)
            if new not in known:
                yield Change("misspelt", span.start, span.text, new)
                break


@cache
def family_pattern() -> re.Pattern[str]:
    """A family of the catalog that stands alone, not inside a type."""
    names = "|".join(map(re.escape, sorted(facts.families(), key=len, reverse=True)))
    return re.compile(rf"(?<![A-Za-z0-9._/-])(?:{names})(?![A-Za-z0-9_-]|\.[a-z0-9])")


def _swapped(kind: Kind, spans: Sequence[Span], names: Sequence[str], random: Random) -> Iterator[Change]:
    for span in spans:
        yield Change(kind, span.start, span.text, random.choice([name for name in names if name != span.text]))


def _outside_links(text: str, pattern: re.Pattern[str]) -> list[Span]:
    links = [match.span() for match in URL.finditer(text)]
    return [span for span in words_of(text, pattern) if not any(start <= span.start < end for start, end in links)]


def _one_off(name: str, random: Random) -> str:
    place = random.choice([i for i, char in enumerate(name) if char.isalnum() and i > name.find(".")])
    char = name[place]
    others = "0123456789" if char.isdigit() else "abcdefghijklmnopqrstuvwxyz"
    new = random.choice((random.choice(others.replace(char, "")), "", char * 2))
    return name[:place] + new + name[place + 1 :]
