"""What goes over the wire: one unchanging system prompt, messages that only grow, no forced tools, nothing of the check in the next turn."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest

from assistant.evidence import MARK
from tests.assistant.llm.conftest import Open
from tests.assistant.llm.running import Talk
from tests.assistant.llm.scenes import CARDS, SERVING, Good
from tests.assistant.llm.scripts import by_question, mends, says
from tests.assistant.llm.wire import Asked, Json, is_guard
from tools.phrases import Language

LANGUAGES: list[Language] = ["zh", "en"]
LIE: dict[Language, str] = {"zh": "每卡约需 99.9 GiB。", "en": "It needs 99.9 GiB per GPU."}


def turns(talk: Talk) -> list[list[Asked]]:
    """The requests of each turn: a new one begins where the last message is a question."""
    found: list[list[Asked]] = []
    for asked in talk.asked:
        if not asked.turn:
            found.append([])
        found[-1].append(asked)
    return found


@pytest.mark.parametrize("language", LANGUAGES)
def test_messages_only_grow_within_a_turn(talk: Open, good: Good, language: Language) -> None:
    with talk(mends(SERVING[language].uses, LIE[language], good[language])) as t:
        for _ in range(3):
            t.ask(SERVING[language].question, "a")
    assert [len(turn) for turn in turns(t)] == [3, 3, 3]
    for turn in turns(t):
        for before, after in pairwise(turn):
            assert after.messages[: len(before.messages)] == before.messages
            assert len(after.messages) > len(before.messages)


def test_system_prompt_and_tools_stay_the_same(talk: Open) -> None:
    """Byte for byte, in every call of every turn in one language: a provider's cache of prefixes lives on that."""
    script = by_question({s.question: s for s in (SERVING["zh"], CARDS["zh"])}, {SERVING["zh"].question: "好的。", CARDS["zh"].question: "好的。"})
    with talk(script) as t:
        for scene in (SERVING["zh"], CARDS["zh"], SERVING["zh"]):
            t.ask(scene.question, "a")
        t.ask(SERVING["zh"].question, "b")
    assert len({asked.system for asked in t.asked}) == 1 and t.asked[0].system
    assert len({json.dumps(asked.body["tools"]) for asked in t.asked}) == 1
    assert all(asked.messages[0]["role"] == "system" and [m["role"] for m in asked.messages].count("system") == 1 for asked in t.asked)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_next_turn_knows_questions_and_checked_answers_only(talk: Open, good: Good, language: Language) -> None:
    """Neither the draft that was struck nor the reasons, nor calls and results of an earlier turn."""
    with talk(mends(SERVING[language].uses, LIE[language], good[language])) as t:
        answers = [t.ask(SERVING[language].question, "a") for _ in range(3)]
    last = turns(t)[-1][0].messages
    assert [m["role"] for m in last] == ["system", "user", "assistant", "user", "assistant", "user"]
    # without marks: they number the sources of their own turn
    assert [m["content"] for m in last if m["role"] == "assistant"] == [MARK.sub("", answer.text) for answer in answers[:2]]
    assert "99.9" not in json.dumps(last) and not any(is_guard(str(m["content"])) for m in last)


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_answer_of_the_rules_is_what_the_next_turn_knows(talk: Open, language: Language) -> None:
    with talk(mends(SERVING[language].uses, LIE[language], LIE[language])) as t:
        answer = t.ask(SERVING[language].question, "a")
        t.ask(SERVING[language].question, "a")
    history: list[Json] = [m for m in turns(t)[-1][0].messages if m["role"] == "assistant"]
    assert answer.llm == "offline" and len(history) == 1
    assert answer.recommendations[0].instance_type in history[0]["content"] and "99.9" not in history[0]["content"]


def test_no_tool_is_forced_and_nothing_is_asked_twice_at_once(talk: Open, good: Good) -> None:
    """Thinking models refuse a forced choice; `n` and response_format are not known everywhere."""
    with talk(mends(SERVING["zh"].uses, LIE["zh"], good["zh"])) as t:
        t.ask(SERVING["zh"].question)
    for asked in t.asked:
        assert asked.body.get("tool_choice", "auto") == "auto"
        assert "response_format" not in asked.body and asked.body.get("n", 1) == 1
        assert {"size_llm", "get_prices", "look_up_names", "search_guides"} <= set(asked.tools)
        assert asked.path == "/v1/chat/completions"


def test_what_is_sent_stays_small(talk: Open, good: Good) -> None:
    """A small server has a context of a few thousand tokens: prompt and tools, and one result, must leave room in 16k."""
    with talk(mends(SERVING["zh"].uses, LIE["zh"], good["zh"])) as t:
        t.ask(SERVING["zh"].question)
    first, second = t.asked[0], t.asked[1]
    assert len(json.dumps(first.body, ensure_ascii=False)) < 30_000
    assert len(second.found) <= 6_000


def test_long_conversations_are_trimmed(talk: Open) -> None:
    """Each answer of the rules is long; after some turns the older half is left out, never half a pair."""
    with talk(says(""), max_steps=2) as t:
        for n in range(14):
            t.ask(SERVING["zh"].question.replace("4 并发", f"{n + 2} 并发"), "a")
    assert max(len(json.dumps(asked.messages, ensure_ascii=False)) for asked in t.asked) < 30_000
    for asked in t.asked:
        assert [m["role"] for m in asked.messages[:2]] == ["system", "user"]
    assert len(turns(t)[-1][0].questions) < 14
