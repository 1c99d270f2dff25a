"""Conversations with a model: follow-ups, languages and models that change midway, pasted texts, and many at once."""

from __future__ import annotations

import re
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor

import pytest

from assistant import Answer, Assistant
from assistant.evidence import MARK
from tests.assistant.llm.conftest import Open
from tests.assistant.llm.running import LLM, assert_honest
from tests.assistant.llm.scenes import SERVE, SERVING
from tests.assistant.llm.scripts import first_words, says
from tests.assistant.llm.wire import Asked, Reply, Said, Use
from tools.phrases import Language

CHINESE = re.compile("[\u4e00-\u9fff]")
SIZES = {"7B": "Qwen2.5-7B", "14B": "Qwen2.5-14B", "32B": "Qwen2.5-32B", "72B": "Qwen2.5-72B"}


def sizes_what_is_asked(asked: Asked) -> Said:
    """An able model: it computes the model of the last question that names one, and reads the result aloud."""
    name = next(name for question in reversed(asked.questions) for size, name in SIZES.items() if size in question)
    users = next((int(word) for word in ("16", "8", "4") if f"{word} 并发" in asked.question or f"{word} users" in asked.question), None)
    language = "en" if asked.question.isascii() else "zh"
    if not asked.results:
        return Reply(None, (Use("size_llm", {**SERVE, "model": name, "concurrency": users or 4, "language": language}),))
    return Reply(first_words(asked.results[-1], 1))


def test_a_follow_up_changes_one_thing(talk: Open) -> None:
    with talk(sizes_what_is_asked) as t:
        first = t.ask("Qwen2.5-7B bf16，8K 上下文，4 并发，用什么实例？", "a")
        second = t.ask("16 并发呢？", "a")
        third = t.ask("换成 Qwen2.5-14B 呢？", "a")
    assert [a.llm for a in (first, second)] == [LLM, LLM]
    assert [call.args["concurrency"] for a in (first, second) for call in a.calls if call.tool == "size_llm"] == [4, 16]
    assert third.calls[0].args["model"] == "Qwen2.5-14B"


def test_the_language_changes_midway(talk: Open) -> None:
    with talk(sizes_what_is_asked) as t:
        first = t.ask("Qwen2.5-7B bf16，8K 上下文，4 并发，用什么实例？", "a")
        second = t.ask("And with 16 users at once?", "a")
        third = t.ask("8 并发呢？", "a")
    assert [a.language for a in (first, second, third)] == ["zh", "en", "zh"]
    assert [a.llm for a in (first, second, third)] == [LLM] * 3
    assert not CHINESE.search(second.text) and CHINESE.search(third.text)


def test_an_answer_that_contradicts_an_earlier_one(talk: Open, right: dict[Language, Answer]) -> None:
    """The second time the model looks nothing up and says another figure for the same thing."""
    with talk(lambda asked: sizes_what_is_asked(asked) if asked.number < 2 else Reply("前面说错了，Qwen2.5-7B 每卡只需 11.1 GiB，T4 也放得下。")) as t:
        first = t.ask(SERVING["zh"].question, "a")
        second = t.ask("确定吗？再说一遍要多少显存。", "a")
    assert first.llm == LLM
    assert_honest(second, ["11\\.1", "T4 也放得下"])
    assert second.llm == "offline"


def test_what_was_established_may_be_repeated_without_a_tool(talk: Open) -> None:
    """The checked answer of the turn before is in the thread; the model says it again, as it sees it: without marks."""

    def script(asked: Asked) -> Said:
        return sizes_what_is_asked(asked) if asked.number < 2 else Reply(str(next(m["content"] for m in asked.messages if m["role"] == "assistant")))

    with talk(script) as t:
        first = t.ask(SERVING["zh"].question, "a")
        answer = t.ask("确定吗？再说一遍选哪个。", "a")
    assert (first.llm, answer.llm) == (LLM, LLM), answer.removed
    assert answer.text == MARK.sub("", first.text)


