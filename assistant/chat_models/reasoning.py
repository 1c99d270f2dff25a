"""Takes the reasoning out of a reply: content blocks, and what models print between tags of many kinds."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from langchain_core.messages import AIMessage

_WORDS = r"(?:antml:)?(?:think|thinking|thought|thoughts|reasoning|reason|reflection|analysis|scratchpad|inner_monologue)|seed:think"
_TAG = re.compile(
    rf"[<＜]\s{{0,8}}(?P<shut>/?)\s{{0,8}}(?:{_WORDS})(?:\s[^<>]{{0,80}})?\s*/?(?:[>＞]|$)"  # <think>, </think >, cut off at the end
    r"|◁(?P<shut_kimi>/?)think▷"
    r"|\[(?P<shut_mistral>/?)THINK\]",
    re.IGNORECASE,
)
_CUT_TAG = re.compile(r"[<＜◁]/?(?:th|thi|thin|rea|reas|reaso|reason|reasoni|reasonin|think|thinki|thinkin)$", re.IGNORECASE)
_HARMONY = re.compile(r"<\|channel\|>\s*(\w+)[^<]{0,80}<\|message\|>")


def raw_text(message: AIMessage) -> str:
    """Text of a reply as the model wrote it; content blocks of reasoning, calls and files are none."""
    content = message.content
    if isinstance(content, str):
        return content
    said = (block if isinstance(block, str) else block.get("text", "") if block.get("type") in ("text", "output_text") else "" for block in content)
    return "".join(piece for piece in said if isinstance(piece, str))


def without_reasoning(text: str) -> str:
    """A text without what stands between tags of reasoning.

    A closing tag that nothing opened ends reasoning that began with the text (templates print the opening tag themselves); an
    opening tag that nothing closes begins reasoning that lasts to the end.
    """
    text = _final_channel(text)
    kept: list[str] = []
    start, reasoning = 0, False
    for tag in _TAG.finditer(text):
        if any(tag[name] for name in ("shut", "shut_kimi", "shut_mistral")):
            kept = kept if reasoning else []
            start, reasoning = tag.end(), False
        elif not reasoning:
            kept.append(text[start : tag.start()])
            start, reasoning = tag.end(), True
    if not reasoning:
        kept.append(text[start:])
    return _CUT_TAG.sub("", "".join(kept)).strip() if kept else ""


def _final_channel(text: str) -> str:
    """Of a reply in OpenAI's harmony format that a server did not parse, the part for the user."""
    channels = list(_HARMONY.finditer(text))
    if not channels:
        return text
    last = channels[-1]
    return text[last.end() :] if last[1] == "final" else ""
