"""Errors in a few figures, against values worked out by hand."""

from __future__ import annotations

import pytest

from evals.accuracy.rows import Measure, Quantity
from evals.accuracy.stats import (
    Agreement,
    Figures,
    agreement,
    by_group,
    figures,
    is_usable,
    percentile,
    quantities,
)


def measure(measured: float, predicted: float, *, quantity: Quantity = "peak", band: tuple[float, float] | None = None) -> Measure:
    low, high = band or (None, None)
    return Measure("a", quantity, measured, predicted, low, high, {"method": "LoRA"})


def test_figures_by_hand() -> None:
    """Errors −50, −10, 0, +20 %: absolute 0, 10, 20, 50."""
    rows = [measure(10, 5), measure(10, 9), measure(10, 10), measure(10, 12)]
    found = figures(rows, carried=7)
    assert (found.n, found.carried) == (4, 7)
    assert found.median_abs_pct == pytest.approx(15)
    assert found.mean_abs_pct == pytest.approx(20)
    assert found.p90_abs_pct == pytest.approx(41)  # 0.9 of the way through 3 steps: 20 + 0.7 · 30
    assert found.max_abs_pct == pytest.approx(50)
    assert found.bias_pct == pytest.approx(-10)
    assert found.within_10_pct == pytest.approx(0.5)
    assert found.in_band is None


def test_band_counts_only_rows_that_print_one() -> None:
    rows = [measure(10, 9, band=(8, 11)), measure(10, 9, band=(8, 9.5)), measure(10, 9)]
    assert figures(rows).in_band == pytest.approx(0.5)


@pytest.mark.parametrize(("values", "share", "expected"), [([3], 0.9, 3), ([1, 2], 0.5, 1.5), ([4, 1, 3, 2], 0.9, 3.7)])
def test_percentile(values: list[float], share: float, expected: float) -> None:
    assert percentile(values, share) == pytest.approx(expected)


def test_agreement_in_both_directions() -> None:
    fits = [measure(ran, said, quantity="fits") for ran, said in ((1, 1), (1, 1), (1, 0), (0, 1), (0, 0))]
    assert agreement(fits).model_dump() == {
        "n": 5, "agree": 3, "ran": {"n": 3, "agree": 2}, "failed": {"n": 2, "agree": 1},
    }  # fmt: skip


def test_quantities_are_kept_apart_and_none_is_invented() -> None:
    found = quantities([measure(10, 10), measure(100, 50, quantity="kv_tokens"), measure(1, 1, quantity="fits")])
    assert isinstance(found["fits"], Agreement)
    peak, tokens = found["peak"], found["kv_tokens"]
    assert isinstance(peak, Figures)
    assert isinstance(tokens, Figures)
    assert (peak.max_abs_pct, tokens.max_abs_pct) == (0, 50)
    assert set(found) == {"peak", "kv_tokens", "fits"}
    assert quantities([]) == {}


def test_groups() -> None:
    found = by_group([measure(10, 10), Measure("b", "peak", 10, 20, groups={"method": "full", "gpu": "A10"})])
    assert list(found) == ["gpu: A10", "method: LoRA", "method: full"]
    full = found["method: full"]["peak"]
    assert isinstance(full, Figures)
    assert full.bias_pct == pytest.approx(100)


@pytest.mark.parametrize(
    ("row", "usable"),
    [
        (measure(10, 9), True),
        (measure(0, 9), False),
        (measure(float("nan"), 9), False),
        (measure(10, float("inf")), False),
        (measure(0, 1, quantity="fits"), True),
    ],
)
def test_what_an_error_can_be_told_of(row: Measure, usable: bool) -> None:
    assert is_usable(row) is usable
