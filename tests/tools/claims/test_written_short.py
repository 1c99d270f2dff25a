"""Short lines of chats, offers, data sheets and tables, by what they say: nothing wrong, something wrong, something right."""

from __future__ import annotations

import pytest

from tools.claims.check import check_claims
from tools.results import Statement

BAD = {"wrong", "not_in_catalog"}
HARMLESS = [
    "刚买了台 gn7i，8 核 30G 那款，跑 SD 挺顺。",
    "老板问能不能把 T4 换成 A10，我说可以，24G 显存呢。",
    "gn6i 库存紧张，杭州 J 区经常售罄。",
    "gn7e 在北京没货，只能去乌兰察布。",
    "A10 卡 22GB 可用显存，放 14B int8（15GB）还行。",
    "阿里云 GPU 云服务器 gn7i（A10）限时 5 折，新客专享。",
    "gn7i 首购 1 折起！",
    "GPU 秒杀：gn6i 1700 元/月。",
    "学生认证可免费领 gn6i 试用 3 个月。",
    "NVIDIA A10 Tensor Core GPU，24 GB GDDR6，600 GB/s，150W。",
    "L20：48GB GDDR6，864GB/s，FP8 239 TFLOPS，275W",
    "H20：96GB HBM3，4.0TB/s，900GB/s NVLink，FP8 296 TFLOPS",
    "A100 SXM 80GB：2039GB/s，NVLink 600GB/s",
    "V100 SXM2：900GB/s 显存带宽，300GB/s NVLink",
    "T4：320GB/s，70W，65 TFLOPS FP16",
    "gn7i-c8g1.2xlarge 网络带宽 16 Gbit/s，收发包 160 万 PPS。",
    "ecs.gn7e-c16g1.32xlarge 网络带宽 64 Gbit/s",
    "ebmgn7ex 提供 160 Gbps eRDMA。",
    "gn8v 8 卡机型 100 Gbps 网络。",
    "用 4*A10 跑 72B-int4，TP=4，上下文 8K。",
    "72B AWQ 用 2*L20，显存刚好。",
    "4×T4（64GB）跑 32B int4 也能出结果，就是慢。",
    "1 张 A100-80G ≈ 3.3 张 A10 的显存。",
    "A10×8=192G，A100×2=160G。",
    "两张 24G 的卡不等于一张 48G。",
    "单卡 24G 不够就多卡 TP。",
    "不是所有 A100 都是 80GB，gn7 就是 40GB 的。",
    "A100 有 40GB 和 80GB 两种。",
    "V100 分 16GB 和 32GB。",
    "H20 有 96GB 和 141GB 两个版本，阿里云是 96GB。",
    "A100 40GB 在 gn7，80GB 在 gn7e。",
    "gn7i 不支持 MIG，A100 才支持。",
    "A30 支持 MIG。",
    "T4 不支持 NVLink，V100 支持。",
    "P100 没有 Tensor Core。",
    "gn5 的 P100 跑不了 vLLM。",
    "vLLM 要求算力 7.0 以上，P4 不行。",
    "FlashAttention-2 不支持 T4。",
    "T4 上要设 dtype=half。",
    "V100 上 bf16 会报错，要用 fp16。",
    "在 A10 上 --dtype bfloat16 没问题。",
    "A10 上 --kv-cache-dtype fp8 可以用吗？",
    "L20 上开 fp8 KV 缓存，显存省一半。",
    "A100 上 W8A8 INT8 有加速，FP8 没有。",
    "RTX 4090 支持 FP8，A10 不支持。",
    "购买时勾选自动安装 GPU 驱动。",
    "镜像市场有带驱动的镜像。",
    "ECI 的 GPU 实例自带驱动。",
    "阿里云 Deep Learning Containers 可以直接用。",
    "按量付费按秒计费，按小时出账。",
    "FC 的 GPU 用量按秒算，每小时出账一次。",
    "抢占式有 1 小时保护期，之后随时可能被回收。",
    "抢占式保护期内不会被回收。",
    "在保护期的 1 小时里，抢占式实例不会被释放。",
    "停机不收费模式下 GPU 不计费，但云盘照收。",
    "节省计划 1 年期起，最高省 76%。",
    "RI 最多省 79%，节省计划最多省 76%。",
    "包年 5 年最低 3 折？",
    "三年付约 4.5 折。",
    "部署集低时延策略能让实例靠得近一些，但不保证同一台物理机。",
    "gn7i 不能保证同一台物理机。",
    "多机训练用 eRDMA，NVLink 只在单机内。",
    "NCCL 跨机走 RDMA，机内走 NVLink。",
    "两台 gn7e 之间走 VPC 网络，没有 RDMA。",
    "ESSD PL-X 只支持部分规格。",
    "PL1 每 GB 约 1 元/月。",
    "500GB 的 PL1 约 26800 IOPS。",
    "PL1 的 IOPS = min(1800+50*容量, 50000)",
    "PL0 1 万 IOPS，PL1 5 万，PL2 10 万，PL3 100 万。",
    "ESSD PL1 20GB 起，PL2 461GB 起，PL3 1261GB 起。",
    "Per-disk maximum: PL0 10,000 IOPS, PL1 50,000, PL2 100,000, PL3 1,000,000.",
    "The gn7i family (A10) is priced from CNY 9.53/hour in Hangzhou.",
    "From $1.20/hr",
    "Up to 8x NVIDIA A100 80GB with NVLink",
    "Powered by NVIDIA A10 (24 GB), gn7i is ideal for inference.",
    "Our cluster: 4x gn7e.32xlarge (8xA100 each).",
    "gn7e-c16g1.32xlarge, 8*A100-80G, 1000GiB RAM",
    "Don't expect NVLink on gn7i.",
    "Lacking NVLink, gn7i relies on PCIe.",
    "With neither BF16 nor FP8, the T4 is dated.",
    "gn7i can't do RDMA.",
    "You'll want gn7e if NVLink matters.",
    "NVLink matters only for gn7e and up.",
    "If you can live without NVLink, gn7i is cheaper.",
    "Only gn7e and gn8v have NVLink among these three (gn7i doesn't).",
    "FP8? Not on the A10.",
    "BF16? Yes on A10, no on T4.",
    "A10: bf16 yes, fp8 no",
    "T4: bf16 ✗, fp16 ✓",
    "| | T4 | A10 | L20 |\n|---|---|---|---|\n| BF16 | no | yes | yes |\n| FP8 | no | no | yes |",
    "| 规格族 | NVLink | RDMA |\n|---|---|---|\n| gn7i | 无 | 无 |\n| gn7e | 有 | 无 |\n| ebmgn7ex | 有 | eRDMA |",
    "| 实例 | vCPU | 内存 | GPU |\n|---|---|---|---|\n| ecs.gn7i-c8g1.2xlarge | 8 | 30 GiB | 1×A10 |\n| ecs.gn7e-c16g1.8xlarge | 32 | 250 GiB | 2×A100 80G |",
    "| Instance | Price (CNY/h, Hangzhou) |\n|---|---|\n| ecs.gn7i-c8g1.2xlarge | 9.53 |\n| ecs.gn6i-c4g1.xlarge | 11.63 |",
]
WRONG = [
    ("A10 显存带宽 900GB/s。", "900"),
    ("gn7e 8 卡机型内存 512GB：ecs.gn7e-c16g1.32xlarge 128 核 512GB 内存。", "512GB"),
    ("gn6i-c4g1.xlarge 有 2 张 T4。", "2"),
    ("| 规格族 | NVLink |\n|---|---|\n| gn7i | 有 NVLink |\n", "NVLink"),
    ("FP8：A10 支持，T4 不支持。", "A10"),
    ("A10: fp8 supported", "A10"),
    ("NVLink is available on gn7i.", "NVLink"),
    ("gn7i ships with NVLink bridges.", "NVLink"),
    ("RDMA 网络在 gn7i 上可用。", "RDMA"),
    ("H20 是安培架构。", "H20"),
    ("A10 属于 Hopper 架构", "A10"),
    ("gn8is（L20 24GB）", "24GB"),
    ("gn8v（H20 141GB）", "141GB"),
    ("gn7s（A30，40GB）", "40GB"),
    ("gn6e（V100 16GB）", "16GB"),
    ("V100 最大只有 16GB", "V100"),
    ("PL3 起步 20GB 就能买。", "PL3"),
    ("PL1 单盘最高 10 万 IOPS", "PL1"),
    ("抢占式最多省 99%", "99%"),
    ("Spot saves up to 95%.", "95%"),
    ("gn9e 是训练旗舰。", "gn9e"),
    ("推荐 ebmgn8i 裸金属", "ebmgn8i"),
    ("选 ecs.gn7e-c8g1.2xlarge 就行", "gn7e-c8g1"),
    ("vGPU 用 vgn8i", "vgn8i"),
    ("单张 24GB 的 A10 可以跑 Llama-70B FP16 推理，放得下。", "70B"),
    ("A 13B model in FP16 fits in a 16 GB T4.", "13B"),
    ("7B FP16 权重约 7GB。", "7B"),
    ("A 7B model needs 7 GB in FP16.", "7B"),
]
RIGHT = [
    "gn6i-c4g1.xlarge 有 1 张 T4。",
    "FP8：L20 支持，A10 不支持。",
    "gn7e 8 卡机型：ecs.gn7e-c16g1.32xlarge 128 核 1000GB 内存。",
    "H20 是 Hopper 架构。",
    "7B FP16 权重约 14GB。",
    "A 7B model needs 14 GB in FP16.",
    "A 13B model in FP16 does not fit in a 16 GB T4.",
    "NVLink is available on gn7e.",
    "gn8v（H20 96GB）",
    "PL1 单盘最高 5 万 IOPS",
]


def judged(text: str) -> list[Statement]:
    """As a document: what it asks states nothing."""
    zh = any("\u4e00" <= letter <= "\u9fff" for letter in text)
    return check_claims(text, language="zh" if zh else "en", questions=False).statements


@pytest.mark.parametrize("text", HARMLESS)
def test_no_false_alarm(text: str) -> None:
    assert [item for item in judged(text) if item.verdict in BAD] == []


@pytest.mark.parametrize(("text", "part"), WRONG)
def test_the_wrong_part_is_found(text: str, part: str) -> None:
    assert any(part in item.text or part in item.subject for item in judged(text) if item.verdict in BAD)


@pytest.mark.parametrize("text", RIGHT)
def test_right_statements_are_called_right(text: str) -> None:
    verdicts = {item.verdict for item in judged(text)}
    assert "true" in verdicts and not BAD & verdicts
