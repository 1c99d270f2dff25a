"""Puts digests in place of tool results before a chat model reads them: small, and with the numbers under which it cites sources."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain.agents import AgentState
from langchain.agents.middleware import AgentMiddleware
from langchain_core.messages import BaseMessage, ToolMessage
from langgraph.runtime import Runtime

from assistant.evidence import Evidence, Finding
from assistant.offline import GUARD, current_reading
from assistant.read.reading import Reading

from .digest import CAP, digest

DIGESTED = "xuanka_digest"
"""Key of tool messages whose content is a digest already: it never changes again, so that providers' prefix caches stay valid."""
QUOTING = ("search_guides", "check_claims")
"""Tools whose digests quote others."""
OF_A_TURN = 12_000
"""Characters of all digests of one turn, as long as none has to be shorter than SHORTEST."""
SHORTEST = 900


class NumberedResults(AgentMiddleware[Any, Any, Any]):
    """Each result of this turn is digested once. A later one brings its sources behind the earlier ones, so that no number changes."""

    def before_model(self, state: AgentState[Any], runtime: Runtime[Any]) -> dict[str, Any] | None:
        """Replaces what the tools returned since the model last spoke."""
        fresh = numbered(state["messages"])
        return {"messages": fresh} if fresh else None


def numbered(messages: Sequence[BaseMessage]) -> list[ToolMessage]:
    """The tool messages of the last turn that are not digested yet, digested; their ids and findings stay."""
    turn = _since_question(messages)
    waiting = [m for m in turn if isinstance(m, ToolMessage) and isinstance(m.artifact, Finding) and not _is_digested(m) and not m.additional_kwargs.get(GUARD)]
    if not waiting:
        return []
    reading, numbers = current_reading(messages), Evidence.of(messages)
    room = OF_A_TURN - sum(len(str(m.content)) for m in turn if _is_digested(m))
    done = []
    for place, message in enumerate(waiting):
        share = max(SHORTEST, min(CAP, room // (len(waiting) - place)))
        done.append(_digested(message, numbers, reading, share))
        room -= len(str(done[-1].content))
    return done


def composed_digests(messages: Sequence[BaseMessage]) -> list[str]:
    """The digests of the last turn that are wholly of our own words: what a model may repeat of them is placed and rounded by code."""
    return [str(m.content) for m in _since_question(messages) if _is_digested(m) and getattr(m, "name", None) not in QUOTING]


def _digested(message: ToolMessage, numbers: Evidence, reading: Reading, share: int) -> ToolMessage:
    finding: Finding = message.artifact
    made = digest(finding, numbers=numbers, reading=reading, budget=share)
    return message.model_copy(
        update={
            "content": made.text,
            "status": "error" if finding.error else message.status,
            "artifact": finding.model_copy(update={"derived": [*made.derived]}),
            "additional_kwargs": {**message.additional_kwargs, DIGESTED: True},
        }
    )


def _since_question(messages: Sequence[BaseMessage]) -> Sequence[BaseMessage]:
    starts = [i for i, m in enumerate(messages) if m.type == "human" and not m.additional_kwargs.get(GUARD)]
    return messages[starts[-1] + 1 :] if starts else []


def _is_digested(message: BaseMessage) -> bool:
    return bool(message.additional_kwargs.get(DIGESTED))
