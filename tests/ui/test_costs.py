"""`xuanka price` for a use: side by side, rent or API, products; text and JSON, both languages."""

from __future__ import annotations

from decimal import Decimal

import pytest

from tests.ui.running import is_one_sentence, run, run_json
from tools.costs.results import CostComparison, OtherProducts, RentOrApi
from tools.describe import Described

A10 = "ecs.gn7i-c8g1.2xlarge"


def costs(*arguments: str) -> list[CostComparison]:
    return [CostComparison.model_validate(item) for item in run_json("price", *arguments)["costs"]]


def test_without_a_use_the_json_is_as_before() -> None:
    assert Described.model_validate(run_json("price", A10)).types


def test_a_use_is_compared() -> None:
    (item,) = costs(A10, "--region", "上海", "--hours", "200", "--months", "3", "--machines", "2")
    assert item.hours == 200
    assert (item.months, item.machines, item.cheapest_way) == (3, 2, "payg")
    totals = {row.way: row.total for row in item.rows}
    assert totals["payg"] == Decimal("9.5326") * 1200
    assert totals["month"] == Decimal("4575.66") * 6


@pytest.mark.parametrize("hours", ["200", "２００", "200h", "200 小时", "200.0"])
@pytest.mark.parametrize("machines", ["2", "２", "2台"])
def test_figures_as_people_type_them(hours: str, machines: str) -> None:
    (item,) = costs(A10, "--hours", hours, "--machines", machines)
    assert item.hours == 200
    assert item.machines == 2


@pytest.mark.parametrize(
    ("lang", "words"),
    [
        ("zh", ["包月", "480", "节省停机", "最多省 76 %", "2026-09-24", "来源"]),
        ("en", ["monthly", "480", "economical mode", "up to 76 %", "2026-09-24", "Sources"]),
    ],
)
def test_text_shows_the_whole_comparison(lang: str, words: list[str]) -> None:
    shown = run("price", A10, "--region", "cn-shanghai", "--months", "1", "--lang", lang)
    assert shown.exit_code == 0
    assert all(word in shown.stdout for word in words)


@pytest.mark.parametrize(("lang", "words"), [("zh", ["杭州没有包月", "不能照搬"]), ("en", ["cn-shanghai", "not to be carried over"])])
def test_other_regions_stand_apart(lang: str, words: list[str]) -> None:
    shown = run("price", A10, "--months", "1", "--lang", lang).stdout
    assert all(word in shown for word in words)


@pytest.mark.parametrize(("lang", "words"), [("zh", ["480", "不用的时候"]), ("en", ["480", "While it is idle"])])
def test_the_plain_list_of_a_type_tells_the_break_even(lang: str, words: list[str]) -> None:
    shown = run("price", A10, "--region", "cn-shanghai", "--lang", lang).stdout
    assert all(word in shown for word in words)


def test_a_family_has_a_line_for_each_type() -> None:
    items = costs("gn7i", "--region", "cn-shanghai", "--months", "1")
    assert len(items) > 10
    shown = run("price", "gn7i", "--region", "cn-shanghai", "--months", "1").stdout
    assert "2026-09-24" in shown
    assert "2024-12-31" in shown
    assert "4,575.66" in shown


def test_rent_or_api() -> None:
    found = run_json("price", A10, "--region", "cn-shanghai", "--api-in", "2", "--api-out", "8", "--model", "Qwen2.5-7B")
    rent = RentOrApi.model_validate(found["rent_or_api"])
    assert rent.break_even_tokens == 1_525_220_000
    assert rent.capacity_low
    shown = run("price", A10, "--region", "cn-shanghai", "--api-in", "¥3").stdout
    assert "1.53 billion tokens" in shown
    assert "0.00" not in shown


@pytest.mark.parametrize(("name", "lang"), [("函数计算", "zh"), ("EAS", "en"), ("eci", "en"), ("PAI-DSW", "zh")])
def test_products_show_their_rules(name: str, lang: str) -> None:
    assert OtherProducts.model_validate(run_json("price", name)).products
    shown = run("price", name, "--lang", lang)
    assert shown.exit_code == 0
    assert "https://" in shown.stdout


@pytest.mark.parametrize("way", ["payg", "month", "spot"])
def test_only_the_billing_asked_for(way: str) -> None:
    (item,) = costs(A10, "--region", "cn-shenzhen", "--months", "1", "--billing", way)
    assert {row.way for row in [*item.rows, *item.elsewhere]} == {way}


def test_dollars_are_asked_for_by_name() -> None:
    (item,) = costs("ecs.gn9gc-4x.32xlarge", "--region", "us-east-1", "--months", "1", "--currency", "USD")
    assert item.currency == "USD"
    assert item.rows[0].total == 13318


@pytest.mark.parametrize(
    "arguments",
    [
        ["gn7i", "--hours", "-5"], [A10, "--hours", "1e400"], [A10, "--hours", "NaN"], [A10, "--hours", "9999", "--months", "2"],
        ["gn7i", "--machines", "0"], [A10, "--months", "99999999999"], ["gn7i", "--api-in", "1"], [A10, "--model", "Qwen2.5-7B"],
        [A10, "--api-in", "1", "--model", "bge-m3"], [A10, "--api-in", "1", "--model", "no such model"],
    ],
)  # fmt: skip
@pytest.mark.parametrize("lang", ["zh", "en"])
def test_what_cannot_be_is_one_sentence(arguments: list[str], lang: str) -> None:
    result = run("price", *arguments, "--lang", lang)
    assert result.exit_code == 2
    assert not result.stdout
    assert is_one_sentence(result.stderr)
