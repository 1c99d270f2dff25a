"""What every part of a turn may know besides its messages."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .verdict import Verdict


class TurnOver(Exception):
    """The time of the turn is used up, or nobody waits for it any more. Never leaves the agent's thread."""


@dataclass(frozen=True)
class TurnContext:
    """`deadline` is a time of the monotonic clock; `given_up` is set when the answer no longer waits for the model; `verdicts`: of
    each draft, so that none is judged twice."""

    deadline: float = float("inf")
    given_up: threading.Event = field(default_factory=threading.Event)
    verdicts: list[Verdict] = field(default_factory=list)

    def left(self) -> float:
        """Seconds that remain, never negative."""
        return max(0.0, self.deadline - time.monotonic())

    def check(self) -> None:
        """Raises TurnOver when the turn is over."""
        if self.given_up.is_set() or time.monotonic() >= self.deadline:
            raise TurnOver
