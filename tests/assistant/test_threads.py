"""Conversations: a follow-up changes one thing and keeps the rest."""

from __future__ import annotations

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from assistant import Answer, Assistant
from assistant.answer import Call
from assistant.threads import Threads


def weights_gib(answer: Answer) -> float:
    assert answer.estimate is not None
    return answer.estimate.parts["weights"] * answer.estimate.gpus


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("Qwen2.5-72B 不量化推理要多少显存，32K 上下文，8 并发？", "那换成 INT4 呢？"),
        ("How much memory does Qwen2.5-72B need in bf16 with 32k context and 8 users?", "and with int4?"),
    ],
)
def test_another_precision(assistant: Assistant, first: str, then: str) -> None:
    before, after = assistant.ask(first, f"p-{first}"), assistant.ask(then, f"p-{first}")
    assert weights_gib(before) == pytest.approx(135.4, abs=0.1)
    assert weights_gib(after) == pytest.approx(38.6, abs=0.2)
    assert after.reading["context"] == 32768 and after.reading["concurrency"] == 8
    assert "context" in after.reading["carried"]


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("部署 Qwen2.5-14B bf16，8K，4 并发", "上下文改成 32k 呢"),
        ("Qwen2.5-14B bf16, 8K, 4 users", "and with 32k context?"),
    ],
)
def test_another_context(assistant: Assistant, first: str, then: str) -> None:
    before, after = assistant.ask(first, f"c-{first}"), assistant.ask(then, f"c-{first}")
    assert before.estimate and after.estimate
    assert after.reading["context"] == 32768
    per_token = 48 * 8 * 128 * 2 * 2
    assert after.estimate.parts["kv_cache"] * after.estimate.gpus == pytest.approx(4 * 32768 * per_token / 2**30, rel=0.01)


def test_a_new_question_carries_nothing(assistant: Assistant) -> None:
    assistant.ask("Qwen2.5-72B int4 32K 8 并发", "n")
    answer = assistant.ask("gn6i-c4g1.xlarge 多少钱一小时？", "n")
    assert answer.kind == "price"
    assert "carried" not in answer.reading


def test_threads_do_not_mix(assistant: Assistant) -> None:
    assistant.ask("Qwen2.5-72B int4 32K 8 并发", "a")
    answer = assistant.ask("那换成 fp8 呢？", "b")
    assert answer.estimate is None


def test_events_end_in_the_answer(assistant: Assistant) -> None:
    *calls, answer = assistant.events("Qwen2.5-7B bf16 8K 4 并发")
    assert isinstance(answer, Answer)
    told = [call.tool for call in calls if isinstance(call, Call)]  # as they finish, which differs from run to run
    assert sorted(told) == sorted(call.tool for call in answer.calls)
    assert answer.verified


def test_a_long_thread_stays_small(assistant: Assistant) -> None:
    checkpointer = InMemorySaver()
    talker = Assistant(knowledge=assistant.library, settings=assistant.settings, checkpointer=checkpointer)
    for turn in range(25):
        talker.ask(f"Qwen2.5-7B bf16 8K {turn + 1} 并发", "long")
    thread = Threads(checkpointer).load("long")
    assert len(thread.turns) <= 20 and thread.counter == 25
    assert len(list(checkpointer.list({"configurable": {"thread_id": "long"}}))) == 1


SIZED = [
    ("Qwen2.5-72B int4 推理，8 并发，8K 上下文，选什么实例？", "zh"),
    ("Which instance for Qwen2.5-72B int4, 8 users, 8k context?", "en"),
]
WHY_NOT = [
    ("为什么不用 A10？", "A10"), ("why not an A10?", "A10"), ("为何不选 T4", "T4"), ("why didn't you pick the T4?", "T4"), ("怎么不推荐 L20？", "L20"),
    ("how come no L20?", "L20"), ("A10 不行吗", "A10"), ("what's wrong with the A10?", "A10"), ("那 A10 为什么不行", "A10"), ("咋不用 T4 呢", "T4"),
]  # fmt: skip


