"""Marks of a chat model's draft: they exist, their source holds the claim, and figures have one."""

from __future__ import annotations

from random import Random

import pytest

from assistant import Assistant
from assistant.check.citations import bad_citations, numbers_of, plain_marks
from evals.check.mutate_marks import other_marks, unknown_marks
from evals.check.turns import Rules

from .given import found, support_of


@pytest.mark.parametrize(
    ("mark", "numbers"),
    [("[1]", [1]), ("[1,3]", [1, 3]), ("[1、3]", [1, 3]), ("[1-3]", [1, 2, 3]), ("【2】", [2]), ("【2†source】", [2]), ("^1", [1]), ("[^4]", [4])],
)
def test_marks_in_all_spellings(mark: str, numbers: list[int]) -> None:
    assert numbers_of(mark) == numbers
    assert plain_marks(f"价格{mark}。") == f"价格{''.join(f'[{n}]' for n in numbers)}。"


def test_full_width_marks_and_code() -> None:
    assert plain_marks("价格［3］\n```\na[0,1]\n```\n10^3") == "价格[3]\n```\na[0,1]\n```\n10^3"


@pytest.mark.parametrize(
    "text",
    [
        "权重每卡 19.3 GiB [1]。",
        "Weights take 19.3 GiB per card [2].",
        "杭州按量 69.483 元/小时 [3]。",
        "**选 `ecs.gn7e-c16g1.8xlarge`（2 × A100 80 GB，杭州按量 69.483 元/小时，目录价日期 2024-12-31 [3]）。**",
        "80 GB 加 NVLink 用 gn7e。[4]",
        "一天是 69.483 × 24 ≈ 1,667.59 元[3]。",
        "共 80 层[1]，价格 69.483 元/小时【3】。",
        "您好，请问是哪个模型？",
        "详见[购买页](https://ecs-buy.aliyun.com/)，权重 38.6 GiB[1]。",
    ],
)
def test_marks_that_hold(text: str) -> None:
    assert not found(bad_citations, text)


@pytest.mark.parametrize(
    ("text", "mark"),
    [
        ("权重每卡 19.3 GiB [9]。", "[9]"),
        ("权重每卡 19.3 GiB [1,7]。", "[1,7]"),
        ("权重每卡 19.3 GiB【12】。", "【12】"),
        ("杭州按量 69.483 元/小时 [1]。", "[1]"),
        ("pay-as-you-go 69.483 CNY/h in Hangzhou [2]", "[2]"),
        ("按量 69.483 元/小时（2024-12-31 的目录价）[4]。", "[4]"),
        ("| 权重 [3] | 19.3 |", "[3]"),  # a row of the composed answer with another mark
        ("- 80 GB 加 NVLink 用 gn7e，48 GB 用 gn8is，24 GB 用 gn7i。[2]", "[2]"),
        ("每卡需要 62 GiB，上限 71.2 GiB，放得下。", "62 GiB"),  # figures without any mark
        ("It takes 62 GiB per card and 69.483 CNY per hour.", "62 GiB"),
    ],
)
def test_marks_that_do_not_hold(text: str, mark: str) -> None:
    problems = found(bad_citations, text)
    assert [p.text for p in problems] == [mark]
    assert problems[0].reason


@pytest.mark.parametrize("question", ["Qwen2.5-7B bf16 8K 8 并发，选什么实例", "what does an A10 cost per month?", "系统盘选 PL0 还是 PL1"])
def test_spoilt_marks_of_real_answers_are_found(assistant: Assistant, question: str) -> None:
    judged = Rules(assistant.library).play((question,))
    support = support_of(question, reference=judged.composed, evidence=judged.evidence)
    assert not found(bad_citations, judged.composed, support)
    sources = next(n for n in range(1, 200) if judged.evidence.citation(n) is None) - 1
    changes = [change for spoil in (unknown_marks, other_marks) for change in spoil(judged.composed, Random(1), sources=sources)]
    missed = [c for c in changes if not found(bad_citations, judged.composed[: c.start] + c.new + judged.composed[c.start + len(c.old) :], support)]
    assert len(missed) <= 0.01 * len(changes), missed
