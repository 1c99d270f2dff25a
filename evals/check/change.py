"""One change that makes a good answer wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal[
    "digit", "point", "unit", "scale", "numeral", "date",
    "type", "family", "card", "misspelt",
    "mark_unknown", "mark_other",
]  # fmt: skip


@dataclass(frozen=True)
class Change:
    """`old`, which stands at `start`, becomes `new`."""

    kind: Kind
    start: int
    old: str
    new: str

    def spoil(self, text: str) -> str:
        """The text with the change made."""
        if text[self.start : self.start + len(self.old)] != self.old:
            raise ValueError(f"{self.old!r} does not stand at {self.start}")
        return text[: self.start] + self.new + text[self.start + len(self.old) :]
