"""Macs: their memory serves processor and GPU alike, so a model there is a sum of main memory."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True, slots=True)
class Mac:
    """A Mac named in a text, and its memory where that is said."""

    start: int
    memory_gib: float | None


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    name = re.compile(
        r"(?<![a-z])(?:i?mac(?:book)?(?:s)?(?: ?(?:mini|studio|pro|air|book))*|apple silicon|unified memory)(?![a-z0-9])"
        r"|苹果(?:电脑|笔记本|芯片|本)|统一内存|(?<![a-z0-9])m[1-5] ?(?:max|ultra|pro)(?![a-z0-9])"
    )
    memory = re.compile(r"(?<![\d.a-z])(\d{1,3}) ?gi?b?(?![a-z0-9/])")
    return name, memory


def find_mac(lower: str) -> Mac | None:
    """The first Mac of a lower-case text; its memory is the first size said that is not of a disk."""
    name, memory = _patterns()
    found = name.search(lower)
    if found is None:
        return None
    sizes = [match for match in memory.finditer(lower) if not re.match(r"\s?(?:ssd|硬盘|disk|存储)", lower[match.end() :])]
    return Mac(found.start(), float(sizes[0][1]) if sizes else None)