def test_the_model_is_switched_midway(talk: Open, offline: Assistant) -> None:
    """Offline, then a chat model, then offline again: one conversation, kept by one checkpointer."""
    from langgraph.checkpoint.memory import InMemorySaver

    saver = InMemorySaver()
    with talk(sizes_what_is_asked) as t:
        settings, library = t.assistant.settings, t.assistant.library
        rules = Assistant("offline", library, settings=settings, checkpointer=saver)
        model = Assistant(LLM, library, settings=settings, checkpointer=saver)
        answers = [
            rules.ask("Qwen2.5-7B bf16，8K 上下文，4 并发，用什么实例？", "a"),
            model.ask("16 并发呢？", "a"),
            rules.ask("8 并发呢？", "a"),
        ]
    assert [a.llm for a in answers] == ["offline", LLM, "offline"]
    assert [[c.args["concurrency"] for c in a.calls if c.tool == "size_llm"] for a in answers] == [[4], [16], [8]]
    assert {str(c.args["model"]) for a in answers for c in a.calls if c.tool == "size_llm"} == {"Qwen2.5-7B"}
    assert [m["role"] for m in t.asked[0].messages] == ["system", "user", "assistant", "user"]


@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_text_that_was_pasted_earlier_is_at_hand(talk: Open, language: Language) -> None:
    """The question points at it, so the model is shown it; what is wrong in it is not said as true."""
    article = "核对：gn7i 搭载 A10，每卡 24 GB 显存。A10 支持 FP8 推理。gn6i 搭载 T4，每卡 16 GB 显存。T4 支持 BF16 训练。" * 3
    asks: dict[Language, str] = {"zh": "刚才贴的文章里，关于 T4 的说法对吗？", "en": "In the text I pasted, is the statement on the T4 right?"}
    lies = {"zh": "对，T4 支持 BF16 训练。", "en": "Yes, the T4 supports BF16 training."}
    with talk(lambda asked: Reply(lies[language])) as t:
        t.ask(article, "a")
        answer = t.ask(asks[language], "a")
    assert "T4" in str(t.asked[-1].messages)
    assert_honest(answer, ["T4 supports BF16", "对，T4 支持"])


def test_threads_do_not_mix(talk: Open) -> None:
    """Eight conversations at once, five turns each; every one is about its own model, and knows its own past only."""
    sizes = [*SIZES, *SIZES]

    def converse(number: int) -> list[Answer]:
        size = sizes[number]
        questions = [f"Qwen2.5-{size} bf16，8K 上下文，4 并发，用什么实例？（{number} 号）", *[f"{users} 并发呢？（{number} 号，{size}）" for users in (8, 16, 4, 8)]]
        return [t.ask(question, f"thread {number}") for question in questions]

    with talk(sizes_what_is_asked, time_limit_s=60.0) as t, ThreadPoolExecutor(8) as pool:
        conversations = list(pool.map(converse, range(8)))
    for number, answers in enumerate(conversations):
        calls = [call for answer in answers for call in answer.calls if call.tool == "size_llm"]
        assert {call.args["model"] for call in calls} == {SIZES[sizes[number]]}
        assert [call.args["concurrency"] for call in calls] == [4, 8, 16, 4, 8]
    for asked in t.asked:
        assert len(set(numbers_in(asked.questions))) == 1


def numbers_in(questions: Iterable[str]) -> list[str]:
    """The numbers of the conversations that questions belong to."""
    return [question.split("（")[1].split(" 号")[0] for question in questions if "（" in question]


def test_two_turns_of_one_thread_at_once(talk: Open) -> None:
    """One after the other: neither is lost."""
    with talk(says("好的。")) as t, ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda users: t.ask(f"Qwen2.5-7B bf16，8K 上下文，{users} 并发？", "a"), (4, 8)))
        t.ask("16 并发呢？", "a")
    assert len([q for q in t.asked[-1].questions if "Qwen" in q]) == 2
