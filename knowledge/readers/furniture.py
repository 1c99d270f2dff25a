"""Takes page furniture out of a text: menus, share and like lines, rights, dates and counters, by the patterns of furniture.toml.

Content is never eaten: only whole lines go, only short ones, none inside a code fence, and none that holds a figure unless the
line is nothing but counters, page numbers or rights. Dates are no figures here.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.resources import files

LONGEST = 320
"""A line of furniture is no longer; longer ones are prose."""
DATE = (
    r"(?:19|20)\d\d\s?[-/.年]\s?\d{1,2}(?:\s?[-/.月]\s?\d{1,2}\s?日?)?(?:[\sT]*\d{1,2}:\d\d(?::\d\d)?(?:\s?[AP]M)?(?:Z|[+-]\d\d:?\d\d)?)?"
    r"|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?\s+\d{1,2},?\s+(?:19|20)\d\d"
    r"|\d{1,2}\s+(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?,?\s+(?:19|20)\d\d"
)
LINK = r"[^。！!；;\n]{0,100}"
BETWEEN = r"[\s|·•>/,，、()（）\[\]:：]*"
_DATE = re.compile(DATE, re.I)
_URL = re.compile(r"(?:https?://|www\.)\S+")
_FIGURE = re.compile(
    r"(?<![a-z])[a-z]{1,4}-?\d|\d\s*(?:[gtmk]i?b?(?![a-z])|元|美元|usd|cny|%|％|核|卡|张|块|台|小时|月|年|亿|万|倍|vcpu|iops|tflops|w(?![a-z])|b(?![a-z])|bit|位|cores?|gpus?|cards?|hours?)"
    r"|[¥￥$]\s*\d",
    re.I,
)
_MARKS = re.compile(r"^[\s>#*•·\-–—_|\[【]+|[\s*_|\]】]+$")
_FENCE = re.compile(r"\s*(```|~~~)")


def clean_text(text: str) -> str:
    """`text` without its furniture, and never more than one blank line in a row."""
    kept: list[str] = []
    fenced = False
    for line in text.splitlines():
        fenced ^= bool(_FENCE.match(line))
        if not fenced and is_furniture(line):
            continue
        if fenced or line.strip() or (kept and kept[-1].strip()):
            kept.append(line.rstrip())
    return "\n".join(kept).strip("\n")


def is_furniture(line: str) -> bool:
    """Whether a whole line is page furniture. A heading or a table row never is."""
    if not line.strip() or len(line) > LONGEST or line.lstrip().startswith(("#", "|")):
        return False
    bare = _MARKS.sub("", line)
    if not bare:
        return False
    figures, others = _patterns()
    return bool(figures.fullmatch(bare)) or (bool(others.fullmatch(bare)) and not holds_figure(_DATE.sub("", bare)))


def holds_figure(text: str) -> bool:
    """Whether a figure with its unit, or a name such as A10, gn7i or FP8 stands in the text; addresses do not count."""
    return bool(_FIGURE.search(_URL.sub("", text)))


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """(lines that may hold figures, the others)."""
    table = tomllib.loads(files("knowledge").joinpath("data", "furniture.toml").read_text(encoding="utf-8"))
    chrome = table["chrome"]
    words = "|".join(chrome["words"])
    several = rf"(?:(?:{words}){BETWEEN}){{1,12}}"
    return _any(_flat(table["figures"].values())), _any([several, *table["dated"]["lines"], *chrome["lines"]])


def _flat(groups: Iterable[list[str]]) -> Iterator[str]:
    for group in groups:
        yield from group


def _any(forms: Iterable[str]) -> re.Pattern[str]:
    filled = (form.replace("{date}", f"(?:{DATE})").replace("{link}", LINK) for form in forms)
    return re.compile("|".join(f"(?:{form})" for form in filled), re.I)
