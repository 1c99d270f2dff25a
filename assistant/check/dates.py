"""Dates and versions of a draft: a full date must be known, a version must be the one that evidence states."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from .problem import Problem

if TYPE_CHECKING:
    from .draft_text import DraftText
    from .support import Support

MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_MONTH = r"(Jan|Feb|Mar|Apr|May|June?|July?|Aug|Sept?|Oct|Nov|Dec)[a-z]*\.?"
DATE = re.compile(
    r"(?<!\d)(?:(?P<y1>(?:19|20)\d\d) ?[-/.年] ?(?P<m1>\d{1,2})(?: ?[-/.月] ?(?P<d1>\d{1,2})(?:日|号)?|(?: ?月)?)(?![\d.]\d)"
    rf"|{_MONTH} (?P<d2>\d{{1,2}})(?:st|nd|rd|th)?,? (?P<y2>(?:19|20)\d\d)"
    r"|(?P<d3>\d{1,2})(?:st|nd|rd|th)? (?P<month3>Jan|Feb|Mar|Apr|May|June?|July?|Aug|Sept?|Oct|Nov|Dec)[a-z]*\.?,? (?P<y3>(?:19|20)\d\d)"
    rf"|(?P<month4>Jan|Feb|Mar|Apr|May|June?|July?|Aug|Sept?|Oct|Nov|Dec)[a-z]*\.? (?P<y4>(?:19|20)\d\d))(?!\d)"
)
YEAR = re.compile(r"(?<![\d.,])(?:19[89]\d|20[0-4]\d)(?= ?年(?!以)|[^\d\w.,%]|[,.](?!\d)|$|[一-鿿])(?! ?(?:GiB|GB|MiB|元|token|CNY|USD|张|台|路|美元|小时|hours?))")
VERSION = re.compile(
    r"(?<![A-Za-z])(vLLM|SGLang|CUDA|PyTorch|torch|cuDNN|Python|Transformers|transformers|NVIDIA driver|[Dd]river|驱动|TensorRT(?:-LLM)?|Ubuntu|Alibaba Cloud Linux|DeepSpeed|Megatron|Ollama|ollama|llama\.cpp|flash-attn|FlashAttention|ms-swift|NCCL|Kubernetes|GRID|OpenMMLab|MMCV|mmcv|MMSegmentation)"
    r"(?: ?(?:版本|版|version|v|≥|>=|==|=|~=|及以上))* ?v?(\d{1,4}(?:\.\d{1,5}){0,3})(?![\d]|\.\d| ?(?:GiB|GB|%|张|台|路|元|cards?|GPUs?|ms|MiB))"
)


def blank_dates(text: str) -> str:
    """The text with dates, bare years and versions as spaces."""
    for pattern in (DATE, VERSION, YEAR):
        text = pattern.sub(lambda match: " " * len(match.group()), text)
    return text


def read_dates(text: str) -> Iterator[tuple[int, int, tuple[int, int, int]]]:
    """Dates with their places as (year, month, day); day 0 where only the month is said."""
    for m in DATE.finditer(text):
        if m["y1"]:
            date = int(m["y1"]), int(m["m1"]), int(m["d1"] or 0)
        elif m["y2"]:
            date = int(m["y2"]), _month(m.group().lower()), int(m["d2"])
        elif m["y3"]:
            date = int(m["y3"]), _month(m["month3"].lower()), int(m["d3"])
        else:
            date = int(m["y4"]), _month(m["month4"].lower()), 0
        yield m.start(), m.end(), date


def bad_dates(draft: DraftText, support: Support) -> Iterator[Problem]:
    """Dates that nothing holds, and versions of a program whose version evidence states otherwise."""
    for start, end, date in read_dates(draft.text):
        if date not in support.known.dates:
            yield Problem("number", draft.folded[start:end], start, f"The date {draft.folded[start:end]} is in no tool result: use the dates that they give.")
    for match in VERSION.finditer(draft.text):
        known = {version for program, version in support.known.versions if program == match.group(1).lower()}
        if known and not any(_same_version(match.group(2), version) for version in known):
            yield Problem("number", match.group(), match.start(), f"{match.group(1)} {match.group(2)} is in no tool result; they say {', '.join(sorted(known)[:3])}.")


def known_dates(text: str) -> frozenset[tuple[int, int, int]]:
    """The dates of a text, and the months that they are in."""
    dates = {date for _, _, date in read_dates(text)}
    return frozenset(dates | {(year, month, 0) for year, month, _ in dates})


def known_versions(text: str) -> frozenset[tuple[str, str]]:
    """The versions that a text names, each with its program."""
    return frozenset((match.group(1).lower(), match.group(2)) for match in VERSION.finditer(text))


def _same_version(said: str, known: str) -> bool:
    return known == said or known.startswith(said + ".") or said.startswith(known + ".")


def _month(word: str) -> int:
    return MONTHS.index(word[:3]) + 1
