"""Every number of a text with its place, its scale and its sign: 32K, 3.2万, 二十四, four, 10^12, -5."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache

from .lexicon import is_ascii_word, read_table
from .normalise import parse_number, scale_of

MAX_NUMBERS = 300
"""Numbers read of one text; a question has a dozen, a pasted table has thousands."""


LARGEST_BARE_M = 16
"""Millions of tokens up to which a bare "10M" right after a model's name is its context."""
_BARE_LENGTHS = tuple(2**power for power in range(11, 21))
"""Lengths that nobody uses for anything else: 2,048, 4,096 … 1,048,576."""
MOST_IN_PRODUCT = 4096
"""Sequences up to which the other number of "8k × 32" is how many of them there are."""


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
        r"(?:\s?(?P<scale>百万|千万|万亿|千亿|百亿|十亿|[百千万亿]|打(?=\s?(?:[个的名位]|用户|人|并发|同事|路|会话|请求|员工|客户))|(?:thousand|million|billion|trillion|hundred|dozen)(?![a-z])|(?:[kwm])(?![a-z0-9])|k(?=tok)|w(?=\d(?![\d.a-z]))))?"
    )


def find_numbers(lower: str) -> list[Number]:
    """The numbers of lower-case text, in order, at most MAX_NUMBERS; parts of one number (3 万 2 千) are one."""
    numbers: list[Number] = []
    for count, match in enumerate(_pattern().finditer(lower)):
        if count == MAX_NUMBERS:
            break
        value = parse_number(match["value"])
        if value is None:
            continue
        start = match.start()
        number = Number(
            start, match.end(), match.group(), value, match["scale"] or "",
            negative=_is_negative(lower, start), glued=_is_glued(lower, start),
        )  # fmt: skip
        whole = _sum_of(lower, numbers[-1], number) if numbers else None
        if whole:
            numbers[-1] = whole
        else:
            numbers.append(number)
    return numbers


def _is_glued(lower: str, start: int) -> bool:
    """A letter stands right before (A10); the x of a product (8k x32) is none."""
    before = lower[max(0, start - 3) : start]
    if not before or not (is_ascii_word(before[-1]) or before[-1] == "_"):
        return False
    return re.search(r"(?:\s|\d|\dk)x$", before) is None


_LARGE = ("亿", "千万", "百万", "万", "w", "千", "百")
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")


def _sum_of(lower: str, first: Number, then: Number) -> Number | None:
    """Both as one number: 3 万 2 千, 3万2, two hundred and fifty, twenty-four; None if they are two."""
    between, joints = lower[first.end : then.start], read_table("joined")["sum"]
    amount: float | None = None
    if first.scale in _LARGE and first.value == int(first.value):
        amount = _part_of_large(lower, first, then) if re.fullmatch(joints["zh"], between) else None
    elif first.text in _TENS and then.text.split(" ")[0] in _units() and re.fullmatch(joints["tens"], between):
        text = lower[first.start : then.end]  # thirty-two thousand: the scale is that of both
        return replace(first, end=then.end, text=text, value=first.value + then.value, scale=then.scale)
    elif re.fullmatch("[a-z ]+", then.text) and _is_spoken_hundred(first) and re.fullmatch(joints["en"], between):
        amount = then.amount if 0 < then.amount < _lowest_scale(first) else None
    if not amount:
        return None
    total = first.amount + amount
    return replace(first, end=then.end, text=lower[first.start : then.end], value=total, scale="")


def _part_of_large(lower: str, first: Number, then: Number) -> float | None:
    """2 千 and 2 behind 3 万: 2,000 both; a bare digit only right behind, with nothing that it counts."""
    rank = scale_of(first.scale)
    if then.scale:
        return then.amount if then.scale in _LARGE and then.amount < rank else None
    if not then.text.isascii() and 10 <= then.value < rank:  # 3万二千
        return then.value
    digit = then.start == first.end and then.end == then.start + 1 and 1 <= then.value <= 9
    alone = joined("sum", "not_alone").match(lower, then.end)
    return then.value * rank / 10 if digit and alone else None


@cache
def _units() -> frozenset[str]:
    return frozenset(word for word, value in read_table("numbers")["english"].items() if 0 < value < 10)


def _is_spoken_hundred(number: Number) -> bool:
    return number.text.endswith(("hundred", "thousand", "million"))


def _lowest_scale(number: Number) -> float:
    return scale_of(number.text.rpartition(" ")[2])


@cache
def joined(name: str, key: str) -> re.Pattern[str]:
    """A pattern of the table joined.toml."""
    return re.compile(read_table("joined")[name][key])


def is_joined(how: str, lower: str, first: Number, then: Number) -> bool:
    """Whether two numbers side by side are a `range`, a `product`, a `list`, as the table joined.toml knows them."""
    joint = read_table("joined")[how]
    between = lower[first.end : then.start]
    if re.fullmatch(joint["between"], between):
        return True
    if "pair" not in joint or not re.fullmatch(joint["pair"], between):
        return False
    behind = re.search(joint["pair_before"], lower[max(0, first.start - 12) : first.start])
    return bool(behind or re.compile(joint["pair_after"]).match(lower, then.end))


def asks_of_one_token(lower: str) -> bool:
    """Whether a text asks what a single token takes: "一个 token 的 KV 多大", "KV per token"."""
    return bool(joined("one_token", "said").search(lower) and joined("one_token", "of").search(lower))


def is_plain_count(lower: str, number: Number) -> bool:
    """A whole number that is neither a length nor the count of a card named beside it."""
    whole = not number.scale and number.value == int(number.value) and 1 <= number.value <= MOST_IN_PRODUCT
    return whole and not lower.startswith(("\x00", " \x00"), number.end) and lower[max(0, number.start - 1)] != "\x00"


def rises(left: Number, right: Number) -> bool:
    """Whether two numbers may be the ends of a range: 10 to 20, 10-20k."""
    return not left.negative and left.amount < right.amount


def is_bare_length(lower: str, number: Number) -> bool:
    """A number without a word that can only be a context: 32k, 4096, and 10M right after a model's name."""
    if number.glued or number.value < 1:
        return False
    if number.scale == "m":
        return number.value <= LARGEST_BARE_M and re.search(r"\x00[\s,:(-]{0,3}$", lower[: number.start][-6:]) is not None
    return (number.scale == "k" and number.value <= 2048) or (not number.scale and number.value in _BARE_LENGTHS)


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
