"""Commands of a draft: what orders a machine must stand word for word in the evidence."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .draft_text import CODE, DraftText
from .problem import Problem
from .support import Support

ORDERS = re.compile(r"(?m)^\s*(?:aliyun |terraform |tofu |resource \"|provider \"|module \"|data \")|RunInstances|CreateInstance|alicloud_")
"""What orders machines: the cloud's command line, Terraform."""


def without_proved(draft: DraftText, support: Support) -> DraftText:
    """The draft without the code blocks that stand word for word in the evidence (`[0]` in a command cites nothing)."""
    return draft.blanked([match.span() for match in CODE.finditer(draft.folded) if match.group(1).strip() in support.text])


def bad_commands(draft: DraftText, support: Support) -> Iterator[Problem]:
    """The lines of orders that no evidence has: what creates a machine is never of a model's own making."""
    for block in draft.blocks:
        if not ORDERS.search(block.text):
            continue
        start = block.start
        for line in block.text.split("\n"):
            if line.strip() and line.strip() not in support.text:
                yield Problem("command", line.strip(), start)
            start += len(line) + 1
