"""What names, marks and addresses look like in a text, and the text without them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache

from assistant.evidence import MARK
from knowledge import facts

# ASCII look-arounds: `\b` and `\w` are Unicode in Python and miss names glued to Chinese ("选gn7i").
EDGE = r"(?<![A-Za-z0-9_.])"
NAME = re.compile(EDGE + r"(?:ecs\.[a-z0-9][a-z0-9.-]{1,60}|(?:ebm|scc|s|v)?g[nai]\d{1,3}[a-z0-9.-]{0,40})(?![A-Za-z0-9_])", re.I)
CARD = re.compile(EDGE + r"(?<![A-Za-z]-)(?:[ABHLMPTV]\d{1,3}[GS]?|GB\d{3}|MI\d{3}X?|RTX ?\d{4}|PRO \d{4})(?![A-Za-z0-9_])")
SIZED_CARD = re.compile(CARD.pattern + r"[ (（-]?(\d{1,3}) ?GB")
TOKEN = re.compile(EDGE + r"[A-Za-z][A-Za-z0-9_.+/-]*\d[A-Za-z0-9_.+/-]*")  # Qwen2.5-72B, FP8, PL3, bge-m3
URL = re.compile(r"https?://[^\s)\]]{1,300}")
LIST_ITEM = re.compile(r"(?m)^\s{0,6}(?:\*\*|#{1,4} )?\d{1,2}[.)、]\s")


def read_names(text: str) -> Iterator[str]:
    """Instance types, families and cards as written; a type also yields its name without `ecs.`."""
    plain = URL.sub(" ", text)
    for pattern in (NAME, CARD):
        for match in pattern.finditer(plain):
            name = match.group().rstrip(".-")
            yield name
            yield name.removeprefix("ecs.")


def blank_names(text: str) -> str:
    """The text with addresses, marks, list numbers and names as spaces: what is left of digits are figures."""

    def blank(match: re.Match[str]) -> str:
        return " " * len(match.group())

    for pattern in (URL, MARK, LIST_ITEM, card_labels(), NAME):
        text = pattern.sub(blank, text)
    text = SIZED_CARD.sub(lambda match: blank(match) if _is_card_size(match) else match.group(), text)
    return TOKEN.sub(blank, text)


def _is_card_size(match: re.Match[str]) -> bool:
    """Whether the card of "A100 80GB" is made in that size."""
    word, size = CARD.match(match.group()), float(match.group(1))
    name = word.group().lower() if word else ""
    return any(gpu.memory_gb == size and name in gpu.name.lower().split() for gpu in facts.gpus().values())


@cache
def card_labels() -> re.Pattern[str]:
    """Cards as the catalog words them, size included ("A100 80 GB"): one name, whose size is no free number."""
    labels = {label for row in facts.gpu_names() for label in (row.label_zh, row.label_en) if label}
    folded = sorted({unicodedata.normalize("NFKC", label) for label in labels}, key=len, reverse=True)
    return re.compile("|".join(re.escape(label) for label in folded))
