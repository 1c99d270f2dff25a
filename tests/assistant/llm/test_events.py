"""What is told while a model works: at once, step by step, and never a word of the model that is not checked."""

from __future__ import annotations

import threading
from itertools import pairwise

import pytest

from assistant import Answer
from assistant.answer import Call
from assistant.progress import Progress
from tests.assistant.llm.conftest import Open
from tests.assistant.llm.faults import BROKEN
from tests.assistant.llm.running import told
from tests.assistant.llm.scenes import SERVING, Good
from tests.assistant.llm.scripts import fails, looks_up_then, mends, waits_for
from tests.assistant.llm.wire import Asked, Reply, Said
from tools.phrases import Language

LANGUAGES: list[Language] = ["zh", "en"]
SECRET = "xyzzy-thought"


@pytest.mark.parametrize("language", LANGUAGES)
def test_steps_are_told_before_the_model_has_said_anything(talk: Open, good: Good, language: Language) -> None:
    gate, scene = threading.Event(), SERVING[language]
    with talk(waits_for(gate, looks_up_then(scene.uses, good[language]))) as t:
        events = t.assistant.events(scene.question)
        first = next(events)
        assert isinstance(first, Progress) and first.text and not gate.is_set()
        gate.set()
        rest = list(events)
    assert isinstance(rest[-1], Answer)
    assert not any(isinstance(step, Answer) for step in rest[:-1])


@pytest.mark.parametrize("language", LANGUAGES)
def test_calls_are_told_with_their_arguments_before_and_after_they_run(talk: Open, good: Good, language: Language) -> None:
    scene = SERVING[language]
    with talk(looks_up_then(scene.uses, good[language])) as t:
        steps, answer = t.events(scene.question)
    begun = [step for step in steps if isinstance(step, Progress) and step.tool]
    ended = [step for step in steps if isinstance(step, Call)]
    assert [(step.tool, step.args["model"], step.args["concurrency"]) for step in begun] == [("size_llm", "Qwen2.5-7B", 4)]
    assert [(step.tool, step.ok) for step in ended] == [("size_llm", True)]
    assert steps.index(begun[0]) < steps.index(ended[0])
    assert [call.tool for call in answer.calls] == ["size_llm"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_event_holds_unchecked_words(talk: Open, good: Good, language: Language) -> None:
    """Words before a call, reasoning, the first draft and the reasons for sending it back are all unchecked."""
    scene, wrong = SERVING[language], f"RTX 5090 {SECRET}"

    def script(asked: Asked) -> Said:
        if not asked.results:
            return Reply(f"<think>{SECRET}</think>{SECRET}", scene.uses, reasoning=SECRET)
        return Reply(good[language] if asked.is_told else wrong, reasoning=SECRET)

    with talk(script) as t:
        steps, answer = t.events(scene.question)
    assert SECRET not in told(steps) and "5090" not in told(steps)
    assert SECRET not in answer.model_dump_json()
    assert answer.llm == "openai:stub-model"


@pytest.mark.parametrize("language", LANGUAGES)
def test_rewriting_and_falling_back_are_told(talk: Open, good: Good, language: Language) -> None:
    scene = SERVING[language]
    with talk(mends(scene.uses, "RTX 5090", "RTX 5090")) as t:
        steps, answer = t.events(scene.question)
    stages = [step.stage for step in steps if isinstance(step, Progress)]
    assert [a for a, b in pairwise([*stages, None]) if a != b] == ["reading", "thinking", "calling", "rewriting", "falling_back", "calling"]
    assert answer.llm == "offline"


def test_steps_speak_the_language_of_the_question(talk: Open) -> None:
    for language in LANGUAGES:
        with talk(fails(BROKEN["401_openai"])) as t:
            steps, _ = t.events(SERVING[language].question)
        for step in steps:
            if isinstance(step, Progress):
                assert step.text.isascii() == (language == "en")


def test_events_that_nobody_reads_to_the_end_leave_the_thread_free(talk: Open, good: Good) -> None:
    scene = SERVING["zh"]
    with talk(looks_up_then(scene.uses, good["zh"]), own=True) as t:
        events = t.assistant.events(scene.question, t.name("a"))
        next(events)
        next(events)
        events.close()  # type: ignore[attr-defined]  # the browser was closed
        answer = t.ask(scene.question, "a")
    assert answer.llm == "openai:stub-model"
