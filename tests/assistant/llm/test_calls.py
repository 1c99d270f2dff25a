"""Calls of tools: loops, several at once, tools that are none, arguments that are wrong or broken."""

from __future__ import annotations

import json

import pytest

from assistant import Answer
from assistant.evidence import MARK
from tests.assistant.llm.conftest import Open
from tests.assistant.llm.running import assert_honest, assert_replaced, assert_spoken, told
from tests.assistant.llm.scenes import SERVE, SERVING, Good
from tests.assistant.llm.scripts import (
    first_words,
    in_turn,
    looks_up_then,
    loops,
    one_by_one,
    prints_calls,
    wanders,
)
from tests.assistant.llm.wire import Asked, Reply, Said, Use
from tools.phrases import Language

LANGUAGES: list[Language] = ["zh", "en"]
Right = dict[Language, Answer]
STEPS = 6


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_same_call_for_ever(talk: Open, right: Right, language: Language) -> None:
    with talk(loops(SERVING[language].uses[0]), max_steps=STEPS) as t:
        answer = t.ask(SERVING[language].question)
    assert_replaced(answer, right[language])
    assert len(t.asked) <= STEPS


@pytest.mark.parametrize("language", LANGUAGES)
def test_another_call_each_time_for_ever(talk: Open, right: Right, language: Language) -> None:
    script = wanders(lambda n: Use("search_guides", {"query": f"A10 {n}", "language": language}))
    with talk(script, max_steps=STEPS) as t:
        answer = t.ask(SERVING[language].question)
    assert_replaced(answer, right[language])
    assert len(t.asked) <= STEPS


def test_a_loop_over_a_tool_that_is_none(talk: Open, right: Right) -> None:
    with talk(loops(Use("book_now", {"sku": "RTX 5090"})), max_steps=STEPS) as t:
        answer = t.ask(SERVING["zh"].question)
    assert_replaced(answer, right["zh"])
    assert_honest(answer, ["5090", "book_now"])
    assert len(t.asked) <= STEPS


def test_a_thousand_calls_at_once(talk: Open, right: Right) -> None:
    with talk(in_turn(Reply(None, SERVING["zh"].uses * 1000)), max_steps=STEPS) as t:
        answer = t.ask(SERVING["zh"].question)
    assert_replaced(answer, right["zh"])
    assert len(t.asked[1].results) <= 16


def test_few_steps_are_enough_for_the_rules(talk: Open, right: Right) -> None:
    """The limit of steps is for the chat model; the rules need what they need."""
    with talk(loops(SERVING["zh"].uses[0]), max_steps=1) as t:
        answer = t.ask(SERVING["zh"].question)
    assert_replaced(answer, right["zh"])
    assert len(t.asked) == 1


@pytest.mark.parametrize("language", LANGUAGES)
def test_results_of_calls_at_once_come_back_in_their_order(talk: Open, good: Good, language: Language) -> None:
    names = [["gn7i"], ["gn6i"], ["gn7e"]]
    uses = (*SERVING[language].uses, *(Use("look_up_names", {"names": name, "language": language}) for name in names))
    with talk(looks_up_then(uses, good[language])) as t:
        answer = t.ask(SERVING[language].question)
    assert_spoken(answer, good[language])
    asked = [call["id"] for message in t.asked[1].messages for call in message.get("tool_calls") or ()]
    answered = [message["tool_call_id"] for message in t.asked[1].messages if message["role"] == "tool"]
    assert asked == answered and len(asked) == 4
    for name, result in zip(names, t.asked[1].results[1:], strict=True):
        assert name[0] in result
    assert [call.args.get("names") for call in answer.calls[1:]] == names


@pytest.mark.parametrize("language", LANGUAGES)
def test_calls_one_after_the_other(talk: Open, good: Good, language: Language) -> None:
    uses = (*SERVING[language].uses, Use("look_up_names", {"names": ["gn7i"], "language": language}))
    with talk(one_by_one(uses, good[language])) as t:
        answer = t.ask(SERVING[language].question)
    assert_spoken(answer, good[language])
    assert len(t.asked) == 3


