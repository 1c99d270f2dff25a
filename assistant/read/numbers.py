"""Every number of a text with its place, its scale and its sign: 32K, 3.2万, 二十四, four, 10^12, -5."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from .lexicon import is_ascii_word, read_table
from .normalise import parse_number, scale_of

MAX_NUMBERS = 300
"""Numbers read of one text; a question has a dozen, a pasted table has thousands."""


@dataclass(frozen=True, slots=True)
class Number:
    """A number as typed. `value` is without the scale; `glued` says that a letter stands right before it (A10)."""

    start: int
    end: int  # after the scale
    text: str
    value: float
    scale: str
    negative: bool
    glued: bool

    @property
    def amount(self) -> float:
        """The value times its scale, K = 1,000."""
        return self.value * scale_of(self.scale)


@cache
def _pattern() -> re.Pattern[str]:
    words = "|".join(sorted(read_table("numbers")["english"], key=len, reverse=True))
    return re.compile(
        r"(?<![\d.^])(?P<value>\d{1,30}(?:\^|\*\*)\d{1,4}|(?<![a-z,])\d{1,3}(?:,\d{3}){1,8}(?:\.\d{1,9})?(?!\d)"
        r"|\d{1,60}(?:\.\d{1,9})?(?:e\+?\d{1,3})?"
        rf"|(?<![a-z0-9])(?:{words})(?![a-z0-9])|[零一二两三四五六七八九十百]{{1,5}}点[零一二三四五六七八九]{{1,4}}|(?:(?!一[半些直定般下])[零〇一二两俩三四五六七八九十百千]|万(?=[一二两三四五六七八九])){{1,12}}|双|单(?=张|卡|块|用户|人(?!工)|路|并发|会话)|半(?=年|天|个|打))"
        r"(?:\s?(?P<scale>百万|千万|万亿|千亿|百亿|十亿|[百千万亿]|打(?=\s?(?:[个的名位]|用户|人|并发|同事|路|会话|请求|员工|客户))|(?:thousand|million|billion|trillion|hundred|dozen)(?![a-z])|(?:[kwm])(?![a-z0-9])|k(?=tok)))?"
    )


def find_numbers(lower: str) -> Iterator[Number]:
    """The numbers of lower-case text, in order, at most MAX_NUMBERS."""
    for count, match in enumerate(_pattern().finditer(lower)):
        if count == MAX_NUMBERS:
            return
        value = parse_number(match["value"])
        if value is None:
            continue
        start = match.start()
        before = lower[start - 1] if start else " "
        yield Number(
            start, match.end(), match.group(), value, match["scale"] or "",
            negative=_is_negative(lower, start), glued=is_ascii_word(before) or before == "_",
        )  # fmt: skip


def _is_negative(lower: str, start: int) -> bool:
    """A minus that is a sign, not a dash of a name (gn7-8x, \\x00 where the name is blanked out) or of a range (4-8)."""
    before = lower[max(0, start - 10) : start]
    if before.rstrip().endswith(("负", "minus", "negative")):
        return True
    if not before.endswith("-"):
        return False
    return len(before) == 1 or not (is_ascii_word(before[-2]) or before[-2] in ")_.-\x00") and (
        before[-2] != " " or not before[:-2].rstrip()[-1:].isdigit()
    )
