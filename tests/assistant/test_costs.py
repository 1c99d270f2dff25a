"""Costs in answers: ways of paying, idle machines, renting against an API, training runs; sums are shown and hold."""

from __future__ import annotations

import pytest

from assistant import Answer, Assistant

A10 = "gn7i-c8g1.2xlarge"  # 9.5326 CNY/h in Hangzhou; 4,575.66 a month in Shanghai, where 480 hours are the border


def ask(assistant: Assistant, *questions: str) -> Answer:
    """The answer to the last question of a thread."""
    answers = [assistant.ask(question, " / ".join(questions)) for question in questions]
    assert all(answer.verified for answer in answers), [answer.removed for answer in answers]
    return answers[-1]


def tools(answer: Answer) -> set[str]:
    return {call.tool for call in answer.calls if call.ok}


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        (f"{A10} 每月用 200 小时，包月划算吗", ("按量更省", "480", "1,906.52", "4,575.66", "2026-09-24")),
        (f"{A10}: 200 hours a month, is a subscription worth it?", ("pay-as-you-go is cheaper", "480", "1,906.52", "4,575.66", "2026-09-24")),
        (f"{A10} 每月用 600 小时，包月还是按量", ("包月更省", "480", "5,719.56")),
        (f"上海 {A10} 每月用 600 小时，包月还是按量", ("包月最省", "4,575.66", "5,719.56")),
        (f"{A10} 包月每月用满多少小时才回本", ("480", "16 小时", "上海")),
        (f"at how many hours a month does the monthly price of {A10} pay off?", ("480", "16 a day", "cn-shanghai")),
    ],
)
def test_ways_of_paying(assistant: Assistant, question: str, expected: tuple[str, ...]) -> None:
    answer = ask(assistant, question)
    assert tools(answer) >= {"compare_costs"} and answer.kind == "price"
    assert [word for word in expected if word not in answer.text] == []
    assert answer.citations


@pytest.mark.parametrize("question", ["gn7i 抢占式能省多少", "how much does spot save on gn7i?"])
def test_spot_is_a_dated_range(assistant: Assistant, question: str) -> None:
    answer = ask(assistant, question)
    first = next(part for part in answer.text.split("\n\n") if "85" in part)
    assert "2024-10-09" in first and ("不是固定折扣" in first or "no fixed discount" in first)
    assert "65–75%" in answer.text or "65–75 %" in answer.text  # Heyuan: 2.145–3.003 against 8.5794


@pytest.mark.parametrize(("question", "words"), [("gn7i 关机还扣钱吗", ("9.5326", "节省停机", "云盘")), ("is gn7i billed while it is stopped?", ("9.5326", "economical", "disks"))])
def test_idle(assistant: Assistant, question: str, words: tuple[str, ...]) -> None:
    answer = ask(assistant, question)
    assert [word for word in words if word not in answer.text] == []


@pytest.mark.parametrize("question", ["停机还收费吗", "Am I charged while the instance is stopped?"])
def test_idle_in_general_is_answered_from_the_guides(assistant: Assistant, question: str) -> None:
    answer = ask(assistant, question)
    first = answer.text.split("\n\n")[0]
    assert "StopCharging" in first and answer.citations


@pytest.mark.parametrize("question", ["gn7i 能用节省计划吗，便宜多少", "gn7i savings plan: how much cheaper?"])
def test_a_ceiling_is_no_discount(assistant: Assistant, question: str) -> None:
    answer = ask(assistant, question)
    assert "76" in answer.text and ("不是 GPU 的折扣" in answer.text or "no GPU figure" in answer.text)


@pytest.mark.parametrize(
    ("question", "spend", "more"),
    [
        ("API 每百万 token 2 元，每天 5000 万 token，自己部署 Qwen2.5-32B 划算吗", "3,000 元", "47,723"),
        ("API 输入每百万 4 元、输出 16 元，每天输入 8000 万、输出 2000 万 token，自己部署 Qwen2.5-72B 合算吗", "19,200 元", "82,246"),
        ("API at 2 yuan per million tokens, 50M tokens a day: is renting for Qwen2.5-32B cheaper?", "3,000 CNY", "47,723"),
    ],
)
def test_renting_against_an_api(assistant: Assistant, question: str, spend: str, more: str) -> None:
    answer = ask(assistant, question)
    assert tools(answer) >= {"size_llm", "rent_or_api"}
    assert spend in answer.text.split("\n\n")[0] and more in answer.text


def test_an_api_in_dollars_is_not_converted(assistant: Assistant) -> None:
    answer = ask(assistant, "We pay $0.5 per million input tokens and $1.5 per million output tokens, 200M tokens a day. Is renting for Qwen2.5-32B cheaper?")
    assert "4,000 USD" in answer.text and "not converted" in answer.text


@pytest.mark.parametrize("question", ["用 API 还是自己租 GPU 划算", "API or own GPUs, which is cheaper?"])
def test_what_is_missing_is_asked_for(assistant: Assistant, question: str) -> None:
    assert ask(assistant, question).kind == "clarify"


