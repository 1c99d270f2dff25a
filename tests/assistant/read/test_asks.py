"""What of costs, orders, regions and of the catalog itself is asked, and the intents that follow."""

from __future__ import annotations

import pytest

from assistant.read.read import read_question


@pytest.mark.parametrize(
    ("question", "intent"),
    [
        ("gn7i 每月开 250 小时，包月划算还是按量划算", "cost"), ("ecs.gn6i-c4g1.xlarge: is a subscription worth it at 9 hours a day?", "cost"),
        ("A10 包月用满多少小时回本", "cost"), ("from how many hours does the monthly price of gn6i pay off?", "cost"),
        ("gn7e 用竞价能省多少", "cost"), ("gn6v savings plan?", "cost"), ("gn7i 停机以后收不收费", "cost"),
        ("接口每百万 token 3 元，一天 2000 万 token，跟自己租卡比哪个便宜", "api_cost"),
        ("API at $1 per million tokens, 80M tokens a day, or rent GPUs?", "api_cost"),
        ("拿 5000 万 token LoRA 微调 Qwen2.5-14B 要多少钱", "run_cost"), ("what does LoRA on 20k samples of 512 tokens for 2 epochs cost for a 7B?", "run_cost"),
        ("gn6e 怎么下单", "order"), ("give me the aliyun cli command to launch gn7i", "order"), ("terraform code for an L20 machine", "order"),
        ("8 卡 A10 占多少配额", "order"), ("how can I get ebmgn8v?", "order"),
        ("gn6v 在哪些地域有卖", "where_sold"), ("which regions offer A10?", "where_sold"), ("东京有没有 gn7e", "where_sold"), ("is T4 available in Frankfurt?", "where_sold"),
        ("你这目录是几月的", "catalog_state"), ("how old are your prices?", "catalog_state"), ("同步一下最新价格", "catalog_state"), ("how to refresh prices", "catalog_state"),
        ("成都有哪些显卡", "catalog"), ("what GPUs are available in Beijing?", "catalog"),
        ("每小时二十元以内", "price"), ("with 30 CNY per hour", "price"), ("我们一个月只花得起六千块", "price"),
    ],
)  # fmt: skip
def test_first_intent(question: str, intent: str) -> None:
    assert read_question(question).intents[0] == intent


@pytest.mark.parametrize(
    "question",
    [
        "什么卡适合微调 7B", "which card is cheapest for SDXL?", "gn7i 有 NVLink 吗", "怎么提高 GPU 利用率", "能不能用 API 网关挡一下流量", "数据集放哪种盘更新快",
        "how do I get better throughput?", "where is the model cached?", "命令行怎么看显存", "how do I update the driver?", "A10 一小时 9.53 元对吗",
    ],
)  # fmt: skip
def test_other_questions_are_left_alone(question: str) -> None:
    reading = read_question(question)
    assert not {"cost", "api_cost", "run_cost", "order", "where_sold", "catalog_state"} & set(reading.intents), reading.asks


@pytest.mark.parametrize(
    ("question", "intents"),
    [
        ("Qwen2.5-7B 用什么实例，怎么买", ["sizing", "order"]), ("Which instance for Qwen2.5-7B and how do I order it?", ["sizing", "order"]),
        ("Qwen2.5-7B 16 并发用什么实例，每月多少钱，怎么买", ["sizing", "cost", "order"]),
    ],
)  # fmt: skip
def test_several_questions_in_one(question: str, intents: list[str]) -> None:
    assert read_question(question).intents == intents


def test_a_name_outside_the_catalog_is_no_order() -> None:
    for question in ("怎么买 gn99x", "can I order gn99x?", "gn99x 在哪里卖"):
        assert "order" not in read_question(question).intents
        assert "where_sold" not in read_question(question).intents


@pytest.mark.parametrize(("question", "site"), [("国际站 gn7i 多少钱", "intl"), ("price of gn7i in USD", "intl"), ("gn7i 人民币价多少", "cn"), ("gn7i 多少钱", None), ("budget $5 an hour", None)])
def test_the_site_that_is_asked_for(question: str, site: str | None) -> None:
    assert read_question(question).site == site
