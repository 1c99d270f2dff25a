"""What of a chat model's reply is said to the user: no reasoning, and no calls or marks that a model prints as text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .printed_calls import is_call_alone, tool_calls_in_text, without_calls
from .reasoning import raw_text, without_reasoning

if TYPE_CHECKING:
    from langchain_core.messages import AIMessage

__all__ = ["spoken_text", "tool_calls_in_text"]

_MARK = re.compile(r"<\|(?:im_end|im_start|endoftext|eot_id|end|start|return|eom_id|assistant|end_of_text)\|>|<｜end▁of▁sentence｜>|</s>|<end_of_turn>")


def spoken_text(message: AIMessage) -> str:
    """The text that a user may see, empty where the reply holds nothing but reasoning or calls."""
    text = without_reasoning(raw_text(message))
    if is_call_alone(text):
        return ""
    return _MARK.sub("", without_calls(text)).strip()
