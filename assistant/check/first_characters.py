"""Patterns of word tables taken apart: their alternatives, and the characters that each may begin with."""

from __future__ import annotations

import re

LOOKBEHIND = re.compile(r"(?:\(\?<[!=][^()]*\))+")


def alternatives(pattern: str) -> list[str]:
    """The alternatives of a pattern at its outermost level."""
    found, depth, start, at = [], 0, 0, 0
    while at < len(pattern):
        character = pattern[at]
        if character == "\\":
            at += 1
        elif character in "([":
            depth += 1
        elif character in ")]":
            depth -= 1
        elif character == "|" and not depth:
            found.append(pattern[start:at])
            start = at + 1
        at += 1
    return [*found, pattern[start:]]


def first_characters(pattern: str) -> set[str]:
    """What a match of one alternative begins with: a literal, a class of literals, or those of a group."""
    rest = LOOKBEHIND.sub("", pattern, count=1) if pattern.startswith("(?<") else pattern
    if rest.startswith("["):
        return set(rest[1 : rest.index("]")])
    if rest.startswith("(?:"):
        return {first for part in alternatives(rest[3 : _closing(rest)]) for first in first_characters(part)}
    return {rest[0]}


def _closing(group: str) -> int:
    depth = 0
    for at, character in enumerate(group):
        depth += (character == "(") - (character == ")")
        if not depth:
            return at
    return len(group)
