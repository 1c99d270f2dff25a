"""What a figure is of: the label and the name of its clause, row, line, heading; each figure of a sentence its own."""

from __future__ import annotations

import pytest

from assistant.check.figures import Figure, read_figures
from assistant.check.known import fold

TYPE = "ecs.gn7e-c16g1.8xlarge"
OTHER = "ecs.gn6v-c8g1.16xlarge"


def read(text: str) -> dict[str, Figure]:
    return {figure.quantity.text: figure for figure in read_figures(fold(text))}


@pytest.mark.parametrize(
    ("text", "figure", "label"),
    [
        ("权重 38.6 GiB，KV 缓存 20 GiB", "38.6 GiB", "weights"), ("权重 38.6 GiB，KV 缓存 20 GiB", "20 GiB", "kv"), ("38.6 GiB of weights", "38.6 GiB", "weights"),
        ("每卡约需 17.3 GiB，上限 14.0 GiB", "17.3 GiB", "needed"), ("每卡约需 17.3 GiB，上限 14.0 GiB", "14.0 GiB", "limit"), ("leaves 9.2 GiB to spare", "9.2 GiB", "headroom"),
        ("| 权重（int4） | 19.3 GiB |", "19.3 GiB", "weights"), ("| 规格 | 内存 GiB |\n|---|---|\n| gn7i | 30 |", "30", "ram"), ("KV 缓存（每路 2.5 GiB）", "2.5 GiB", "kv"),
        ("A10 24 GB", "24 GB", "card_size"), ("每小时少花 10.2 元", "10.2 元", "saves"), ("抢占式 2.1 元/小时", "2.1 元", "spot"),
    ],
)  # fmt: skip
def test_labels(text: str, figure: str, label: str) -> None:
    assert label in read(text)[figure].labels


@pytest.mark.parametrize(
    ("text", "figure", "types"),
    [
        (f"`{TYPE}`（2 × A100 80 GB，杭州按量 69.483 元/小时）", "69.483 元", {TYPE}), (f"{TYPE} 69.483 元，{OTHER} 211.68 元", "211.68 元", {OTHER}),
        (f"| 规格 | 元/小时 |\n|---|---|\n| {TYPE} | 69.483 |", "69.483", {TYPE}), (f"### {TYPE}\n- 价格 69.483 元", "69.483 元", {TYPE}),
        (f"| | {TYPE} | {OTHER} |\n|---|---|---|\n| 元/小时 | 69.483 | 211.68 |", "211.68", {OTHER}),
    ],
)  # fmt: skip
def test_subjects(text: str, figure: str, types: set[str]) -> None:
    found = read(text)[figure]
    assert found.subject.types == types and not found.carried


def test_a_name_of_another_line_is_only_carried() -> None:
    found = read(f"选 {TYPE}。\n每小时 69.483 元")["69.483 元"]
    assert found.subject.types == {TYPE} and found.carried


def test_a_column_head_gives_the_unit() -> None:
    found = read("| 规格 | 元/小时 |\n|---|---|\n| gn7i | 9.53 |")["9.53"].quantity
    assert (found.dim, found.per) == ("money_CNY", "hour")
