"""What carries over from the question before."""

import pytest

from assistant.read.read import read_question
from assistant.read.reading import Reading
from assistant.read.thread import choose_previous

ZH = "Qwen2.5-72B，bf16，32K 上下文，8 并发，杭州，4 张 A100 80G，预算每月 2 万以内，够吗？"
EN = "Qwen2.5-72B in bf16, 32k context, 8 users, Hangzhou, budget 20000 yuan per month, on 4x A100 80GB?"


def follow(first: str, second: str) -> Reading:
    return read_question(second, previous=read_question(first))


@pytest.mark.parametrize("first", [ZH, EN])
@pytest.mark.parametrize(
    ("second", "field", "value"),
    [
        ("那换成 INT4 呢？", "weight_dtype", "int4"), ("what about int4?", "weight_dtype", "int4"),
        ("and with 16k context?", "context", 16_384), ("上下文改成 16k 呢", "context", 16_384),
        ("如果只有四个用户呢", "concurrency", 4), ("And if I only have four users?", "concurrency", 4),
        ("what about spot?", "billing", ["spot"]), ("抢占式呢？", "billing", ["spot"]),
        ("换成上海呢", "region", "cn-shanghai"), ("how about Singapore?", "region", "ap-southeast-1"),
        ("FP8 的 KV 缓存呢", "kv_dtype", "fp8"), ("how about an fp8 KV cache", "kv_dtype", "fp8"),
    ],
)  # fmt: skip
def test_a_bare_wish_keeps_the_model(first: str, second: str, field: str, value: object) -> None:
    reading = follow(first, second)
    assert getattr(reading, field) == value
    assert [m.model_id for m in reading.models] == ["Qwen2.5-72B-Instruct"]
    assert "models" in reading.carried
    assert field not in reading.carried
    assert "sizing" in reading.intents


@pytest.mark.parametrize("second", ["为什么不用 A10？", "Why not an A10?", "那 A10 呢", "what about A10?"])
def test_new_hardware_replaces_all_hardware(second: str) -> None:
    reading = follow(ZH, second)
    assert [card.name for card in reading.cards] == ["nvidia-a10"]
    assert reading.gpus is None
    assert (reading.context, reading.concurrency) == (32_768, 8)
    assert reading.intents[0] == "sizing"


@pytest.mark.parametrize("second", ["那 Qwen3-32B 呢？", "and Qwen3-32B?", "换成 Qwen3-32B"])
def test_an_elliptic_new_model_keeps_context_and_users(second: str) -> None:
    reading = follow(ZH, second)
    assert [m.model_id for m in reading.models] == ["Qwen3-32B"]
    assert (reading.context, reading.concurrency) == (32_768, 8)


@pytest.mark.parametrize(
    "second",
    ["Llama-3.1-8B 用 T4 能跑吗", "Can Llama-3.1-8B run on a T4?", "T4 适合什么推理任务？", "What is gn7i?", "今天天气怎么样", "换个问题：哪些实例有 NVLink？", "你好"],
)
def test_a_new_question_carries_nothing(second: str) -> None:
    reading = follow(ZH, second)
    assert reading.carried == []
    assert reading.context is None


@pytest.mark.parametrize("second", ["Same model but I want to train it, not serve it.", "同样的模型，我想训练它"])
def test_turning_to_training_drops_what_is_of_serving(second: str) -> None:
    reading = follow(ZH, second)
    assert reading.job == "llm_training"
    assert [m.model_id for m in reading.models] == ["Qwen2.5-72B-Instruct"]
    assert reading.concurrency is None
    assert reading.weight_dtype is None


@pytest.mark.parametrize("second", ["多少钱一个月？", "how much is that per month?"])
def test_a_price_asked_about_what_was_spoken_of(second: str) -> None:
    reading = follow(ZH, second)
    assert reading.intents[0] == "price"
    assert reading.models
    assert reading.months == 1


@pytest.mark.parametrize("second", ["要是预算砍一半呢？", "What if the budget is halved?"])
def test_half_the_budget(second: str) -> None:
    reading = follow(ZH, second)
    assert reading.budget is not None
    assert reading.budget.amount == 10_000
    assert reading.models


def test_double_the_users() -> None:
    assert follow(EN, "double the users").concurrency == 16
    assert follow(ZH, "用户翻倍呢").concurrency == 16


def test_a_vision_thread_keeps_its_network() -> None:
    reading = follow("训练 SegFormer-B5，1024×1024，batch 8", "batch 改成 4 呢")
    assert (reading.network, reading.crop, reading.batch, reading.job) == ("SegFormer-B5", (1024, 1024), 4, "vision_training")


def test_a_price_thread_keeps_its_instance() -> None:
    reading = follow("gn7i-c8g1.2xlarge 多少钱", "包月呢")
    assert [i.name for i in reading.instances] == ["ecs.gn7i-c8g1.2xlarge"]
    assert reading.intents == ["price"]


def test_a_model_asked_of_the_hardware_before() -> None:
    reading = follow("gn7e 多少钱", "能跑 Qwen2.5-14B 吗")
    assert [f.name for f in reading.families] == ["gn7e"]
    assert reading.intents[0] == "sizing"


