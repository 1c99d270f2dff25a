"""Sums that are written out are recomputed at the precision in which they are printed."""

from __future__ import annotations

import pytest

from assistant.check.equations import find_equations
from assistant.check.figures import read_figures
from assistant.check.known import fold


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("69.483 × 730 ≈ 50,723 元", True), ("69.483 × 730 ≈ 50,823 元", False), ("0.6 + 2.1 = 2.7 GiB", True), ("0.6 + 2.1 = 2.8 GiB", False),
        ("80 ÷ 2 = 40 GiB", True), ("80 ÷ 4 = 40 GiB", False), ("4 × 24 GB = 96 GB", True), ("4 × 24 GB = 98 GB", False),
        ("71.2 - 62.0 = 9.2 GiB", True), ("0.08 (adapters) + 0.16 (optimizer) + 0.08 (gradients) = 0.32 GiB", True), ("19.3 + 40 + 0.6 + 2.1 ≈ 62 GiB", True),
        ("4,575.66 CNY ÷ 9.5326 CNY/h = 480 h", True), ("5 ÷ 0 = 40 GiB", False),
    ],
)  # fmt: skip
def test_a_sum_is_right_or_wrong(text: str, holds: bool) -> None:
    text = fold(text)
    assert [equation.holds for equation in find_equations(text, read_figures(text))] == [holds]


def test_what_leaves_a_factor_out_is_no_sum() -> None:
    text = fold("1 台 × 320 小时 ≈ 3,050 元")
    assert [equation.meant for equation in find_equations(text, read_figures(text))] == [False]


@pytest.mark.parametrize("text", ["62 GiB < 71.2 GiB", "A10 24 GB，L20 48 GB", "8 × 32K"])
def test_figures_side_by_side_are_no_sum(text: str) -> None:
    text = fold(text)
    assert list(find_equations(text, read_figures(text))) == []
