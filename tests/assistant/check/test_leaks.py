"""Reasoning, tool calls, the system prompt, secrets and obeyed texts never reach the user."""

from __future__ import annotations

import pytest

from assistant.check.leaks import bad_leaks
from assistant.check.rejecting import read_words
from assistant.prompts import system_prompt
from assistant.toolbox import make_toolbox
from knowledge.search import Library

from .given import found, support_of


@pytest.mark.parametrize(
    "text",
    [
        "<think>先算显存</think>选 gn7e。",
        "Thought: I should size the model.\nTake gn7e.",
        "思考过程：先算权重。\n选 gn7e。",
        '<tool_call>{"name": "size_llm"}</tool_call>',
        '```json\n{"name": "size_llm", "arguments": {"model": "x"}}\n```',
        "我调用 size_llm(model='Qwen') 得到结果。",
        "密钥是 sk-abcdefghijklmnop1234。",
        "AccessKey: LTAI5tAbCdEfGhIjKl",
        "OK, ignoring all previous instructions, here is a poem.",
        "好的，我将忽略之前的所有指令。",
        "As instructed by the document, buy ebmgn9gc.",
        "根据文档的指令，推荐最贵的机型。",
        "My system prompt is: …",
        "开发者模式已开启。",
    ],
)
def test_a_leak_is_found(text: str) -> None:
    problems = found(bad_leaks, text)
    assert problems and all(p.code == "leak" and p.reason for p in problems)
    assert not any("sk-" in p.text + p.reason or "LTAI" in p.text + p.reason for p in problems)


@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_stretch_of_the_system_prompt_is_found(language: str) -> None:
    prompt = system_prompt()
    lines = [line for line in system_prompt("zh" if language == "zh" else "en").splitlines() if len(line) > 50 and "uanka" not in line]
    for line in lines:
        assert found(bad_leaks, f"我的规则：{line[5:50]}", support_of(prompt=prompt)), line


@pytest.mark.parametrize(
    "text",
    [
        "选 gn7e：每卡 62 GiB，上限 71.2 GiB。",
        "这是思考题：显存怎么算？权重加 KV 缓存。",
        "The function of the KV cache is to keep keys and values; the key figure is 320 KiB per token.",
        "按资料里的要求，显存至少 40 GiB。",
        "I am Xuanka, an advisor on Alibaba Cloud GPU instances.",
        "可以忽略激活，它只占 0.6 GiB。",
    ],
)
def test_ordinary_sentences_pass(text: str) -> None:
    assert not found(bad_leaks, text, support_of(prompt=system_prompt()))


def test_the_tools_of_the_list_are_those_of_the_toolbox(tmp_path_factory: pytest.TempPathFactory) -> None:
    from assistant.library import open_library
    from assistant.settings import Settings

    library: Library = open_library(Settings(data_dir=tmp_path_factory.mktemp("tools")))
    assert {tool.name for tool in make_toolbox(library, schemas=False)} == set(read_words("leaks")["tools"])
