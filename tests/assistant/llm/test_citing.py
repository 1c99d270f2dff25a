"""Marks of models: they cite as the results of their tools are numbered, and each cited source must hold what is said."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from assistant import Answer
from assistant.evidence import MARK
from tests.assistant.llm.conftest import Open
from tests.assistant.llm.running import LLM, assert_replaced, assert_spoken
from tests.assistant.llm.scenes import CARDS, PRICES, SERVING, Scene
from tests.assistant.llm.scripts import first_words, looks_up_then, reads_aloud
from tests.assistant.llm.wire import Use
from tools.phrases import Language

LANGUAGES: list[Language] = ["zh", "en"]
SCENES = [pytest.param(scenes[language], id=f"{name}-{language}") for name, scenes in {"serving": SERVING, "prices": PRICES, "cards": CARDS}.items() for language in LANGUAGES]
LISTED = re.compile(r"(?m)^\[(\d+)\] ")


@pytest.mark.parametrize("scene", SCENES)
def test_what_the_tools_say_may_be_said(talk: Open, scene: Scene) -> None:
    with talk(reads_aloud(scene.uses)) as t:
        answer = t.ask(scene.question)
    draft = first_words(t.asked[1].results[0])
    assert MARK.search(draft)  # else this tests nothing
    assert_spoken(answer, draft)
    assert answer.citations and all(citation.excerpt or citation.url for citation in answer.citations)


@pytest.mark.parametrize("scene", SCENES)
def test_marks_are_those_of_the_list_of_sources(talk: Open, scene: Scene) -> None:
    """Every mark of a result is in its list of sources, and two results number the same source alike."""
    uses = (*scene.uses, Use("look_up_names", {"names": ["gn7i", "A10"], "language": scene.language}))
    with talk(looks_up_then(uses, "?")) as t:
        t.ask(scene.question)
    titles: dict[str, str] = {}
    for result in t.asked[1].results:
        listed = dict(re.findall(r"(?m)^\[(\d+)\] (.+)$", result))
        assert set(MARK.findall(result)) == set(listed)
        for number, title in listed.items():
            assert titles.setdefault(number, title) == title


def rotated(text: str) -> str:
    """Each mark as that of the next source."""
    marks = sorted(set(MARK.findall(text)))
    return MARK.sub(lambda m: f"[{marks[(marks.index(m[1]) + 1) % len(marks)]}]", text)


def far_off(text: str) -> str:
    """Every mark as one that no source has."""
    return MARK.sub("[77]", text)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("change", [rotated, far_off], ids=["rotated", "far_off"])
def test_marks_that_do_not_prove_what_is_said(talk: Open, right: dict[Language, Answer], language: Language, change: Callable[[str], str]) -> None:
    with talk(reads_aloud(SERVING[language].uses, change)) as t:
        answer = t.ask(SERVING[language].question)
    assert_replaced(answer, right[language])
    assert "[77]" not in answer.text


@pytest.mark.parametrize("language", LANGUAGES)
def test_marks_that_are_left_out(talk: Open, right: dict[Language, Answer], language: Language) -> None:
    """What is said is right, so it may be shown or replaced; but the figures of the answer stay as they are."""
    with talk(reads_aloud(SERVING[language].uses, lambda text: MARK.sub("", text))) as t:
        answer = t.ask(SERVING[language].question)
    assert answer.verified and answer.recommendations == right[language].recommendations
    assert answer.llm in (LLM, "offline") and right[language].recommendations[0].instance_type in answer.text