@pytest.mark.parametrize(("first", "_"), SIZED)
@pytest.mark.parametrize(("then", "card"), WHY_NOT)
def test_why_not_this_card_is_answered_with_the_sum_on_it(assistant: Assistant, first: str, _: str, then: str, card: str) -> None:
    name = f"w-{first}-{then}"
    assistant.ask(first, name)
    answer = assistant.ask(then, name)
    assert answer.kind == "sizing" and answer.text.startswith(f"**1 × {card}")
    head = answer.text.partition("\n")[0]
    assert "GiB" in head and ("放不下" in head or "does not fit" in head)
    assert (answer.reading["context"], answer.reading["concurrency"], answer.reading["weight_dtype"]) == (8192, 8, "int4")


FIRST = ("Qwen2.5-72B bf16 32K 8 并发，上海，预算每月 10 万元", "Qwen2.5-72B bf16, 32k context, 8 users in Shanghai, budget 100000 CNY a month")
STATE = {"model": "Qwen2.5-72B-Instruct", "weight_dtype": "bf16", "context": 32768, "concurrency": 8, "region": "cn-shanghai"}
BACK = [
    (("换成 Qwen2.5-32B", "回到第一个"), {}),
    (("what about Llama-3.1-8B?", "back to the first one"), {}),
    (("换成 int4", "并发改成 20", "还是用原来的精度"), {"concurrency": 20}),
    (("and with int4?", "with 20 users", "keep the original number of users"), {"weight_dtype": "int4"}),
    (("换成 int4", "上下文 8K", "上下文还是按最初的"), {"weight_dtype": "int4"}),
    (("what about Llama-3.1-8B?", "with 4 users", "use the original model"), {"concurrency": 4}),
    (("并发改成 20", "还是用原来的 8 并发"), {}),
    (("换成 Qwen2.5-32B", "换成 int4", "换回去"), {"model": "Qwen2.5-32B-Instruct"}),
    (("and with int4?", "and with 4 users?", "undo that"), {"weight_dtype": "int4"}),
    (("换成北京呢", "地域还是用原来的"), {}),
    (("and in Beijing?", "back to the original region"), {}),
    (("A10 是什么架构？", "并发改成 16"), {"concurrency": 16}),
    (("What is gn7i?", "谢谢", "with 16 users?"), {"concurrency": 16}),
    (("换成 fp8", "今天天气怎么样", "上下文 16K 呢"), {"weight_dtype": "fp8", "context": 16384}),
]  # fmt: skip


@pytest.mark.parametrize("first", FIRST)
@pytest.mark.parametrize(("questions", "changed"), BACK)
def test_what_was_said_stays_until_it_is_changed(assistant: Assistant, first: str, questions: tuple[str, ...], changed: dict[str, object]) -> None:
    name = f"b-{first}-{questions}"
    for question in (first, *questions):
        answer = assistant.ask(question, name)
    reading = answer.reading
    found = {name: reading.get(name) for name in STATE if name != "model"} | {"model": reading["models"][0]["model_id"]}
    assert answer.kind == "sizing" and found == STATE | changed
    assert reading["budget"] == {"amount": 100000.0, "currency": "CNY", "per": "month"}


SAID = ("Qwen2.5-32B int4 8K 8 并发，预算每小时 20 元", "Qwen2.5-32B int4, 8k context, 8 users, budget 20 CNY per hour")
FIGURES = [
    (("并发 16", "32 呢"), {"concurrency": 32}), (("and with 16 users?", "back to 12"), {"concurrency": 12}), (("上下文 16K", "12000"), {"context": 12000}),
    (("再加 10 个用户",), {"concurrency": 18}), (("10 more users",), {"concurrency": 18}), (("raise to 30",), {"budget": 30.0}), (("提高到 30",), {"budget": 30.0}),
    (("预算再加 10 元",), {"budget": 30.0}), (("forget the budget",), {"budget": None}), (("预算不限",), {"budget": None}), (("twice the users",), {"concurrency": 16}),
    (("KV 用 fp8", "100 万 token 多少钱", "并发 16"), {"concurrency": 16}), (("on a T4?", "KV in fp8", "what do a million tokens cost?", "16 users"), {"concurrency": 16}),
    (("16 users", "64?", "first one please"), {}), (("并发 16", "第一个吧"), {}),
]  # fmt: skip