@pytest.mark.parametrize("text", ["那换成 INT4 呢？", "要是预算砍一半呢？", "And if I only have four users with 4k context?"])
def test_a_continuation_of_nothing_asks_for_the_model(text: str) -> None:
    reading = read_question(text)
    assert reading.intents == ["sizing"]
    assert "model" in reading.missing


def test_a_question_aside_does_not_make_the_thread_forget() -> None:
    first = read_question(ZH)
    aside = read_question("What is gn7i?", previous=first)
    kept = choose_previous(aside, first)
    assert read_question("and with 16k context?", previous=kept).models == first.models
    assert choose_previous(first, None) is first


@pytest.mark.parametrize("first", [ZH, EN])
@pytest.mark.parametrize(
    ("second", "wish"),
    [
        ("再便宜点", "cheaper"), ("cheaper?", "cheaper"), ("为什么这么贵", "explain"), ("why so expensive", "explain"),
        ("有没有更快的", "faster"), ("anything faster?", "faster"), ("稳妥一点的呢", "safer"), ("something safer", "safer"),
        ("不知道", "defaults"), ("那就默认吧", "defaults"), ("not sure", "defaults"), ("刚才的 KV 是怎么算出来的", "explain"), ("how did you get that", "explain"),
        ("两台呢", None), ("用几台", None), ("how many machines", None), ("7", None), ("👍", None), ("？？", None), ("那呢", None), ("bf16", None), ("8 卡", None),
        ("预算一个月 8000", None), ("budget 8000 yuan a month", None), ("中文回答", None), ("answer in English", None),
    ],
)  # fmt: skip
def test_a_reply_is_of_the_sizing_before(first: str, second: str, wish: str | None) -> None:
    reading = follow(first, second)
    assert [m.model_id for m in reading.models] == ["Qwen2.5-72B-Instruct"]
    assert reading.intents[0] == "sizing"
    assert reading.wish == wish
    assert (reading.context, reading.concurrency) == (32_768, 8)


@pytest.mark.parametrize(
    ("first", "second", "language"),
    [
        (ZH, "A10", "zh"), (EN, "A10", "en"), (ZH, "7", "zh"), (EN, "8 卡", "en"), (EN, "👍", "en"), (ZH, "vLLM?", "zh"),
        (ZH, "and in Tokyo?", "en"), (EN, "多少钱", "zh"), (ZH, "改成英文", "en"), (EN, "用中文", "zh"), (EN, "answer in Chinese", "zh"), (ZH, "English please", "en"),
    ],
)  # fmt: skip
def test_the_language_of_a_thread(first: str, second: str, language: str) -> None:
    assert follow(first, second).language == language


@pytest.mark.parametrize(
    ("first", "second", "intent", "features"),
    [
        ("哪些实例有 NVLink？", "那 gn7e 呢", "catalog", ["nvlink"]), ("Which instances have NVLink?", "and gn7e?", "catalog", ["nvlink"]),
        ("gn7i 支持 RDMA 吗", "那 gn7e 呢", "claim_check", ["rdma"]), ("Does gn7i support RDMA?", "what about gn7e?", "claim_check", ["rdma"]),
        ("gn7i 多少钱", "那 gn7e 呢", "price", []), ("How much is gn7i?", "and gn7e?", "price", []),
    ],
)  # fmt: skip
def test_what_was_asked_of_one_family_is_asked_of_the_next(first: str, second: str, intent: str, features: list[str]) -> None:
    reading = follow(first, second)
    assert [f.name for f in reading.families] == ["gn7e"]
    assert (reading.intents[0], reading.features) == (intent, features)


@pytest.mark.parametrize(
    ("first", "second"), [("A10 是什么卡", "多少钱"), ("What is gn7i?", "how much?"), ("Qwen2.5-7B 用什么卡", "多少钱"), ("What is gn7i?", "how much is it")]
)
def test_a_price_after_any_named_thing(first: str, second: str) -> None:
    reading = follow(first, second)
    assert reading.intents[0] == "price"
    assert reading.carried


@pytest.mark.parametrize(
    ("second", "context", "users"), [("16", None, 16), ("8192", 8192, None), ("8K，8 并发", 8192, 8), ("8k, 8 users", 8192, 8)]
)
def test_an_answer_to_what_was_missing(second: str, context: int | None, users: int | None) -> None:
    reading = follow("Qwen2.5-7B 用什么卡", second)
    assert (reading.context, reading.concurrency) == (context, users)
    assert not {"context", "concurrency"} & set(reading.carried)
    assert reading.models


def test_new_users_leave_none_of_the_old_ones() -> None:
    reading = follow("Qwen2.5-7B，8K 或 16K 上下文，100 个员工", "4 并发，32K 呢")
    assert (reading.contexts, reading.concurrencies, reading.people) == ([32_768], [4], False)


@pytest.mark.parametrize("second", ["讲个笑话", "tell me a joke", "怎么选磁盘", "有没有更快的磁盘"])
def test_what_is_no_reply_carries_nothing(second: str) -> None:
    assert follow(ZH, second).carried == []
