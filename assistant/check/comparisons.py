"""Comparisons of a draft in words: cheaper, faster, the cheapest, half the price, the same price elsewhere, another model that fits.

They hold no figure, so that `numbers` does not see them; prices of this turn and rates of the catalog decide.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Any

from tools.model_names import fold, names_as_written

from .draft_text import DraftText
from .figures import read_figures
from .held import stands
from .model_names import MODEL, WORD
from .name_shapes import Name
from .problem import Problem
from .promises import lower_of
from .rejecting import denies, read_words, words_pattern
from .said import Said, repeats, sentences_of
from .spoken_of import called, named_before, names_of, subjects_of
from .subjects import find_subjects
from .support import Support
from .worth import fitting, is_less, is_of, prices_of, rates_of, rates_sold

Found = Iterator[tuple[int, int, str]]
Part = Callable[[DraftText, Said, str, Support], Found]
THAN = re.compile(r"(?:比|相?较于?|than|to)\s*(?:一?[台张块个种]|an?|the)?[\s`*]*$")
DENIED = re.compile(r"(?:不|没有?|未必|并非|不是|isn't|not|n't|no|never|neither|若|如果|if|想要?|要|哪个|是否|which|whether)(?: [a-z]+){0,2}\s*更?$")
WORTH = re.compile("贵|便宜|价|费|钱|成本|快|慢|速|吞吐|cost|price|cheap|expensive|dear|bill|fast|quick|slow|speed|throughput|performance")
"""Words of price or speed."""
SIZE = re.compile(r"(?<![\w.-])\d{1,4}(?:\.\d)?b(?![a-z0-9])")
UNDER = re.compile(r"(?:less than|under|below|not even|不到|不足|低于) ?$")
OVER = re.compile(r"(?:more than|over|above|超过|不止|多于) ?$")
NEAR = 0.12
"""How far a ratio may be from its word: "twice" is said of 1.9."""
SHORTEST = 5
"""Characters of a model's name without a size."""
NUMBERS = {word: number for number, word in enumerate("一二三四五六七八九", 1)} | {"两": 2}
SHARES = {"third": 1 / 3, "quarter": 0.25, "half": 0.5, "fifth": 0.2}
LOOKS_UP = "give the figures of the tool results instead, or leave it out."


def bad_comparisons(draft: DraftText, support: Support) -> Iterator[Problem]:
    """At most one problem of each sentence."""
    lower = lower_of(draft.folded)
    hints = read_words("comparisons")["hints"]
    parts = [part for name, part in PARTS.items() if any(hint in lower for hint in hints[name])]
    if not parts:
        return
    for said in sentences_of(draft):
        text = lower[said.start : said.end]
        if "?" in said.text:
            continue
        wrong = next((found for part in parts for found in part(draft, said, text, support)), None)
        if wrong and not repeats(said, support.reference) and not denies(draft, said):
            start, end, why = wrong
            yield Problem("claim", draft.folded[said.start + start : said.start + end], said.start + start, f"“{said.plain[:80]}”: {why}")


def _orders(draft: DraftText, said: Said, text: str, support: Support) -> Found:
    """Cheaper, dearer, faster, slower, where the figures say otherwise."""
    for word in ("cheaper", "dearer", "faster", "slower"):
        for match in words_pattern("comparisons", word).finditer(text):
            if DENIED.search(text[: match.start()]) or (word in ("cheaper", "dearer") and _is_narrow(draft, said, text, match.group())):
                continue
            mine, others = _sides(draft, said, text, match.span(), support, open_=word in ("cheaper", "dearer"))
            if mine and others and all(_is_otherwise(word, one, other, support) for one in mine for other in others):
                yield *match.span(), f"the figures say otherwise of {called(mine[0])} and {called(others[0])}; {LOOKS_UP}"


