"""Text that states nothing wrong: other subjects, other clouds, comparisons, sizes of workloads."""

from __future__ import annotations

import pytest

from knowledge import facts
from tools.claims.check import check_claims

BAD = {"wrong", "not_in_catalog"}
QUIET = [
    "今天天气怎么样",
    "床前明月光，疑是地上霜。",
    "def t4(x): return x + 70  # 4 GB",
    "L4 负载均衡和 L7 负载均衡的区别",
    "p4d.24xlarge has 8 A100 and 400 Gbps",
    "AWS g5.xlarge has an A10G with 24 GB",
    "g6.xlarge on AWS comes with L4",
    "腾讯云 GN10X 用 V100",
    "",
    "   \n\t ",
]
TRUE_OR_NOTHING = [
    "T4/A10（16GB/24GB）",
    "gn6i (T4) and gn7i (A10)",
    "T4 在 gn6i，V100 在 gn6v 和 gn6e，A10 在 gn7i。",
    "gn7i（A10 24GB）、gn6i（T4 16GB）、gn7e（A100 80GB）",
    "| 族 | 卡 | 显存 |\n|---|---|---|\n| gn7i | A10 | 24 GB |\n| gn7e | A100 | 80 GB |",
    "gn7i 比 A100 便宜",
    "gn7i is slower than the A100",
    "A10 不够就换 gn7e",
    "Upgrade from T4 to gn7i",
    "用 gn7e 替代 V100",
    "Choose gn7e (A100 80GB) instead of gn7i (A10 24GB).",
    "gn7e 是 A10 还是 A100？",
    "Does A10 come in 40GB or 24GB?",
    "Which families have NVLink: gn7i or gn7e?",
    "7B 模型 fp16 在 A10 上要 15GB 显存",
    "A10 (24GB) runs a 7B model in fp16 (15GB)",
    "8 张 A10 共 192GB",
    "8 x A100 80GB = 640GB",
    "A10 可用显存约 22 GB",
    "gn7i 在杭州没有库存",
    "gn7i is not available in that region",
    "如果 A10 支持 FP8 就好了",
    "A10: INT8 yes, FP8 no.",
    "A10、A30 和 A100 都支持 BF16，但不支持 FP8。",
    "FP8 needs gn8is or gn8v, not gn7i.",
    "GPU 节点用 gn7i，CPU 节点用 g7",
    "gn7i doesn't need NVLink",
    "A 4 GB T4 slice",
    "gn6 系列",
    "ebmgn9 families are Blackwell",
    "NVLink 只在单个实例内有效，实例之间靠网络。",
]


@pytest.mark.parametrize("text", QUIET)
def test_nothing_is_stated(text: str) -> None:
    for language in ("zh", "en"):
        report = check_claims(text, language="zh" if language == "zh" else "en")
        assert {item.verdict for item in report.statements} <= {"cannot_judge"}


@pytest.mark.parametrize("text", TRUE_OR_NOTHING)
def test_no_false_alarm(text: str) -> None:
    assert not _alarms(text)


def test_no_false_alarm_on_the_facts_themselves() -> None:
    """The billing rules and the summaries of the families are true by definition."""
    for fact in facts.billing_facts().values():
        assert not _alarms(fact.fact_zh) and not _alarms(fact.fact_en), fact.id
    for row in facts.families().values():
        if row.status != "name_only":
            assert not _alarms(f"{row.family}：{row.summary_zh}"), row.family
            assert not _alarms(f"{row.family}: {row.summary_en}"), row.family


@pytest.mark.parametrize("name", sorted(facts.instances()))
def test_every_type_of_the_table_is_known(name: str) -> None:
    row = facts.instances()[name]
    assert not _alarms(f"{name} 有 {row.vcpu} vCPU")
    assert not row.gpu_count or _alarms(f"{name} 有 {row.vcpu + 1} vCPU")


@pytest.mark.parametrize("name", sorted(facts.not_families()))
def test_every_name_of_no_catalog_is_found(name: str) -> None:
    if name not in ("g6", "g7", "g8a"):  # CPU families: wrong only when called GPU
        assert _alarms(f"推荐使用 {name} 训练") and _alarms(f"use {name} for training")


def _alarms(text: str) -> list[str]:
    statements = check_claims(text, language="zh").statements
    return [f"{item.subject}: {item.text}" for item in statements if item.verdict in BAD]
