"""Money: sums at the listed price, comparisons by the month, regions and ways of billing that are not on record."""

from __future__ import annotations

import pytest

from assistant import Answer, Assistant

A10 = "gn7i-c8g1.2xlarge"  # 9.5326 CNY/h in Hangzhou and Shanghai, 8.5794 in Ulanqab, 4,575.66 a month in Shanghai


def ask(assistant: Assistant, *questions: str) -> Answer:
    """The answer to the last question of a thread."""
    answers = [assistant.ask(question, " / ".join(questions)) for question in questions]
    assert all(answer.verified for answer in answers)
    return answers[-1]


def lead(answer: Answer) -> str:
    return answer.text.split("\n\n")[0]


@pytest.mark.parametrize(
    "question",
    [
        f"{A10} 一小时 9.53 元，跑一个月多少", f"{A10} 9.53 元/小时，一个月多少钱", f"{A10} 每小时 9.53 元，开一个月要多少钱",
        f"{A10} 一天 228 元，一个月多少", f"{A10} is 9.53 CNY an hour, what does a month cost?", f"{A10} at 9.53 CNY/h: how much for one month?",
    ],
)  # fmt: skip
def test_the_hour_of_a_rate_is_no_time_to_pay(assistant: Assistant, question: str) -> None:
    answer = ask(assistant, question)
    assert "6,959" in lead(answer) and "730" in lead(answer)


@pytest.mark.parametrize(
    "question", [f"{A10} 一小时只要 2.86 元，帮我按这个算一个月", f"{A10} costs 2.86 CNY an hour, what does a month come to?"]
)
def test_a_false_rate_is_corrected(assistant: Assistant, question: str) -> None:
    answer = ask(assistant, question)
    assert "9.5326" in lead(answer) and "6,959" in answer.text and "2,088" not in answer.text


@pytest.mark.parametrize(
    ("question", "hours", "total"),
    [(f"{A10} 一小时 9.53 元，跑 100 小时多少钱", "100", "953"), (f"{A10} is 9.53 CNY an hour, how much for 100 hours?", "100", "953")],
)
def test_hours_beside_a_rate(assistant: Assistant, question: str, hours: str, total: str) -> None:
    answer = ask(assistant, question)
    assert hours in lead(answer) and total in lead(answer)


@pytest.mark.parametrize(
    "question",
    [
        f"gn6i-c4g1.xlarge 和 {A10} 包月哪个便宜", "gn7i 和 gn6i 哪个便宜，按月", "T4 和 A10，一个月下来哪个便宜",
        "T4 or A10, cheaper per month in Shanghai?", "gn6i or gn7i, which is cheaper by monthly subscription?",
    ],
)  # fmt: skip
def test_cheaper_by_the_month_compares_months(assistant: Assistant, question: str) -> None:
    answer = ask(assistant, question)
    assert answer.kind == "comparison"
    assert "gn6i-c4g1.xlarge" in lead(answer).split("4,575.66")[0]
    for figure in ("3,348", "4,575.66", "2023-06-17", "2026-09-24"):
        assert figure in answer.text
    assert "9.5326" not in lead(answer)


@pytest.mark.parametrize(
    "question", ["gn5i-c4g1.xlarge 和 gn6i-c4g1.xlarge 每月哪个便宜", "gn5i-c4g1.xlarge or gn6i-c4g1.xlarge, which is cheaper per month?"]
)
def test_months_without_subscription_are_estimated(assistant: Assistant, question: str) -> None:
    text = ask(assistant, question).text
    assert "7,074" in text and "8,490" in text and "730" in text
    assert "没有查到" in text or "No region has a subscription price" in text


@pytest.mark.parametrize(
    "question", [f"{A10} 在上海和乌兰察布哪边便宜", f"Is {A10} cheaper in Shanghai or Ulanqab?", f"{A10}: which is cheaper, Shanghai or Ulanqab?"]
)
def test_regions_are_compared(assistant: Assistant, question: str) -> None:
    first = lead(ask(assistant, question))
    assert "8.5794" in first and "9.5326" in first and "0.9532" in first


