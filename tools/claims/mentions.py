"""Finds what a text names: families, types, cards, sizes, precisions, disks, links, counts."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache

from knowledge import facts

from .cues import REACH, cue, is_kind
from .names import (
    card_pattern,
    card_words,
    family,
    instance,
    not_family,
    read_table,
    squeeze,
    types_of,
)

NUMBER = r"(?<![a-z0-9_.])(\d{1,3}(?:,\d{3}){1,3}|\d{1,7}(?:\.\d{1,4})?)"
NAME = re.compile(
    r"(?<![a-z0-9_])(ecs\.)?"
    r"((?:ebm|scc|hf|s|v|c)?gn\d{1,2}[a-z]{0,3}|ebmgi\d[a-z]{0,2}|ga\d|[cgr]\d{1,2}[a-z]{0,3})"
    r"((?:-[a-z0-9]{1,6}){0,3})"
    r"(\.(?:\d{1,3}x)?(?:large|small|medium|xlarge))?(?![a-z0-9_]|\.[a-z0-9])"
)


SCALES = {"万": 1e4, "千": 1e3, "k": 1e3}
"""What a sum may be written in: "2 万", "20k"."""


@cache
def parts() -> dict[str, re.Pattern[str]]:
    """Patterns of all kinds but names and cards; a kind with "_after" has its number behind the word."""
    return {
        "memory": re.compile(NUMBER + r" ?(gib?|gb|gigs?|gigabytes?|g|tb|tib|mb|mib)(?![a-z0-9]|/s|ps|bit|bps| ?/ ?s)"),
        "precision": re.compile(r"(?<![a-z0-9])(?<![a-z0-9]-)(fp8|fp16|bf16|bfloat16|tf32|fp4|nvfp4|int8|int4|float16|float8|w8a8|half precision|半精度)(?![a-z0-9])"),
        "disk": re.compile(r"(?<![a-z0-9])pl-?(\d{1,2}|x)(?![a-z0-9])"),
        "link": re.compile(r"(?<![a-z0-9])(nvlink|nvswitch|e?rdma|roce)(?![a-z0-9])"),
        "count": re.compile(r"(?<![a-z0-9_.])(\d{1,2}|[一二两三四八]|one|two|four|eight)[ -]?(?:张|块(?!钱)|卡|个 ?gpu|片|x(?![a-z]{3}|\d)|×|\*|gpus?(?![a-z])|cards?(?![a-z])|(?=(?:nvidia )?(?!gn|ga)[a-z]{1,2}\d{1,3}(?![a-rt-z0-9])))"),
        "vcpu": re.compile(r"(?<![a-z0-9_.])(\d{1,3}) ?(?:vcpus?|核(?:心)?|cores?|c(?=\d{1,4}g))"),
        "iops": re.compile(NUMBER + r" ?(万|k|m|百万|million)? ?iops(?! ?[+×*])"),
        "iops_after": re.compile(r"iops[^0-9,、;。]{0,14}" + NUMBER + r"(?![\d.]|,\d| ?[+×*]) ?(万|k|m|百万|million)?(?! ?(?:mb|gb|tb|gib|%)|[a-z])"),
        "rate": re.compile(NUMBER + r" ?(mb|gb|tb)(?:/s|ps)(?![a-z])"),
        "percent": re.compile(r"(?<![a-z0-9_.])(\d{1,3}(?:\.\d)?) ?%"),
        "params": re.compile(r"(?<![a-z0-9.x×])(\d{1,4}(?:\.\d{1,2})?) ?b(?![a-z0-9])"),
        "arch": re.compile(r"(?<![a-z])(ampere|turing|volta|hopper|blackwell|pascal|maxwell|ada(?: lovelace)?|lovelace|安培|图灵|伏特)(?![a-z])"),
        "money": re.compile(r"(?:(¥|\$|usd|cny|rmb) ?)?(?:" + NUMBER + r"|([一二两三四五六七八九])(?= ?[万千]))" + r" ?(万|千|k(?![a-z]))? ?(元|块钱?(?!卡|gpu| ?[a-z])|人民币|cny|rmb|yuan|usd|dollars?|美元|美金)?"),
        "phantom": re.compile(r"(?<=p4/)p5(?![a-z0-9])|(?<=p4、)p5(?![a-z0-9])|(?<![a-z0-9./-])p5(?= ?(?:卡|显卡|系列|gpu|cards?(?![a-z])))"),
    }  # fmt: skip


UNITS = {"memory": {"tb": 1e3, "tib": 1e3, "mb": 1e-3, "mib": 1 / 1024}, "rate": {"gb": 1e3, "tb": 1e6}}
"""What turns a unit into GB (memory) or MB/s (rate)."""


@dataclass(frozen=True, slots=True)
class Mention:
    """One named thing at [start, end) of the normalised text. `amount` is GB, percent, count or the like."""

    kind: str
    value: str
    start: int
    end: int
    amount: float = 0.0


def parse_number(text: str) -> float:
    """A plain figure: digits with thousands commas, or a small Chinese or English numeral."""
    small = {"一": 1, "二": 2, "两": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9, "one": 1, "two": 2, "four": 4, "eight": 8}
    return float(small[text]) if text in small else float(text.replace(",", ""))


def _name(match: re.Match[str]) -> Iterator[Mention]:
    prefix, stem, suffix, size = match.groups()
    short = f"{stem}{suffix}"
    start, end = match.span()
    if size:
        if not (prefix or suffix or instance(f"{short}{size}")) and any(row.instance_type.endswith(size) for row in types_of(stem)):
            yield Mention("family", stem, start, match.end(2))  # "gn7e.32xlarge", short for gn7e-c16g1.32xlarge
            return
        if not re.match(r"[cgr]\d", stem) or prefix or instance(f"{short}{size}"):
            yield Mention("type", f"ecs.{short}{size}", start, end)
        return
    if family(short) or not_family(short):
        yield Mention("family", short, start, end)
        return
    stem_end = match.end(2)
    if re.match(r"[cgr]\d", stem) and not (prefix or family(stem) or not_family(stem)):
        return
    if suffix and _wrong_suffix(stem, suffix):
        yield Mention("type", f"ecs.{short}", start, end)
        return
    if family(stem) or not_family(stem) or not _is_generation(stem):
        yield Mention("family", stem, start, stem_end)
    for part in suffix.split("-")[1:]:
        if family(part):
            place = match.start(3) + suffix.index(part)
            yield Mention("family", part, place, place + len(part))


def _is_generation(stem: str) -> bool:
    """A name without a last letter that families share (gn6, ebmgn9): people mean the generation by it."""
    return stem[-1].isdigit() and any(name.startswith(stem) for name in facts.families())


def _wrong_suffix(stem: str, suffix: str) -> bool:
    """A suffix shaped like that of a type (c8g1, 4x, m4, p4) that no type of the family has."""
    if (
        family(stem) is None
        or re.fullmatch(r"-(?:c\d{1,3}g\d|\d{1,2}x|m\d{1,2}s?|p\d|t\d)", suffix) is None
    ):
        return False
    return not any(row.instance_type.startswith(f"ecs.{stem}{suffix}.") for row in types_of(stem))


@cache
def _not_cards() -> re.Pattern[str]:
    return re.compile("|".join(read_table("words.toml")["not_cards"]["words"]))


def _cards(text: str) -> Iterator[Mention]:
    barred = [match.span() for match in _not_cards().finditer(text)]
    for match in card_pattern().finditer(text):
        if any(start <= match.start() < end for start, end in barred):
            continue
        yield Mention("card", card_words()[squeeze(match[0])], match.start(), match.end())


def _amount(kind: str, match: re.Match[str]) -> tuple[str, float]:
    if kind in ("memory", "rate"):
        number, scale = parse_number(match[1]), UNITS[kind].get(match[2], 1.0)
        binary = match[2] == "mb" and number % 1024 == 0  # 24576 MB is 24 GiB
        return match[2], number / 1024 if binary and kind == "memory" else number * scale
    if kind.startswith("iops"):
        scale = {"万": 1e4, "k": 1e3, "m": 1e6, "百万": 1e6, "million": 1e6}.get(
            match[2] or "", 1.0
        )
        return "iops", parse_number(match[1]) * scale
    if kind in ("count", "vcpu", "percent", "params"):
        return match[0], parse_number(match[1])
    if kind == "phantom":
        return "p5", 0.0
    return match[1], 0.0


def _money(text: str) -> Iterator[Mention]:
    for match in parts()["money"].finditer(text):
        number, unit = match[2] or match[3], match[1] or match[5]
        pieces = unit == "块" and "." not in number and len(number) < 3 and not match[4]  # "2 块" are cards
        if (unit and not pieces) or _is_bare_price(text, match):
            currency = (
                "USD" if unit in ("$", "usd", "dollar", "dollars", "美元", "美金") else "CNY"
            )
            amount = parse_number(number) * SCALES.get(match[4] or "", 1.0)
            yield Mention("money", currency, match.start(), match.end(), amount)


def _is_bare_price(text: str, match: re.Match[str]) -> bool:
    """ "包月 2 万", "20k a month": a sum without a currency, beside the time it is for."""
    before = text[max(0, match.start() - REACH) : match.start()]
    return bool(cue("bare_price", "before").search(before) and cue("bare_price", "after").match(text, match.end()))


def find_mentions(text: str) -> list[Mention]:
    """All mentions of a normalised text in order of their place."""
    names = list(NAME.finditer(text))
    taken = [match.span() for match in names]
    firsts = [start for start, _ in taken]
    found = [*_cards(text), *_money(text)]
    for kind, pattern in parts().items():
        if kind != "money":
            found += [
                Mention(kind.removesuffix("_after"), value, match.start(), match.end(), amount)
                for match in pattern.finditer(text)
                for value, amount in [_amount(kind, match)]
            ]
    paid = {item.start for item in found if item.kind == "money"}
    found = [item for item in found if not _inside(item, taken, firsts) and not _is_other(item, paid)]
    found += [mention for match in names for mention in _name(match)]
    return _meant(sorted(found, key=lambda mention: (mention.start, mention.end)), text)


def _meant(found: list[Mention], text: str) -> list[Mention]:
    """The mentions, with sizes that are needed, used or left over as "need", and sums saved or added as "difference"."""
    cards_at = {item.start for item in found if item.kind == "card"}
    last: Mention | None = None  # the sum before
    meant: list[Mention] = []
    for item in found:
        if item.kind == "memory" and _is_need(item, text, cards_at):
            item = replace(item, kind="need")
        elif item.kind == "money":
            if is_kind("difference", text, item.start, item.end) or _goes_on(last, item, text):
                item = replace(item, kind="difference")
            last = item
        meant.append(item)
    return meant


def _is_need(item: Mention, text: str, cards_at: set[int]) -> bool:
    """ "29.6 GiB needed", "余 41.6 GiB"; a size that names a card ("needs an 80 GB A100") is that card's own."""
    behind = (
        item.end
        + len(text[item.end : item.end + 3])
        - len(text[item.end : item.end + 3].lstrip(" 的"))
    )
    if behind in cards_at or cue("needed", "names").match(text, item.end):
        return False
    return is_kind("needed", text, item.start, item.end)


