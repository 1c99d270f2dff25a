"""What every part of a turn may know besides its messages."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from operator import is_
from typing import TYPE_CHECKING

from assistant.evidence import Evidence

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

    from .verdict import Verdict


class ModelFailed(Exception):
    """What a chat model's client raised; that is the cause. Anything else that is raised in a turn is a fault of ours."""


class TurnOver(Exception):
    """The time of the turn is used up, or nobody waits for it any more. Never leaves the agent's thread."""


@dataclass(frozen=True)
class TurnContext:
    """`deadline` is a time of the monotonic clock; `given_up` is set when the answer no longer waits for the model; `verdicts`: of
    each draft, so that none is judged twice."""

    deadline: float = float("inf")
    given_up: threading.Event = field(default_factory=threading.Event)
    verdicts: list[Verdict] = field(default_factory=list)

    def evidence_of(self, messages: Sequence[BaseMessage]) -> Evidence:
        """The evidence of the turn: the very one of the last verdict where nothing was found since."""
        evidence = Evidence.of(messages)
        before = self.verdicts[-1].evidence if self.verdicts else None
        same = before is not None and len(before.findings) == len(evidence.findings) and all(map(is_, before.findings, evidence.findings))
        return before if before is not None and same else evidence

    def left(self) -> float:
        """Seconds that remain, never negative."""
        return max(0.0, self.deadline - time.monotonic())

    def check(self) -> None:
        """Raises TurnOver when the turn is over."""
        if self.given_up.is_set() or time.monotonic() >= self.deadline:
            raise TurnOver