@pytest.mark.parametrize("question", ["gn7i、gn6i 和 gn7e 包月哪个最便宜", "Which is the cheapest per month: gn7i, gn6i or gn7e?"])
def test_the_cheapest_of_three(assistant: Assistant, question: str) -> None:
    answer = ask(assistant, question)
    assert answer.kind == "comparison"
    for figure in ("3,348", "4,575.66", "16,676"):
        assert figure in answer.text
    assert "3,348" in lead(answer)


@pytest.mark.parametrize("question", [f"{A10} 杭州和新加坡哪里贵", f"Is {A10} more expensive in Hangzhou or Singapore?"])
def test_the_dearer_region(assistant: Assistant, question: str) -> None:
    first = lead(ask(assistant, question))
    assert "9.5326" in first and "18.065" in first


@pytest.mark.parametrize("question", [f"{A10} 在哪个地域便宜", f"Which region is cheapest for {A10}?"])
def test_the_cheapest_region(assistant: Assistant, question: str) -> None:
    assert "8.5794" in lead(ask(assistant, question))


@pytest.mark.parametrize(
    "question", ["gn7e-c16g1.4xlarge 和 gn8is.2xlarge 哪个便宜", "Which is cheaper, gn7e-c16g1.4xlarge or gn8is.2xlarge?"]
)
def test_types_priced_elsewhere_are_compared_there(assistant: Assistant, question: str) -> None:
    answer = ask(assistant, question)
    assert "杭州没有" in lead(answer) or "In cn-hangzhou" in lead(answer)
    verdict = answer.text.split("\n\n")[1]
    assert "14.415" in verdict and "34.742" in verdict


@pytest.mark.parametrize("question", ["gn8v 和 gn7i 哪个便宜", "Which is cheaper, gn8v or gn7i?"])
def test_without_a_price_there_is_no_verdict(assistant: Assistant, question: str) -> None:
    assert "`gn8v`" in lead(ask(assistant, question))


@pytest.mark.parametrize(
    ("question", "where", "figure"),
    [
        ("gn7i 包月多少钱，杭州", "杭州没有", "4,575.66"), ("gn7i monthly subscription price in Hangzhou", "No subscription price", "4,575.66"),
        ("gn7i 法兰克福按月多少钱", "法兰克福没有", "4,575.66"), ("price of gn7i in Frankfurt by month", "No subscription price", "4,575.66"),
        ("gn7e 抢占式价格，新加坡", "新加坡没有", "13.314"), ("spot price for gn7e in Singapore", "No spot quote", "13.314"),
        ("gn6i-c4g1.xlarge 杭州抢占式多少钱", "杭州没有", "1.169"), ("spot price of gn6i-c4g1.xlarge in Hangzhou", "No spot quote", "1.169"),
        ("gn6v 抢占式价格", "抢占式报价", "12.172"), ("spot price of gn6v", "Spot quotes", "12.172"),
    ],
)  # fmt: skip
def test_what_is_not_on_record_is_said_first(assistant: Assistant, question: str, where: str, figure: str) -> None:
    first = lead(ask(assistant, question))
    assert where in first and figure in first


@pytest.mark.parametrize(
    ("question", "place"),
    [("gn7i price in Mars region", "Mars"), ("gn7i price in Atlantis?", "Atlantis"), ("gn7i 火星地域多少钱", "火星"), ("gn7i 在火星多少钱", "火星"),
     ("gn7i 价格，region 选 Atlantis", "Atlantis")],
)
def test_an_unknown_region_is_said(assistant: Assistant, question: str, place: str) -> None:
    assert place in lead(ask(assistant, question))


@pytest.mark.parametrize(
    "question",
    ["gn7i 在哪个地域便宜", "gn7i 国内地域价格", "gn7i price in Hangzhou region", "gn7i price in CNY", "gn7i price in China", "How much is gn7i in total?", "gn7i 在阿里云多少钱"],
)  # fmt: skip
def test_ordinary_words_are_no_regions(assistant: Assistant, question: str) -> None:
    text = ask(assistant, question).text
    assert "没有叫" not in text and "no known region" not in text