@pytest.mark.parametrize("first", SAID)
@pytest.mark.parametrize(("questions", "changed"), FIGURES)
def test_a_figure_is_changed_by_what_it_was_before(assistant: Assistant, first: str, questions: tuple[str, ...], changed: dict[str, object]) -> None:
    name = f"f-{first}-{questions}"
    for question in (first, *questions):
        answer = assistant.ask(question, name)
    reading = answer.reading
    budget = reading.get("budget")
    found = {"concurrency": reading["concurrency"], "context": reading["context"], "budget": budget and budget["amount"]}
    assert answer.kind == "sizing" and found == {"concurrency": 8, "context": 8192, "budget": 20.0} | changed
    assert budget is None or budget["per"] == "hour"


@pytest.mark.parametrize(
    ("questions", "both"),
    [
        (("Mixtral-8x7B int4 8k 4 users", "and Qwen2.5-72B?", "compare the two"), ("Mixtral", "72B")),
        (("Qwen2.5-14B int4 8K 4 并发", "换成 Qwen2.5-32B", "这两个比一下"), ("14B", "32B")),
        (("Qwen2.5-72B int4 8K 8 并发", "L20 呢", "A10 呢", "哪个更便宜"), ("L20", "A10")),
        (("Qwen2.5-72B int4 8K 8 users", "on L20?", "and A10?", "which is cheaper?"), ("L20", "A10")),
        (("Qwen2.5-72B bf16 8K 8 并发", "和 FP8 比哪个好"), ("bf16", "fp8")),
        (("Qwen2.5-72B bf16 8K 8 users", "how does it compare with int4"), ("bf16", "int4")),
    ],
)
def test_two_things_that_were_spoken_of_are_set_side_by_side(assistant: Assistant, questions: tuple[str, ...], both: tuple[str, str]) -> None:
    for question in questions:
        answer = assistant.ask(question, f"both-{questions}")
    assert answer.kind in ("sizing", "comparison") and all(name in answer.text for name in both)


@pytest.mark.parametrize(
    ("then", "per"), [("预算加到 12 万", "month"), ("raise the budget to 120000 CNY", "month"), ("预算改成每小时 300 元", "hour"), ("budget 300 CNY an hour", "hour")]
)
def test_a_new_budget_is_of_the_time_of_the_one_before(assistant: Assistant, then: str, per: str) -> None:
    assistant.ask(FIRST[0], f"m-{then}")
    assert assistant.ask(then, f"m-{then}").reading["budget"]["per"] == per


@pytest.mark.parametrize(
    ("questions", "language"),
    [
        (("Qwen2.5-14B 8K 4 并发，上海", "why not an A10?"), "en"),
        (("Qwen2.5-14B, 8K, 4 users, in Shanghai", "换成 32k 上下文呢"), "zh"),
        (("Qwen2.5-14B 8K 4 并发，上海", "and with int4?", "int8"), "en"),
        (("Qwen2.5-14B, 8K, 4 users, in Shanghai", "那用 L20 呢", "A10"), "zh"),
        (("Qwen2.5-14B 8K 4 并发，上海", "用英文回答", "A10"), "en"),
    ],
)
def test_the_language_is_that_of_the_question_and_the_facts_stay(assistant: Assistant, questions: tuple[str, ...], language: str) -> None:
    for question in questions:
        answer = assistant.ask(question, f"l-{questions}")
    assert answer.language == language and answer.kind == "sizing"
    assert answer.reading["concurrency"] == 4 and answer.reading["region"] == "cn-shanghai"


@pytest.mark.parametrize(("questions", "kind"), [((SIZED[0][0], "抢占式呢？"), "price"), ((SIZED[1][0], "what about spot?"), "price")])
def test_spot_is_asked_of_the_pick(assistant: Assistant, questions: tuple[str, str], kind: str) -> None:
    for question in questions:
        answer = assistant.ask(question, f"s-{questions}")
    assert answer.kind == kind and any(word in answer.text for word in ("抢占式", "spot", "Spot"))


