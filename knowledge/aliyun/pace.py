"""One slow worker: calls are spread out, slow down when the cloud says so, and are tried again while that may help."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from .faults import MAX_WAIT_S, Fault

Answer = TypeVar("Answer")

FIRST_WAIT_S = 1.0
"""Before the second try; doubled for each further one."""
HICCUPS = 3
"""Attempts at what is not throttled but broken, slow or out of reach: waiting helps less there."""
SLOWEST_S = 10.0
"""Between calls, after many refusals."""


class Pace:
    """Between two calls at least `1 / calls_per_second` pass. A throttled call doubles that, each answered one takes a
    tenth off again. Waits are what the server asks for, else doubled from one second on."""

    def __init__(
        self,
        calls_per_second: float,
        *,
        attempts: int,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._usual = self._gap = 1 / calls_per_second
        self._attempts = attempts
        self._clock, self._sleep = clock, sleep
        self._next = clock()

    def run(self, call: Callable[[], Answer | Fault]) -> Answer | Fault:
        """The answer, or the fault of the last attempt."""
        for attempt in range(1, self._attempts + 1):
            self._take_turn()
            answer = call()
            if not isinstance(answer, Fault):
                self._gap = max(self._usual, self._gap * 0.9)
                return answer
            busy = answer.error.kind == "throttled"
            if busy:
                self._gap = min(max(self._gap * 2, self._usual), SLOWEST_S)
            if not answer.passing or attempt >= (self._attempts if busy else min(self._attempts, HICCUPS)):
                break
            self._sleep(self._wait(answer, attempt))
        return answer

    def _take_turn(self) -> None:
        now = self._clock()
        if now < self._next:
            self._sleep(self._next - now)
        self._next = max(now, self._next) + self._gap

    @staticmethod
    def _wait(fault: Fault, attempt: int) -> float:
        if fault.wait_s is not None:
            return fault.wait_s
        return float(min(FIRST_WAIT_S * 2 ** (attempt - 1), MAX_WAIT_S))
