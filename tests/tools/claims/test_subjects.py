"""Whom a clause speaks of, and what families and types are said to carry, link and cost."""

from __future__ import annotations

import pytest

from tools.claims.check import check_claims
from tools.phrases import Language

MIXED = (
    "H100 在阿里云 gn8v 上每小时 30 元；A100 支持 FP8；T4 有 16GB 显存，支持 BF16；gn8is 支持 FP8"
)


@pytest.mark.parametrize(
    ("text", "subject", "verdict"),
    [
        (MIXED, "gn8v H100", "wrong"),
        (MIXED, "A100 FP8", "wrong"),
        (MIXED, "T4 16 GB", "true"),
        (MIXED, "T4 BF16", "wrong"),
        (MIXED, "gn8is FP8", "true"),
        ("gn8v 很强；V100 便宜，有 NVLink，支持 BF16", "V100 BF16", "wrong"),
        ("gn8v 很强；V100 便宜，有 NVLink，支持 BF16", "V100 NVLink", "true"),
        ("A10 便宜，gn8is 更贵，支持 FP8", "gn8is FP8", "true"),
        ("gn7i 用 A10，没有 NVLink，支持 BF16", "gn7i NVLink", "true"),
        ("The A100 is fast; the T4 is cheap, and supports BF16", "T4 BF16", "wrong"),
        ("gn8v is fast; the T4 has 16 GB, supports BF16", "T4 BF16", "wrong"),
        ("gn8v is fast; the A10 has 24 GB, supports BF16", "A10 BF16", "true"),
    ],
)
def test_the_nearest_subject_is_meant(text: str, subject: str, verdict: str) -> None:
    judged = {item.subject: item.verdict for item in check_claims(text, language="zh").statements}
    assert judged.get(subject) == verdict


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("zh", "H100 在 gn8v 上"),
        ("zh", "gn8v 用 H100 吗"),
        ("zh", "gn7i 上有 L4"),
        ("zh", "gn8is 用的是 L4 吗"),
        ("zh", "gn7i 是 A10G"),
        ("zh", "ecs.gn8v.4xlarge 用的是 H100"),
        ("en", "does gn8v run H100s?"),
        ("en", "the H100 on gn8v"),
        ("en", "gn6i is equipped with A10G"),
        ("en", "ecs.gn7i-c8g1.2xlarge is an L4 box"),
    ],
)
def test_cards_that_no_family_has(language: Language, text: str) -> None:
    (statement,) = check_claims(text, language=language).statements
    name = text.split()[0] if language == "zh" and text[0] in "ge" else ""
    assert statement.verdict == "wrong" and statement.fact.startswith(name)
    assert ("规格族没有" if language == "zh" else "No public Alibaba Cloud") in statement.fact


@pytest.mark.parametrize(
    "text", ["H20 在 gn8v 上", "gn8is 用的是 L20 吗", "does gn7i run A10s?", "T4 on gn6i"]
)
def test_cards_that_the_family_has(text: str) -> None:
    (statement,) = check_claims(text, language="en").statements
    assert statement.verdict == "true"


PRICES = [
    ("gn7i 每小时 5 元", "wrong"),
    ("gn7i 的价格是 200 元/小时", "wrong"),
    ("gn7i 每小时 20 元", "cannot_judge"),
    ("gn7i 每小时不是 5 元", "true"),
    ("gn7e-c16g1.4xlarge 按量 34.742 元", "true"),
    ("gn7e-c16g1.4xlarge 按量 12 元", "wrong"),
    ("ecs.gn7i-c8g1.2xlarge 在新加坡按量 9.53 元", "wrong"),
    ("gn8v 每小时 30 元", "cannot_judge"),
    ("gn7i costs 2 yuan per hour", "wrong"),
    ("gn6i is 100 yuan an hour", "wrong"),
    ("gn7i costs 20 yuan per hour", "cannot_judge"),
    ("gn7i costs $1 per hour", "cannot_judge"),
    ("ecs.gn7i-c8g1.2xlarge costs 30 CNY per hour", "wrong"),
    ("ecs.gn7i-c8g1.2xlarge costs 9.53 CNY per hour", "true"),
    ("gn7i 预算每小时 5 元够吗", ""),
    ("抢占式 gn7i 每小时 2 元", ""),
    ("gn7i 每小时 5~10 元", ""),
    ("ecs.gn7i-c8g1.2xlarge 用 8 小时花了 76 元", ""),
    ("gn7i 训练 8 小时共 100 元", ""),
    ("running gn7i for 3 hours costs 300 yuan", ""),
    ("gn7i 1 小时 5 元", "wrong"),
    ("spot gn7i is 2 yuan per hour", ""),
    ("gn7i saves 5 yuan per hour over gn7s", ""),
]


@pytest.mark.parametrize(("text", "verdict"), PRICES)
def test_prices(text: str, verdict: str) -> None:
    judged = [item.verdict for item in check_claims(text, language="zh").statements]
    assert judged == ([verdict] if verdict else [])


