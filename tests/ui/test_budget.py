from __future__ import annotations

from decimal import Decimal

import pytest
import typer

from tests.ui.running import run, run_json
from ui.budget import read_budget, wish_for


@pytest.mark.parametrize(
    ("text", "amount", "per", "currency"),
    [
        ("15/h", "15", "hour", None), ("5000/month", "5000", "month", None), ("15元/小时", "15", "hour", "CNY"),
        ("每月5000以内", "5000", "month", None), ("每月 5,000 元", "5000", "month", "CNY"), ("$2/h", "2", "hour", "USD"),
        ("US$1.5 per hour", "1.5", "hour", "USD"), ("１５／ｈ", "15", "hour", None), ("1.5万/月", "15000", "month", None),
        ("5k/month", "5000", "month", None), ("15 yuan an hour", "15", "hour", "CNY"), ("不超过每小时15块", "15", "hour", "CNY"),
        ("$3000/mo", "3000", "month", "USD"), ("一个月 8000 块钱", "8000", "month", "CNY"), ("5000 monthly", "5000", "month", None),
    ],
)  # fmt: skip
def test_budgets_as_people_type_them(text: str, amount: str, per: str, currency: str | None) -> None:
    found = read_budget(text)
    assert (found.amount, found.per, found.currency) == (Decimal(amount), per, currency)


@pytest.mark.parametrize(
    "text",
    [
        "", "15", "h", "-5/h", "0/h", "nan/h", "inf/h", "1e12/h", "10^12/h", "15/day", "5000/year", "15/h 20/month", "¥$5/h",
        "5/h; rm -rf /", "3.2.1/h", "15,5/h", "9" * 50 + "/h", "1" * 100_000, "😀/h", "drop table",
    ],
)  # fmt: skip
def test_what_is_no_budget_is_refused(text: str) -> None:
    with pytest.raises(typer.BadParameter) as refused:
        read_budget(text)
    assert len(str(refused.value)) < 200


def test_the_wish_counts_in_the_currency_that_was_named() -> None:
    assert wish_for("cn-hangzhou", None).max_hourly is None
    hour = wish_for("cn-hangzhou", read_budget("$2/h"), gpu_count=2)
    assert (hour.max_hourly, hour.max_monthly, hour.currency, hour.gpu_count) == (Decimal(2), None, "USD", 2)
    month = wish_for("上海", read_budget("5000/月"))
    assert (month.region, month.max_monthly, month.currency) == ("cn-shanghai", Decimal(5000), "CNY")


@pytest.mark.parametrize(
    "command",
    [
        ["llm", "--model", "Qwen2.5-7B-Instruct"],
        ["train", "--model", "Qwen2.5-7B", "--method", "lora"],
        ["vision", "--arch", "SegFormer-B5", "--crop", "512", "--batch", "2"],
        ["encoder", "--model", "bge-m3"],
        ["diffusion", "--model", "SDXL"],
        ["asr", "--model", "whisper-large-v3"],
    ],
)
@pytest.mark.parametrize(("budget", "kept"), [("100000/h", True), ("0.5/h", False), ("1000000/月", True), ("10元/月", False)])
def test_every_sizing_takes_a_budget(command: list[str], budget: str, kept: bool) -> None:
    sizing = run_json("size", *command, "--budget", budget)
    assert bool(sizing["advice"]["recommendations"]) is kept
    assert (sizing["over_budget"] is None) is kept


@pytest.mark.parametrize(("lang", "words"), [("zh", ["预算内没有", "超出预算", "在预算内"]), ("en", ["keeps the budget", "over budget", "too much"])])
def test_over_budget_is_not_called_nothing_that_fits(lang: str, words: list[str]) -> None:
    shown = run("size", "llm", "--model", "Qwen2.5-72B-Instruct", "--budget", "50/h", "--lang", lang).stdout
    assert all(word in shown for word in words)
    assert "目录里没有放得下" not in shown and "Nothing in the catalog" not in shown


@pytest.mark.parametrize(("lang", "word"), [("zh", "没有可以和预算相比的价格"), ("en", "held against the budget")])
def test_a_budget_in_dollars_is_not_held_against_yuan(lang: str, word: str) -> None:
    assert word in run("size", "llm", "--model", "Qwen2.5-7B-Instruct", "--budget", "$2/h", "--lang", lang).stdout


def test_a_speed_with_a_budget_names_the_cheapest_that_reaches_it() -> None:
    shown = run("size", "llm", "--model", "Qwen2.5-7B-Instruct", "--qps", "50", "--budget", "1/h", "--lang", "zh").stdout
    assert "预算" in shown or "没有该地域的公开价格" in shown
