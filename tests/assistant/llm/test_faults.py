"""A server that fails in every way known to us: the rules answer, within the time limit, and no word of the failure leaks."""

from __future__ import annotations

import io
import logging
from collections.abc import Iterator

import pytest

from assistant import Answer
from tests.assistant.llm.bodies import openai_reply
from tests.assistant.llm.conftest import Open
from tests.assistant.llm.faults import BROKEN, KEY, NO_PATIENCE, openai_error
from tests.assistant.llm.running import assert_replaced, assert_spoken, shown
from tests.assistant.llm.scenes import SERVING, Good
from tests.assistant.llm.scripts import fails, fails_after_tools, fails_then, looks_up_then
from tests.assistant.llm.wire import Fault, Reply
from tools.phrases import Language

LANGUAGES: list[Language] = ["zh", "en"]
Right = dict[Language, Answer]
TOO_MANY = Fault(429, openai_error("Rate limit reached", "requests", "rate_limit_exceeded"), NO_PATIENCE)
LEAKS = ["5090", "gn99-free", "8820", "Traceback", "Error code", "<html", "api_key", "JSONDecodeError", "Bearer"]
"""Words of the failures' bodies and of the client's exceptions, none of which is for the user."""


@pytest.fixture(autouse=True)
def logged() -> Iterator[io.StringIO]:
    """Everything that is logged at any level meanwhile: the key is never in it."""
    out, root = io.StringIO(), logging.getLogger()
    handler, level = logging.StreamHandler(out), root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    yield out
    root.removeHandler(handler)
    root.setLevel(level)
    assert KEY not in out.getvalue()


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_server_is_answered_by_the_rules(talk: Open, right: Right, capfd: pytest.CaptureFixture[str], name: str) -> None:
    language = LANGUAGES[len(name) % 2]
    with talk(fails(BROKEN[name])) as t:
        answer = t.ask(SERVING[language].question)
    assert_replaced(answer, right[language])
    assert not [leak for leak in LEAKS if leak in shown(answer)], answer.text
    assert len(t.asked) <= 4  # retries are few
    assert KEY not in "".join(capfd.readouterr())


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_same_in_both_languages(talk: Open, right: Right, language: Language) -> None:
    with talk(fails(BROKEN["401_openai"])) as t:
        answer = t.ask(SERVING[language].question)
    assert_replaced(answer, right[language])
    assert any(caution.text and caution.text in answer.text for caution in answer.cautions)


@pytest.mark.parametrize("language", LANGUAGES)
def test_too_many_requests_once_then_fine(talk: Open, good: Good, language: Language) -> None:
    scene, draft = SERVING[language], good[language]
    with talk(fails_then(TOO_MANY, 1, looks_up_then(scene.uses, draft))) as t:
        answer = t.ask(scene.question)
    assert_spoken(answer, draft)
    assert len(t.asked) == 3


@pytest.mark.parametrize("name", ["500_vllm", "200_json_cut", "429_openai", "cut_at_once", "400_context_vllm"])
def test_a_server_that_fails_after_the_tools(talk: Open, right: Right, name: str) -> None:
    scene = SERVING["zh"]
    with talk(fails_after_tools(BROKEN[name], scene.uses)) as t:
        answer = t.ask(scene.question)
    assert_replaced(answer, right["zh"])


def test_a_port_where_nobody_listens(talk: Open, right: Right) -> None:
    with talk(fails(BROKEN["500_empty"]), own=True) as t:
        pass  # the server is gone from here on
    answer = t.ask(SERVING["zh"].question)
    assert_replaced(answer, right["zh"])


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_model_that_is_too_slow(talk: Open, right: Right, language: Language) -> None:
    with talk(lambda _: Reply("选 gn99。").after(3), time_limit_s=1.5) as t:
        answer = t.ask(SERVING[language].question)
    assert_replaced(answer, right[language])


def test_a_model_that_drips(talk: Open, right: Right) -> None:
    """Bytes keep coming, so no read ever times out; the turn ends all the same."""
    slow = Fault(200, openai_reply(Reply("选 gn99。" * 40)), bytes_per_s=60)
    with talk(fails(slow), time_limit_s=1.5, llm_timeout_s=1.0) as t:
        answer = t.ask(SERVING["zh"].question)
    assert_replaced(answer, right["zh"])


def test_a_model_that_is_slow_in_each_of_many_calls(talk: Open, right: Right) -> None:
    scene = SERVING["zh"]
    with talk(lambda _: Reply(None, scene.uses).after(0.4), time_limit_s=1.5, max_steps=30) as t:
        answer = t.ask(scene.question)
    assert_replaced(answer, right["zh"])
    assert len(t.asked) <= 6


def test_a_server_that_asks_for_an_hour_of_patience(talk: Open, right: Right) -> None:
    with talk(fails(Fault(429, openai_error("slow down"), {"retry-after": "3600"})), time_limit_s=2.0) as t:
        answer = t.ask(SERVING["zh"].question)
    assert_replaced(answer, right["zh"])


@pytest.mark.parametrize("size", [21_000, 20_000_000])
def test_a_reply_that_is_far_too_long(talk: Open, right: Right, size: int) -> None:
    """It is not even checked: the check of such a text would take longer than anybody waits."""
    draft = f"{right['zh'].text}\n" * (size // len(right["zh"].text))
    with talk(looks_up_then(SERVING["zh"].uses, draft), time_limit_s=20.0) as t:
        answer = t.ask(SERVING["zh"].question)
    assert_replaced(answer, right["zh"])
    assert len(answer.model_dump_json()) < 200_000


def test_an_answer_after_long_reasoning_is_shown(talk: Open, good: Good) -> None:
    draft = f"<think>{'hm, RTX 5090? ' * 20_000}</think>{good['zh']}"
    with talk(looks_up_then(SERVING["zh"].uses, draft)) as t:
        assert_spoken(t.ask(SERVING["zh"].question), good["zh"])


def test_the_key_is_in_no_repr_and_no_dump(talk: Open) -> None:
    with talk(fails(BROKEN["401_openai"])) as t:
        t.ask(SERVING["zh"].question)
        assert KEY not in repr(t.assistant.settings) + str(t.assistant.settings) + t.assistant.settings.model_dump_json()
        assert t.asked[0].headers["authorization"] == f"Bearer {KEY}"