def test_a_right_price_says_which_region() -> None:
    (statement,) = check_claims("gn7e-c16g1.4xlarge 按量 34.742 元", language="zh").statements
    assert "杭州" in statement.fact and "34.742" in statement.fact


LINKS = [
    ("gn7e NVLink 300GB/s", {"300GB/s": "wrong", "gn7e NVLink": "true"}, "600 GB/s"),
    ("gn7e NVLink 600 GB/s", {"gn7e NVLink 600 GB/s": "true"}, "600 GB/s"),
    (
        "gn7e 支持 NVLink，带宽 300GB/s",
        {"300GB/s": "wrong", "gn7e 支持 NVLink": "true"},
        "600 GB/s",
    ),
    ("gn7e 支持 NVLink，显存带宽 2039GB/s", {"gn7e 支持 NVLink": "true"}, "600 GB/s"),
    ("gn6v 的 NVLink 是单向 150GB/s", {"gn6v 的 NVLink 是单向 150GB/s": "true"}, "300 GB/s"),
    ("gn8v NVLink bandwidth is 900 GB/s", {"gn8v NVLink bandwidth is 900 GB/s": "true"}, "900"),
    (
        "Does gn7e have NVLink at 300 GB/s?",
        {"300 GB/s": "wrong", "gn7e have NVLink": "true"},
        "600",
    ),
    ("A100 NVLink 带宽 900GB/s", {"900GB/s": "wrong", "A100 NVLink": "true"}, "600 GB/s"),
    ("gn8v 有 NVLink 吗", {"gn8v 有 NVLink": "true"}, "900 GB/s"),
    ("gn7i 支持 NVLink", {"gn7i 支持 NVLink": "wrong"}, "gn7i 没有 NVLink"),
    ("ecs.gn8v-8x.48xlarge has NVLink", {"ecs.gn8v-8x.48xlarge has NVLink": "true"}, "900 GB/s"),
    ("gn8is 支持 RDMA", {"gn8is 支持 RDMA": "true"}, "gn8is 支持 RDMA（eRDMA"),
    ("gn8is 没有 RDMA", {"gn8is 没有 RDMA": "wrong"}, "gn8is 支持 RDMA（eRDMA"),
    ("gn8v has eRDMA", {"gn8v has eRDMA": "true"}, "eRDMA"),
    ("gn9gc has no RDMA", {"gn9gc has no RDMA": "wrong"}, "gn9gc 支持 RDMA"),
    (
        "想用 gn7i 和 RDMA 做分布式",
        {"gn7i 和 RDMA": "wrong"},
        "gn7i 没有列出 RDMA，支持的有 ebmgn7ix",
    ),
    ("I want gn7i with RDMA for training", {"gn7i with RDMA": "wrong"}, "支持的有 ebmgn7ix"),
    ("can gn7i do RDMA?", {"gn7i do RDMA": "wrong"}, "gn7i 没有列出 RDMA"),
    ("ecs.gn8is.2xlarge supports eRDMA", {"ecs.gn8is.2xlarge supports eRDMA": "true"}, "eRDMA"),
]


@pytest.mark.parametrize(("text", "verdicts", "fact"), LINKS)
def test_links(text: str, verdicts: dict[str, str], fact: str) -> None:
    judged = check_claims(text, language="zh").statements
    assert {item.text: item.verdict for item in judged} == verdicts
    assert all(fact in item.fact for item in judged)


@pytest.mark.parametrize(
    ("text", "verdict", "fact"),
    [
        ("V100 有 FP8 和 BF16 吧", "wrong", "V100（Volta）支持 FP16，不支持 BF16、FP8"),
        ("gn7i 是 4 卡吗", "true", "1、2、4、8"),
        ("gn7i 是 3 卡吗", "wrong", "1、2、4、8"),
        ("does gn6e come with 32 GB V100s?", "true", "V100 32 GB"),
        ("does gn6v come with 4 GPUs?", "true", "1、2、4、8"),
        ("does the V100 support BF16?", "wrong", "不支持 BF16"),
    ],
)
def test_questions_carry_the_figure(text: str, verdict: str, fact: str) -> None:
    (statement,) = check_claims(text, language="zh").statements
    assert statement.verdict == verdict and fact in statement.fact


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("zh", MIXED),
        (
            "zh",
            "gn7i 支持 NVLink。gn7i 支持 RDMA。gn7i 每小时 5 元。gn6v 是 32G 的 V100。有 ESSD PL5。",
        ),
        (
            "zh",
            "gn7v 是 A10 实例。gn5 还在卖。gn7e 是入门级。A10 支持 FP8。A10 有 40GB。g7 有显卡。",
        ),
        (
            "en",
            "gn7i has NVLink. gn7i has RDMA. gn7i costs 5 yuan per hour. gn6v has 32 GB V100s.",
        ),
    ],
)
def test_facts_read_well_behind_a_verdict(language: Language, text: str) -> None:
    for item in check_claims(text, language=language).statements:
        assert not item.fact.startswith(("不对", "不是", "错", "No,", "Wrong", "Not ", "，", "。"))
        assert item.fact.endswith(("。", "."))
        assert "  " not in item.fact