def _sides(draft: DraftText, said: Said, text: str, at: tuple[int, int], support: Support, *, open_: bool) -> tuple[list[Name], list[Name]]:
    """What is compared and what it is compared with; where the sentence leaves that `open_`, the names before it and the pick."""
    names = names_of(draft, said)
    other = next((name for name in names if THAN.search(text[: name.start]) and (name.end <= at[0] or name.start >= at[1])), None)
    if other:
        start = THAN.search(text[: other.start]).start() if other.end <= at[0] else at[0]  # type: ignore[union-attr]
        before = [name for name in names if name.end <= start]
        mine = before[-1:] if before else list(named_before(draft, said))
        return [name for name in mine if called(name) != called(other)], [other]
    mine = list(subjects_of(draft, said, *at)) if open_ else []
    earlier = [*[name for name in names if name.end <= at[0]], *named_before(draft, said), *_picks(support)]
    others = {called(name): name for name in earlier if not any(_overlap(name, one) for one in mine)}
    return (mine, list(others.values())) if len(mine) == 1 else ([], [])


def _picks(support: Support) -> list[Name]:
    return [Name("type", 0, 0, machine, machine) for machine in list(fitting(support))[:1]]


def _overlap(one: Name, other: Name) -> bool:
    """Whether both may be one machine: a type and its family or card."""
    pairs = ((one, other), (other, one))
    return called(one) == called(other) or any(a.kind == "type" and is_of(a.known, b) for a, b in pairs) or bool(one.cards and one.cards == other.cards)


def _is_otherwise(word: str, mine: Name, other: Name, support: Support) -> bool:
    if word in ("faster", "slower"):
        one, two = (rates_of(mine), rates_of(other)) if word == "faster" else (rates_of(other), rates_of(mine))
        return bool(one and two) and all(a < 0.95 * x and b < 0.95 * y for a, b in one for x, y in two)
    low, high = (mine, other) if word == "cheaper" else (other, mine)
    return is_less(prices_of(low, support), prices_of(high, support)) is False


def _is_narrow(draft: DraftText, said: Said, text: str, word: str) -> bool:
    """Whether the sentence, but for its names and the word, speaks of a narrower field or of another kind of price."""
    for name in names_of(draft, said):
        text = text[: name.start] + "#" * (name.end - name.start) + text[name.end :]
    return words_pattern("comparisons", "narrows").search(text.replace(word, "")) is not None


def _cheapest(draft: DraftText, said: Said, text: str, support: Support) -> Found:
    """The cheapest, said of a machine than which a cheaper one fits."""
    for match in words_pattern("comparisons", "cheapest").finditer(text):
        if _is_narrow(draft, said, text, match.group()) or DENIED.search(text[: match.start()]):
            continue
        subjects, offers = subjects_of(draft, said, *match.span()), fitting(support)
        mine = [min((price for machine, price in offers.items() if is_of(machine, name)), default=0.0) for name in subjects]
        if mine and offers and all(price > min(offers.values()) * 1.0001 for price in mine):
            yield *match.span(), f"a cheaper machine fits by the tool results; {LOOKS_UP}"


def _strongest(draft: DraftText, said: Said, text: str, support: Support) -> Found:
    """The strongest or fastest, said of a card than which the catalog sells one that is both wider and quicker."""
    for match in words_pattern("comparisons", "strongest").finditer(text):
        if _is_narrow(draft, said, text, match.group()) or DENIED.search(text[: match.start()]):
            continue
        subjects = subjects_of(draft, said, *match.span())
        if subjects and all((rates := rates_of(name)) and all(any(a > x and b > y for a, b in rates_sold()) for x, y in rates) for name in subjects):
            yield *match.span(), f"the catalog sells stronger cards; {LOOKS_UP}"


def _multiples(draft: DraftText, said: Said, text: str, support: Support) -> Found:
    """Multiples and fractions in words that no two figures of the draft make."""
    for start, end, ratios in _ratios(text):
        if text[start:end] in support.lower or DENIED.search(text[:start]) or (words_pattern("comparisons", "memory").search(text) and not WORTH.search(text[max(0, start - 12) : end])):
            continue
        if not _is_shown(draft, said, _bounded(ratios, text[:start]), text[max(0, start - 12) : end]):
            yield start, end, f"no two figures of the answer make “{text[start:end]}”; {LOOKS_UP}"


