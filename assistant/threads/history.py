"""What a chat model is shown of a conversation: pairs of question and checked answer, never half a pair.

Providers keep the beginning of a request that they have seen before and bill it less. So turns do not leave one by one: when
they grow over the limit, the older half goes at once, and the beginning stays as it is for many turns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .thread import Thread, Turn, shorten

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

LONGEST = 4
"""A message has at most one part in so many of the whole budget."""


def messages_of(thread: Thread, *, budget_chars: int) -> list[BaseMessage]:
    """The turns of a thread as messages of at most `budget_chars` characters in all; long ones without their middle."""
    from langchain_core.messages import AIMessage, HumanMessage

    limit = max(1, budget_chars // LONGEST)
    window: list[tuple[str, str]] = []
    for turn in thread.turns:
        window.append(_pair(turn, limit))
        if sum(len(question) + len(answer) for question, answer in window) > budget_chars:
            window = window[(len(window) + 1) // 2 :]
            while sum(len(question) + len(answer) for question, answer in window) > budget_chars:
                window = window[1:]
    return [message for question, answer in window for message in (HumanMessage(question), AIMessage(answer))]


def _pair(turn: Turn, limit: int) -> tuple[str, str]:
    return shorten(turn.question, limit), shorten(turn.answer, limit)
