"""Renting against an API: the break-even by hand, and the verdict by the load that it takes."""

from __future__ import annotations

from decimal import Decimal

import pytest

from knowledge.errors import InputError, UnknownModel
from tools.costs.capacity import machine_speed
from tools.costs.rent_or_api import rent_or_api
from tools.costs.results import ApiPrice, RentOrApi
from tools.costs.sentences import cost_sentences
from tools.results import TokensPerSecond

A10 = "ecs.gn7i-c8g1.2xlarge"
SHANGHAI = {"region": "cn-shanghai"}
SECONDS = 730 * 3600


def held(paid: str, got: str, speed: tuple[float, float] | None = None, **more: object) -> RentOrApi:
    rate = TokensPerSecond(low=speed[0], high=speed[1]) if speed else None
    return rent_or_api(A10, api=ApiPrice(input=Decimal(paid), output=Decimal(got)), tokens_per_s=rate, **SHANGHAI, **more)  # type: ignore[arg-type]


def test_break_even_by_hand() -> None:
    result = held("2", "8", input_tokens=1000, output_tokens=200)
    assert result.api_per_million == 3  # (1000 · 2 + 200 · 8) / 1200
    month = next(row for row in result.rents if row.way == "month")
    assert month.monthly == Decimal("4575.66")
    assert month.break_even_tokens == 1_525_220_000  # 4575.66 / 3 · 10^6
    payg = next(row for row in result.rents if row.way == "payg")
    assert payg.monthly == Decimal("9.5326") * 730
    assert payg.break_even_tokens == pytest.approx(6958.798 / 3 * 1e6, rel=1e-9)
    assert result.break_even_tokens == month.break_even_tokens
    assert month.break_even_requests_per_day == pytest.approx(1_525_220_000 / 1200 / (730 / 24))


def test_one_price_for_both_sides() -> None:
    assert held("3", "3").api_per_million == 3


def test_capacity_counts_prompts_and_all_machines() -> None:
    result = held("2", "8", (100, 300), machines=2, input_tokens=1000, output_tokens=200)
    assert result.capacity_low == 2 * 100 * SECONDS * 6
    assert result.capacity_high == 2 * 300 * SECONDS * 6
    month = next(row for row in result.rents if row.way == "month")
    assert month.needed_high == pytest.approx(100 * month.break_even_tokens / result.capacity_low)
    assert month.million_low == pytest.approx(month.monthly / result.capacity_high * 10**6, abs=Decimal("0.0001"))
    assert month.needed_low == pytest.approx(100 * month.break_even_tokens / result.capacity_high)


@pytest.mark.parametrize(
    ("slow", "fast", "code", "zh", "en"),
    [
        (10, 50, "never", "租卡不划算", "never pays"),
        (50, 200, "only_fast", "租卡不一定划算", "may not pay"),
        (200, 400, "above", "看负载", "depends on the load"),
        (1000, 2000, "clearly", "量大就该租卡", "With any real volume"),
    ],
)
def test_verdict_follows_the_load(slow: float, fast: float, code: str, zh: str, en: str) -> None:
    """The break-even is 1.525 billion tokens, 97 answer tokens a second at these lengths."""
    for language, words in (("zh", zh), ("en", en)):
        result = held("2", "8", (slow, fast), language=language)
        assert result.verdict_code == code
        assert words in result.verdict
        assert cost_sentences(result, language)[0] == result.verdict  # type: ignore[arg-type]


def test_without_a_speed_only_the_break_even_is_told() -> None:
    result = held("2", "8", model="qwen")
    assert result.verdict_code == "no_speed"
    assert result.capacity_low is None
    assert all(row.needed_low is None for row in result.rents)
    assert any("qwen does not fit" in note for note in result.notes)


def test_assumed_lengths_are_said() -> None:
    assert any("assumed" in note for note in held("2", "8").notes)
    assert not any("assumed" in note for note in held("2", "8", input_tokens=10, output_tokens=10).notes)


def test_currencies_are_never_mixed() -> None:
    result = rent_or_api(A10, api=ApiPrice(input=Decimal(1), output=Decimal(1), currency="USD"), region="cn-shanghai")
    assert result.rents == []
    assert result.verdict_code == "no_price"
    assert "USD" in result.notes[0]


@pytest.mark.parametrize(("paid", "got"), [("0", "0"), ("-1", "2"), ("1", "-2"), ("NaN", "1"), ("1e9", "1"), ("Infinity", "1")])
def test_absurd_prices_are_one_sentence(paid: str, got: str) -> None:
    with pytest.raises(InputError) as problem:
        rent_or_api(A10, api=ApiPrice.model_construct(input=Decimal(paid), output=Decimal(got), currency="CNY"))
    assert "\n" not in str(problem.value)


@pytest.mark.parametrize("wrong", [{"input_tokens": 0}, {"output_tokens": -5}, {"machines": 0}, {"output_tokens": 10**12}])
def test_absurd_lengths_are_one_sentence(wrong: dict[str, int]) -> None:
    with pytest.raises(InputError):
        held("1", "1", None, **wrong)


def test_speed_of_a_whole_machine() -> None:
    one = machine_speed("Qwen2.5-7B", A10, input_tokens=1000, output_tokens=200)
    four = machine_speed("Qwen2.5-7B", "ecs.gn7i-c32g1.32xlarge", input_tokens=1000, output_tokens=200)
    assert one is not None
    assert four is not None
    assert one.low < one.high
    assert four.low > 2 * one.low


@pytest.mark.parametrize("place", [A10, "ecs.gn6i-c4g1.xlarge"])
def test_no_speed_where_it_does_not_fit(place: str) -> None:
    assert machine_speed("Qwen2.5-72B", place, input_tokens=1000, output_tokens=200) is None


def test_speed_needs_a_language_model() -> None:
    with pytest.raises(InputError):
        machine_speed("bge-m3", A10, input_tokens=1000, output_tokens=200)
    with pytest.raises(UnknownModel):
        machine_speed("no such model", A10, input_tokens=1000, output_tokens=200)
