"""Figures of a model's draft: those of the evidence pass in any wording, one changed digit, unit, name or sum does not."""

from __future__ import annotations

import random
import re

import pytest

from assistant.check.check import find_problems
from assistant.check.commands import bad_starts, without_proved
from assistant.check.dates import bad_dates
from assistant.check.draft_text import DraftText
from assistant.check.numbers import bad_numbers
from assistant.check.problem import Problem
from assistant.check.support import Support
from assistant.evidence import Evidence, Finding, SourceRef

COMMAND = "vllm serve Qwen/Qwen2.5-72B-Instruct-AWQ --tensor-parallel-size 2 --max-model-len 32768"
PRICE = {"currency": "CNY", "per": "hour", "billing": "payg", "region": "cn-hangzhou", "amount_high": None, "as_of": "2024-12-31"}
MACHINE = {
    "instance_type": "ecs.gn7e-c16g1.8xlarge", "family": "gn7e", "gpu_id": "nvidia-a100-80gb", "gpu_count": 2, "instances": 1,
    "gpu_memory_gb_total": 160.0, "required_gib_per_gpu": 61.986, "usable_gib_per_gpu": 79.15, "headroom_gib": 9.249,
    "vcpu": 32, "memory_gib": 250.0, "price": {**PRICE, "amount": "69.483"},
}  # fmt: skip
OTHER = {
    **MACHINE, "instance_type": "ecs.gn6v-c8g1.16xlarge", "family": "gn6v", "gpu_id": "nvidia-v100-16gb", "gpu_count": 8, "gpu_memory_gb_total": 128.0,
    "required_gib_per_gpu": 17.5, "usable_gib_per_gpu": 15.6, "headroom_gib": -3.5, "vcpu": 82, "memory_gib": 336.0, "price": {**PRICE, "amount": "211.68"},
}  # fmt: skip
SIZING = {
    "model": {"model_id": "Qwen2.5-72B", "params_billion": 72.7, "layers": 80},
    "context": 32768, "concurrency": 8, "limit_gib": 71.235,
    "totals": {"weights_gib": 38.612, "kv_gib": 80.0, "kv_gib_per_sequence": 10.0, "disk_gib": 106.3},
    "estimate": {"gpus": 2, "parts": {"weights": 19.314, "kv_cache": 40.0, "activations": 0.59, "engine": 2.1}, "command": COMMAND},
    "advice": {"recommendations": [MACHINE, OTHER]},
}  # fmt: skip
REFERENCE = """**选 `ecs.gn7e-c16g1.8xlarge`（2 × A100 80 GB，杭州按量 69.483 元/小时，目录价日期 2024-12-31 [3]）。**

| 每卡显存（TP=2） | GiB |
|---|---|
| 权重（int4，合计 38.6 GiB，即 41.5 GB ÷ 2） | 19.3 |
| KV 缓存（8 × 32K，每路 10.0 GiB，合计 80.0 GiB ÷ 2） | 40.0 |
| 激活峰值 | 0.6 |
| 引擎与多卡通信 | 2.1 |
| **需要** | **62.0，上限 71.2（可用 79.15 × 0.9）** |

- 放不下：`ecs.gn6v-c8g1.16xlarge`（8 × V100 16 GB），每卡约需 17.5 GiB，上限 14.0（可用 15.6 × 0.9）。"""
FACT = "抢占式实例在释放前 5 分钟通知，CUDA 12.4 需要驱动 550。"
QUESTION = "Qwen2.5-72B int4，32K 上下文，8 并发，选什么实例？"
EVIDENCE = Evidence(
    [Finding(tool="size_llm", data=SIZING, sources=[SourceRef(source_id="nv-a10-ds", excerpt=FACT), SourceRef(source_id="doc-004"), SourceRef(source_id="doc-005")])]
)

