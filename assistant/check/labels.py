"""Label words of a text: what a figure beside them is of."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

from .first_characters import alternatives, first_characters


@cache
def label_words() -> dict[str, Any]:
    """The table labels.toml."""
    return tomllib.loads(files("assistant").joinpath("check", "labels.toml").read_text(encoding="utf-8"))


@cache
def asides() -> frozenset[str]:
    """Labels that bind no figure."""
    return frozenset(label_words()["said"]["aside"])


@cache
def allowed() -> dict[str, frozenset[str]]:
    """The labels that figures of a dimension may have."""
    return {dim: frozenset(labels) for dim, labels in label_words()["of"].items()}


@cache
def _labels() -> dict[str, tuple[re.Pattern[str], list[str]]]:
    """By the first character of a word the pattern of all label words that begin so: one pattern of all is ten times slower."""
    by_first: dict[str, list[tuple[str, str]]] = {}
    for name, words in label_words()["labels"].items():
        for word in alternatives(words):
            for first in first_characters(word):
                by_first.setdefault(first, []).append((word, name))
    return {first: (re.compile("|".join(f"({word})" for word, _ in items)), [name for _, name in items]) for first, items in by_first.items()}


@cache
def _starts() -> re.Pattern[str]:
    letters = "".join(re.escape(first) for first in _labels() if not ("A" <= first.upper() <= "Z"))
    return re.compile(rf"[{letters}]|(?<![A-Za-z])[A-Za-z]")


def find_labels(text: str) -> list[tuple[int, int, str]]:
    """The label words of a text with their places."""
    patterns, found, end = _labels(), [], 0
    for start in _starts().finditer(text):
        at = start.start()
        entry = patterns.get(text[at]) if at >= end else None
        match = entry[0].match(text, at) if entry else None
        if entry and match and match.lastindex:
            end = match.end()
            found.append((at, end, entry[1][match.lastindex - 1]))
    return found
