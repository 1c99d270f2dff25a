"""What of a reply is said, and which calls stand in its text."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.messages import AIMessage

from assistant.chat_models.spoken import spoken_text, tool_calls_in_text

ANSWER = "选 ecs.gn7i-c8g1.2xlarge[1]，显存 24 GB。"

@pytest.mark.parametrize(
    ("text", "said"),
    [
        (ANSWER, ANSWER),
        (f"<think>hm, A100?</think>\n\n{ANSWER}", ANSWER),
        (f"<think>\n</think>{ANSWER}", ANSWER),
        (f"hm, A100?\n</think>\n{ANSWER}", ANSWER),
        ("<think>it never ends", ""),
        ("  <THINKING type='x'> it never ends", ""),
        (f"{ANSWER}<think>and now", ANSWER),
        (f"<think>a<think>b</think>c</think>{ANSWER}", ANSWER),
        (f"<thinking>a</thinking>{ANSWER}<thinking>b</thinking>", ANSWER),
        (f"<reasoning>a</reasoning>{ANSWER}", ANSWER),
        (f"◁think▷a◁/think▷{ANSWER}", ANSWER),
        ("◁think▷a", ""),
        (f"[THINK]a[/THINK]{ANSWER}", ANSWER),
        (f"＜think＞a＜/think＞{ANSWER}", ANSWER),
        (f"< think >a</ think >{ANSWER}", ANSWER),
        (f"<seed:think>a</seed:think>{ANSWER}", ANSWER),
        (f"<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>final<|message|>{ANSWER}<|return|>", ANSWER),
        ("<|channel|>analysis<|message|>hm", ""),
        (f"<think>x</think>{ANSWER}<|im_end|>", ANSWER),
        ('<tool_call>{"name": "size_llm", "arguments": {}}</tool_call>', ""),
        (f'{ANSWER}\n<tool_call>{{"name": "x"', ANSWER),
        ('{"name": "size_llm", "arguments": {"model": "Qwen2.5-72B"}}', ""),
        ('```json\n{"name": "size_llm", "arguments": {"model": "Qwen2.5-72B"}}\n```', ""),
        ("✿FUNCTION✿: size_llm\n✿ARGS✿: {}", ""),
        ("[TOOL_CALLS][{}]", ""),
        ("```tool_code\nsize_llm(model='x')\n```", ""),
        ("<thi", "<thi"),
        ("<think", ""),
        ("显存 <24 GB 的卡不够；batch<8 时 x<y", "显存 <24 GB 的卡不够；batch<8 时 x<y"),
        ("I think a <b>bold</b> answer [1].", "I think a <b>bold</b> answer [1]."),
        ('```json\n{"instance_type": "ecs.gn7i-c8g1.2xlarge"}\n```', '```json\n{"instance_type": "ecs.gn7i-c8g1.2xlarge"}\n```'),
        ("```bash\nvllm serve Qwen/Qwen3-8B --reasoning-parser qwen3\n```", "```bash\nvllm serve Qwen/Qwen3-8B --reasoning-parser qwen3\n```"),
        ("", ""),
    ],
)
def test_what_is_said(text: str, said: str) -> None:
    if text == "<thi":  # cut off within an opening tag
        said = ""
    assert spoken_text(AIMessage(text)) == said

def test_blocks_of_reasoning_are_not_said() -> None:
    blocks: list[Any] = [
        {"type": "reasoning", "reasoning": "hidden"},
        {"type": "thinking", "thinking": "hidden", "signature": "x"},
        {"type": "reasoning_content", "reasoning_content": {"text": "hidden"}},
        {"type": "tool_use", "name": "x", "input": {}, "id": "1"},
        {"type": "text", "text": "<think>hidden</think>选 A10"},
        "，24 GB",
        {"type": "text", "text": None},
        {"type": "unheard-of", "text": "hidden"},
    ]
    assert spoken_text(AIMessage(content=blocks, additional_kwargs={"reasoning_content": "hidden"})) == "选 A10，24 GB"
    assert spoken_text(AIMessage(content=[])) == ""

ARGS = {"model": "Qwen2.5-72B", "concurrency": 8}
TOOLS = {"size_llm", "search_guides"}

@pytest.mark.parametrize(
    "text",
    [
        '<tool_call>\n{"name": "size_llm", "arguments": {"model": "Qwen2.5-72B", "concurrency": 8}}\n</tool_call>',
        '<think>call it</think><tool_call>{"name": "size_llm", "arguments": "{\\"model\\": \\"Qwen2.5-72B\\", \\"concurrency\\": 8}"}',
        '好的，我来查。<tool_call>{"name":"size_llm","parameters":{"model":"Qwen2.5-72B","concurrency":8}}</tool_call>',
        "<tool_call><function=size_llm><parameter=model>\nQwen2.5-72B\n</parameter><parameter=concurrency>8</parameter></function></tool_call>",
        "<tool_call>size_llm\n<arg_key>model</arg_key>\n<arg_value>Qwen2.5-72B</arg_value>\n<arg_key>concurrency</arg_key><arg_value>8</arg_value></tool_call>",
        '✿FUNCTION✿: size_llm\n✿ARGS✿: {"model": "Qwen2.5-72B", "concurrency": 8}\n✿RESULT✿: ',
        '[TOOL_CALLS][{"name": "size_llm", "arguments": {"model": "Qwen2.5-72B", "concurrency": 8}}]',
        '[TOOL_CALLS]size_llm[ARGS]{"model": "Qwen2.5-72B", "concurrency": 8}',
        "```tool_code\nprint(default_api.size_llm(model='Qwen2.5-72B', concurrency=8))\n```",
        '```tool_call\n{"name": "size_llm", "arguments": {"model": "Qwen2.5-72B", "concurrency": 8}}\n```',
        '<function=size_llm>{"model": "Qwen2.5-72B", "concurrency": 8}</function>',
        '<|python_tag|>{"name": "size_llm", "parameters": {"model": "Qwen2.5-72B", "concurrency": 8}}',
        '{"name": "size_llm", "arguments": {"model": "Qwen2.5-72B", "concurrency": 8}}',
        '```json\n{"type": "function", "function": {"name": "size_llm", "arguments": {"model": "Qwen2.5-72B", "concurrency": 8}}}\n```',
        '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>size_llm\n```json\n{"model": "Qwen2.5-72B", "concurrency": 8}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
        '<|tool_calls_section_begin|><|tool_call_begin|>functions.size_llm:0<|tool_call_argument_begin|>{"model": "Qwen2.5-72B", "concurrency": 8}<|tool_call_end|><|tool_calls_section_end|>',
    ],
)
def test_printed_calls_are_recovered(text: str) -> None:
    message = AIMessage(text)
    calls = tool_calls_in_text(message, TOOLS)
    assert [(call["name"], call["args"], call["type"]) for call in calls] == [("size_llm", ARGS, "tool_call")]
    assert all(call["id"] for call in calls)
    assert "size_llm" not in spoken_text(message)

def test_several_calls_and_each_once() -> None:
    one = '<tool_call>{"name": "size_llm", "arguments": {"model": "a"}}</tool_call>'
    other = '<tool_call>{"name": "search_guides", "arguments": {"query": "b"}}</tool_call>'
    calls = tool_calls_in_text(AIMessage(one + "\n" + other + one), TOOLS)
    assert [call["name"] for call in calls] == ["size_llm", "search_guides"]
    assert len({call["id"] for call in calls}) == 2
    many = "".join(f'<tool_call>{{"name": "size_llm", "arguments": {{"model": "{n}"}}}}</tool_call>' for n in range(100))
    assert len(tool_calls_in_text(AIMessage(many), TOOLS)) == 8

@pytest.mark.parametrize(
    "text",
    [
        ANSWER,
        "",
        '<tool_call>{"name": "rm_rf", "arguments": {}}</tool_call>',
        '<think><tool_call>{"name": "size_llm", "arguments": {}}</tool_call></think>' + ANSWER,
        'The call would be {"name": "size_llm", "arguments": {}} in JSON.',
        '{"name": "size_llm"}',
        '<tool_call>{"name": "size_llm", "arguments": [1, 2]}</tool_call>',
        '<tool_call>{"name": ["size_llm"], "arguments": {}}</tool_call>',
        '<tool_call>{"name": "size_llm", "arguments": "not json"}</tool_call>',
        "```tool_code\n__import__('os').system('x')\n```",
        "```python\nsize_llm(model='x')\n```",
    ],
)
def test_what_is_no_call(text: str) -> None:
    assert tool_calls_in_text(AIMessage(text), TOOLS) == []

@pytest.mark.parametrize(
    "piece",
    ["<", "< " * 5, "<think>", "</think>", "<tool_call>", "{", "[", '{"a":', "✿FUNCTION✿", "<parameter=a>", "<|channel|>", "```", "<function=size_llm>", "size_llm(", "(" * 50, "<arg_key>a</arg_key>"],
)
def test_hostile_text_is_read_to_its_end(piece: str) -> None:
    """With time that grew with the square of the length this would take hours."""
    text = piece * (400_000 // len(piece))
    for message in (AIMessage(text), AIMessage(f"<tool_call>size_llm{text}"), AIMessage(f"```tool_code\nsize_llm{text}")):
        assert len(spoken_text(message)) <= len(str(message.content))
        assert len(tool_calls_in_text(message, TOOLS)) <= 8
