"""What the check finds in a draft."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Code = Literal["name", "number", "citation", "command", "claim", "link", "language", "leak", "unanswered"]


@dataclass(frozen=True)
class Problem:
    """One thing in a draft that nothing supports. `text` is the draft's own wording, `start` its place in the folded text.

    `reason` tells a chat model in one sentence what is wrong and what to do; it must not bring the wrong figure or name into
    the evidence, so messages that quote it are marked as the guard's.
    """

    code: Code
    text: str
    start: int
    reason: str = ""
