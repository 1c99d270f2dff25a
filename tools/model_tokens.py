"""Cuts text into the tokens of model names, whatever the spelling: `Qwen2.5-72B` and 千问 2.5 72b are one name.

Letters and digits are cut apart (qwen2.5 → qwen 2.5, v3 → v 3), sizes are put into one form (720亿, 72 b → 72b),
`_` between digits is a point, Chinese words become those of `model_names.toml`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Any, NamedTuple

from knowledge.tables import read_data

ONE_FORM = {0xFF01 + i: chr(0x21 + i) for i in range(94)} | {0x3000: " "}
ONE_FORM |= {ord(old): new for old, new in zip("億萬參數義問駝餾滿", "亿万参数义问驼馏满", strict=True)}
"""Full-width forms to ASCII, and the traditional characters of sizes and names; one to one, so that offsets stay."""

JOINT = re.compile(r"[\s\-‐‑–_:/·.()（）的]{0,3}")
"""What may stand between two tokens of one name."""


LONGEST_CHAIN = 24
"""Letters of words written together (qwenvl); longer runs are no name."""


class Token(NamedTuple):
    """One token: `kind` is size, number, quant, word or han; `text` is in normal form."""

    kind: str
    text: str
    start: int
    end: int


@cache
def name_words() -> Mapping[str, Any]:
    """The tables of `model_names.toml`."""
    return tomllib.loads(read_data("model_names.toml"))


def tokenize(text: str, *, words: frozenset[str] = frozenset()) -> list[Token]:
    """Tokens of `text` in order. A run of letters made of several `words` (deepseekr, qwenvl) is cut into them."""
    tokens: list[Token] = []
    for match in _pattern().finditer(text.translate(ONE_FORM)):
        kind = match.lastgroup or ""
        raw = match.group()
        if kind == "word":
            tokens += _word_tokens(raw.lower(), match.start(), words)
        else:
            tokens.append(Token(kind, _normal(kind, raw), match.start(), match.end()))
    return tokens


def size_label(billions: float) -> str:
    """The size as names say it: 72.0 → 72b, 0.5 → 0.5b."""
    return f"{billions:.6g}b"


@cache
def _pattern() -> re.Pattern[str]:
    chinese = "|".join(sorted(map(re.escape, name_words()["chinese"]), key=len, reverse=True))
    parts = {
        "quant": r"i?q\d_[a-z0-9]{1,3}(?:_[a-z0-9]{1,3})?(?![a-z0-9])",
        "moe": r"\d{1,3}\s?[x×*]\s?\d{1,5}(?:\.\d{1,3})?\s?b(?![a-z0-9])",
        "size": r"\d{1,9}b\d(?![a-z0-9])|\d{1,9}(?:[._]\d{1,6})?(?:\s?(?:b|t)(?![a-z0-9])|m(?![a-z0-9])|\s?(?:万亿|千亿|百亿|十亿|亿)"
        r"|[\s-]?(?:billion|trillion))",
        "number": r"\d{1,12}(?:(?:\.\d{1,6})+|_\d{1,2}(?![0-9b._]))?k?",
        "word": r"[a-z]+",
        "han": f"{chinese}|[\u4e00-\u7683\u7685-\u9fff]",  # 的 is a joint, not a word
    }
    groups = "|".join(f"(?P<{name}>{part})" for name, part in parts.items())
    return re.compile(groups, re.IGNORECASE | re.ASCII)


@lru_cache(maxsize=2048)
def _normal(kind: str, raw: str) -> str:
    low = "".join(raw.lower().split())
    if kind == "size":
        return size_label(size_billions(low))
    if kind == "number":
        return low.replace("_", ".")
    if kind == "moe":
        return re.sub("[×*]", "x", low)
    return str(name_words()["chinese"].get(raw, raw)) if kind == "han" else low


UNITS = {
    "万亿": 1000.0, "千亿": 100.0, "百亿": 10.0, "十亿": 1.0, "亿": 0.1,
    "trillion": 1000.0, "billion": 1.0, "t": 1000.0, "b": 1.0, "m": 0.001,
}  # fmt: skip
"""Billions (10^9) in one of the unit."""


def size_billions(raw: str) -> float:
    """Billions of parameters in a size token: 70亿 → 7.0, 1.5T → 1500.0, 7b1 → 7.1."""
    low = "".join(raw.lower().split()).replace("_", ".").replace("-", "")
    part = re.fullmatch(r"(\d+)b(\d)", low)
    if part:
        return float(f"{part[1]}.{part[2]}")
    unit = next(unit for unit in UNITS if low.endswith(unit))
    return float(low.removesuffix(unit)) * UNITS[unit]


def _word_tokens(word: str, start: int, words: frozenset[str]) -> list[Token]:
    if word not in words and len(word) <= LONGEST_CHAIN:
        cuts = _segments(word, words)
        if cuts:
            tokens, at = [], start
            for cut in cuts:
                tokens.append(Token("word", cut, at, at + len(cut)))
                at += len(cut)
            return tokens
    return [Token("word", word, start, start + len(word))]


def _segments(word: str, words: frozenset[str]) -> list[str]:
    """`word` as a chain of known words, the first of at least three letters; [] where it is none."""
    for cut in range(len(word) - 1, 2, -1):
        head, rest = word[:cut], word[cut:]
        if head in words:
            if rest in words:
                return [head, rest]
            tail = _segments(rest, words)
            if tail:
                return [head, *tail]
    return []
