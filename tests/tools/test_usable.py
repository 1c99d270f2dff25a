"""Usable memory against what users' logs of nvidia-smi and CUDA show."""

from __future__ import annotations

from dataclasses import replace

import pytest

from knowledge.facts import gpus, instances
from tools.usable import usable_gib, usable_gib_each, usable_is_estimated


@pytest.mark.parametrize(
    ("gpu_id", "cuda_total_gib"),
    [
        ("nvidia-a10", 22.07),
        ("nvidia-a100-80gb", 79.15),
        ("nvidia-t4", 14.58),
        ("nvidia-l20", 44.8),
    ],
)
def test_usable_is_what_cuda_sees(gpu_id: str, cuda_total_gib: float) -> None:
    assert usable_gib(gpus()[gpu_id]) == pytest.approx(cuda_total_gib, abs=0.08)


def test_unseen_card_is_estimated_and_says_so() -> None:
    card = gpus()["nvidia-a30"]
    assert usable_is_estimated(card)
    assert usable_gib(card) == pytest.approx(0.94 * 24)
    seen = replace(card, usable_mib=24_000)
    assert not usable_is_estimated(seen)
    assert usable_gib(seen) == pytest.approx(24_000 / 1024 - 0.2)


@pytest.mark.parametrize(
    ("instance_type", "gib"),
    [
        ("ecs.gn7i-c8g1.2xlarge", 22.0),
        ("ecs.vgn7i-vws-m4.xlarge", 4.0),
        ("ecs.vgn7i-vws-m24.7xlarge", 22.0),
    ],
)
def test_a_slice_has_its_nominal_memory_never_more_than_the_card(
    instance_type: str, gib: float
) -> None:
    row = instances()[instance_type]
    assert usable_gib_each(row, gpus()[row.gpu_id]) == pytest.approx(gib, abs=0.01)
