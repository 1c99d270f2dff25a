"""From a reading to tool calls: which tools, with which arguments."""

from __future__ import annotations

import pytest

from assistant.plan import PlannedCall, plan_calls
from assistant.read.read import read_question


def plan(question: str) -> list[PlannedCall]:
    return plan_calls(read_question(question), region="cn-hangzhou")


@pytest.mark.parametrize(
    ("question", "tools"),
    [
        ("Qwen2.5-7B bf16 8K 4 并发用什么实例", {"size_llm", "search_guides"}),
        ("Which instance for Qwen2.5-7B in bf16, 8K, 4 users?", {"size_llm", "search_guides"}),
        ("gn6i-c4g1.xlarge 多少钱一小时", {"get_prices", "search_guides"}),
        ("gn6i-c4g1.xlarge price per hour", {"get_prices", "search_guides"}),
        ("gn7v 是 A100 吗？", {"check_claims", "look_up_names", "search_guides"}),
        ("Is gn7v an A100 family?", {"check_claims", "look_up_names", "search_guides"}),
        ("哪些实例有 NVLink", {"find_instances", "search_guides"}),
        ("which instances have NVLink?", {"find_instances", "search_guides"}),
        ("今天天气怎么样", {"search_guides"}),
        ("write a poem", {"search_guides"}),
        ("-5 并发跑 Qwen2.5-7B", set()),
    ],
)
def test_tools(question: str, tools: set[str]) -> None:
    assert {call.tool for call in plan(question)} == tools


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Qwen2.5-72B int4，32K，8 并发，上海", {"weight_dtype": "int4", "context": 32768, "concurrency": 8, "region": "cn-shanghai"}),
        ("Qwen2.5-72B int4, 32K, 8 users, Shanghai", {"weight_dtype": "int4", "context": 32768, "concurrency": 8, "region": "cn-shanghai"}),
        ("4 张 T4 能跑 Qwen2.5-14B 吗", {"on": ["nvidia-t4x4"]}),
        ("8 × 80 GB 够 DeepSeek-V3 吗", {"on": ["nvidia-a100-80gbx8"]}),
        ("每小时 20 元以内跑 Qwen2.5-7B", {"max_hourly": 20.0}),
    ],
)  # fmt: skip
def test_arguments_of_a_sizing(question: str, expected: dict[str, object]) -> None:
    args = next(call.args for call in plan(question) if call.tool == "size_llm")
    assert {key: args[key] for key in expected} == expected


def test_a_wrong_premise_is_looked_up_first() -> None:
    calls = plan("用 gn8 跑 Qwen2.5-72B int4 可以吗？")
    assert calls[0].tool == "check_claims"
    assert {"size_llm", "look_up_names"} <= {call.tool for call in calls}


@pytest.mark.parametrize("question", ["bf16、fp8、int4 跑 32B 各要多少显存", "bf16, fp8 or int4 for a 32B model?"])
def test_each_precision_is_summed(question: str) -> None:
    dtypes = [call.args["weight_dtype"] for call in plan(question) if call.tool == "size_llm"]
    assert dtypes == ["bf16", "fp8", "int4"]


def test_no_call_is_made_twice() -> None:
    calls = plan("gn7i 和 gn7i 多少钱，gn7i 是什么")
    assert len(calls) == len({repr(call) for call in calls})