def test_an_api_without_a_model_tells_what_the_money_rents(assistant: Assistant) -> None:
    answer = ask(assistant, "DeepSeek API 每百万 token 2 元，我每天 5000 万 token，自己租卡划算吗？")
    assert "3,000 元" in answer.text and "gn6i-c4g1.xlarge" in answer.text and "Qwen2.5-32B" in answer.text
    more = ask(assistant, "DeepSeek API 每百万 token 2 元，我每天 5000 万 token，自己租卡划算吗？", "Qwen2.5-32B", "每天 5 亿呢", "API 涨到 8 元呢")
    assert "120,000 元" in more.text


@pytest.mark.parametrize(
    ("question", "figures"),
    [
        ("用 1 亿 token LoRA 微调 Qwen2.5-7B 要花多少钱", ("小时", "元", "TFLOPS", "2024-12-31")),
        ("What does LoRA on 50k samples of 1024 tokens for 3 epochs cost for Llama-3-8B?", ("hours", "CNY", "154 million", "2024-12-31")),
        ("QLoRA 微调 72B 跑 20 小时要多少钱", ("20 小时", "694.84")), ("SegFormer-B2 训练 24 小时要花多少钱", ("24 小时", "228.78")),
    ],
)  # fmt: skip
def test_a_training_run(assistant: Assistant, question: str, figures: tuple[str, ...]) -> None:
    answer = ask(assistant, question)
    assert "training_cost" in tools(answer)
    assert [figure for figure in figures if figure not in answer.text] == []


def test_a_run_on_the_card_that_is_named(assistant: Assistant) -> None:
    answer = ask(assistant, "LoRA 微调 Qwen2.5-7B 选什么卡", "10 万条，每条 2k，3 个 epoch，要花多少钱", "换成 A100 呢")
    assert "gn7e" in answer.text.split("\n\n")[0]


@pytest.mark.parametrize(
    ("questions", "figure"),
    [
        (("A10 每月用 200 小时，包月划算吗", "500 小时呢"), "4,766.30"), (("A10 每月用 200 小时，包月划算吗", "500 小时呢", "两台呢"), "9,532.60"),
        ((f"{A10} 多少钱", "3 台跑一周"), "4,804"), (("gn8v 怎么买", "有没有能直接买的"), "gn7e-c16g1.8xlarge"), (("gn7i 在哪里能买", "新加坡呢"), "18.065"), ((f"{A10} how much?", "three of them for a week"), "4,804"), ((f"{A10} 多少钱", "what about spot?", "3 台跑一周"), "4,804"),
        (("Qwen2.5-14B 8 并发用什么实例", "3 台跑一周"), "17,510"),
    ],
)  # fmt: skip
def test_follow_ups(assistant: Assistant, questions: tuple[str, ...], figure: str) -> None:
    assert figure in ask(assistant, *questions).text


@pytest.mark.parametrize(
    ("question", "lead"),
    [
        ("With 20 CNY per hour", "Within 20 CNY"), ("每小时二十元以内", "每小时 20 元以内"), ("每月 5000 以内", "每月 5,000 元以内"), ("月预算两万，A100 能租到吗", "20,000"),
        ("我们只有 3000 块钱一个月，想部署一个 7B", "每月 3,000 元以内没有放得下"), ("QLoRA 微调 72B，一个月最多 2 万", "20,000"), ("$2000 a month for a 14B model", "nothing is converted"), ("预算 1 亿", "每小时、每月还是每年"),
    ],
)  # fmt: skip
def test_budgets_are_needs(assistant: Assistant, question: str, lead: str) -> None:
    assert lead in ask(assistant, question).text


@pytest.mark.parametrize(
    ("question", "lead"),
    [
        ("每月 5000 以内跑 Qwen2.5-7B int4", "换到上海就在预算内"), ("Qwen2.5-14B within 10000 CNY a month", "Within the budget in cn-shanghai"), ("LoRA 微调 Qwen2.5-7B，每月 8000 以内", "换到上海就在预算内"),
        ("每月 3000 元以内部署 Qwen2.5-7B", "深圳的包月价里"),
    ],
)  # fmt: skip
def test_a_budget_that_another_region_keeps(assistant: Assistant, question: str, lead: str) -> None:
    answer = ask(assistant, question)
    assert lead in answer.text.split("\n\n")[1]
    named = ask(assistant, f"{question}，只要杭州的" if "每月" in question else f"{question}, in Hangzhou only")
    assert lead not in named.text


def test_impossible_hours_get_one_sentence(assistant: Assistant) -> None:
    for question in ("gn7i 每月用 900 小时，包月划算吗", "gn7i 每月用 -20 小时划算吗", "预算 0 元"):
        answer = ask(assistant, question)
        assert answer.kind == "error" and "\n" not in answer.text.strip()
