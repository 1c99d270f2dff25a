"""The check: what evidence holds passes, what nothing holds is found, ordinary numbers raise no alarm."""

from __future__ import annotations

import pytest

from assistant.check.check import find_problems, strike
from assistant.evidence import Evidence, Finding, SourceRef

EVIDENCE = Evidence(
    [
        Finding(
            tool="size_llm",
            data={"weights_gib": 13.0385, "kv_gib": 24, "price": "138.967", "monthly": 50723.32, "users": 8},
            sources=[SourceRef(source_id="nv-a10-ds", excerpt="A10: 24 GB, 600 GB/s"), SourceRef(source_id="doc-004")],
        )
    ]
)
QUESTION = "7B 模型 32K 上下文，每小时 200 元以内"


@pytest.mark.parametrize(
    "text",
    [
        "权重约13.04GiB，KV 共 24 GiB。[1]",
        "The weights take about 13 GiB [1] and 8 users fit.",
        "共２４GiB，按量 138.967 元/小时",
        "每月约 5.07 万元，或 50,723 元",
        "选 ecs.gn7i-c8g1.2xlarge（A10 24 GB）或 gn7e，支持 FP16 和 BF16。",
        "1. 先量化\n2. 再换卡\n3) 最后加卡",
        "两种选择，3 个步骤；32K 上下文；Qwen2.5-72B 与 PL3 都只是名字。",
        "你说的 200 元以内可以。",
        "来源见 https://example.org/2024/99.html",
        "`vllm serve Qwen/Qwen2.5-72B-Instruct` 用 H20 96GB",
    ],
)
def test_supported_text_passes(text: str) -> None:
    assert find_problems(text, EVIDENCE, question=QUESTION) == []


@pytest.mark.parametrize(
    ("text", "code", "what"),
    [
        ("权重约 12 GiB", "number", "12"),
        ("约14.04GiB", "number", "14.04"),
        ("按量 138.97 元，包月 99999 元", "number", "99999"),
        ("每月约 6.07 万元", "number", "6.07 万"),
        ("选 gn8i 系列", "name", "gn8i"),
        ("选ecs.gn7i-c99g1.2xlarge吧", "name", "ecs.gn7i-c99g1.2xlarge"),
        ("take the sgn9x family", "name", "sgn9x"),
        ("用 B200 更快", "name", "B200"),
        ("见 [3]", "citation", "[3]"),
        ("显存 2 GiB", "number", "2"),
        ("only 1 % of it", "number", "1"),
    ],
)
def test_unsupported_text_is_found(text: str, code: str, what: str) -> None:
    assert (code, what) in [(p.code, p.text) for p in find_problems(text, EVIDENCE, question=QUESTION)]


def test_derived_figures_count_as_evidence() -> None:
    assert find_problems("上限 71.2 GiB", EVIDENCE, question="") != []
    assert find_problems("上限 71.2 GiB", EVIDENCE, question="", derived=[71.235]) == []


def test_strike_takes_out_the_line_and_no_other() -> None:
    text = "权重约 13.04 GiB\n按量 99 元/小时\n按量 138.967 元/小时"
    kept, removed = strike(text, find_problems(text, EVIDENCE, question=""))
    assert removed == ["按量 99 元/小时"]
    assert kept == "权重约 13.04 GiB\n按量 138.967 元/小时"


@pytest.mark.parametrize("digit", range(10))
def test_one_changed_digit_is_caught(digit: int) -> None:
    text = f"按量 1{digit}8.967 元/小时"
    assert (find_problems(text, EVIDENCE, question="") == []) == (digit == 3)


def test_marks_are_renumbered_in_order() -> None:
    text, citations = EVIDENCE.cited("甲[2]，乙[1]，丙[2]，丁[9]")
    assert text == "甲[1]，乙[2]，丙[1]，丁"
    assert [c.source_id for c in citations] == ["doc-004", "nv-a10-ds"]
    assert citations[1].excerpt == "A10: 24 GB, 600 GB/s"


def test_a_chinese_comma_parts_two_figures() -> None:
    """`2，114` is 2 and 114; a plain comma groups thousands."""
    problems = find_problems("TP=2，114 路，共 3,777 路", EVIDENCE, question="114 路")
    assert [problem.text for problem in problems] == ["3,777"]


COMMAND = "aliyun ecs RunInstances \\\n  --RegionId cn-hangzhou \\\n  --InstanceType ecs.gn7i-c8g1.2xlarge \\\n  --Amount 2"
SNIPPET = '# 先看清楚，再下单\nresource "alicloud_instance" "gpu" {\n  image_id = data.alicloud_images.linux.images[0].id\n  count    = 7\n}'
ORDER = Evidence([Finding(tool="order_instance", data={"cli": COMMAND, "terraform": SNIPPET})])


@pytest.mark.parametrize("code", [COMMAND, SNIPPET])
def test_an_order_word_for_word_passes(code: str) -> None:
    assert find_problems(f"照这个来：\n```bash\n{code}\n```", ORDER, question="怎么买") == []


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (COMMAND.replace("cn-hangzhou", "cn-beijing"), "--RegionId cn-beijing \\"), (COMMAND.replace("Amount 2", "Amount 3"), "--Amount 3"),
        (f"{COMMAND} \\\n  --InternetMaxBandwidthOut 100", "--InternetMaxBandwidthOut 100"), (SNIPPET.replace("alicloud_images.linux", "alicloud_images.mine"), "image_id = data.alicloud_images.mine.images[0].id"),
        ("terraform destroy -auto-approve", "terraform destroy -auto-approve"),
    ],
)  # fmt: skip
def test_an_order_of_a_models_own_making_is_found(text: str, line: str) -> None:
    draft = f"照这个来：\n```bash\n{text}\n```"
    problems = find_problems(draft, ORDER, question="怎么买")
    assert line in [problem.text for problem in problems if problem.code == "command"]
    kept, _ = strike(draft, problems)
    assert line not in kept


def test_amounts_in_words_of_the_question_count() -> None:
    assert find_problems("每月 8,000 元以内没有", Evidence(), question="一个月预算 8 千") == []
    assert find_problems("每月 80,000 元以内没有", Evidence(), question="一个月预算 8 千") != []
