"""From an answer to an order, where machines are sold, and of which day the catalog is."""

from __future__ import annotations

import re

import pytest

from assistant import Answer, Assistant

A10 = "gn7i-c8g1.2xlarge"


def ask(assistant: Assistant, *questions: str) -> Answer:
    """The answer to the last question of a thread."""
    answers = [assistant.ask(question, " / ".join(questions)) for question in questions]
    assert all(answer.verified for answer in answers), [answer.removed for answer in answers]
    return answers[-1]


def fences(answer: Answer) -> list[tuple[str, str]]:
    """Language and code of each block."""
    return re.findall(r"```([a-z]*)\n(.*?)\n```", answer.text, re.S)


@pytest.mark.parametrize(("question", "region"), [(f"{A10} 怎么买", "cn-hangzhou"), (f"how do I order {A10} in Shanghai?", "cn-shanghai")])
def test_an_order(assistant: Assistant, question: str, region: str) -> None:
    answer = ask(assistant, question)
    [(kind, command)] = fences(answer)
    assert kind == "bash" and f"--RegionId {region}" in command and f"--InstanceType ecs.{A10}" in command and "--DryRun true" in command
    assert "https://ecs-buy.aliyun.com" in answer.text and "q_ecs_gn7i_postpay_g" in answer.text and "9.5326" in answer.text
    assert answer.citations and answer.cautions


@pytest.mark.parametrize("question", [f"帮我写 3 台 {A10} 的 terraform，北京", f"Terraform for 3 instances of {A10} in Beijing"])
def test_terraform_on_request(assistant: Assistant, question: str) -> None:
    [(kind, snippet)] = fences(ask(assistant, question))
    assert kind == "hcl" and '"cn-beijing"' in snippet and re.search(r"count +=\s3", snippet)


@pytest.mark.parametrize(("question", "cards"), [("gn7i-c32g1.16xlarge 2 台要多少配额", "4 张卡"), ("quota for two gn7i-c32g1.16xlarge machines", "4 (counted in GPU cards)")])
def test_quota_counts_cards(assistant: Assistant, question: str, cards: str) -> None:
    answer = ask(assistant, question)
    assert cards in answer.text and fences(answer) == []


@pytest.mark.parametrize(("question", "word"), [("gn8v 怎么买", "商务"), ("how do I get gn8v?", "sales"), ("给我 ebmgn9ge 的下单命令", "邀测")])
def test_what_cannot_be_ordered_says_what_to_do(assistant: Assistant, question: str, word: str) -> None:
    answer = ask(assistant, question)
    assert word in answer.text and fences(answer) == []


@pytest.mark.parametrize(
    "questions",
    [
        ("Qwen2.5-14B 8 并发用什么实例", "换成北京", "怎么买"), ("Qwen2.5-14B 8 并发用什么实例", "换成北京", "给我 Terraform"), ("Which instance for Qwen2.5-14B, 8 users, Beijing?", "how do I order it?"),
    ],
)  # fmt: skip
def test_the_pick_of_the_turn_before_is_ordered(assistant: Assistant, questions: tuple[str, ...]) -> None:
    [(_, code)] = fences(ask(assistant, *questions))
    assert "ecs.gn7e-c16g1.4xlarge" in code and "cn-beijing" in code


def test_an_order_after_an_aside(assistant: Assistant) -> None:
    answer = ask(assistant, f"{A10} 多少钱", "价格是哪天的", "给我下单命令")
    assert A10 in fences(answer)[0][1]


def test_nothing_of_a_hostile_text_reaches_a_command(assistant: Assistant) -> None:
    answer = ask(assistant, f"{A10}; rm -rf / $(curl evil) 的下单命令 --InstanceName '`id`'")
    assert all("rm -rf" not in code and "curl" not in code and "`id`" not in code for _, code in fences(answer))


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("gn8is 在哪些地域能买", ("上海", "深圳", "2026-09-24")), ("where is gn8is sold?", ("Shanghai", "2026-09-24")), ("上海能买 gn8v 吗", ("没有查到", "不等于不卖")),
        ("新加坡有 A100 吗", ("新加坡：没有查到 A100", "北京")), ("is T4 available in Singapore?", ("ap-southeast-1", "2024-12-31")), ("gn6i 在火星地域能买吗", ("没有叫“火星”的地域",)),
        ("国际站 gn7i 多少钱", ("国际站的美元价没有记录", "不能换算")), ("price of gn8is in USD", ("5.88 USD/h", "2026-09-15")),
    ],
)  # fmt: skip
def test_regions_and_sites(assistant: Assistant, question: str, words: tuple[str, ...]) -> None:
    text = ask(assistant, question).text
    assert [word for word in words if word not in text] == []


@pytest.mark.parametrize("question", ["gn7i 在哪些地域能买", "gn7i 什么地域有货？", "gn7i 哪些区域可以买到？"])
def test_what_follows_a_question_for_regions_is_no_place(assistant: Assistant, question: str) -> None:
    text = ask(assistant, question).text
    assert "没有叫" not in text and "乌兰察布" in text


@pytest.mark.parametrize("question", ["成都有哪些显卡", "what GPUs are sold in Chengdu?"])
def test_what_a_region_sells(assistant: Assistant, question: str) -> None:
    answer = ask(assistant, question)
    assert "gn7i" in answer.text and "gn8v" not in answer.text


@pytest.mark.parametrize(
    ("question", "lines"),
    [("Qwen2.5-7B 用什么实例", ("可售地域（按记录，2024-12-31）：杭州", "怎么买")), ("Which instance for Qwen2.5-7B?", ("cn-hangzhou", "how do I order it")), ("LoRA 微调 Qwen2.5-7B 选什么卡", ("可售地域", "怎么买"))],
)
def test_a_sizing_ends_with_where_and_how(assistant: Assistant, question: str, lines: tuple[str, ...]) -> None:
    paragraph = next(part for part in ask(assistant, question).text.split("\n\n") if "ecs-buy" in part)
    assert "\n" not in paragraph and [line for line in lines if line not in paragraph] == []


@pytest.mark.parametrize("question", ["价格是哪天的", "数据多久更新一次", "is your catalog current?", "怎么刷新价格"])
def test_the_state_of_the_catalog(assistant: Assistant, question: str) -> None:
    answer = ask(assistant, question)
    assert [call.tool for call in answer.calls] == ["catalog_state"]
    assert "2026-11-30" in answer.text and "2024-12-31" not in answer.text.split("\n\n")[0] and "xuanka refresh" in answer.text


def test_several_questions_in_one(assistant: Assistant) -> None:
    answer = ask(assistant, "Qwen2.5-14B 8 并发，要什么实例，每月多少钱，怎么买？")
    assert answer.kind == "sizing" and answer.estimate is not None
    assert "25,362" in answer.text and [kind for kind, _ in fences(answer)] == ["", "bash"]


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("order 5000 gn7i-c8g1.2xlarge in Mars", ("no known region called “Mars”", "from 1 to 100")), ("buy 1,200 ecs.gn7i-c8g1.2xlarge", ("from 1 to 100",)),
        ("order 3 gn7i-c8g1.2xlarge in Mars", ("no known region called “Mars”", "3 × `ecs.gn7i-c8g1.2xlarge`")),
    ],
)  # fmt: skip
def test_an_order_says_what_of_it_cannot_be(assistant: Assistant, question: str, words: tuple[str, ...]) -> None:
    text = ask(assistant, question).text
    assert [word for word in words if word not in text] == []
