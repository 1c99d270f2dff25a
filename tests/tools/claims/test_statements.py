"""Statements and their twins: what is wrong is said so, and what is right is not."""

from __future__ import annotations

import pytest

from tools.claims.check import check_claims
from tools.phrases import Language

BAD = {"wrong", "not_in_catalog"}

# (Chinese, English, verdict): the true and the false twin stand side by side
TWINS = [
    ("gn7v 是阿里云的规格族吗？", "Is gn7v an Alibaba Cloud family?", "not_in_catalog"),
    ("gn7v 不存在。", "There is no gn7v on Alibaba Cloud.", "true"),
    ("gn11 是最新的规格族", "gn11 is the newest family", "not_in_catalog"),
    ("gn8i 和 gn9 都不存在", "Neither gn8i nor gn9 exists.", "true"),
    ("gn8t 是一个规格族", "gn8t is a family", "not_in_catalog"),
    ("gn7i 用的是 A10。", "The gn7i family uses the A10.", "true"),
    ("gn7i 搭载 A30。", "gn7i comes with A30 cards.", "wrong"),
    ("gn7s 配的是 A30 显卡", "gn7s ships with A30", "true"),
    ("gn6v 配备 V100 16GB", "gn6v has V100 16 GB", "true"),
    ("gn6v 配备 V100 32GB", "gn6v has V100 32GB", "wrong"),
    ("gn7 搭载 A100 80GB", "gn7 carries the A100 80GB", "wrong"),
    ("gn7 搭载 A100 40GB", "gn7 carries the A100 40GB", "true"),
    ("gn7e 提供 A100 40GB 和 80GB", "gn7e offers A100 40GB and 80GB", "wrong"),
    ("听说 gn8is 用的是 L40S，是真的吗", "I heard gn8is has the L40S, right?", "wrong"),
    ("听说 gn8is 用的是 L20，是真的吗", "I heard gn8is has the L20, right?", "true"),
    ("gn8v 用的是 H100", "gn8v carries H100", "wrong"),
    ("gn8v 用的是 H20", "gn8v carries H20", "true"),
    ("A10 有 48GB 显存", "The A10 comes with 48 GB of VRAM.", "wrong"),
    ("A10 只有 24GB 显存", "The A10 has only 24 GB of memory.", "true"),
    ("A100 分 40GB 和 80GB 两种", "The A100 is available in 40 GB and 80 GB.", "true"),
    ("32GB 的 A10", "a 32 GB A10", "wrong"),
    ("32GB 的 V100", "a 32 GB V100", "true"),
    ("A10 没有 40GB 版本，只有 24GB。", "The A10 has 24 GB, not 40 GB.", "true"),
    ("gn8v 单卡 80GB", "gn8v has 80 GB per GPU", "wrong"),
    ("gn8v 单卡 96GB", "gn8v has 96 GB per GPU", "true"),
    ("A100 原生支持 FP8 推理吗？", "Does the A100 natively support FP8?", "wrong"),
    ("A10 不是支持 FP8 吗？", "Doesn't the A10 support FP8?", "wrong"),
    ("A10 不支持 FP8", "A10 does not support FP8", "true"),
    ("L20 支持 FP8", "The L20 supports FP8.", "true"),
    ("T4 支持 BF16", "T4 can do BF16", "wrong"),
    ("T4 没有 BF16", "T4 has no bfloat16", "true"),
    ("T4 支持 INT8", "T4 supports INT8", "true"),
    ("gn8v 不支持 FP8", "gn8v does not support FP8", "wrong"),
    ("gn7e 支持 FP8", "gn7e supports FP8 natively", "wrong"),
    ("T4 是 Ampere 架构", "The T4 is based on Ampere", "wrong"),
    ("T4 是 Turing 架构", "The T4 is based on Turing", "true"),
    ("A10 的显存比 T4 小", "The A10 has less memory than the T4", "wrong"),
    ("L20 的显存比 A10 大", "The L20 has more memory than the A10", "true"),
    ("A10 的显存带宽 300 GB/s", "The A10 memory bandwidth is 300 GB/s", "wrong"),
    ("H20 的显存带宽是 4 TB/s", "The H20 memory bandwidth is 4 TB/s", "true"),
    ("gn7i 有 NVLink", "gn7i has NVLink between its GPUs", "wrong"),
    ("gn7i 没有 NVLink", "gn7i has no NVLink", "true"),
    ("gn7e 支持 NVLink", "gn7e GPUs are connected by NVLink", "true"),
    ("gn7e 支持 RDMA", "gn7e supports RDMA", "wrong"),
    ("ebmgn7ex 支持 eRDMA", "ebmgn7ex supports eRDMA", "true"),
    ("有 ESSD PL5 吗？", "Is there an ESSD PL5 disk?", "wrong"),
    ("没有 PL4", "There is no PL4.", "true"),
    ("PL1 单盘最高 10 万 IOPS", "PL1 reaches 100,000 IOPS", "wrong"),
    ("PL2 单盘最高 10 万 IOPS", "PL2 reaches 100,000 IOPS", "true"),
    ("PL3 最小容量 461 GiB 起", "PL3 starts from 461 GiB", "wrong"),
    ("PL3 最小容量 1261 GiB 起", "PL3 starts from 1261 GiB", "true"),
    ("g7 是带 GPU 的推理实例", "g7 is a GPU inference family", "wrong"),
    ("g7 是 CPU 通用型实例，没有 GPU", "g7 is a CPU family without GPU", "true"),
    ("阿里云有 H100 实例", "Alibaba Cloud offers H100 instances", "wrong"),
    ("阿里云 ECS 没有 H100 实例", "Alibaba Cloud has no H100 instances", "true"),
    ("阿里云有 A10 实例", "Alibaba Cloud offers A10 instances", "true"),
    ("gn6i 已经停售", "gn6i is discontinued", "wrong"),
    ("gn5 已经停售", "gn5 is discontinued", "true"),
    ("gn9gc 目前是邀测", "gn9gc is by invitation", "true"),
    ("gn7e 属于入门级", "gn7e is an entry-level family", "wrong"),
    ("gn7e 属于高端规格族", "gn7e is a high-end family", "true"),
    (
        "ecs.gn7i-c8g1.2xlarge 有 8 vCPU、30 GiB 内存和 1 张 A10",
        "ecs.gn7i-c8g1.2xlarge has 8 vCPU, 30 GiB of memory and 1 x A10",
        "true",
    ),
    (
        "ecs.gn7i-c8g1.2xlarge 有 4 张 A10",
        "ecs.gn7i-c8g1.2xlarge comes with 4 x A10",
        "wrong",
    ),
    ("ecs.gn7e-c12g1.3xlarge 好用吗", "I plan to use ecs.gn7e-c12g1.3xlarge", "not_in_catalog"),
    (
        "ecs.gn7i-c8g1.2xlarge 杭州按量 9.53 元/小时",
        "ecs.gn7i-c8g1.2xlarge costs 9.53 CNY per hour in Hangzhou",
        "true",
    ),
    (
        "ecs.gn7i-c8g1.2xlarge 每小时 3 元",
        "ecs.gn7i-c8g1.2xlarge costs 3 CNY per hour",
        "wrong",
    ),
    (
        "70B 模型 16 bit 一张 80GB 卡放得下",
        "A 70B model in 16 bit fits on one 80 GB card",
        "wrong",
    ),
    (
        "70B 模型 bf16 放不进单张 A100 80GB",
        "A 70B model in bf16 does not fit on one A100 80GB",
        "true",
    ),
    ("7B fp16 一张 A10 放得下", "A 7B model in fp16 fits on a single A10", "true"),
    ("70B FP16 只需要 40GB 显存", "70B in FP16 needs only 40 GB", "wrong"),
    ("7B FP16 权重约 14GB", "7B in FP16 takes about 14 GB", "true"),
    ("抢占式实例最多省 90%", "Spot saves up to 90%", "true"),
    ("抢占式实例一律便宜 80%", "Spot is always 80% off", "wrong"),
    ("抢占式价格是按量的 10%~30%", "Spot costs 10-30% of pay-as-you-go", "partly"),
    ("预留实例券最多能省 95%", "Reserved instances save up to 95%", "wrong"),
    ("节省计划最多能省 76%", "Savings plans save up to 76%", "true"),
    ("预留实例券能省 40%~50%", "Reserved instances save 40-50%", "cannot_judge"),
    ("抢占式实例不会被回收", "Spot instances are never reclaimed", "wrong"),
    ("抢占式实例可能被回收", "Spot instances can be reclaimed", "true"),
    ("显存不够就把 batch size 调大", "Out of memory? Double the batch size.", "wrong"),
    ("显存不够就把 batch size 调小", "When out of memory, reduce the batch size.", "true"),
    ("显存不够时不要增大 batch", "When memory is short, do not raise the batch size", "true"),
    ("TensorRT 可以加速纯 CPU 推理", "TensorRT speeds up CPU-only servers", "wrong"),
    ("TensorRT 不能在 CPU 上运行", "TensorRT does not run on CPUs", "true"),
    ("混合精度（AMP）能让显存减半", "AMP halves GPU memory", "partly"),
    ("说 gn7i 有 NVLink，这是错的。", "gn7i has NVLink, but that is wrong.", "true"),
]


