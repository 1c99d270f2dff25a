"""Every figure of a text as a quantity: value, printed precision, dimension and what it is per."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any

from assistant.evidence import MARK
from assistant.read.normalise import parse_number, scale_of
from assistant.read.numbers import LARGEST_BARE_M, MAX_NUMBERS, Number, find_numbers

from .patterns import CARD, LIST_ITEM, NAME, TOKEN, URL

GIB, GB = 1073741824.0, 1e9
RANGE = re.compile(r" ?(?:个|张|台|路|元|GiB|GB|%)? ?(?:-|–|—|~|～|到|至|to|through|、|/|or|或|和|and) ?(?:约|about|\+)? ?[$¥]? ?")
PLUS = re.compile(r" ?(?:\([^()\d]{1,24}\))? ?([+=≈]|加上?|plus) ?[^\d+=×÷]{0,8}")
PLUS_BEFORE = re.compile(r"(?:[+]|加上?|plus)[^\d+=×÷]{0,10}$")
TIMES = re.compile(r" ?[×x*] ?")
SPOKEN_MONEY = re.compile(r"([零一二两三四五六七八九十百千]{1,7}|\d{1,6})块([零一二两三四五六七八九]|\d(?!\d))(?:毛([一二三四五六七八九]|\d(?!\d))?分?)?(?![张卡个])")
NAMED = re.compile(r"(?:[Bb]atch(?:[ _-]?size)?|并发|TP|[Rr]ank|秩|步数) ?(?:为|[=:])? ?(?:约 ?)?$")  # no unit of the next: "batch 64、512 tokens"
OPENED = re.compile(r"(?:/(?:s|秒|h|小时|月|张|卡))? ?[(（]")
SPAN_START = re.compile(r"[$¥]?\d[\d,.]* ?(?:GiB|GB|CNY|元|%|万)? ?(?:to|and|-|–|—|~|到|至) ?[$¥]?$")
ALWAYS = re.compile(r"(?<!\d)(?:24 ?[/×x*] ?7|7 ?[×x*] ?24)(?!\d)")
"""All day, every day: no figures."""
SPAN = re.compile(r"[-–—~～到至/或]|to|through|or")
VAGUE = re.compile(r"[几数好上]$"), re.compile(r"一两|两三|二三|三[四五]|四五|五六|六七|七八|八九")  # 几百, 上万, 两三个 are no figures
SEQUENCES = re.compile(r"seq|序列|会话|session|路|并发|conversation|prompt")
ASCII_WORD = re.compile(r"[A-Za-z0-9_]")
FLAG = re.compile(r"--?[A-Za-z][\w-]*$")


@dataclass(frozen=True, slots=True)
class Quantity:
    """A figure. `values` are in the base of its dimension (bytes, seconds, currency units …), several where a word is used for
    two (K, G) or sizes are said loosely (80 GB, 80 GiB); `strict` are those that the word means. `slack` is half of the last printed
    place, in the same base. `dim` is "" for a bare number."""

    start: int
    end: int
    text: str
    values: tuple[float, ...]
    strict: tuple[float, ...]
    slack: float
    dim: str = ""
    per: str = ""
    about: bool = False
    whole: bool = True
    spoken: bool = False
    plain: float = 0.0  # as written, scale included, without the unit's factor

    @property
    def unit(self) -> float:
        """The factor of the unit in which it is written."""
        return self.strict[0] / self.plain if self.plain else 0.0


@cache
def words() -> dict[str, Any]:
    """The table units.toml."""
    return tomllib.loads(files("assistant").joinpath("check", "units.toml").read_text(encoding="utf-8"))


@cache
def _units() -> tuple[re.Pattern[str], list[tuple[str, tuple[float, ...]]]]:
    rows = words()["unit"]
    body = "|".join(f"({row['after']})" for row in rows)
    return re.compile(rf"[ -]?(?:个|名|位|多|来|余)? ?(?:{body})"), [(row["dim"], tuple(row["factor"])) for row in rows]


@cache
def _before() -> list[tuple[str, re.Pattern[str]]]:
    return [(dim, re.compile(pattern)) for dim, pattern in words()["before"].items()]


@cache
def after_per() -> tuple[re.Pattern[str], list[str]]:
    table = words()["per"]
    body = "|".join(f"({pattern})" for pattern in table.values())
    return re.compile(rf"\s?(?:/|per |an? |each |every |每|一)\s?(?:{body})", re.I), list(table)


@cache
def _before_per() -> tuple[re.Pattern[str], list[str]]:
    table = words()["per_before"]
    return re.compile("|".join(f"({pattern})" for pattern in table.values()), re.I), list(table)


@cache
def _word(name: str) -> re.Pattern[str]:
    return re.compile(words()["words"][name])


def blank_for_figures(text: str) -> str:
    """The text with addresses, marks, list numbers and names blanked; a name's place starts with \\x00. Sizes behind a card stay."""

    def name(match: re.Match[str]) -> str:
        return "\x00" * len(match.group())

    for pattern in (URL, MARK, LIST_ITEM, ALWAYS):
        text = pattern.sub(lambda match: " " * len(match.group()), text)
    for pattern in (NAME, CARD, TOKEN):
        text = pattern.sub(name, text)
    return text


