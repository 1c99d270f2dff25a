"""What of a reply goes on to the check: an answer that was cut off at its limit does not."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.messages import AIMessage

from assistant.turn.spoken import _cleaned

CALL = {"name": "get_prices", "args": {}, "id": "1", "type": "tool_call"}


@pytest.mark.parametrize(
    ("told", "kept"),
    [
        ({"finish_reason": "length"}, ""),
        ({"done_reason": "length"}, ""),
        ({"stop_reason": "max_tokens"}, ""),
        ({"finish_reason": "MAX_TOKENS"}, ""),
        ({"finish_reason": "stop"}, "选 gn7i [1]，另外它"),
        ({"finish_reason": None}, "选 gn7i [1]，另外它"),
        ({}, "选 gn7i [1]，另外它"),
    ],
)
def test_half_an_answer_is_none(told: dict[str, Any], kept: str) -> None:
    assert _cleaned(AIMessage("选 gn7i [1]，另外它", response_metadata=told), set()).text == kept


def test_calls_before_the_limit_are_made() -> None:
    assert _cleaned(AIMessage("", tool_calls=[CALL], response_metadata={"finish_reason": "length"}), set()).tool_calls == [CALL]
