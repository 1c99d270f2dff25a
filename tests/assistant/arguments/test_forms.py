"""Arguments as models write them, made what tools take; what is not plain is left for the tool to refuse."""

from __future__ import annotations

from typing import Any

import pytest

from assistant.arguments.forms import plain_args


@pytest.mark.parametrize(
    ("tool", "argument", "written", "made"),
    [
        ("size_llm", "context", "8k", 8192), ("size_llm", "context", "32K tokens", 32768), ("size_llm", "context", "３２Ｋ", 32768), ("size_llm", "context", "3.2万", 32000),
        ("size_llm", "context", "8192", 8192), ("size_llm", "context", "1,024", 1024), ("size_llm", "context", [4096], 4096), ("size_llm", "context", 8000, 8000),
        ("size_llm", "concurrency", "8 路", 8), ("size_llm", "concurrency", "二十", 20), ("size_llm", "concurrency", "eight", 8), ("size_llm", "concurrency", "8 users", 8),
        ("size_llm", "concurrency", "8-16", "8-16"), ("size_llm", "concurrency", "many", "many"), ("size_llm", "concurrency", "-3", -3),
        ("size_llm", "model", 72, "72"), ("size_llm", "model", " Qwen2.5-7B ", "Qwen2.5-7B"), ("size_llm", "weight_dtype", "INT4", "int4"),
        ("size_llm", "on", "A10", ["A10"]), ("size_llm", "on", "A10、L20", ["A10", "L20"]), ("size_llm", "on", '["A10", "L20"]', ["A10", "L20"]),
        ("size_llm", "region", "杭州", "cn-hangzhou"), ("size_llm", "region", "Singapore", "ap-southeast-1"), ("size_llm", "region", "杭州 (cn-hangzhou)", "cn-hangzhou"),
        ("size_llm", "region", "mars-1", "mars-1"), ("size_llm", "max_hourly", "20元/小时", 20), ("size_llm", "max_hourly", "¥20.5", 20.5), ("size_llm", "gpu_memory_utilization", "90%", 0.9),
        ("size_llm", "enforce_eager", "true", True), ("size_llm", "enforce_eager", "否", False), ("size_llm", "enforce_eager", "sometimes", "sometimes"),
        ("size_speed", "ttft_s", "500ms", 0.5), ("size_speed", "ttft_s", "0.5 s", 0.5), ("size_speed", "ttft_s", 0.5, 0.5), ("size_speed", "qps", "5 QPS", 5),
        ("size_train", "method", "QLoRA", "qlora"), ("size_train", "checkpointing", "none", "none"), ("size_vision", "crop", "1024x512", [1024, 512]), ("size_vision", "crop", "640", [640]),
        ("size_vision", "crop", 640, [640]), ("size_vision", "crop", ["512", "512"], [512, 512]), ("size_vision", "task", "语义分割", "segmentation"),
        ("compare_costs", "hours", "3 天", 72), ("compare_costs", "currency", "人民币", "CNY"), ("compare_costs", "currency", "usd", "USD"), ("order_instance", "billing", "包年包月", "month"),
        ("order_instance", "billing", "pay-as-you-go", "payg"), ("where_sold", "regions", "杭州,上海", ["cn-hangzhou", "cn-shanghai"]), ("get_prices", "names", "gn7i", ["gn7i"]),
        ("search_guides", "query", "null", "null"), ("size_llm", "users", "8k", "8k"),
    ],
)  # fmt: skip
def test_plain_values_get_their_form(tool: str, argument: str, written: Any, made: Any) -> None:
    found = plain_args(tool, {argument: written})[argument]
    assert (found, type(found)) == (made, type(made))


@pytest.mark.parametrize("nothing", [None, "", "null", "None", "n/a", "未指定", "默认", [], {}])
def test_what_says_nothing_is_left_out(nothing: Any) -> None:
    assert plain_args("size_llm", {"model": "Qwen2.5-7B", "context": nothing, "on": nothing}) == {"model": "Qwen2.5-7B"}


@pytest.mark.parametrize("value", ["x" * 5000, "9" * 400, "１２３４５" * 50, {"a": 1}, [[1]], [None], True, float("inf"), "8k8k8k", "\x00", "🦄"])
def test_nonsense_is_left_to_the_tool(value: Any) -> None:
    for tool, argument in (("size_llm", "context"), ("size_llm", "on"), ("size_llm", "region"), ("size_vision", "crop"), ("size_llm", "enforce_eager"), ("size_llm", "model")):
        assert set(plain_args(tool, {argument: value})) <= {argument}
