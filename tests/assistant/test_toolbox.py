"""The toolbox: with schemas for a language model, without them for the rules."""

from __future__ import annotations

import json
from typing import Any

import pytest
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool

from assistant.plan import plan_calls
from assistant.read.read import read_question
from assistant.tool_schema import FILLED_IN, example_of, told
from assistant.toolbox import make_toolbox
from knowledge.search import Library


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return Library.open(tmp_path_factory.mktemp("index"), embedder="none")


def test_the_same_tools_with_and_without_schemas(library: Library) -> None:
    with_schemas, without = make_toolbox(library), make_toolbox(library, schemas=False)
    assert [tool.name for tool in with_schemas] == [tool.name for tool in without]
    assert all(isinstance(tool.args_schema, dict) for tool in without)
    assert all(tool.args or tool.name == "catalog_state" for tool in with_schemas)


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


def sent(tool: BaseTool) -> dict[str, Any]:
    """A tool as a chat model is sent it."""
    function: dict[str, Any] = convert_to_openai_tool(tool)["function"]
    return function


def test_schemas_are_flat_and_small(library: Library) -> None:
    schemas = [sent(tool) for tool in make_toolbox(library)]
    whole = json.dumps(schemas, ensure_ascii=False, separators=(",", ":"))
    assert not [word for word in ("anyOf", "null", "$ref", "$defs", '"title"', "allOf", '"default":""') if word in whole]
    assert len(whole) <= 15_000
    assert all(len(json.dumps(schema, ensure_ascii=False)) <= 1_700 for schema in schemas)
    assert all(set(field) <= {"type", "description", "enum", "items", "default"} for schema in schemas for field in schema["parameters"]["properties"].values())
    assert not [name for schema in schemas for name in schema["parameters"]["properties"] if name in FILLED_IN]


def test_closed_choices_are_listed_and_the_subject_is_required(library: Library) -> None:
    schemas = {tool.name: sent(tool)["parameters"] for tool in make_toolbox(library)}
    assert schemas["size_train"]["properties"]["method"] == {"type": "string", "enum": ["full", "freeze", "lora", "qlora", "dora"]}
    assert schemas["find_instances"]["properties"]["precision"]["enum"] == ["fp8", "bf16"]
    assert schemas["size_llm"]["required"] == ["model"] and schemas["get_prices"]["required"] == ["names"]
    assert list(schemas["size_llm"]["properties"])[:5] == ["model", "weight_dtype", "context", "concurrency", "on"]


def test_every_example_runs(library: Library) -> None:
    """What a model is shown as a call is one that finds something."""
    for tool in make_toolbox(library):
        assert told(tool.name)["does"] in tool.description and example_of(tool.name) in tool.description
        args = {**told(tool.name).get("example", {}), "language": "en"}
        message = tool.invoke({"name": tool.name, "args": args, "id": "1", "type": "tool_call"})
        assert not message.artifact.error, (tool.name, message.artifact.error)
        assert set(told(tool.name).get("example", {})) <= set(sent(tool)["parameters"]["properties"])
