from __future__ import annotations

from dataclasses import replace

import pytest

from knowledge.refresh.plan import charges, count_calls, make_plan, units
from knowledge.refresh.request import WHATS, RefreshRequest, What
from tests.knowledge.refresh.shop import BARE, KNOWN, LARGE, REQUEST, SMALL

EVERYTHING = replace(REQUEST, what=WHATS)


def test_the_cheapest_and_most_telling_come_first() -> None:
    kinds = list(dict.fromkeys(step.kind for step in make_plan(EVERYTHING, KNOWN)))
    assert kinds == ["types", "stock", "advice", "plans", "price", "spot"]
    ways = list(dict.fromkeys(step.way for step in make_plan(EVERYTHING, KNOWN) if step.kind == "price"))
    assert ways == ["hour", "month", "year"]


def test_the_count_is_known_before_the_first_call() -> None:
    plan = make_plan(REQUEST, KNOWN)
    assert len(plan) == 2 + 2 + 2 * 3  # types and stock a region, then three types in two regions
    assert count_calls(plan) == len(plan)
    assert count_calls(make_plan(EVERYTHING, KNOWN)) > len(make_plan(EVERYTHING, KNOWN))


def test_every_step_has_a_key_of_its_own() -> None:
    keys = [step.key for step in make_plan(EVERYTHING, KNOWN)]
    assert len(set(keys)) == len(keys)


@pytest.mark.parametrize(
    ("sold", "expected"),
    [
        (None, {SMALL, LARGE, BARE}),  # not known: all are asked for
        ({("cn-hangzhou", "payg"): {SMALL}}, {SMALL}),
        ({("cn-hangzhou", "payg"): set()}, set()),
        ({("cn-shanghai", "payg"): {SMALL}}, {SMALL, LARGE, BARE}),  # of another region
    ],
)
def test_prices_are_asked_for_what_a_region_sells(sold: dict[tuple[str, str], set[str]] | None, expected: set[str]) -> None:
    request = replace(REQUEST, regions=("cn-hangzhou",))
    asked = {step.name for step in make_plan(request, KNOWN, sold) if step.kind == "price"}  # type: ignore[arg-type]
    assert asked == expected


def test_subscriptions_are_asked_for_what_is_sold_by_subscription() -> None:
    request = RefreshRequest(("cn-hangzhou",), ("gn7i",), what=("month",))
    both = {("cn-hangzhou", "payg"): {SMALL, LARGE}, ("cn-hangzhou", "subscription"): {LARGE}}
    assert [step.name for step in make_plan(request, KNOWN, both)] == [LARGE]  # type: ignore[arg-type]
    by_the_hour = {("cn-hangzhou", "payg"): {SMALL}}
    assert [step.name for step in make_plan(request, KNOWN, by_the_hour)] == [SMALL]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("what", "expected_charges", "expected_units"),
    [
        (("types",), (), ()),
        (("prices",), ("payg",), ("hour",)),
        (("stock",), ("payg",), ()),
        (("stock", "month"), ("payg", "subscription"), ("month",)),
        (("stock", "spot"), ("payg", "spot"), ()),
        (("month", "year"), (), ("month", "year")),
    ],
)
def test_what_is_asked_for(what: tuple[What, ...], expected_charges: tuple[str, ...], expected_units: tuple[str, ...]) -> None:
    request = replace(REQUEST, what=what)
    assert (charges(request), units(request)) == (expected_charges, expected_units)


def test_a_price_list_takes_the_place_of_prices_type_by_type() -> None:
    plan = make_plan(replace(REQUEST, bulk=True, what=("prices", "month")), KNOWN)
    assert [step.region for step in plan if step.kind == "bulk"] == list(REQUEST.regions)
    assert {step.way for step in plan if step.kind == "price"} == {"month"}


def test_families_without_types_cost_no_prices() -> None:
    request = RefreshRequest(("cn-hangzhou",), ("gn99x",))
    assert {step.kind for step in make_plan(request, KNOWN)} == {"types", "stock"}
