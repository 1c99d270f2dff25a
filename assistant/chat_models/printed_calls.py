"""Tool calls that a small model prints as text, as Qwen, Mistral, Llama, DeepSeek and Gemma templates write them."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Collection, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from .reasoning import raw_text, without_reasoning

if TYPE_CHECKING:
    from langchain_core.messages import AIMessage
    from langchain_core.messages.tool import ToolCall

MOST_CALLS = 8
MOST_CHARS = 20_000
"""Of a text; a call stands at its beginning or is the whole of it."""
MOST_ARGUMENTS = 40

# How calls open and how they end; what is not ended goes on to the end of the text.
_KINDS = (
    ("<tool_call>", "</tool_call>"),
    ("<tool_calls>", "</tool_calls>"),
    ("<|tool_call|>", "<|/tool_call|>"),
    ("<|tool_call>", "<tool_call|>"),
    ("<function_call>", "</function_call>"),
    ("<functioncall>", "</functioncall>"),
    ("<function=", "</function>"),
    ("✿FUNCTION✿", "✿RETURN✿"),
    ("[TOOL_CALLS]", "\x00"),
    ("[TOOL_REQUEST]", "[END_TOOL_REQUEST]"),
    ("```tool_code", "```"),
    ("```tool_call", "```"),
    ("<|python_tag|>", "\x00"),
    ("<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>"),
    ("<｜tool▁call▁begin｜>", "<｜tool▁call▁end｜>"),
    ("<｜DSML｜function_calls>", "</｜DSML｜function_calls>"),
    ("<|tool_calls_section_begin|>", "<|tool_calls_section_end|>"),
)
_OPENING = re.compile("|".join(re.escape(opening) for opening, _ in _KINDS), re.IGNORECASE)
_ENDS = {opening.lower(): end for opening, end in _KINDS}
_FENCE = re.compile(r"^```[a-z_]*\s*\n?|\n?```$")
_XML_FUNCTION = re.compile(r"<function=\s*[\"']?([\w.\-]+)[\"']?\s*>")
_XML_ARGUMENT = re.compile(r"<parameter=\s*[\"']?([\w.\-]+)[\"']?\s*>|<arg_key>\s*([\w.\-]+)\s*</arg_key>\s*<arg_value>")
_XML_ENDS = ("</parameter>", "</arg_value>")
_NAME_FIRST = re.compile(r"(?:✿FUNCTION✿\s*[:：]?|\[TOOL_CALLS\]|<tool_call>|<｜tool▁sep｜>|functions\.)\s*([\w.\-]+)")
_DECODER = json.JSONDecoder()


def tool_calls_in_text(message: AIMessage, tools: Collection[str]) -> list[ToolCall]:
    """Calls of known tools that stand in the text of a reply instead of its field, at most MOST_CALLS; none in its reasoning."""
    text = without_reasoning(raw_text(message))[:MOST_CHARS]
    regions = [text] if is_call_alone(text) else [text[start:end] for start, end in _regions(text)]
    found = [call for region in regions for call in _calls_of(region, tools)]
    unique = {json.dumps([name, args], sort_keys=True, default=str): (name, args) for name, args in found}
    made: list[ToolCall] = [
        {"name": name, "args": args, "id": f"printed-{uuid4().hex[:12]}", "type": "tool_call"}
        for name, args in [*unique.values()][:MOST_CALLS]
    ]
    return made


def without_calls(text: str) -> str:
    """A text without the calls that are printed in it."""
    kept, start = [], 0
    for begin, end in _regions(text):
        kept.append(text[start:begin])
        start = end
    return "".join([*kept, text[start:]]).strip()


def is_call_alone(text: str) -> bool:
    """Whether a text is nothing but a call in JSON, bare or in a fence."""
    bare = _FENCE.sub("", text.strip()).strip()
    if not bare.startswith(("{", "[")) or len(bare) > MOST_CHARS:
        return False
    try:
        value, end = _DECODER.raw_decode(bare)
    except (ValueError, RecursionError):
        return False
    items = value if isinstance(value, list) else [value]
    return not bare[end:].strip(" ;\n") and bool(items) and all(_named_call(item) is not None for item in items)


def _regions(text: str) -> Iterator[tuple[int, int]]:
    """Where calls are printed, one after the other."""
    position = 0
    while found := _OPENING.search(text, position):
        ending = _ENDS[found[0].lower()]
        end = text.find(ending, found.end())
        position = len(text) if end < 0 else end + len(ending)
        yield found.start(), position


def _calls_of(region: str, tools: Collection[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Calls of known tools in one region, by whichever syntax it has them."""
    if not any(name in region for name in tools):
        return
    ways = (_json_calls(region), _xml_calls(region), _name_first_calls(region), _python_calls(region))
    for way in ways:
        known = [(name, args) for name, args in way if name in tools]
        if known:
            yield from known
            return