@pytest.mark.parametrize(
    "bad",
    [
        Use("book_now", {"sku": 1}),
        Use("", {}),
        Use("size_llm", {**SERVE, "concurrency": -3}),
        Use("size_llm", {**SERVE, "concurrency": "many"}),
        Use("size_llm", {**SERVE, "context": [8192]}),
        Use("size_llm", {"model": {"name": "Qwen2.5-7B"}}),
        Use("size_llm", {}),
        Use("size_llm", {**SERVE, "colour": "red", "language": "fr"}),
        Use("size_llm", {**SERVE, "weight_dtype": "banana"}),
        Use("size_llm", {**SERVE, "region": "mars-1"}),
        Use("size_llm", {**SERVE, "context": 10**30}),
        Use("size_llm", json.dumps(SERVE)[:-20]),
        Use("size_llm", "not json"),
        Use("size_llm", "null"),
        Use("size_llm", ""),
        Use("get_prices", {"names": "gn7i"}),
        Use("get_prices", {"names": []}),
        Use("look_up_names", {"names": ["'; DROP TABLE", "\u0000", "🦄" * 500]}),
        Use("search_guides", {"query": "", "k": -1}),
        Use("search_guides", {"query": "x" * 20_000}),
        Use("find_instances", {"gpu_count": 0.5, "status": "sold_out"}),
        Use("check_claims", {"text": ""}),
        Use("order_instance", {}),
    ],
    ids=lambda use: f"{use.name}-{use.text[:40]}",
)
def test_calls_that_are_wrong_come_back_as_words(talk: Open, right: Right, bad: Use) -> None:
    """The model reads what is wrong, calls again and answers."""

    def script(asked: Asked) -> Said:
        if asked.number == 0:
            return Reply(None, (bad,))
        return Reply(None, SERVING["zh"].uses) if asked.number == 1 else Reply(first_words(asked.results[-1]))

    with talk(script) as t:
        answer = t.ask(SERVING["zh"].question)
    assert_spoken(answer, first_words(t.asked[-1].results[-1]))
    assert answer.recommendations[0].instance_type == right["zh"].recommendations[0].instance_type
    assert "Traceback" not in json.dumps(t.asked[-1].messages)


@pytest.mark.parametrize("arguments", ["[1, 2]", "42", '"gn7i"', "true"])
def test_arguments_that_are_no_object(talk: Open, right: Right, arguments: str) -> None:
    with talk(loops(Use("size_llm", arguments))) as t:
        answer = t.ask(SERVING["zh"].question)
    assert_replaced(answer, right["zh"])


@pytest.mark.parametrize("language", LANGUAGES)
def test_arguments_that_contradict_the_question_are_put_right(talk: Open, right: Right, good: Good, language: Language) -> None:
    """As a small model does: it mixes the context up with the number of users, and stays with that when it is told."""
    wrong = Use("size_llm", {**SERVE, "concurrency": 8000, "language": language})

    def script(asked: Asked) -> Said:
        return Reply(None, (wrong,)) if asked.number < 2 else Reply(good[language])

    with talk(script) as t:
        steps, answer = t.events(SERVING[language].question)
    assert_spoken(answer, good[language])
    assert answer.estimate == right[language].estimate
    assert answer.recommendations == right[language].recommendations
    assert any("8000" in a or "8,000" in a for a in answer.assumptions), answer.assumptions
    assert "4" in told(steps)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("argument", "value"),
    [("context", 32768), ("weight_dtype", "fp8"), ("model", "Qwen2.5-72B"), ("model", "Llama-3.1-8B"), ("kv_dtype", "fp8"), ("region", "ap-southeast-1"), ("concurrency", 40)],
)
def test_what_nobody_asked_for_is_not_computed(talk: Open, right: Right, language: Language, argument: str, value: object) -> None:
    """Whatever the stubborn model says of its wrong sum, the answer is that of the question that was asked."""
    wrong = Use("size_llm", {**SERVE, "language": language, argument: value})
    with talk(lambda asked: Reply(None, (wrong,)) if asked.number < 3 else Reply("ok")) as t:
        answer = t.ask(SERVING[language].question)
    assert answer.estimate == right[language].estimate
    assert answer.recommendations == right[language].recommendations


@pytest.mark.parametrize("form", ["<tool_call>\n{call}\n</tool_call>", "```json\n{call}\n```", "{call}", "好的，我来计算。\n<tool_call>{call}</tool_call>"])
def test_calls_that_are_printed_as_words_are_made(talk: Open, good: Good, form: str) -> None:
    draft = good["zh"]
    with talk(prints_calls(SERVING["zh"].uses[0], draft, form=form)) as t:
        answer = t.ask(SERVING["zh"].question)
    assert_spoken(answer, draft)
    assert len(t.asked) == 2


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_small_model_that_does_everything_wrong_at_first(talk: Open, right: Right, good: Good, language: Language) -> None:
    """It prints its call, mixes context and users up, stays with that, forgets the marks, and gets there in the end."""
    call = Use("size_llm", {**SERVE, "context": 8, "concurrency": 8192})

    def script(asked: Asked) -> Said:
        if asked.number < 2:
            return Reply(f'<tool_call>{{"name": "{call.name}", "arguments": {call.text}}}</tool_call>')
        return Reply(good[language] if asked.is_told else MARK.sub("", good[language]))

    with talk(script) as t:
        answer = t.ask(SERVING[language].question)
    assert_spoken(answer, good[language])
    assert answer.estimate == right[language].estimate
    assert any("8192" in a or "8,192" in a for a in answer.assumptions), answer.assumptions
    assert len(t.asked) == 4
