"""Figures that a draft only gives as examples where it asks the user for more: "上下文多长（比如 8K）"."""

from __future__ import annotations

import re

from .figures import Figure

EXAMPLE = re.compile(r"(?:比如|例如|譬如|像|such as|for example|for instance|e\.g\.|like )[^。！？!?\n]{0,48}$")
ASKING = re.compile(r"告诉|请(?:再|先)?(?:说|提供|补充|给|确认)|说一下|给我|发我|\?|吗|[Tt]ell me|[Ll]et me know|[Pp]lease (?:give|say|provide|share)|need to know")
OPEN = frozenset({"", "parameters", "tokens", "users", "images", "bits", "pixels", "steps"})
"""What users are asked for; never memory, money or machines."""
SETTING = frozenset({"utilization"})
"""A value to try of a setting is no fact."""
LEAD = 200
"""Characters before the line in which the question that its list belongs to may stand."""


def is_example(text: str, figure: Figure) -> bool:
    """Whether a figure of a folded draft is an example of what the user is asked for, or of a setting to try."""
    item = figure.quantity
    start = text.rfind("\n", 0, item.start) + 1
    if not EXAMPLE.search(text, max(start, item.start - 60), item.start):
        return False
    if figure.labels & SETTING and 0.3 < item.plain < 1:
        return True
    end = text.find("\n", item.end)
    line = text[start : end if end >= 0 else len(text)]
    listed = re.match(r"\s*(?:[-*]|\d{1,2}[.)、]|\*\*\d)", line) is not None
    return item.dim in OPEN and bool(ASKING.search(line) or (listed and ASKING.search(text, max(0, start - LEAD), start)))