def read_quantities(plain: str) -> list[Quantity]:
    """The quantities of a text whose names are blanked, in order; ranges share the unit of their end."""
    spoken = list(_spoken_money(plain))
    for item in spoken:
        plain = plain[: item.start] + "\x01" * (item.end - item.start) + plain[item.end :]
    found = sorted([*(_quantity(plain, number) for number in _numbers(plain)), *spoken], key=lambda item: item.start if item else 0)
    return _shared_units(plain, [item for item in found if item])


def _spoken_money(plain: str) -> Iterator[Quantity]:
    """九块五毛三, 9块5: yuan with tenths and hundredths."""
    for match in SPOKEN_MONEY.finditer(plain) if "块" in plain else ():
        whole, tenth, more = (parse_number(part) if part else None for part in match.groups())
        if whole is not None and tenth is not None:
            value = whole + tenth / 10 + (more or 0) / 100
            yield Quantity(match.start(), match.end(), match.group(), (value,), (value,), 0.005 if more is not None else 0.05, "money_CNY",
                           _per_after(plain, match.end()), False, False, True, value)  # fmt: skip


def _numbers(plain: str) -> Iterator[Number]:
    """All numbers: find_numbers reads only so many at once."""
    lower, at = plain.lower(), 0
    if len(lower) != len(plain):  # some capitals grow in lower case; places must hold
        lower = "".join(c.lower() if len(c.lower()) == 1 else c for c in plain)
    while True:
        numbers = find_numbers(lower[at:] if at else lower)
        yield from (replace(n, start=n.start + at, end=n.end + at) for n in numbers) if at else numbers
        if len(numbers) < MAX_NUMBERS:
            return
        at += numbers[-1].end


def _quantity(plain: str, number: Number) -> Quantity | None:
    start, end = number.start, number.end
    if number.glued or (start and ASCII_WORD.match(plain[start - 1]) and plain[start - 1] not in "xX"):
        return None
    scale = number.scale
    if scale == "w" and plain[end - 1] == "W":  # 350 W; ten thousands are a small w
        end, scale = end - 1, ""
    if scale == "m" and plain[end - 1] == "m":
        end, scale = end - 1, ""
    dim, factors, unit_end = _unit(plain, start, end)
    spoken = not number.text[:1].isdigit()
    if spoken and (not dim or number.value == 1 or VAGUE[0].search(plain, max(0, start - 1), start) or VAGUE[1].match(number.text)):  # 一 and "one" are words
        return None
    return _made(plain, number, scale, dim, factors, (end, unit_end))


def _made(plain: str, number: Number, scale: str, dim: str, factors: tuple[float, ...], ends: tuple[int, int]) -> Quantity:
    base, times = number.value, scale_of(scale)
    scales = (1000.0, 1024.0) if scale == "k" and dim in ("", "tokens", "users", "pixels") else (times,)
    if scale == "m" and dim in ("", "tokens") and base <= LARGEST_BARE_M:
        scales = (times, 1048576.0)
    fraction = re.search(r"\.(\d+)", number.text)
    decimals = len(fraction.group(1)) if fraction else 0
    whole = not decimals
    strict = tuple(base * s * f for f in factors for s in scales)
    if dim == "memory" and whole and factors in ((GB,), (GIB,)):  # "80 GB" and "80 GiB" are both said of a whole size
        factors = (*factors, GIB + GB - factors[0])
    values = tuple(base * s * f for f in factors for s in scales)
    span = SPAN_START.search(plain, max(0, number.start - 24), number.start)
    begin = span.start() if span else number.start  # "about 1,300 to 1,480": both ends
    about = bool(_word("about").search(plain[max(0, begin - 16) : begin]) or _word("about").match(plain[ends[0] : ends[0] + 3].lstrip()) or _word("about").match(plain[ends[1] : ends[1] + 5].lstrip()))
    place = 10.0**-decimals
    zeros = re.search(r"0+$", re.split(r"[^\d,]", number.text)[0].replace(",", ""))
    if about and whole and zeros and base >= 100:
        place = 10.0 ** min(len(zeros.group()), len(f"{base:.0f}") - 2)  # "about 25,400": to the hundred, two digits at least
    slack = 0.5 * place * factors[0] * max(scales)
    if scale == "k" and (not dim or (dim == "users" and SEQUENCES.search(plain, ends[0], ends[1]))):
        dim = "tokens"  # 32K is a length, and 32K sequences are that long
    return Quantity(number.start, ends[1], plain[number.start : ends[1]].strip(), values, strict, slack, dim, _per_after(plain, ends[1]), about, whole,
                    not number.text[:1].isdigit(), base * times)  # fmt: skip