def _json_calls(region: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """`{"name": …, "arguments": {…}}`, once or several times."""
    for value in _json_values(region):
        for item in value if isinstance(value, list) else [value]:
            if (call := _named_call(item)) is not None:
                yield call


def _json_values(region: str) -> Iterator[Any]:
    """Objects and lists that stand in a text, the outermost ones, at most MOST_CALLS."""
    position = count = 0
    while count < MOST_CALLS and (opening := re.compile(r"[\[{]").search(region, position)):
        count += 1
        try:
            value, position = _DECODER.raw_decode(region, opening.start())
        except (ValueError, RecursionError):
            position = opening.end()
            continue
        yield value


def _named_call(item: Any) -> tuple[str, dict[str, Any]] | None:
    if not isinstance(item, dict):
        return None
    if isinstance(item.get("function"), dict):
        item = item["function"]
    name = item.get("name") or item.get("tool") or item.get("function")
    args = next((item[key] for key in ("arguments", "parameters", "args", "tool_input") if key in item), None)
    if isinstance(args, str):
        try:
            args = json.loads(args or "{}")
        except (ValueError, RecursionError):
            return None
    return (_last_name(name), args) if isinstance(name, str) and isinstance(args, dict) else None


def _xml_calls(region: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Qwen3-Coder (`<function=name><parameter=key>value</parameter>`), and Llama's `<function=name>{…}</function>`."""
    yield from _headed_calls(_XML_FUNCTION, region)


def _xml_arguments(body: str) -> dict[str, Any]:
    arguments: dict[str, Any] = {}
    for found in _XML_ARGUMENT.finditer(body):
        ends = [place for place in (body.find(end, found.end()) for end in _XML_ENDS) if place >= 0]
        text = body[found.end() : min(ends, default=len(body))].strip()
        if len(arguments) < MOST_ARGUMENTS:
            arguments[found[1] or found[2]] = _value(text)
    return arguments


def _name_first_calls(region: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """`✿FUNCTION✿: name ✿ARGS✿: {…}`, `[TOOL_CALLS]name{…}`, GLM's `<tool_call>name<arg_key>…`, DeepSeek's `…｜tool▁sep｜>name`."""
    yield from _headed_calls(_NAME_FIRST, region)


def _headed_calls(head_of_call: re.Pattern[str], region: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Calls whose name stands before their arguments, which reach to the next name."""
    heads = list(islice(head_of_call.finditer(region), MOST_CALLS + 1))
    ends = [head.start() for head in heads[1:]] + [len(region)]
    for head, end in zip(heads, ends, strict=False):
        body = region[head.end() : end]
        values = [value for value in _json_values(body) if isinstance(value, dict)]
        yield _last_name(head[1]), _xml_arguments(body) or (values[0] if values else {})


def _python_calls(region: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Gemma's `tool_code`: `print(default_api.name(key="value"))`, `[name(key=1)]`. Only literals count."""
    code = _FENCE.sub("", _OPENING.sub("", region, count=1).strip()).strip()
    try:
        tree = ast.parse(code[:4000])
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in [node for node in ast.walk(tree) if isinstance(node, ast.Call)][:MOST_CALLS]:
        name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        try:
            yield name, {word.arg: ast.literal_eval(word.value) for word in node.keywords[:MOST_ARGUMENTS] if word.arg}
        except (ValueError, TypeError, RecursionError):
            continue


def _last_name(name: str) -> str:
    """functions.size_llm:0, default_api.size_llm → size_llm."""
    return re.sub(r":\d+$", "", name).rpartition(".")[2]


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