HONEST = [
    "每张卡大约 62 GiB，上限 71.2 GiB，余 9.2 GiB。",
    "权重合计 38.6 GiB（41.5 GB），两张卡平分，每张 19.3 GiB。",
    "权重 19.3 + KV 40.0 + 激活 0.6 + 引擎 2.1 = 62.0 GiB。",
    "用 ecs.gn7e-c16g1.8xlarge：32 核、250 GiB 内存，一小时约 69.5 块，一个月（730 小时）约 5.07 万元。",
    "2 台 ecs.gn7e-c16g1.8xlarge 每小时共 138.97 元。",
    "69.483 × 730 ≈ 50,723 元。",
    "2 × A100 80 GB 合计 160 GB 显存。",
    "You need about 62 GiB per GPU, out of a limit of 71.2 GiB; 9.2 GiB are left.",
    "The KV cache takes 10 GiB per sequence, 80 GiB for eight users, i.e. 40 GiB on each of two A100 80GB.",
    "Thirty-nine gibibytes of weights, rounded.",
    "| 项目 | 数值 |\n|---|---|\n| 机型 | ecs.gn7e-c16g1.8xlarge |\n| 每卡合计 | 62.0 GiB |\n| 价格 | 69.483 元/小时 |",
    "| Type | vCPU | RAM GiB | CNY/h |\n|---|---|---|---|\n| ecs.gn7e-c16g1.8xlarge | 32 | 250 | 69.48 |\n| ecs.gn6v-c8g1.16xlarge | 82 | 336 | 211.68 |",
    "8 张 V100 16 GB 的 ecs.gn6v-c8g1.16xlarge 每卡要 17.5 GiB，而上限只有 14 GiB。",
    "72B 参数、80 层，int4 也就是 4 bit。",
    f"启动命令：\n```\n{COMMAND}\n```",
    f"```bash\n{COMMAND.replace(' --max', chr(32) + chr(92) + chr(10) + '  --max')}\n```",
    "价格是 2024 年 12 月 31 日的；as of Dec 31, 2024.",
    "1. 第 3 步先量化\n2. 有 5 种办法\n3) 2026 年再看",
    "释放前 5 分钟会通知；CUDA 12.4 可用，PyTorch 2.4 也行。",
    REFERENCE,
]

WRONG = [
    ("每张卡大约 64 GiB。", "64 GiB"), ("权重合计 12.9 GiB。", "12.9 GiB"), ("权重合计 38.6 GB。", "38.6 GB"), ("上限 72.1 GiB。", "72.1 GiB"),
    ("ecs.gn7e-c16g1.8xlarge 每小时 211.68 元。", "211.68 元"), ("ecs.gn7e-c16g1.8xlarge 有 82 核。", "82 核"), ("一个月约 6.07 万元。", "6.07 万元"),
    ("ecs.gn7e-c16g1.8xlarge 每小时 69.483 美元。", "69.483 美元"), ("每月约 69.483 元。", "69.483 元"), ("69.483 × 730 ≈ 50,923 元。", "50,923 元"),
    ("19.3 + 40.0 + 0.6 + 2.1 = 63.0 GiB", "63.0 GiB"), ("需要四张 A100 80 GB，对应 ecs.gn7e-c16g1.8xlarge。", "四张"), ("2 张 V100 80 GB。", "80 GB"),
    ("A100 90 GB", "90 GB"), ("KV cache: 30 GiB per GPU", "30 GiB"), ("二十一 GiB 的权重", "二十一 GiB"), ("新用户还能打 6 折。", "6 折"),
    ("ecs.gn6v-c8g1.16xlarge（8 × V100 16 GB），每卡约需 62.0 GiB。", "62.0 GiB"), ("显存 5 GiB", "5 GiB"), ("单机要 3 台", "3 台"),
]  # fmt: skip


def check(text: str) -> list[Problem]:
    support = Support(EVIDENCE, question=QUESTION, reference=REFERENCE, bound=True)
    draft = without_proved(DraftText.of(text), support)
    return [*bad_starts(draft, support), *bad_numbers(draft, support), *bad_dates(draft, support)]


