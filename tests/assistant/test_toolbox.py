"""The toolbox: with schemas for a language model, without them for the rules."""

from __future__ import annotations

from typing import Any

import pytest

from assistant.plan import plan_calls
from assistant.read.read import read_question
from assistant.toolbox import make_toolbox
from knowledge.search import Library


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return Library.open(tmp_path_factory.mktemp("index"), embedder="none")


def test_the_same_tools_with_and_without_schemas(library: Library) -> None:
    with_schemas, without = make_toolbox(library), make_toolbox(library, schemas=False)
    assert [tool.name for tool in with_schemas] == [tool.name for tool in without]
    assert all(isinstance(tool.args_schema, dict) for tool in without)
    assert all(tool.args for tool in with_schemas)


QUESTIONS = (
    "Qwen2.5-72B int4，32K，8 并发，上海", "Qwen2.5-7B, 5 requests per second: which instance?", "LoRA 微调 Qwen2.5-7B 用什么卡",
    "SegFormer-B2 crop 512 batch 8", "bge-m3 要多少显存", "SDXL 出图 1024", "whisper-large-v3 要什么卡", "DeepSeek-R1 专家放内存 512G 内存",
    "Qwen2.5-7B 用 CPU 跑", "gn7i 多少钱", "gn7v 是 A100 吗？", "which instances have NVLink under 20 yuan an hour?",
    "gn7i 每月用 200 小时，包月划算吗", "API 每百万 2 元，每天输入 900 万、输出 100 万 token，A10 上跑 Qwen2.5-7B 合算吗", "gn7i 两台包月三个月怎么买", "新加坡有 A100 吗",
    "价格是哪天的", "每月 5000 以内", "成都有哪些显卡", "LoRA 微调 Qwen2.5-7B，一个月 8000 以内",
)  # fmt: skip


@pytest.mark.parametrize("question", QUESTIONS)
def test_what_the_rules_say_passes_the_schemas(library: Library, question: str) -> None:
    """The rules' calls are not checked when they are made: so they are checked here."""
    schemas: dict[str, Any] = {tool.name: tool.args_schema for tool in make_toolbox(library)}
    calls = plan_calls(read_question(question), region="cn-hangzhou")
    assert calls
    for call in calls:
        schemas[call.tool].model_validate(call.args)
        assert set(call.args) <= set(schemas[call.tool].model_fields)
