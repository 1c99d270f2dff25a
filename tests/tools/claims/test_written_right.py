"""Right statements as blogs, vendors and chats write them, and prices of another day or region, which nobody can judge."""

from __future__ import annotations

import pytest

from tools.claims.check import check_claims
from tools.results import Statement

BAD = {"wrong", "not_in_catalog"}
RIGHT = [
    "gn7i 用的就是 A10，24G 显存，跑 7B fp16 没压力。",
    "阿里云 gn6i 就是 T4 机型，16GB。",
    "ｇｎ７ｉ 配备 Ａ１０，２４ＧＢ。",
    "gn8is 装的是 L20，单卡 48G，支持 FP8。",
    "T4 不支持 bf16，只能用 fp16。",
    "A10 支持 bf16，但不支持 fp8。",
    "gn7s 搭载 A30，显存 24GB。",
    "gn6e 是 32GB 的 V100，带 NVLink。",
    "ebmgn7ix 是 8 卡 A10，支持 eRDMA。",
    "gn7e 最多 8 卡，单卡 80GB。",
    "ecs.gn7i-c16g1.4xlarge：16 vCPU / 60 GiB / 1 × A10。",
    "ecs.gn8is-4x.16xlarge 配 4 张 L20，64 核 512G 内存。",
    "gn5 已经停售。",
    "gn7i 没有 NVLink。",
    "gn7e 带 NVLink。",
    "gn9gc 目前邀测。",
    "sccgn7ex 支持 RoCE。",
    "函数计算 GPU 按秒计费。",
    "抢占式实例可能会被回收，别放有状态服务。",
    "ESSD PL1 单盘最高 5 万 IOPS。",
    "ESSD PL3 最高 100 万 IOPS。",
    "预留实例券最高可省 79%。",
    "抢占式最低到按量价的 1 折，最多省 90%。",
    "阿里云没有 H100 实例。",
    "没有 gn8i 这个规格族。",
    "70B 的 FP16 权重约 140GB，一张 80GB 的卡放不下。",
    "| 规格族 | GPU | 单卡显存 |\n| --- | --- | --- |\n| gn7i | A10 | 24 GB |\n| gn8is | L20 | 48 GB |",
    "H20 有 96GB 显存，支持 FP8。",
    "L20 的显存带宽是 864GB/s。",
    "A10 显存带宽 600 GB/s。",
    "gn7i is the A10 family: 24 GB per card, no NVLink.",
    "T4 lacks bf16; use fp16 there.",
    "The L20 (48 GB) supports FP8.",
    "gn8is carries the L20.",
    "gn7e has NVLink between its A100s.",
    "gn5 is no longer sold.",
    "There is no gn8i family.",
    "Alibaba Cloud doesn't offer H100 instances.",
    "ebmgn7ex supports eRDMA.",
    "Spot instances can be reclaimed.",
    "ESSD PL2 reaches up to 100,000 IOPS.",
    "ecs.gn7i-c8g1.2xlarge has 8 vCPUs, 30 GiB of RAM and one A10.",
    "A 70B model needs about 140 GB in FP16, so one 80 GB card cannot hold it.",
    "Function Compute bills GPUs per second.",
    "V100s have 16 GB in gn6v and 32 GB in gn6e.",
    "The A30 in gn7s has 24 GB.",
    "Reserved instances save up to 79%.",
    "ecs.gn7i-c8g1.2xlarge 在杭州每小时 9.53 元。",
    "ecs.gn6i-c4g1.xlarge 北京按量 11.63 元/小时。",
    "ecs.gn7i-c8g1.2xlarge costs about 9.53 CNY per hour in Beijing.",
    "gn7i 里装的是 A10。",
    "gn8is：L20 48GB，支持 FP8",
    "**gn7e**：A100 80GB，NVLink",
    "A10、A30 都是 24GB",
    "H20 支持 FP8 和 NVLink",
    "gn7i→A10 24G；gn7e→A100 80G",
    "ecs.gn7i-c32g1.32xlarge：128 vCPU，752 GiB，4×A10",
    "The A10 and A30 both have 24 GB.",
    "gn8is = L20 48 GB with FP8",
    "1. gn7i：A10，24GB，无 NVLink",
    "V100 不支持 BF16，只支持 FP16",
    "gn6v carries the 16 GB V100.",
    "T4 是 Turing 架构",
    "ESSD PL0 单盘最高 1 万 IOPS",
]
OPEN_PRICES = [
    "ecs.gn7i-c8g1.2xlarge 在新加坡每小时 30 元（2026 年 10 月）。",
    "2023 年 ecs.gn7i-c8g1.2xlarge 每小时 12.1 元。",
    "ecs.gn7i-c8g1.2xlarge 在迪拜每小时 22 元。",
    "ecs.gn7i-c8g1.2xlarge costs $1.50 per hour in Virginia.",
    "In May 2026 ecs.gn7e-c16g1.4xlarge was 40 CNY per hour in Beijing.",
    "2025-06-01 起，gn7e-c16g1.4xlarge 杭州按量价降到 25 元/小时。",
    "ecs.gn8v.4xlarge 每小时 50 元。",
    "ecs.gn6i-c4g1.xlarge 包月 1800 元（上海，2026-09）。",
]


def judged(text: str) -> list[Statement]:
    """As a document: what it asks states nothing."""
    zh = any("\u4e00" <= letter <= "\u9fff" for letter in text)
    return check_claims(text, language="zh" if zh else "en", questions=False).statements


@pytest.mark.parametrize("text", RIGHT)
def test_right_statements_are_called_right(text: str) -> None:
    verdicts = {item.verdict for item in judged(text)}
    assert "true" in verdicts and not BAD & verdicts


@pytest.mark.parametrize("text", OPEN_PRICES)
def test_prices_of_another_day_or_region_are_left_open(text: str) -> None:
    statements = judged(text)
    assert [item.verdict for item in statements] == ["cannot_judge"] and statements[0].fact