def _ratios(text: str) -> Iterator[tuple[int, int, tuple[float, ...]]]:
    table: dict[str, Any] = read_words("comparisons")
    for language in ("zh", "en"):
        for word, ratio in table["times"][language]:
            yield from ((*match.span(), (ratio,)) for match in re.finditer(word, text))
    for match in re.finditer(table["tenths"]["zh"], text):
        if match["less"] or match["more"]:
            share = NUMBERS[match["n"]] / 10
            yield *match.span(), ((1 - share,) if match["less"] else (1 + share,))
    for match in re.finditer(table["tenths"]["en"], text):
        share = SHARES[match["part"]]
        less = match["way"] in ("cheaper", "less expensive", "slower")
        yield *match.span(), ((1 - share,) if less else (1 + share, 1 / (1 - share)))


def _bounded(ratios: tuple[float, ...], before: str) -> tuple[float, ...]:
    """The ratios that the words before leave: "less than a third" is said of 0.28 too, "more than twice" of 2.3."""
    if UNDER.search(before):
        return (*ratios, *(ratio * part for ratio in ratios for part in (0.9, 0.8)))
    return (*ratios, *(ratio * part for ratio in ratios for part in (1.1, 1.2))) if OVER.search(before) else ratios


def _is_shown(draft: DraftText, said: Said, ratios: tuple[float, ...], around: str) -> bool:
    """Whether two figures of one dimension in the draft, or the rates of two cards that the sentence names, are in that ratio."""
    money = re.search("贵|便宜|价|费|钱|成本|省|cost|price|cheap|expensive|dear|bill", around)
    speed = re.search("快|慢|速|吞吐|fast|quick|slow|speed|throughput|performance", around)
    found = [figure.quantity for figure in read_figures(draft.text)]
    pairs = []
    for one, two in combinations(found, 2):
        kind = one.dim.partition("_")[0]
        fits = (money and kind == "money") or (speed and kind in ("tokens", "bandwidth", "compute", "time")) or not (money or speed)
        if fits and one.dim == two.dim and one.per == two.per and one.values[0] and two.values[0]:
            pairs.append((one.values[0], two.values[0]))
    cards = [rate for name in names_of(draft, said) for rate in rates_of(name)] if not money else []
    pairs += [pair for one, two in combinations(cards, 2) for pair in zip(one, two, strict=True)]
    return any(abs(value / ratio - 1) <= NEAR for a, b in pairs for ratio in ratios for value in (a / b, b / a))


def _same_price(draft: DraftText, said: Said, text: str, support: Support) -> Found:
    """The same price in a region that has another one, or none on record."""
    match = words_pattern("comparisons", "same").search(text)
    if not match:
        return
    regions = {region for _, _, subject in find_subjects(said.text) for region in subject.regions}
    machines = [name for name in (*names_of(draft, said), *named_before(draft, said)) if name.kind == "type"][:1]
    if not regions or not machines:
        return
    prices = prices_of(machines[0], support)
    if any(region not in prices for region in regions) or not any(value in (prices[r] for r in regions) for region, value in prices.items() if region not in regions or len(regions) > 1):
        yield *match.span(), f"no tool result gives that price there; {LOOKS_UP}"


def _other_model(draft: DraftText, said: Said, text: str, support: Support) -> Found:
    """A model that fits although no sum of this turn was about it."""
    if not words_pattern("comparisons", "fits").search(text):
        return
    for pattern in (MODEL, SIZE, WORD):
        for match in pattern.finditer(text):
            name = match.group().strip()
            if pattern is WORD and (len(name) < SHORTEST or name.isalpha() or fold(name) not in names_as_written()):
                continue
            if not _is_summed(name, support) and not DENIED.search(text[: match.start()]) and not words_pattern("names", "unfit").search(text):
                yield *match.span(), f"no sum of this turn is about {match.group()}: call the tool for it, or leave it out."


def _is_summed(name: str, support: Support) -> bool:
    squeezed = re.sub(r"[\s-]", "", name)
    return stands(name, support.lower) or squeezed in re.sub(r"[\s-]", "", support.lower)


PARTS: dict[str, Part] = {
    "multiples": _multiples, "orders": _orders, "cheapest": _cheapest, "strongest": _strongest, "same_price": _same_price, "other_model": _other_model,
}  # fmt: skip
