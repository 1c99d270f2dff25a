"""A sentence copied from evidence or composed answer must keep its names: one that differs in a name alone says something else."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from .problem import Problem
from .said import Said, sentences_of_text
from .support import Support

LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz")
TOKEN = re.compile(r"(?:rtx|gtx) ?(?:pro )?\d{4}(?: ?ti)?|[a-z0-9]+(?:[._+-][a-z0-9]+)*|[^\sa-z0-9]")
FACTS = ("point", "fact", "fact_zh", "fact_en")
"""Fields of findings that are sentences of ours."""
ALIKE = 66.0
"""Likeness (0–100) from which sentences are compared word by word."""
SHORTEST = 4
"""Tokens besides names that a sentence needs to be a copy; shorter ones are alike by chance."""
MOST_FACTS = 40

Tokens = tuple[str, ...]


def changed_names(said: Said, support: Support) -> Iterator[Problem]:
    """The first name of a copied sentence that is another one than in its source."""
    tokens = tokens_of(said.plain)
    if sum(not _is_name(token) for token in tokens) < SHORTEST:
        return
    sources, by_frame = _sources(support)
    if said.plain in sources:
        return
    for theirs in by_frame.get(_frame(tokens), ()) or (tokens_of(source) for source in _nearest(said.plain, sources)):
        if len(theirs) != len(tokens):
            continue
        differing = [(mine, other) for mine, other in zip(tokens, theirs, strict=True) if mine != other]
        if not differing:
            return
        if all(_is_name(other) and not _same(mine, other) for mine, other in differing):
            mine, other = differing[0]
            place = max(0, said.text.lower().find(mine))
            yield Problem("name", said.text[place : place + len(mine)], said.start + place, f"“{mine}” stands in a sentence that the tool results say of “{other}”: name what the result names, or say something that a result holds.")
            return


def _frame(tokens: Tokens) -> Tokens:
    """The sentence without its names."""
    return tuple("" if _is_name(token) else token for token in tokens)


def tokens_of(text: str) -> Tokens:
    """Words, names and single signs of plain words."""
    return _tokens(text)


@lru_cache(maxsize=1024)
def _tokens(text: str) -> Tokens:
    return tuple(TOKEN.findall(text))


def _nearest(plain: str, sources: frozenset[str]) -> list[str]:
    from rapidfuzz import fuzz, process

    low, high = 0.8 * len(plain), 1.25 * len(plain)
    near = [source for source in sources if low <= len(source) <= high]
    return [match[0] for match in process.extract(plain, near, scorer=fuzz.ratio, limit=6, score_cutoff=ALIKE)]


@lru_cache(maxsize=4)
def _sources(support: Support) -> tuple[frozenset[str], dict[Tokens, list[Tokens]]]:
    """The plain sentences that may be copied, and their words by frame."""
    texts = [support.reference, *list(dict.fromkeys(_facts(support)))[:MOST_FACTS]]
    plain = dict.fromkeys(item.plain for text in texts for item in sentences_of_text(text))
    by_frame: dict[Tokens, list[Tokens]] = {}
    for sentence in plain:
        tokens = tokens_of(sentence)
        by_frame.setdefault(_frame(tokens), []).append(tokens)
    return frozenset(plain), by_frame


def _facts(support: Support) -> Iterator[str]:
    stack: list[object] = [finding.data for finding in support.evidence.findings if finding.tool in ("search_guides", "check_claims", "look_up_names")]
    while stack:
        value = stack.pop()
        if isinstance(value, list):
            stack += value
        elif isinstance(value, dict):
            yield from (text for key in FACTS if isinstance(text := value.get(key), str) and text)
            stack += [item for item in value.values() if isinstance(item, (list, dict))]


@lru_cache(maxsize=4096)
def _is_name(token: str) -> bool:
    return token[0] in LETTERS and any(character.isdigit() for character in token)


def _same(mine: str, other: str) -> bool:
    """Whether one is a shorter form of the other: gn7e for a type of it, Qwen2.5-72B for its Instruct version."""
    short, long = sorted((mine.removeprefix("ecs."), other.removeprefix("ecs.")), key=len)
    return bool(short) and long.startswith(short) and (len(long) == len(short) or long[len(short)] in "-._")