ARTICLE = (
    "检查一下这篇文章：\n# GPU 选型指南\n\nA10 有 24GB 显存，属于 gn7i。T4 有 16GB 显存，不支持 bf16。\n\n"
    "A100 有 40GB 和 80GB 两种。V100 支持 bf16，显存 48GB。L20 有 48GB 显存。"
)
ENGLISH_ARTICLE = (
    "Check this article:\n# Choosing a GPU\n\nThe A10 has 24 GB of memory and is in gn7i. The T4 has 16 GB and does not support bf16.\n\n"
    "The A100 comes with 40 GB or 80 GB. The V100 supports bf16 and has 48 GB. The L20 has 48 GB of memory."
)
POINTED = [
    ("check the document I pasted again", "V100", "en"), ("再检查一遍我刚才贴的文章", "V100", "zh"), ("第二段呢", "V100", "zh"), ("what about the last paragraph?", "V100", "en"),
    ("那篇文章有错吗？", "V100", "zh"), ("is everything in that article right?", "V100", "en"), ("文中关于 V100 的说法对吗", "V100", "zh"), ("第一段有问题吗", "", "zh"),
    ("what about the first paragraph?", "", "en"), ("那篇文章里说 A10 有 40GB，对吗？", "A10", "zh"), ("does that article say right that the A10 has 40 GB?", "A10", "en"),
]  # fmt: skip


@pytest.mark.parametrize("article", [ARTICLE, ENGLISH_ARTICLE])
@pytest.mark.parametrize(("question", "wrong", "language"), POINTED)
def test_a_text_that_was_pasted_is_checked_again(assistant: Assistant, article: str, question: str, wrong: str, language: str) -> None:
    name = f"a-{article[:9]}-{question}"
    assistant.ask(article, name)
    assistant.ask("A10 能跑 Qwen2.5-14B int4 吗？", name)
    answer = assistant.ask(question, name)
    assert answer.kind == "claim_check" and answer.language == language
    assert {word for word in ("A10", "V100", "T4") if any(word in caution.text for caution in answer.cautions)} == ({wrong} if wrong else set())
    assert assistant.ask("换成 Qwen2.5-7B", name).kind == "sizing"


@pytest.mark.parametrize(
    ("question", "wrong"), [("《GPU 选型指南》里有什么错？", True), ("再看看“GPU 选型指南”", True), ("GPU 价格怎么看", False), ("训练数据放哪种云盘呢", False), ("文档放在哪种云盘好呢", False)]
)
def test_a_text_is_called_by_its_title(assistant: Assistant, question: str, wrong: bool) -> None:
    assistant.ask(ARTICLE, f"title-{question}")
    answer = assistant.ask(question, f"title-{question}")
    assert any("V100" in caution.text for caution in answer.cautions) == wrong


CONFIG = (
    '{"model_type":"qwen2","hidden_size":5120,"num_hidden_layers":48,"num_attention_heads":40,"num_key_value_heads":8,'
    '"intermediate_size":13824,"vocab_size":152064,"torch_dtype":"bfloat16"} 8K 4 并发要多少显存'
)


@pytest.mark.parametrize(
    ("question", "changed"),
    [
        ("刚才那个 config 换成 fp8 呢", {"weight_dtype": "fp8"}),
        ("the config I pasted, with 16 users?", {"concurrency": 16}),
        ("我贴的配置文件，32K 上下文要多少", {"context": 32768}),
        ("what does that config need in int8?", {"weight_dtype": "int8"}),
        ("那个 config 在 A10 上放得下吗", {}),
        ("does the config fit on an A10?", {}),
    ],
)
def test_a_config_that_was_pasted_is_sized_again(assistant: Assistant, question: str, changed: dict[str, object]) -> None:
    name = f"config-{question}"
    assistant.ask(CONFIG, name)
    assistant.ask("Qwen2.5-72B int4 呢", name)
    answer = assistant.ask(question, name)
    assert answer.kind == "sizing" and answer.reading["config_json"] and not answer.reading.get("models")
    assert {field: answer.reading.get(field) for field in changed} == changed


@pytest.mark.parametrize("question", ["回到第一个", "back to the first one", "第二段呢", "check that document again", "换回去", "用原来的精度"])
def test_a_question_that_points_at_nothing_makes_nothing_up(assistant: Assistant, question: str) -> None:
    for name in (None, f"nothing-{question}"):
        answer = assistant.ask(question, name)
        assert answer.estimate is None and answer.kind in ("out_of_scope", "clarify", "guidance")
