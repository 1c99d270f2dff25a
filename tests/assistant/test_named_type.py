"""The instance type that stands for what was named."""

from __future__ import annotations

import pytest

from assistant.named_type import choose_type
from knowledge.errors import UnknownInstance


@pytest.mark.parametrize(
    ("name", "count", "expected", "machines"),
    [
        ("gn7i-c16g1.4xlarge", None, "ecs.gn7i-c16g1.4xlarge", 1), ("gn7i", None, "ecs.gn7i-c8g1.2xlarge", 1), ("A10", None, "ecs.gn7i-c8g1.2xlarge", 1), ("nvidia-a10", 2, "ecs.gn7i-2x.8xlarge", 1),
        ("A100", None, "ecs.gn7e-c16g1.4xlarge", 1), ("a10", 16, "ecs.gn7i-8x.16xlarge", 2), ("gn8v", None, "ecs.gn8v.4xlarge", 1),
    ],
)  # fmt: skip
def test_the_cheapest_that_can_be_had(name: str, count: int | None, expected: str, machines: int) -> None:
    choice = choose_type(name, region="cn-hangzhou", gpu_count=count, language="zh")
    assert (choice.instance_type, choice.count) == (expected, machines)
    assert bool(choice.chosen_of) == (not expected.endswith(name))


@pytest.mark.parametrize("name", ["gn99x", "ecs.gn7i-c99g1.large", "L40S", ""])
def test_names_outside_the_catalog_are_refused(name: str) -> None:
    with pytest.raises(UnknownInstance):
        choose_type(name, region="cn-hangzhou", language="zh")
