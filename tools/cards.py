"""Cards by the names people use: "A10", "a100 80g", "英伟达T4", "4090"."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cache

from knowledge.facts import gpu_names, gpus
from knowledge.rows import Gpu, GpuNames

from .phrases import Language

_MAKERS = r"(?:nvidia|英伟达|tesla|geforce|quadro)"
_TYPE_NAME = re.compile(r"(?<![a-z0-9])(?:ecs\.)?[a-z]*g[na]\d[a-z0-9]*(?:[-.][a-z0-9]+)*")
_SIZE_AFTER = re.compile(
    r"s?(?:\s*[x*×]\s*\d{1,2})?[\s\-_(（/:：]{0,3}(?:单卡|显存|版|的){0,2}\s*(\d{1,3})\s*gi?b?(?![a-z0-9])"
)
_SIZE_BEFORE = re.compile(r"(?<![\d.])(\d{1,3})\s*gi?b?\s*(?:显存|版|的){0,2}[\s\-_]{0,2}$")
_NOT_A_CARD = (
    r"(?!\s*(?:[.,]?\d|元|块钱|tokens?|个|条|路|次|张图|yuan|cny|usd|rmb|mib|m?b\b|小时|hours?))"
)
MAX_TEXT = 100_000
"""Longer text is cut; a question is never that long."""


@dataclass(frozen=True, slots=True)
class CardMention:
    """A card named in a text: the cards it may be (none: a card without figures here) and its place."""

    text: str
    start: int
    end: int
    cards: tuple[Gpu, ...]
    wrong_gb: int | None  # a size written beside the name that no card of that name has
    name: str
    label_zh: str
    label_en: str


def card_label(gpu: Gpu, language: Language) -> str:
    """Short name fit for a sentence; says so where a card is only inferred from its figures."""
    row = _rows_by_id()[gpu.gpu_id]
    return row.label_zh if language == "zh" else row.label_en


def find_cards(text: str) -> tuple[Gpu, ...]:
    """Cards that a text names, in order of their place, each once. "A100" without a size gives both sizes."""
    found = [gpu for mention in find_mentions(text) for gpu in mention.cards]
    return tuple(dict.fromkeys(found))


def resolve_card(name: str) -> tuple[Gpu, ...]:
    """Cards that `name` may mean: an id of the card table, or a name with or without a size. None: ()."""
    plain = _plain(name).strip()
    if plain in gpus():
        return (gpus()[plain],)
    mentions = find_mentions(name)
    return mentions[0].cards if len(mentions) == 1 else ()


def find_mentions(text: str) -> tuple[CardMention, ...]:
    """Every place where a card is named. Offsets are those of the NFKC form of `text`, in lower case.

    A size beside the name ("A100 80G", "32GB 的 V100") chooses among cards of that name; a size that no such card has
    stands in `wrong_gb` ("A10 40 GB") and chooses nothing.
    """
    plain = _plain(text[:MAX_TEXT])
    open_text = _TYPE_NAME.sub(lambda match: " " * len(match[0]), plain)
    return tuple(_mention(plain, match) for match in _pattern().finditer(open_text))


def _mention(plain: str, match: re.Match[str]) -> CardMention:
    rows = _rows_by_name()[_squeeze(match["name"])]
    cards = tuple(gpus()[row.gpu_id] for row in rows if row.gpu_id)
    size, end = _size_beside(plain, match)
    sized = tuple(gpu for gpu in cards if gpu.memory_gb == size)
    wrong = size if cards and not sized else None
    start = match.start("name")
    return CardMention(
        text=plain[start:end],
        start=start,
        end=end,
        cards=sized or cards,
        wrong_gb=wrong,
        name=match["name"].upper(),
        label_zh=rows[0].label_zh,
        label_en=rows[0].label_en,
    )


def _size_beside(plain: str, match: re.Match[str]) -> tuple[int | None, int]:
    """A size in GB right after the name, else right before it, and where the name with its size ends."""
    after = _SIZE_AFTER.match(plain, match.end("name"))
    if after:
        return int(after[1]), after.end()
    before = _SIZE_BEFORE.search(plain[max(0, match.start() - 20) : match.start()])
    return (int(before[1]) if before else None), match.end("name")


@cache
def _pattern() -> re.Pattern[str]:
    """One pattern of all names, longest first; a bare number (4090) only where no unit follows it."""
    names = sorted({name for row in gpu_names() for name in row.names}, key=len, reverse=True)
    spelled = [_spelled(name) + (_NOT_A_CARD if name.isdigit() else "") for name in names]
    return re.compile(
        rf"(?<![a-z0-9.¥$])(?:\d{{1,2}}\s*[x*×]\s*)?(?:{_MAKERS}[\s\-_]*)*"
        rf"(?P<name>{'|'.join(spelled)})(?=s?(?:[x*×]\d|[^a-z0-9]|$))"
    )


def _spelled(name: str) -> str:
    """Spaces and dashes of a name may each be a space, a dash, an underscore or nothing."""
    return r"[\s\-_]?".join(re.escape(part) for part in re.split(r"[\s\-]", name))


@cache
def _rows_by_name() -> dict[str, tuple[GpuNames, ...]]:
    rows: dict[str, tuple[GpuNames, ...]] = {}
    for row in gpu_names():
        for name in {_squeeze(name) for name in row.names}:
            rows[name] = (*rows.get(name, ()), row)
    return rows


@cache
def _rows_by_id() -> dict[str, GpuNames]:
    return {row.gpu_id: row for row in gpu_names() if row.gpu_id}


def _squeeze(name: str) -> str:
    return re.sub(r"[\s\-_]", "", name)


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).lower()
