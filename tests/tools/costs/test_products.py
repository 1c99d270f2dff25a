"""Products beside ECS: rules with their standing; Function Compute by the official factors and the worked example."""

from __future__ import annotations

from decimal import Decimal

import pytest

from knowledge.cost_facts import cloud_products, function_cards
from knowledge.errors import InputError
from knowledge.facts import billing_facts, sources
from tools.costs.functions import FunctionLoad, functions_cost
from tools.costs.products import other_products, product_named
from tools.costs.sentences import cost_sentences

T4 = "ecs.gn6i-c4g1.xlarge"


def test_tables_point_at_facts() -> None:
    for row in cloud_products().values():
        assert set(row.fact_ids) <= set(billing_facts())
    names = [name for row in cloud_products().values() for name in (row.product, *row.aliases)]
    assert len(names) == len(set(names))
    for card in function_cards().values():
        assert set(card.source_ids) <= set(sources())
        assert not card.official or card.official in (billing_facts()["fc-cu-factors-2024"].value or {})
        assert card.unofficial in (billing_facts()["fc-cu-cny-2026"].value or {})["factors"]


@pytest.mark.parametrize(
    ("typed", "product"),
    [
        ("函数计算", "fc"), ("Function Compute", "fc"), ("ＦＣ", "fc"), ("PAI-EAS", "eas"), ("eas", "eas"), ("DSW", "dsw"),
        ("pai dlc", "dlc"), ("灵骏", "lingjun"), ("弹性容器实例", "eci"), (" ECI ", "eci"),
    ],
)  # fmt: skip
def test_products_by_the_names_people_use(typed: str, product: str) -> None:
    assert product_named(typed) == product
    assert [item.product for item in other_products(typed).products] == [product]


@pytest.mark.parametrize("typed", ["gn7i", "A10", "", "ecs.gn7i-c8g1.2xlarge", "x" * 100_000])
def test_other_names_are_none(typed: str) -> None:
    assert product_named(typed) is None
    with pytest.raises(InputError) as problem:
        other_products(typed)
    assert len(str(problem.value)) < 200


@pytest.mark.parametrize("language", ["zh", "en"])
def test_what_is_not_official_says_so(language: str) -> None:
    for product in other_products(language=language).products:  # type: ignore[arg-type]
        for fact in product.facts:
            assert fact.source_ids
            assert fact.official == billing_facts()[fact.fact_id].official
    lines = cost_sentences(other_products("fc", language=language), language)  # type: ignore[arg-type]
    marked = [line for line in lines if "未经官方" in line or "nverified" in line or "not verified" in line]
    assert len(marked) == 2  # the CNY copy, and the example made with it


def test_eci_costs_what_its_type_costs() -> None:
    found = other_products("ECI", instance_type=T4, region="cn-hangzhou")
    assert any("11.63" in fact.text and "2024-12-31" in fact.text for fact in found.products[0].facts)
    assert not any("11.63" in fact.text for fact in other_products("ECI").products[0].facts)


def test_the_worked_example() -> None:
    """A 16 GB Tesla active for an hour is 120,960 CU: 2.42 USD, 14.5 CNY by the unverified copy (GPU part)."""
    hour = FunctionLoad(calls_per_day=24 / 730, seconds_per_call=3600, vcpu=1e-9, memory_gb=1e-9)  # once in a month
    result = functions_cost("T4", hour)
    assert result.cu == pytest.approx(120_960, abs=1)
    assert result.usd == Decimal("2.42")
    assert result.cny_unverified == pytest.approx(Decimal("14.5"), abs=Decimal("0.02"))


def test_calls_and_memory_count_by_hand() -> None:
    result = functions_cost("T4", FunctionLoad(calls_per_day=1000, seconds_per_call=3, vcpu=8, memory_gb=32))
    calls = 1000 * 730 / 24
    assert result.cu == pytest.approx(calls * (3 * (16 * 2.1 + 8 + 32 * 0.15) + 0.0075), rel=1e-6)


def test_tiers_are_charged_by_their_own_price() -> None:
    result = functions_cost("T4", FunctionLoad(calls_per_day=1e6, seconds_per_call=1))
    above = result.cu - 500_000_000
    assert result.usd == pytest.approx(Decimal(100e6 * 2e-5 + 400e6 * 1.7e-5 + above * 1.4e-5), abs=Decimal(1))


@pytest.mark.parametrize(("typed", "official"), [("T4", True), ("ada", True), ("A10", False), ("Ampere", False)])
def test_only_official_factors_give_dollars(typed: str, official: bool) -> None:
    result = functions_cost(typed, FunctionLoad(100, 10))
    assert (result.usd is not None) == official
    assert result.cny_unverified is not None
    assert any("unverified" in line for line in result.sentences)


def test_break_even_within_one_currency() -> None:
    load = FunctionLoad(1000, 3)
    mainland = functions_cost("T4", load, instance_type=T4, region="cn-shanghai")
    assert mainland.break_even_calls_per_day is not None
    assert not mainland.break_even_official
    at_even = functions_cost("T4", FunctionLoad(mainland.break_even_calls_per_day, 3))
    assert at_even.cny_unverified == pytest.approx(Decimal(3348), rel=Decimal("0.001"))
    abroad = functions_cost("ada", load, instance_type="ecs.gn8is-4x.16xlarge", region="us-east-1")
    assert abroad.break_even_official
    none = functions_cost("T4", load, instance_type="ecs.gn8v.4xlarge")
    assert none.break_even_calls_per_day is None
    assert "no break-even" in " ".join(none.sentences)


@pytest.mark.parametrize(
    ("card", "load"),
    [
        ("H100", FunctionLoad(1, 1)), ("T4", FunctionLoad(0, 1)), ("T4", FunctionLoad(1, -1)), ("T4", FunctionLoad(1e12, 1)),
        ("T4", FunctionLoad(1, 1, gpu_gb=24)), ("T4", FunctionLoad(1, 1, gpu_gb=0)), ("T4", FunctionLoad(float("nan"), 1)),
    ],
)  # fmt: skip
def test_absurd_loads_are_one_sentence(card: str, load: FunctionLoad) -> None:
    for language in ("zh", "en"):
        with pytest.raises(InputError) as problem:
            functions_cost(card, load, language=language)
        assert "\n" not in str(problem.value)
