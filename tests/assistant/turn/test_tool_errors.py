"""Calls that cannot run come back readable, in the question's language; calls are completed before they run."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.messages import HumanMessage, ToolMessage
from langchain_core.tools import BaseTool, StructuredTool

from assistant.read.read import read_question
from assistant.toolbox import make_toolbox
from assistant.turn.calls import complete_args
from assistant.turn.tool_errors import ToolErrors
from knowledge.errors import CloudError, UnknownModel
from knowledge.search import Library

from .test_results import Caller

ZH, EN = "Qwen2.5-7B 用什么实例？", "Which instance for Qwen2.5-7B?"


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> list[BaseTool]:
    return make_toolbox(Library.open(tmp_path_factory.mktemp("index"), embedder="none"))


def called(name: str, args: dict[str, Any], tools: list[BaseTool], *, question: str = ZH, region: str = "cn-hangzhou", wait: bool = False) -> ToolMessage:
    """What comes back of one call."""
    agent = create_agent(Caller(rounds=[[(name, args)]], seen=[]), tools, middleware=[ToolErrors(region)])
    given: Any = {"messages": [HumanMessage(question)]}
    messages = (asyncio.run(agent.ainvoke(given)) if wait else agent.invoke(given))["messages"]
    return next(message for message in messages if isinstance(message, ToolMessage))


def broken(error: Exception) -> BaseTool:
    def run() -> str:
        raise error

    return StructuredTool.from_function(run, name="broken", description="Fails.")


@pytest.mark.parametrize(
    ("name", "args", "parts"),
    [
        ("size_llm", {"model": "Qwen2.5-7B", "context": "很长"}, ("context", "很长", "整数", '"concurrency":8')),
        ("size_llm", {"model": "Qwen2.5-7B", "users": 8}, ("users", "没有参数", "concurrency")),
        ("get_prices", {}, ("names", "缺少", '{"names":["gn7i"]')),
        ("find_instances", {"precision": "int3"}, ("precision", "int3", "fp8, bf16")),
        ("size_llm", {"model": "Qwen2.5-7B", "enforce_eager": "sometimes"}, ("enforce_eager",)),
        ("size_lm", {"model": "Qwen2.5-7B"}, ("size_lm", "size_llm")),
        ("calculate", {}, ("calculate", "没有叫")),
    ],
)
def test_a_bad_call_is_told_what_is_allowed(name: str, args: dict[str, Any], parts: tuple[str, ...], tools: list[BaseTool]) -> None:
    found = called(name, args, tools)
    assert found.status == "error" and [part for part in parts if part not in str(found.content)] == []
    assert found.artifact is None and "pydantic" not in str(found.content)


@pytest.mark.parametrize(("name", "args"), [("size_llm", {"context": "long"}), ("nope", {}), ("get_prices", {})])
def test_english_questions_get_english_errors(name: str, args: dict[str, Any], tools: list[BaseTool]) -> None:
    text = str(called(name, args, tools, question=EN).content)
    assert "error: " in text and text.isascii()


@pytest.mark.parametrize("wait", [False, True])
def test_a_bug_is_logged_and_not_told(wait: bool, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR):
        found = called("broken", {}, [broken(KeyError("sk-secret at /srv/x.py"))], wait=wait)
    assert found.status == "error" and "broken" in str(found.content) and "secret" not in str(found.content)
    assert "KeyError" in caplog.text


@pytest.mark.parametrize(
    ("error", "question", "said"),
    [
        (UnknownModel("没有这个模型"), ZH, "没有这个模型"),
        (CloudError("timeout", "The cloud did not answer.", zh="云没有应答。"), ZH, "云没有应答。"),
        (CloudError("timeout", "The cloud did not answer.", zh="云没有应答。"), EN, "The cloud did not answer."),
    ],
)
def test_an_error_for_users_is_its_sentence(error: Exception, question: str, said: str) -> None:
    assert str(called("broken", {}, [broken(error)], question=question).content).endswith(said)


def test_arguments_are_completed(tools: list[BaseTool]) -> None:
    found = called("size_llm", {"model": "Qwen2.5-7B", "weight_dtype": None, "on": "A10, L20", "kv_dtype": ""}, tools, question=EN, region="cn-beijing")
    args = found.artifact.args
    assert args["language"] == "en" and args["region"] == "cn-beijing" and args["on"] == ["A10", "L20"]
    assert "weight_dtype" not in args and "kv_dtype" not in args


@pytest.mark.parametrize(
    ("question", "name", "args", "filled"),
    [
        ("上海的 gn7i 多少钱", "get_prices", {"names": ["gn7i"]}, {"region": "cn-shanghai"}),
        ("上海的 gn7i 多少钱", "get_prices", {"names": ["gn7i"], "region": "cn-beijing"}, {"region": "cn-beijing"}),
        ("请核对：A10 支持 FP8，显存 48GB。gn7i 用的是 A10。gn7e 是 80GB。", "check_claims", {"text": "A10 支持 FP8"}, {"text": "A10 支持 FP8"}),
        ("抢占式实例会被回收吗", "search_guides", {"query": "抢占式", "language": "en"}, {"query": "抢占式", "language": "zh"}),
    ],
)
def test_what_models_are_not_asked_for_comes_from_the_question(
    question: str, name: str, args: dict[str, Any], filled: dict[str, Any], tools: list[BaseTool]
) -> None:
    (tool,) = (tool for tool in tools if tool.name == name)
    made = complete_args(tool, args, read_question(question), region="cn-hangzhou")
    assert filled.items() <= made.items() and args.keys() <= made.keys()


def test_an_argument_that_another_tool_calls_so_is_understood(tools: list[BaseTool]) -> None:
    found = called("size_llm", {"arch": "Qwen2.5-7B", "dtype": "int4", "seq": 8192}, tools, question=EN)
    assert {"model": "Qwen2.5-7B", "weight_dtype": "int4", "context": 8192}.items() <= found.artifact.args.items()


def test_a_pasted_config_and_rare_settings_are_filled_in(tools: list[BaseTool]) -> None:
    (tool,) = (tool for tool in tools if tool.name == "size_llm")
    config = '{"hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32, "vocab_size": 32000, "intermediate_size": 11008}'
    made = complete_args(tool, {"context": 8192}, read_question(f"{config} 8K 上下文 4 并发要多少显存"), region="cn-hangzhou")
    assert "hidden_size" in made["config_json"] and made["context"] == 8192
