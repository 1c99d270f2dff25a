"""Volumes of tokens, prices of an API, data of a training, hours of a month, and budgets."""

from __future__ import annotations

import pytest

from assistant.read.read import read_question
from assistant.read.reading import Reading


@pytest.mark.parametrize(
    ("question", "total", "parts"),
    [
        ("API 每百万 token 2 元，每天 3000 万 token，租卡划算吗", 9e8, (None, None)), ("２元／百万 token，一天３０００万 token，租卡划算吗", 9e8, (None, None)),
        ("每月 2 亿 token 的量，API 每百万 1 元贵还是租卡贵", 2e8, (None, None)), ("we burn 40M tokens per day, API at $1 per million, or rent?", 1.2e9, (None, None)),
        ("API 每百万 2 元，每天输入 900 万、输出 100 万 token，租卡合算吗", 3e8, (2.7e8, 3e7)), ("9M input and 1M output tokens a day at $1 per 1M, rent instead?", 3e8, (2.7e8, 3e7)),
    ],
)  # fmt: skip
def test_tokens_of_a_service(question: str, total: float, parts: tuple[float | None, float | None]) -> None:
    reading = read_question(question)
    assert reading.tokens_per_month == pytest.approx(total)
    assert (reading.input_per_month, reading.output_per_month) == parts
    assert reading.context is None and reading.concurrency is None


@pytest.mark.parametrize(
    ("question", "rate"),
    [
        ("API 每百万 token 2 元划算吗", (2, 2, "CNY")), ("每千 token 0.02 元的接口和自己租卡比", (20, 20, "CNY")), ("输入 4 元/百万 token、输出 16 元/百万 token", (4, 16, "CNY")),
        ("$0.5 per million input tokens and $1.5 per million output tokens", (0.5, 1.5, "USD")), ("API 每百万 token 输入 2 元，输出 8 元", (2, 8, "CNY")), ("0.2 dollars per 1M tokens", (0.2, 0.2, "USD")),
        ("输出每百万 token 8 元的 API 贵吗", (None, 8, "CNY")), ("gn7i 每小时 9.53 元", None), ("每百万 token 成本多少", None), ("预算每月 5000 元", None),
    ],
)  # fmt: skip
def test_prices_of_an_api(question: str, rate: tuple[float | None, float | None, str] | None) -> None:
    api = read_question(question).api
    assert (None if api is None else (api.input, api.output, api.currency)) == rate


def test_the_api_is_no_model_to_run_and_its_price_no_budget() -> None:
    reading = read_question("千问 API 每千 token 0.02 元，一天 300 万 token，租卡还是用 API？")
    assert reading.models == [] and reading.budget is None and reading.hours is None


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("用 1 亿 token 微调 7B 要花多少钱", {"training_tokens": 1e8}), ("fine-tune a 7B on 200M tokens, cost?", {"training_tokens": 2e8}), ("pretrain a 7B on 100B tokens", {"training_tokens": 1e11}),
        ("10 万条 × 2k × 3 epoch LoRA 微调 Qwen2.5-7B", {"samples": 100_000, "context": 2048, "epochs": 3}),
        ("LoRA 微调 14B，五万条样本，每条 1000 token，训练 2 轮", {"samples": 50_000, "context": 1000, "epochs": 2}),
        ("LoRA on 50k samples of 1024 tokens for 3 epochs, Llama-3-8B", {"samples": 50_000, "context": 1024, "epochs": 3}),
        ("微调 7B，上下文 8192", {"context": 8192, "training_tokens": None, "samples": None}),
    ],
)  # fmt: skip
def test_data_of_a_training(question: str, expected: dict[str, object]) -> None:
    reading = read_question(question)
    assert {name: getattr(reading, name) for name in expected} == expected


def test_the_size_of_a_model_is_no_volume() -> None:
    reading = read_question("pretrain a 7B on 100B tokens")
    assert [mention.text for mention in reading.models] == ["7B"]


def _time(reading: Reading) -> tuple[float | None, float | None, float | None]:
    return reading.hours, reading.months, reading.hours_per_month


@pytest.mark.parametrize(
    ("question", "time"),
    [
        ("gn7i 每月用 200 小时", (200, None, 200)), ("gn7i 一个月开 300 小时", (300, None, 300)), ("gn7i, 200 hours a month", (200, None, 200)), ("gn7i for 120 h/month", (120, None, 120)),
        ("gn7i 每天 8 小时", (240, None, 240)), ("gn7i 一天跑 10 小时", (300, None, 300)), ("gn7i 8 hours a day for 2 weeks", (112, None, None)), ("gn7i 跑 72 小时", (72, None, None)), ("gn7i 三个月", (None, 3, None)),
    ],
)  # fmt: skip
def test_hours_of_each_month(question: str, time: tuple[float | None, float | None, float | None]) -> None:
    assert _time(read_question(question)) == time


@pytest.mark.parametrize("question", ["gn7i 每月用 900 小时划算吗", "gn7i 每天 30 小时", "gn7i 每月用 -20 小时", "预算 0 元", "budget zero"])
def test_impossible_amounts(question: str) -> None:
    assert read_question(question).absurd


@pytest.mark.parametrize(
    ("question", "budget"),
    [
        ("With 20 CNY per hour", (20, "CNY", "hour")), ("Qwen2.5-7B, with 20 yuan an hour", (20, "CNY", "hour")), ("for 8 yuan/h can I run a 7B?", (8, "CNY", "hour")),
        ("每月 5000 以内", (5000, "CNY", "month")), ("一个月预算 8 千", (8000, "CNY", "month")), ("不超过 1 万/月", (10_000, "CNY", "month")), ("我们只有 3000 块钱一个月", (3000, "CNY", "month")),
        ("SDXL 出图，一个月 3000 以内", (3000, "CNY", "month")), ("月预算两万", (20_000, "CNY", "month")), ("$2000 a month for a 14B", (2000, "USD", "month")), ("每天 200 块能跑什么", (200, "CNY", "day")),
        ("年预算 10 万", (100_000, "CNY", "year")), ("gn7i 一小时 9.53 元，一个月多少钱", None), ("gn7i is 9.53 CNY an hour, is that right?", None), ("gn7i 最多 3 个月", None),
    ],
)  # fmt: skip
def test_budgets(question: str, budget: tuple[float, str, str] | None) -> None:
    found = read_question(question).budget
    assert (None if found is None else (found.amount, found.currency, found.per)) == budget
