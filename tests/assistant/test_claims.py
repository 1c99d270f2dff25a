"""Questions that ask whether something holds: a verdict, what was wrong with what was said, and each fact once."""

from __future__ import annotations

import pytest

from assistant import Assistant

NO = [
    ("Is ecs.gn7e-c16g1.8xlarge a 4-GPU instance?", "No: ", "2 x A100"),
    ("Does ecs.gn7i-c32g1.32xlarge have 8 GPUs?", "No: ", "4 x A10"),
    ("Does gn7i come with 16 GPUs?", "No: ", "1, 2, 4, 8"),
    ("Is gn7i an A10 40GB?", "No: ", "A10 24 GB"),
    ("Is the A10's memory bandwidth 900 GB/s?", "No: ", "600 GB/s"),
    ("ecs.gn7i-2x.8xlarge 是 4 卡的吗", "不是，", "2 张 A10"),
    ("gn7i-c8g1.2xlarge 内存是 60G 吗", "不是，", "30 GiB"),
    ("gn7i 是 A10 40G 吗", "不是，", "A10 24 GB"),
    ("gn6v 是 A100 吗", "不是，", "V100 16 GB"),
    ("A10 显存 40Gi 吗", "不是，", "24 GB"),
    ("gn7i 有 16 卡的吗？", "没有，", "1、2、4、8"),
    ("gn7 是 V100 吧", "不对。", "A100 40 GB"),
    ("gn7i-c16g1.4xlarge 有两张 A10，对吗", "不对。", "1 张 A10"),
    ("gn7e-c16g1.32xlarge has 4 A100s, right?", "No, that is not right.", "8 x A100"),
    ("gn7e-c16g1.4xlarge 包月 2 万，对吗", "不对。", "2023-06-17"),
    ("gn7e-c16g1.4xlarge 包月两万，对吗", "不对。", "16676"),
    ("gn7e-c16g1.4xlarge 包月是 2 万吗", "不是，", "16676"),
    ("Is gn7e-c16g1.4xlarge ¥20,000 per month?", "No: ", "16676"),
    ("Are there 8 GPUs in ecs.gn7i-c32g1.32xlarge?", "No: ", "4 x A10"),
]
YES = ["gn7i 有 8 卡的吗？", "Does gn7i have 8 GPUs?", "A10 带宽是 600GB/s 吗", "gn7i-c8g1.2xlarge 有 30G 内存吗", "A10 的显存是 24576MB 吗"]
MIXED = [
    ("gn7e 是 A100 40G 对不对", "“40G”不对"),
    ("gn7e is A100 40GB, right?", '"40GB" is wrong'),
    ("L20 is 48GB and has 1500 GB/s — is that right?", '"1500 GB/s" is wrong'),
    ("gn7e 是 A100 80G，NVLink 300GB/s，对吗", "“300GB/s”不对"),
    ("A10 显存 24G 带宽 900GB/s？", "“带宽 900GB/s”不对"),
    ("gn7i-c8g1.2xlarge 一小时 9.5 块，一个月 3000 块，对吗？", "“3000 块”不对"),
    ("gn7i 是 A10 40G，对吗", "“40G”不对"),
]


@pytest.mark.parametrize(("question", "lead", "fact"), NO)
def test_what_does_not_hold_is_denied_with_the_fact(assistant: Assistant, question: str, lead: str, fact: str) -> None:
    answer = assistant.ask(question)
    assert answer.kind == "claim_check" and answer.verified
    assert answer.text.removeprefix("**").startswith(lead) and fact in answer.text


@pytest.mark.parametrize("question", YES)
def test_what_holds_is_affirmed(assistant: Assistant, question: str) -> None:
    text = assistant.ask(question).text
    assert text.startswith(("**是的", "**Yes"))


@pytest.mark.parametrize(("question", "wrong"), MIXED)
def test_of_a_mixed_statement_the_wrong_part_decides_and_is_named(assistant: Assistant, question: str, wrong: str) -> None:
    text = assistant.ask(question).text
    assert text.startswith(("**不全对", "**Not all")) and wrong in text


@pytest.mark.parametrize("question", [*(row[0] for row in NO), *(row[0] for row in MIXED), "ecs.gn7i-c1g1.2xlarge 是 4 卡 A10 吗"])
def test_no_line_is_told_twice(assistant: Assistant, question: str) -> None:
    lines = [line for line in assistant.ask(question).text.splitlines() if line.strip()]
    assert len(lines) == len(set(lines))


def test_what_was_not_checked_is_not_called_right(assistant: Assistant) -> None:
    assert assistant.ask("A10 有 24G 显存、3000 TFLOPS，对吗").text.startswith("**查得到的都对，其余没有核对")
    assert assistant.ask("The A10 has 24 GB and 3000 TFLOPS, right?").text.startswith("**What could be checked")


def test_a_price_that_is_not_on_record_is_said_to_be_so(assistant: Assistant) -> None:
    text = assistant.ask("gn7i-4x.8xlarge 包月 2 万，对吗").text
    assert "没有 ecs.gn7i-4x.8xlarge 的包月价记录" in text and "2024-12-31" in text


@pytest.mark.parametrize("question", ["gn7i 8 卡多少钱", "gn7i 有哪些 8 卡的规格", "Which gn7i types have 4 GPUs?", "gn7i 4 卡能跑 Qwen2.5-72B 吗"])
def test_other_questions_with_a_count_stay_what_they_are(assistant: Assistant, question: str) -> None:
    assert assistant.ask(question).kind != "claim_check"
