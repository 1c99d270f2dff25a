"""Statements that are asked about: what turns them into a question changes no verdict, and no part is left out."""

from __future__ import annotations

import pytest

from tools.claims.check import check_claims
from tools.results import Statement

ZH_TAGS = ["", "。", "对不对", " 对不对？", "，对吗", "，对吧？", "，是不是", "，是吗？", "，没错吧", "，不是吗？", "，是这样吗", "，真的假的"]
EN_TAGS = ["", ".", ", right?", ", correct?", " - is that right?", ", isn't it?", ", doesn't it?", ". Is that true?", ", is it not?"]
CLAIMS = [
    ("gn7e 是 A100 40G", ["true", "wrong"]),
    ("gn7e 是 A100 80G", ["true"]),
    ("gn7e 没有 NVLink", ["wrong"]),
    ("gn7i 没有 NVLink", ["true"]),
    ("A10 支持 FP8", ["wrong"]),
    ("A10 不支持 FP8", ["true"]),
    ("gn7i-c16g1.4xlarge 有两张 A10", ["wrong"]),
    ("gn7e is A100 40GB", ["true", "wrong"]),
    ("gn7e has no NVLink", ["wrong"]),
    ("The A10 supports FP8", ["wrong"]),
    ("L20 is 48GB and has 1500 GB/s", ["true", "wrong"]),
]


def judged(text: str) -> list[Statement]:
    zh = any("\u4e00" <= letter <= "\u9fff" for letter in text)
    return check_claims(text, language="zh" if zh else "en").statements


@pytest.mark.parametrize(("claim", "verdicts"), CLAIMS)
def test_asking_changes_no_verdict(claim: str, verdicts: list[str]) -> None:
    tags = ZH_TAGS if any("\u4e00" <= letter <= "\u9fff" for letter in claim) else EN_TAGS
    for tag in tags:
        found = judged(claim + tag)
        assert [item.verdict for item in found] == verdicts, tag
        assert all(item.text in claim for item in found), tag


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("L20 is 48GB and has 1500 GB/s.", "1500 GB/s"),
        ("L20 has 48GB and 1500 GB/s of bandwidth", "1500 GB/s of bandwidth"),
        ("A10 显存 24G 带宽 900GB/s", "带宽 900GB/s"),
        ("The A10 has 24 GB, 4 cards and NVLink", "4 cards and NVLink"),
        ("ecs.gn7i-c8g1.2xlarge costs 9.53 CNY per hour and 3000 CNY per month", "3000 CNY per month"),
    ],
)
def test_the_second_half_is_judged(text: str, wrong: str) -> None:
    assert [(item.verdict, item.text) for item in judged(text)][1:] == [("wrong", wrong)]


@pytest.mark.parametrize("text", ["A100 有 600GB/s", "L20 实例网络 25 GB/s", "p4d.24xlarge has 8 A100 and 400 Gbps", "A10 读盘 350 GB/s 吞吐"])
def test_other_rates_are_not_memory_bandwidth(text: str) -> None:
    assert not [item for item in judged(text) if item.verdict == "wrong"]


@pytest.mark.parametrize(
    ("size", "holds"),
    [("40Gi", False), ("24Gi", True), ("40000MB", False), ("40,960 MB", False), ("24576MB", True), ("24576 MiB", True), ("24000MB", True)],
)
def test_sizes_in_other_units(size: str, holds: bool) -> None:
    for text in (f"A10 的显存是 {size}", f"The A10 has {size}"):
        assert [item.verdict for item in judged(text)] == ["true" if holds else "wrong"]


@pytest.mark.parametrize("text", ["Is ecs.gn7e-c16g1.8xlarge a 4-GPU instance?", "ecs.gn7e-c16g1.8xlarge is a 4-card machine"])
def test_counts_with_a_dash(text: str) -> None:
    assert [item.verdict for item in judged(text)] == ["wrong"]


@pytest.mark.parametrize(
    ("text", "verdict", "told"),
    [
        ("gn7e-c16g1.4xlarge 包月 2 万", "wrong", "16676 元/月"),
        ("gn7e-c16g1.4xlarge 每月 1.67 万元", "true", "2023-06-17"),
        ("gn7e-c16g1.4xlarge costs 20k a month", "wrong", "China (Shanghai)"),
        ("gn7i-c8g1.2xlarge 月租 3000 块", "wrong", "4575.66 元/月"),
        ("gn7i-c8g1.2xlarge 一小时 9.5 块", "true", "9.5326"),
        ("gn7i-c8g1.2xlarge 一小时 12 块", "cannot_judge", "9.5326"),
        ("gn7i-4x.8xlarge 包月 2 万", "cannot_judge", "没有 ecs.gn7i-4x.8xlarge 的包月价记录"),
        ("gn7i-4x.8xlarge is 3000 CNY a month", "cannot_judge", "No monthly price"),
    ],
)
def test_prices_as_people_write_them(text: str, verdict: str, told: str) -> None:
    (item,) = judged(text)
    assert item.verdict == verdict and told in item.fact


def test_pieces_are_cards_and_no_money() -> None:
    (item,) = judged("gn7i-c8g1.2xlarge 有 2 块 A10")
    assert item.verdict == "wrong" and "1 张 A10" in item.fact
