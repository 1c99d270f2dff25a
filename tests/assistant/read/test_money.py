"""Budgets: what is money, and what only looks like it."""

from __future__ import annotations

import pytest

from assistant.read.money import find_budget


@pytest.mark.parametrize("text", ["每月预算 5000 千瓦时，跑 Qwen2.5-7B", "预算 2 万度", "预算 5000 公里", "budget 5000 kWh a month for Qwen2.5-7B"])
def test_a_figure_with_a_unit_of_measure_is_no_money(text: str) -> None:
    assert find_budget(text.lower()) is None


@pytest.mark.parametrize(("text", "amount"), [("预算 5 千一个月", 5000), ("每月预算五千跑 Qwen2.5-7B", 5000), ("budget 5k a month for 7B", 5000), ("预算 15/小时", 15)])
def test_a_budget_without_a_currency_stays_one(text: str, amount: float) -> None:
    found = find_budget(text.lower())
    assert found is not None and found[0].amount == amount
