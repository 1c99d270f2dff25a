"""What a mark stands behind: the figures, names and words of a claim, and whether a source holds them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from .cited import CitedSource
from .held import stands, words_of_card
from .loose import NUMBER, SCALE
from .name_shapes import Name, find_names, uniform
from .patterns import blank_names
from .rejecting import words_pattern
from .said import LIST_SIGN, MARKS, Said, sentences_of_text
from .support import Support

MONEY = re.compile(r"\s?(?:元|块|cny|usd|rmb|美元|/小时|/月|/h(?![a-z]))", re.I)
HANZI = re.compile(r"[\u4e00-\u9fff]")
WORDS = re.compile(r"[a-z][a-z0-9.+-]{2,}|[\u4e00-\u9fff]+")
COMMON = frozenset(["the", "and", "for", "are", "that", "this", "with", "from", "have", "has", "not", "its", "one", "can", "you", "all", "but", "per", "than", "then", "which", "when", "what", "each"])
EXAMPLE = re.compile(r"(?:例如|比如|譬如|such as|for example|e\.g\.)[^。;；,，)）\n]{0,40}")
"""A value to try is the draft's own; the source need not hold it."""
COUNT = re.compile(r"(?<![\d.,])\d{1,3}(?![\d.,])")
SHARED = 0.2
"""Share of a claim's words (pairs of characters in Chinese) that its source must hold where no figure or name tells."""
FEWEST = 6
"""Words that a claim needs to be judged by them."""


Figure = tuple[float, int, tuple[float, ...]]
"""Value, decimals, and the scales that it may be counted in."""


@dataclass(frozen=True)
class Claim:
    """What stands before a mark. `money` says that one of them is a price."""

    text: str
    figures: tuple[Figure, ...]
    money: tuple[Figure, ...]
    names: tuple[Name, ...]


def claims_of(said: Said, mark: re.Match[str], line: str) -> Iterator[Claim]:
    """What a mark may stand behind, the nearest first: the words between it and the mark before (of a table its cell), the
    sentence, the line."""
    before = _last_part(said.text[: mark.start()], said.kind == "row")
    for part in dict.fromkeys((before, MARKS.sub(" ", said.text), MARKS.sub(" ", line))):
        yield _read(part)


def _last_part(text: str, row: bool) -> str:
    """The stretch behind the last mark that has words before `text` ends."""
    parts = [part for part in MARKS.split(text) if part.strip(" *_`。.,;、|()（）")]
    last = parts[-1] if parts else text
    return last.rstrip(" |").rpartition("|")[2] if row else last


@lru_cache(maxsize=512)
def _read(text: str) -> Claim:
    plain = EXAMPLE.sub(" ", blank_names(LIST_SIGN.sub("", text, count=1)))
    figures, money = [], []
    for match in NUMBER.finditer(plain):
        base = float(match.group(1).replace(",", "") + (match.group(2) or ""))
        figure = (base, len(match.group(2) or ".") - 1, SCALE[(match.group(3) or "").lower()])
        if len(re.sub(r"\D", "", match.group())) >= 2:
            figures.append(figure)
            if MONEY.match(plain, match.end()):
                money.append(figure)
    return Claim(text, tuple(figures), tuple(money), tuple(find_names(uniform(text))))


def is_held(claims: Iterable[Claim], source: CitedSource, number: int, support: Support) -> bool:
    """Whether the source holds a figure or a name of one of the claims; a price only where it holds that price.

    The nearest claim that has a price or many words decides; the line may confirm, and where nothing is told the mark is believed.
    """
    told = False
    first, *rest = claims
    line = rest[-1] if rest else None
    for claim in (first, *rest):
        if claim.money and not told:
            times = (1, *(int(count) for count in COUNT.findall(claim.text) if int(count) > 1))
            prices = [figure for figure in claim.figures if figure in claim.money or _is_long(figure)]
            return any(_holds_price(figure, source, times) for figure in prices) or (source.tells_prices and any(_is_told(figure, support.reference) for figure in prices))
        if _holds_figure(claim.figures, source) or any(_holds_name(name, source) for name in claim.names):
            return True
        words = words_in(claim.text)
        if claim is first and not claim.figures and not claim.names and len(words) >= FEWEST:
            return words_pattern("rejects", "absent").search(claim.text.lower()) is not None or _shares(words, source.text) or any(_shares(words, text) for text in _said_with(number, support.reference))
        told = told or (bool(claim.figures or claim.names) and claim is not line)
    return not told


def _holds_figure(figures: tuple[Figure, ...], source: CitedSource) -> bool:
    return any(source.has_number(value * scale, decimals if scale == 1.0 else -_zeros(scale) + decimals) for value, decimals, scales in figures for scale in scales)


def _holds_price(figure: Figure, source: CitedSource, times: tuple[int, ...]) -> bool:
    """Whether a price of the source is the figure, or a part of it by one of the numbers beside it: "4 台，合计 38.13 元/小时"."""
    value, decimals, scales = figure
    return any(source.has_price(value * scale / count, decimals if scale == 1.0 else decimals - _zeros(scale)) for scale in scales for count in times)


def _is_told(figure: Figure, reference: str) -> bool:
    """Whether the composed answer tells that price, which a row of the price list without a mark of its own may hold."""
    return _is_long(figure) and figure[:2] in _prices_of(reference)


@lru_cache(maxsize=64)
def _prices_of(text: str) -> frozenset[tuple[float, int]]:
    return frozenset(figure[:2] for figure in _read(text).money)


def _is_long(figure: Figure) -> bool:
    """Whether a figure has so many digits that it is no other one by chance: the price in "9.5326 × 24 ≈ 228.78 元"."""
    return figure[1] >= 2 and figure[0] >= 1


def _zeros(scale: float) -> int:
    return len(str(int(scale))) - 1


def _holds_name(name: Name, source: CitedSource) -> bool:
    words = words_of_card(name) if name.cards else ((name.known or name.text).lower(), (name.known or name.text).lower().removeprefix("ecs."))
    if name.kind == "family":
        words = (*words, f"ecs.{name.known}-", f"ecs.{name.known}.")
    return any(word in text and (stands(word, text) or word[-1] in "-." or bool(name.cards)) for word in words for text in (source.text, source.records))


def words_in(text: str) -> frozenset[str]:
    """Content words of a text: English words, pairs of Chinese characters."""
    found: set[str] = set()
    for word in WORDS.findall(text.lower()):
        if HANZI.match(word):
            found |= {word[i : i + 2] for i in range(len(word) - 1)}
        elif word not in COMMON:
            found.add(word)
    return frozenset(found)


def _shares(words: frozenset[str], text: str) -> bool:
    """Whether the text holds enough of the words. A text of the other language cannot tell, and is believed."""
    if not words or not text.strip():
        return True
    chinese = sum(bool(HANZI.match(word)) for word in words) * 2 > len(words)
    if chinese != bool(HANZI.search(text)):
        return True
    return sum(word in text for word in words) >= SHARED * len(words)


@lru_cache(maxsize=64)
def _said_with(number: int, reference: str) -> tuple[str, ...]:
    """The sentences of the composed answer that carry the mark."""
    return tuple(said.plain for said in sentences_of_text(reference) if f"[{number}]" in said.text)
