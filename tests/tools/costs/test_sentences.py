"""The sentences themselves: both languages, every hole filled, and figures as people write them."""

from __future__ import annotations

import re
from decimal import Decimal
from string import Formatter

import pytest

from tools.costs.compare import compare_costs
from tools.costs.figures import PHRASES, count, money, percent, price, sentence, span
from tools.costs.sentences import cost_sentences
from tools.phrases import Language, read_phrases
from tools.results import Band

HAN = re.compile(r"[\u4e00-\u9fff]")


def test_both_languages_fill_the_same_holes() -> None:
    for code, texts in read_phrases("tools", PHRASES).items():
        assert set(texts) == {"zh", "en"}, code
        zh, en = ({name for _, name, _, _ in Formatter().parse(text) if name} for text in (texts["zh"], texts["en"]))
        assert zh - en <= {"unit", "date"}, code
        assert en - zh <= {"s"}, code
        assert not HAN.search(texts["en"]), code


@pytest.mark.parametrize(
    ("value", "zh", "en"),
    [(950, "950", "950"), (12_345, "1.23 万", "12,345"), (1.525e9, "15.2 亿", "1.52 billion"), (2e12, "2 万亿", "2 trillion")],
)
def test_counts_as_people_say_them(value: float, zh: str, en: str) -> None:
    assert count(value, "zh") == zh
    assert count(value, "en") == en


@pytest.mark.parametrize(("amount", "shown"), [("9.5326", "9.5326"), ("15.144184", "15.1442"), ("138.967", "138.967"), ("3348", "3,348.00")])
def test_prices_keep_four_decimals(amount: str, shown: str) -> None:
    assert price(Decimal(amount)) == shown


@pytest.mark.parametrize(("amount", "shown"), [("9.5326", "9.53"), ("9999.994", "9,999.99"), ("11439.12", "11,439"), ("0", "0.00")])
def test_sums_are_to_the_cent_and_large_ones_whole(amount: str, shown: str) -> None:
    assert money(Decimal(amount)) == shown


def test_ranges_and_shares() -> None:
    assert span(Decimal(1), Decimal(1)) == "1.00"
    assert span(Decimal(1), Decimal(2)) == "1.00–2.00"
    assert (percent(38.4), percent(4.23), percent(0.004)) == ("38", "4.2", "0.004")


def test_no_space_between_wan_and_what_is_counted() -> None:
    said = sentence("fc.break_even", "zh", calls=count(12_345, "zh"), flag="")
    assert "1.23 万次" in said.replace("*", "")


@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_comparison_speaks_first_of_the_cheapest(language: Language) -> None:
    item = compare_costs("ecs.gn7i-c8g1.2xlarge", region="cn-shanghai", months=1, language=language)
    said = cost_sentences(item, language)
    assert said[0] == item.cheapest
    assert len(said) == len(set(said))


def test_other_results_have_none() -> None:
    with pytest.raises(TypeError):
        cost_sentences(Band(low=1, best=2, high=3), "en")
