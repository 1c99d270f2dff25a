"""From the text as typed to the text the finders read: one width, one dash, one script; and numbers in words."""

from __future__ import annotations

import re
import unicodedata
from functools import cache

from .lexicon import read_table

MAX_READ = 10_000
"""Characters that are read. Of longer texts, the beginning and the end, where questions stand."""

_HEAD = 8_000
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_DASHES = str.maketrans(
    dict.fromkeys("‐‑‒–−﹣", "-") | {"—": " - ", "―": " - ", "⨯": "×", "✕": "×", "✖": "×", "˟": "×", "〜": "~", "∼": "~", "〰": "~"}
)
# A comma of Chinese parts a list and never groups thousands: NFKC alone would make 8,128 of 8，128.
_COMMAS = str.maketrans(dict.fromkeys("，﹐", ", "))


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    power = re.compile(r"(?<=\d)[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3}")
    invisible = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff\x00-\x08\x0b-\x1f]")
    spaces = re.compile(r"[^\S\n]{1,200}")
    return power, invisible, spaces


@cache
def _script() -> dict[int, str]:
    """Traditional → simplified characters of this field."""
    pairs = read_table("script")["pairs"]
    return {ord(pair[0]): pair[1] for pair in pairs}


def normalise(text: str) -> str:
    """NFKC, full-width folded, dashes and spaces unified, traditional characters of the field simplified.

    Powers typed as superscripts become `10^12`: NFKC alone would make 1012 of them.
    """
    power, invisible, spaces = _patterns()
    text = power.sub(lambda m: "^" + m.group().translate(_SUPERSCRIPTS), _cut(text))
    text = unicodedata.normalize("NFKC", text.translate(_COMMAS).translate(_DASHES)).translate(_DASHES)
    text = invisible.sub("", text).replace("\r", "\n").translate(_script())
    return _cut(spaces.sub(" ", text).strip())


def _cut(text: str) -> str:
    if len(text) <= MAX_READ:
        return text
    return f"{text[:_HEAD]}\n{text[_HEAD + 1 - MAX_READ :]}"


_DIGITS = {c: i for i, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2, "俩": 2}
_SMALL = {"十": 10, "百": 100, "千": 1000}
_LARGE = {"万": 10_000, "亿": 100_000_000}


def parse_chinese(words: str) -> float | None:
    """二十四 → 24, 两 → 2, 三千 → 3000, 一万二 → 12000, 三点二 → 3.2, 半 → 0.5, 双 → 2; None if it is no number."""
    if words in ("半", "双", "单"):
        return {"半": 0.5, "双": 2.0, "单": 1.0}[words]
    whole, point, part = words.partition("点")
    if point:
        return _with_decimals(whole, part)
    if not words or any(c not in _DIGITS and c not in _SMALL and c not in _LARGE for c in words):
        return None
    if len(words) > 1 and all(c in _DIGITS for c in words):  # read digit by digit: 二〇二六
        return float("".join(str(_DIGITS[c]) for c in words))
    return float(_sum_chinese(words))


def _with_decimals(whole: str, part: str) -> float | None:
    """三点二 → 3.2: a whole number, then digits one by one."""
    before = parse_chinese(whole)
    if before is None or not part or any(c not in _DIGITS for c in part):
        return None
    return float(f"{before:.0f}.{''.join(str(_DIGITS[c]) for c in part)}")


def _sum_chinese(words: str) -> int:
    total, section, digit, unit = 0, 0, 0, 1
    for character in words:
        if character in _DIGITS:
            digit = _DIGITS[character]
            unit = 1 if character in "零〇" else unit
        elif character in _SMALL:
            section += (digit or 1) * _SMALL[character]
            digit, unit = 0, _SMALL[character]
        else:
            total = (total + section + digit or 1) * _LARGE[character]
            section, digit, unit = 0, 0, _LARGE[character]
    return total + section + digit * (unit // 10 if unit >= 100 else 1)  # 一万二 is 12,000


@cache
def _english() -> dict[str, int]:
    return {str(word): int(value) for word, value in read_table("numbers")["english"].items()}


def parse_number(text: str) -> float | None:
    """A number as typed, without its scale: 1,024 · 3.2 · 1e12 · 10^12 · 二十四 · four; None if it is none."""
    text = text.strip().lower().replace(",", "").replace("**", "^")
    if "^" in text:
        base, _, power = text.partition("^")
        return _power(base, power)
    if text[:1].isdigit():
        return _decimal(text)
    return float(_english()[text]) if text in _english() else parse_chinese(text)


def _power(base: str, power: str) -> float | None:
    if not (base.isdecimal() and power.isdecimal()):
        return None
    return min(_decimal(base) or 0.0, 1e6) ** min(int(power[:4]), 40)


def _decimal(text: str) -> float | None:
    try:
        value = float(text[:60])
    except ValueError:
        return None
    return min(value, 1e60)  # 1e999 would be infinite


_SCALES = {
    "k": 1e3, "千": 1e3, "w": 1e4, "万": 1e4, "百万": 1e6, "m": 1e6, "million": 1e6, "千万": 1e7, "亿": 1e8,
    "b": 1e9, "g": 1e9, "billion": 1e9, "十亿": 1e9, "百亿": 1e10, "千亿": 1e11, "t": 1e12, "万亿": 1e12, "trillion": 1e12,
    "thousand": 1e3, "hundred": 1e2, "百": 1e2, "打": 12, "dozen": 12,
}  # fmt: skip


def scale_of(suffix: str) -> float:
    """What a scale word multiplies by; 1 for none."""
    return _SCALES.get(suffix.strip().lower(), 1.0)


def tokens_of(value: float, suffix: str) -> float:
    """Token counts: K is 1,024 where people mean it (32K, 128K, 1M), 1,000 where they count (50k, 20k)."""
    suffix = suffix.strip().lower()
    if suffix == "k" and (value in (1, 2, 4) or value % 8 == 0):
        return value * 1024
    if suffix == "m" and value % 1 == 0:
        return value * 1024 * 1024
    return value * scale_of(suffix)


def kilobytes_as_k(lower: str, absurd: list[str]) -> str:
    """A context of "32KB" is 32K; one in gigabytes is no number of tokens, and no card has so few megabytes."""
    table = read_table("joined")["bytes"]
    card = re.search(table["card"], lower)
    if card:
        absurd.append(f"card_in_megabytes:{card.group()}")
    wrong = re.search(table["larger"], lower)
    if wrong:
        absurd.append(f"context_in_bytes:{wrong.group()}")
    return re.sub(table["thousands"], r"\1k", lower) if re.search(table["context"], lower) else lower