def _goes_on(last: Mention | None, item: Mention, text: str) -> bool:
    """ "saves 2 CNY per hour, about 1,460 CNY per month": the second sum is the first for another time."""
    if last is None or last.kind != "difference" or item.start - last.end > 2 * REACH:
        return False
    gap = cue("difference", "goes_on").sub("", text[last.end : item.start])
    return re.fullmatch(r"[ ,;:()/~*]*", gap) is not None


def _is_other(item: Mention, paid: set[int]) -> bool:
    """A size far below that of a card, or a count that is a sum of money ("一小时 12 块")."""
    return (item.kind == "memory" and item.amount < 1) or (item.kind == "count" and item.start in paid)


def _inside(item: Mention, taken: list[tuple[int, int]], firsts: list[int]) -> bool:
    """Whether a mention is a piece of a family or type name ("4x" in gn7i-4x.8xlarge)."""
    place = bisect_right(firsts, item.start) - 1
    return (
        place >= 0
        and item.start < taken[place][1]
        and (item.end - item.start) < taken[place][1] - taken[place][0]
    )


def levels() -> dict[str, str]:
    """Disk level names by the short form: "pl1" → "ESSD PL1"."""
    return {
        level.split()[-1].lower().replace("-", ""): level
        for level in facts.disks()
        if "PL" in level.split()[-1]
    }
