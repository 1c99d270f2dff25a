"""Sizes that no card has and sums that no machine costs: needed, used, left over; saved, dearer, over a budget."""

from __future__ import annotations

import pytest

from tools.claims.check import check_claims

NEEDS = [
    "ecs.gn7e-c16g1.32xlarge (8 × A100 80 GB), 41.6 GiB to spare per GPU",
    "ecs.gn7e-c16g1.32xlarge（8 × A100 80 GB），每卡余 41.6 GiB",
    "ecs.gn7i-8x.16xlarge (8 × A10 24 GB), about 29.6 GiB needed per GPU, limit 19.8",
    "ecs.gn7i-8x.16xlarge（8 × A10 24 GB），每卡约需 29.6 GiB，上限 19.8 GiB",
    "ecs.gn7i-c8g1.2xlarge 每卡余 2.0 GiB",
    "ecs.gn7i-c8g1.2xlarge, 2.0 GiB short per GPU",
    "A10 需要 29.6 GiB",
    "A10 上已用 18 GB 显存",
    "A10 剩余显存约为 4.2 GiB",
    "A10 (18 GB used)",
    "A10: 18 GB of VRAM in use",
    "A10: 4 GB free",
    "A10 with 4.2 GiB to spare",
    "A10 has about 4 GB headroom",
    "A10 has 40 GB free",
    "A10 40 GB needed",
    "gn7i has 4.2 GB left",
    "gn7i is 5.6 GiB short",
    "gn7i 权重 15 GB",
    "T4: 15 GB for the weights",
    "L20 (29.6 GiB of 48 GB)",
    "Ａ１０ 余 ４.２ ＧｉＢ",
    "vLLM uses 18 GB on the A10",
    "A10 比 T4 多 8 GB",
]
DIFFERENCES = [
    "ecs.gn7e-c16g1.8xlarge, 69.484 CNY cheaper per hour",
    "ecs.gn7e-c16g1.8xlarge: 69.484 CNY less per hour, about 50,723 CNY less per month",
    "ecs.gn7e-c16g1.8xlarge saves 69.484 CNY per hour, about 50,723 CNY per month of 730 hours",
    "ecs.gn7e-c16g1.8xlarge 省 69.484 元/小时，即每月 50723 元",
    "ecs.gn7e-c16g1.8xlarge 每小时少花 69.484 元，按 730 小时每月少约 50,723 元",
    "ecs.gn7e-c16g1.8xlarge 便宜 69.484 元/小时",
    "ecs.gn7e-c16g1.8xlarge 每小时节约 10 元",
    "ecs.gn7e-c16g1.8xlarge 比首选每小时多 10 元",
    "ecs.gn7e-c16g1.8xlarge 每小时超出 10 元",
    "ecs.gn7e-c16g1.8xlarge costs 10 CNY more per hour",
    "ecs.gn7e-c16g1.8xlarge an extra 10 CNY per hour",
    "ecs.gn7e-c16g1.8xlarge cuts the bill by 10 CNY per hour",
    "gn7i, 2 CNY less per hour",
]


@pytest.mark.parametrize("text", NEEDS)
def test_a_size_that_is_needed_used_or_left_over_is_no_cards_memory(text: str) -> None:
    judged = check_claims(text, language="en").statements
    assert all(item.verdict == "true" for item in judged)
    assert all(item.subject.startswith("ecs.") for item in judged)


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("A10 有 40GB 显存可用", "A10 有 40GB"),
        ("A10 有 40GB 显存，余 4 GB", "A10 有 40GB"),
        ("The A10 has 40 GB of memory, 4 GB free", "A10 has 40 GB"),
        ("32B 需要 40GB 的 A10", "40GB 的 A10"),
        ("32B needs a 40 GB A10", "40 GB A10"),
        ("The gn7i uses 40 GB cards", "gn7i uses 40 GB"),
    ],
)
def test_a_size_that_a_card_is_said_to_have_is_still_judged(text: str, wrong: str) -> None:
    judged = check_claims(text, language="en").statements
    assert [item.text for item in judged if item.verdict == "wrong"] == [wrong]


def test_weights_are_still_held_to_what_is_needed() -> None:
    assert check_claims("70B FP16 需要 40GB", language="zh").counts == {"wrong": 1}
    assert check_claims("7B in FP16 needs 14 GB", language="en").counts == {"true": 1}


@pytest.mark.parametrize("text", DIFFERENCES)
def test_a_saving_or_a_difference_is_no_price(text: str) -> None:
    assert check_claims(text, language="en").statements == []


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("ecs.gn7e-c16g1.8xlarge is cheap at 10 CNY per hour", "wrong"),
        ("ecs.gn7e-c16g1.8xlarge 每小时 10 元，便宜", "wrong"),
        ("ecs.gn7e-c16g1.8xlarge 降到每小时 69.483 元", "true"),
        ("ecs.gn7i-c8g1.2xlarge 每小时 9.5326 元", "true"),
        ("ecs.gn7i-c8g1.2xlarge costs 95.326 CNY per hour", "wrong"),
    ],
)
def test_a_price_is_still_judged(text: str, verdict: str) -> None:
    assert [item.verdict for item in check_claims(text, language="en").statements] == [verdict]
