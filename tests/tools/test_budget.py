from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from tools.budget import cost_to_rank, keeps_budget, month_cost
from tools.demand import Wish
from tools.jobs.size import size_job
from tools.phrases import Language
from tools.prices import HOURS_PER_MONTH, hourly, monthly
from tools.results import Price
from tools.sizing import LlmRequest, size_llm
from tools.speed.copies import SpeedNeed
from tools.speed.size import size_speed
from tools.training.ask import TrainRequest, train_ask

A10, T4 = "ecs.gn7i-c8g1.2xlarge", "ecs.gn6i-c4g1.xlarge"
HANGZHOU, SHANGHAI = "cn-hangzhou", "cn-shanghai"


def month(most: int, region: str = SHANGHAI) -> Wish:
    return Wish(region=region, max_monthly=Decimal(most))


def test_a_month_goes_by_the_listed_subscription_and_counts_all_machines() -> None:
    cost, listed = month_cost(A10, month(1), machines=3), monthly(A10, region=SHANGHAI)
    assert cost is not None and listed is not None and not cost.estimated
    assert cost.amount == listed.amount * 3


def test_without_one_the_hourly_price_through_a_month_stands_in_and_is_called_an_estimate() -> None:
    cost, price = month_cost(A10, month(1, HANGZHOU)), hourly(A10, region=HANGZHOU)
    assert cost is not None and isinstance(price, Price) and cost.estimated
    assert cost.amount == price.amount * HOURS_PER_MONTH


def test_no_price_is_no_verdict() -> None:
    assert month_cost("ecs.gn8v.4xlarge", month(1)) is None
    assert keeps_budget(month(10**8), "ecs.gn8v.4xlarge") is None
    assert keeps_budget(Wish(), A10) is None


@pytest.mark.parametrize(
    ("wish", "machines", "keeps"),
    [
        (Wish(region=SHANGHAI, max_hourly=Decimal(10)), 1, True),
        (Wish(region=SHANGHAI, max_hourly=Decimal(10)), 2, False),
        (month(5000), 1, True),
        (month(5000), 2, False),
        (month(5000, HANGZHOU), 1, False),
        (Wish(region=SHANGHAI, max_hourly=Decimal(10), max_monthly=Decimal(4000)), 1, False),
        (Wish(region=SHANGHAI, max_hourly=Decimal(9), max_monthly=Decimal(5000)), 1, False),
        (Wish(region=SHANGHAI, max_hourly=Decimal(10), max_monthly=Decimal(5000)), 1, True),
        (Wish(region=SHANGHAI, max_hourly=Decimal(100), currency="USD"), 1, None),
        (Wish(region=SHANGHAI, max_monthly=Decimal(10**7), currency="USD"), 1, None),
    ],
)
def test_keeps_budget(wish: Wish, machines: int, keeps: bool | None) -> None:
    assert keeps_budget(wish, A10, machines=machines) is keeps


def test_by_the_month_the_order_may_be_another_than_by_the_hour() -> None:
    def order(wish: Wish) -> list[str]:
        return sorted([A10, T4], key=lambda name: cost_to_rank(name, wish) or Decimal(0))

    assert order(Wish(region=SHANGHAI)) == [A10, T4]
    assert order(month(5000)) == [T4, A10]


def llm(model: str, wish: Wish, language: Language = "en", **how: Any) -> Any:
    return size_llm(LlmRequest(model=model, wish=wish, **how), language=language)


@pytest.mark.parametrize(("language", "words"), [("zh", "包月 4575.66"), ("en", "4575.66 CNY a month by subscription")])
def test_what_keeps_a_monthly_budget_says_its_subscription(language: Language, words: str) -> None:
    sizing = llm("Qwen2.5-7B-Instruct", month(5000), language)
    assert sizing.advice.recommendations and sizing.over_budget is None
    for row in sizing.advice.recommendations:
        assert keeps_budget(month(5000), row.instance_type, machines=row.instances)
    assert any(words in reason for reason in sizing.advice.recommendations[0].reasons)
    assert any(("按月" if language == "zh" else "by the month") in note for note in sizing.advice.notes)


@pytest.mark.parametrize(
    ("language", "words", "note"),
    [("zh", ["估算", "多 1958.798"], "别的地域"), ("en", ["an estimate", "1958.798 too much"], "another region")],
)
def test_what_nothing_keeps_says_the_cheapest_by_how_much_and_where_else(language: Language, words: list[str], note: str) -> None:
    sizing = llm("Qwen2.5-7B-Instruct", month(5000, HANGZHOU), language)
    assert not sizing.advice.recommendations and sizing.over_budget is not None
    reasons = " ".join(sizing.over_budget.reasons)
    assert sizing.over_budget.instance_type == A10 and all(word in reasons for word in words)
    assert any(note in said and "4575.66" in said for said in sizing.advice.notes)


def test_one_change_brings_it_under() -> None:
    sizing = llm("Qwen2.5-72B-Instruct", Wish(max_hourly=Decimal(50)))
    assert not sizing.advice.recommendations and sizing.over_budget is not None and sizing.over_budget.price is not None
    first = sizing.variants[0]
    assert first.within_budget and first.hourly is not None and first.hourly <= 50
    assert first.saves_per_hour == sizing.over_budget.price.amount - first.hourly
    assert all(variant.hourly is None or variant.hourly < sizing.over_budget.price.amount for variant in sizing.variants)


def test_training_holds_its_changes_against_the_budget() -> None:
    ask = train_ask(TrainRequest(model="Qwen2.5-7B", method="lora", wish=Wish(max_hourly=Decimal(15))), language="en")
    sizing = size_job(ask, language="en")
    assert sizing.over_budget is not None and not sizing.advice.recommendations
    kept = [change for change in sizing.changes if change.within_budget]
    assert kept and all(change.hourly is not None and change.hourly <= 15 for change in kept)


@pytest.mark.parametrize("currency", ["CNY", "USD"])
def test_a_budget_never_meets_a_price_of_another_currency(currency: str) -> None:
    sizing = llm("Qwen2.5-7B-Instruct", Wish(max_hourly=Decimal(10**6), currency=currency))
    shown = [*sizing.advice.recommendations, *sizing.advice.over_budget]
    assert all(row.price is not None and row.price.currency == currency for row in shown)
    if currency == "USD":
        assert not shown and sizing.advice.price_unknown and sizing.replicas is None
        assert any("USD" in note for note in sizing.advice.notes)


def test_speed_names_the_cheapest_that_costs_too_much() -> None:
    request = LlmRequest(model="Qwen2.5-7B-Instruct")
    free = size_speed(request, SpeedNeed(qps=5.0), language="en")
    dear = size_speed(LlmRequest(model="Qwen2.5-7B-Instruct", wish=Wish(max_hourly=Decimal(1))), SpeedNeed(qps=5.0), language="en")
    assert free.over_budget is None and free.machines
    assert not [row for row in dear.machines if row.hourly is not None]
    if not dear.machines:
        assert dear.over_budget is not None and dear.over_budget.instance_type == free.machines[0].instance_type


def test_what_a_wish_says_of_money() -> None:
    both = Wish(max_hourly=Decimal(1), max_monthly=Decimal(2))
    assert both.has_budget and not both.without_budget.has_budget and not Wish().has_budget
    assert both.without_month.max_hourly == 1 and both.without_month.max_monthly is None