@pytest.mark.parametrize("text", HONEST)
def test_figures_of_the_evidence_pass_in_any_wording(text: str) -> None:
    assert [(p.text, p.reason) for p in check(text)] == []


@pytest.mark.parametrize(("text", "what"), WRONG)
def test_what_nothing_proves_is_found_and_told(text: str, what: str) -> None:
    problems = check(text)
    assert what in [p.text for p in problems]
    assert all(p.reason and len(p.reason) < 160 for p in problems)


def test_one_changed_digit_of_the_answer_is_found() -> None:
    chance, missed = random.Random(1), []
    places = [m.start() for m in re.finditer(r"\d", REFERENCE) if not re.match(r"\d\]", REFERENCE[m.start() :])]
    places = [at for at in places if "ecs." not in REFERENCE[max(0, at - 24) : at].rsplit("`", 1)[-1] and not re.search(r"int$", REFERENCE[:at])]
    for at in places:
        digit = chance.choice([c for c in "0123456789" if c != REFERENCE[at]])
        changed = REFERENCE[:at] + digit + REFERENCE[at + 1 :]
        if not find_problems(changed, EVIDENCE, question=QUESTION, reference=REFERENCE, bound=True):
            missed.append(changed[max(0, at - 20) : at + 10])
    assert missed == []


def test_the_reason_names_what_is_known() -> None:
    assert any(known in check("权重合计 12.9 GiB。")[0].reason for known in ("38.6", "19.3"))
    changed = REFERENCE.replace("17.5 GiB", "17.9 GiB")
    assert "17.5" in check(changed)[0].reason


@pytest.mark.parametrize(("text", "what"), [("价格是 2024-12-30 的。", "2024-12-30"), ("as of Jan 31, 2024", "Jan 31, 2024"), ("CUDA 12.8 也可以", "CUDA 12.8")])
def test_dates_and_versions(text: str, what: str) -> None:
    assert [p.text for p in check(text)] == [what]


@pytest.mark.parametrize(
    "line", [COMMAND.replace("32768", "131072"), COMMAND + " --enforce-eager", "docker run --gpus all vllm/vllm-openai", "ollama run qwen2.5:72b", "torchrun --nproc_per_node 8 train.py"]
)
def test_a_command_of_its_own_making_is_found(line: str) -> None:
    assert "command" in [p.code for p in check(f"```\n{line}\n```")]


JUDGED = Evidence([Finding(tool="check_claims", data={"statements": [
    {"text": "A10 有 48GB 显存", "start": 0, "end": 11, "subject": "A10", "verdict": "wrong", "fact": "A10 的显存是 24 GB。", "source_ids": []},
]})])  # fmt: skip


@pytest.mark.parametrize(("text", "good"), [("不对，A10 没有 48GB 显存，只有 24 GB。", True), ("对的，A10 有 48GB 显存。", False)])
def test_a_figure_judged_wrong_may_only_be_denied(text: str, good: bool) -> None:
    support = Support(JUDGED, question="A10 有 48GB 显存对吗？", reference="「A10 有 48GB 显存」不对：A10 的显存是 24 GB。", bound=True)
    assert (list(bad_numbers(DraftText.of(text), support)) == []) is good


def test_the_catalogs_own_facts_need_no_tool() -> None:
    support = Support(Evidence(), question="介绍一下 ecs.gn7i-c8g1.2xlarge", bound=True)
    assert list(bad_numbers(DraftText.of("ecs.gn7i-c8g1.2xlarge：1 张 A10 24 GB，8 核，30 GiB 内存。"), support)) == []
    assert [p.text for p in bad_numbers(DraftText.of("ecs.gn7i-c8g1.2xlarge：1 张 A10 24 GB，6 核，36 GiB 内存。"), support)] == ["6 核", "36 GiB"]


def test_a_flood_of_figures_is_refused_as_a_whole() -> None:
    assert [p.start for p in check("1,234" * 4000)] == [0]