def _unit(plain: str, start: int, end: int) -> tuple[str, tuple[float, ...], int]:
    pattern, rows = _units()
    match = pattern.match(plain, end)
    before = plain[max(0, start - 24) : start]
    for dim, left in _before():
        if left.search(before):
            if dim == "cards" and match:
                break
            return dim, (1.0,), end
    if match:
        dim, factors = rows[match.lastindex - 1]  # type: ignore[operator]
        return dim, factors, match.end()
    return "", (1.0,), end


def _per_after(plain: str, end: int) -> str:
    pattern, names = after_per()
    match = pattern.match(plain, end)
    return names[match.lastindex - 1] if match and match.lastindex else ""


def per_before(clause: str) -> str:
    """What the last word before a number says that a price is per."""
    pattern, names = _before_per()
    last = ""
    for match in pattern.finditer(clause):
        last = names[match.lastindex - 1] if match.lastindex else last
    return last


def _shared_units(plain: str, found: list[Quantity]) -> list[Quantity]:
    for at in range(len(found) - 2, -1, -1):
        left, right = found[at], found[at + 1]
        between = plain[left.end : right.start]
        if not left.dim and not right.dim and left.whole and right.whole and left.plain >= 64 and right.plain >= 64 and TIMES.fullmatch(between):
            found[at], found[at + 1] = replace(left, dim="pixels"), replace(right, dim="pixels")
            continue
        joined = RANGE.fullmatch(between) or (plus := PLUS.fullmatch(between)) and (plus[1] not in "=≈" or PLUS_BEFORE.search(plain, 0, left.start))
        if left.dim or not right.dim or right.dim in ("cards", "tp") or not joined:
            continue
        if not SPAN.search(between) and NAMED.search(plain, max(0, left.start - 16), left.start):
            continue
        factor = right.values[0] / right.plain if right.plain else 1.0
        slack = left.slack * factor if len(left.values) == 1 else left.slack
        scale = _scale_of(right) if _scale_of(left) == 1.0 and left.plain == left.values[0] and left.plain < right.plain else 1.0
        values = tuple(dict.fromkeys([*(v * factor for v in left.values), *(v * factor * scale for v in left.values)]))
        found[at] = replace(left, values=values, strict=values, slack=slack * (scale if scale > 1 else 1), dim=right.dim, per=right.per)
    _bracketed(plain, found)
    return found


def _bracketed(plain: str, found: list[Quantity]) -> None:
    """A range in brackets behind a figure is of its unit: "0.31 秒（0.26–0.67）"."""
    for at in range(len(found) - 2):
        whole, low, high = found[at : at + 3]
        if whole.dim and not (low.dim or high.dim) and OPENED.fullmatch(plain, whole.end, low.start) and RANGE.fullmatch(plain, low.end, high.start) and plain[high.end : high.end + 1] in (")", "）"):
            factor = whole.unit or 1.0
            for place, item in ((at + 1, low), (at + 2, high)):
                values = tuple(v * factor for v in item.values)
                found[place] = replace(item, values=values, strict=values, slack=item.slack * factor, dim=whole.dim, per=whole.per)


def _scale_of(item: Quantity) -> float:
    match = re.search(r"(百万|千万|[万亿千]|[Kkw](?![A-Za-z]))", item.text)
    return scale_of(match.group(1)) if match else 1.0


def is_word(plain: str, item: Quantity) -> bool:
    """Whether a number only counts or orders what the text itself lists: 第 3 步, option 2, 4 种办法, 3 things, 10:30."""
    if not item.whole or item.plain > 60:
        return False
    if item.plain <= 20 and _word("ordinal").search(plain[max(0, item.start - 12) : item.start]):
        return True
    end = item.start + len(re.match(r"[\d.,]*", plain[item.start :]).group()) if not item.spoken else item.end  # type: ignore[union-attr]
    if item.plain <= 12 and (item.dim in ("", "steps", "classes") and _word("counted").match(plain, end)):
        return True
    return bool(_word("clock").match(plain[end : end + 4]) or (item.start and plain[item.start - 1] == ":" and plain[max(0, item.start - 2)].isdigit()))


def is_span(plain: str, item: Quantity) -> bool:
    """Whether a number is an end of a range: 4.0–4.6, -5 % to 10 %."""
    return bool(_word("span_before").search(plain[max(0, item.start - 30) : item.start]) or _word("span_after").match(plain[item.end : item.end + 8]))


def is_bound(plain: str, item: Quantity) -> bool:
    """Whether a number is said to be the least or the most."""
    return bool(_word("bound_before").search(plain[max(0, item.start - 14) : item.start]))