@pytest.mark.parametrize(("zh", "en", "verdict"), TWINS)
def test_twins_are_judged_alike_in_both_languages(zh: str, en: str, verdict: str) -> None:
    assert verdict in _verdicts(zh, "zh")
    assert verdict in _verdicts(en, "en")
    if verdict == "true":
        assert not (_verdicts(zh, "zh") | _verdicts(en, "en")) & BAD


@pytest.mark.parametrize(
    "text",
    [
        "Ａ１０ 有 ４０ＧＢ 显存",
        "a10有40g显存",
        "A10 (40GB)",
        "A10（24GB / 40GB）性价比高",
        "A guide says the A10 has 40 GB of VRAM.",
        "老师说 A10 支持 40GB 显存，对吗？",
    ],
)
def test_other_spellings_of_one_wrong_statement(text: str) -> None:
    assert BAD & _verdicts(text, "zh")


def test_the_fact_is_in_the_language_asked_and_has_sources() -> None:
    for language, word in (
        ("zh", "不在阿里云实例目录里"),
        ("en", "not in Alibaba Cloud's catalog"),
    ):
        (statement,) = check_claims("gn7v", language=_language(language)).statements
        assert word in statement.fact and "2026-11-30" in statement.fact
        assert statement.source_ids


def test_an_api_name_is_worded_as_such() -> None:
    (statement,) = check_claims("gn8t", language="en").statements
    assert "an API name only, not on the public pages" in statement.fact


def test_counts_add_up() -> None:
    report = check_claims("gn7v 有 A100。gn7i 有 NVLink。gn7i 搭载 A10。", language="zh")
    assert sum(report.counts.values()) == len(report.statements) == 3
    assert report.counts == {"not_in_catalog": 1, "wrong": 1, "true": 1}


def _verdicts(text: str, language: str) -> set[str]:
    return {item.verdict for item in check_claims(text, language=_language(language)).statements}


def _language(name: str) -> Language:
    return "zh" if name == "zh" else "en"