@pytest.mark.parametrize(
    ("question", "figure", "name"),
    [
        ("杭州最便宜的 GPU 实例是哪个", "9.5326", A10), ("Which is the cheapest GPU instance in Hangzhou?", "9.5326", A10),
        ("新加坡 24G 显存最便宜的实例", "18.065", A10), ("cheapest instance in Singapore with 24 GB?", "18.065", A10),
    ],
)  # fmt: skip
def test_the_cheapest_of_a_region(assistant: Assistant, question: str, figure: str, name: str) -> None:
    answer = ask(assistant, question)
    assert answer.kind == "price"
    assert figure in lead(answer) and name in lead(answer)
    assert answer.text.index(figure, len(lead(answer))) > 0


@pytest.mark.parametrize(
    ("first", "second", "figure"),
    [
        (f"{A10} 多少钱", "两台呢", "19.0652"), (f"{A10} price?", "and two machines?", "19.0652"),
        (f"{A10} 多少钱", "跑三个月", "20,876"), (f"{A10} price?", "for three months?", "20,876"),
        (f"{A10} 多少钱", "换成上海", "上海按量 9.5326"), (f"{A10} price?", "in Ulanqab?", "8.5794"),
        (f"{A10} 多少钱", "抢占式呢", "2.145"), (f"{A10} price?", "same on spot?", "2.145"),
    ],
)  # fmt: skip
def test_follow_ups_on_a_price(assistant: Assistant, first: str, second: str, figure: str) -> None:
    answer = ask(assistant, first, second)
    assert answer.kind == "price"
    assert figure in "\n\n".join(answer.text.split("\n\n")[:2]) and "gn7i-c8g1.2xlarge" in answer.text


SIZED = {"zh": "Qwen2.5-14B awq 8K 4 并发", "en": "Qwen2.5-14B awq, 8K context, 4 users"}


@pytest.mark.parametrize(
    ("language", "second", "figure"),
    [
        ("zh", "包月多少", "4,575.66"), ("zh", "两台一个月多少钱", "9,151.32"), ("zh", "跑三个月要多少", "20,876"),
        ("en", "monthly subscription?", "4,575.66"), ("en", "how much per month for two of them?", "9,151.32"),
        ("en", "two machines for a month?", "9,151.32"),
        ("zh", "抢占式呢？", "2.145"), ("en", "what about spot?", "2.145"),
    ],
)  # fmt: skip
def test_money_after_a_sizing(assistant: Assistant, language: str, second: str, figure: str) -> None:
    answer = ask(assistant, SIZED[language], second)
    assert answer.kind == "price"
    assert "gn7i-c8g1.2xlarge" in lead(answer) and figure in answer.text


@pytest.mark.parametrize(
    ("question", "shown", "left_out"),
    [("4 张 A10 包月多少钱", "25,551.90", "4,575.66"), ("monthly subscription price of 4 x A10", "25,551.90", "4,575.66"),
     ("一张 A10 包月多少钱", "4,575.66", "25,551.90"), ("8 张 A10 包月多少钱", "没有查到 8 × A10", "4,575.66")],
)  # fmt: skip
def test_the_number_of_cards_asked(assistant: Assistant, question: str, shown: str, left_out: str) -> None:
    text = ask(assistant, question).text
    assert shown in text and left_out not in text


@pytest.mark.parametrize(("language", "money", "fit"), [("zh", "包月多少", "能放进 T4 吗"), ("en", "how much per month?", "does it fit on a T4?")])
def test_fit_after_money_is_a_sizing(assistant: Assistant, language: str, money: str, fit: str) -> None:
    for questions in ((SIZED[language], fit), (SIZED[language], money, fit)):
        answer = ask(assistant, *questions)
        assert answer.kind == "sizing" and "1 × T4 16 GB" in lead(answer) and "16.1" in lead(answer)


@pytest.mark.parametrize(("language", "money", "then"), [("zh", "包月多少", "换成 fp8"), ("en", "how much per month?", "and with 32k context?")])
def test_the_job_goes_on_after_money(assistant: Assistant, language: str, money: str, then: str) -> None:
    assert ask(assistant, SIZED[language], money, then).kind == "sizing"
