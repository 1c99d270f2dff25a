"""Drafts of scripted models through the whole agent: bad ones are struck and the rules answer, good ones are shown."""

from __future__ import annotations

import pytest

from assistant import Answer
from tests.assistant.llm.conftest import Open
from tests.assistant.llm.running import assert_honest, assert_replaced, assert_spoken, told
from tests.assistant.llm.scenes import DRAFTS, SERVING, filled
from tests.assistant.llm.scripts import looks_up_then, mends, says
from tools.phrases import Language

LANGUAGES: list[Language] = ["zh", "en"]
Right = dict[Language, Answer]
Values = dict[Language, dict[str, str]]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", DRAFTS["bad"])
def test_bad_drafts_are_struck(talk: Open, right: Right, values: Values, name: str, language: Language) -> None:
    scene, draft = SERVING[language], filled(DRAFTS["bad"][name][language], values[language])
    lies = [filled(lie, values[language], pattern=True) for lie in DRAFTS["bad"][name]["lies"]]
    assert_honest(right[language], lies)  # else the pattern would not tell the lie from the truth
    with talk(looks_up_then(scene.uses, draft)) as t:
        steps, answer = t.events(scene.question)
    assert_honest(answer, lies)
    assert_replaced(answer, right[language])
    assert len(t.asked) == 3  # the call of the tool, the draft, and the draft again
    assert t.asked[-1].is_told
    assert draft.strip() == "" or draft not in told(steps)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", DRAFTS["good"])
def test_good_drafts_are_shown(talk: Open, right: Right, values: Values, name: str, language: Language) -> None:
    scene, draft = SERVING[language], filled(DRAFTS["good"][name][language], values[language])
    with talk(looks_up_then(scene.uses, draft)) as t:
        answer = t.ask(scene.question)
    assert_spoken(answer, draft)
    assert answer.recommendations == right[language].recommendations
    assert answer.estimate == right[language].estimate
    assert len(t.asked) == 2


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_model_that_mends_its_draft_is_shown(talk: Open, values: Values, language: Language) -> None:
    scene = SERVING[language]
    wrong, good = filled(DRAFTS["bad"]["lying_number"][language], values[language]), filled(DRAFTS["good"]["short"][language], values[language])
    with talk(mends(scene.uses, wrong, good)) as t:
        answer = t.ask(scene.question)
    assert_spoken(answer, good)
    assert len(t.asked) == 3


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_model_that_mends_one_lie_with_another_is_replaced(talk: Open, right: Right, values: Values, language: Language) -> None:
    scene = SERVING[language]
    first, second = (filled(DRAFTS["bad"][name][language], values[language]) for name in ("lying_number", "invented_type"))
    with talk(mends(scene.uses, first, second)) as t:
        answer = t.ask(scene.question)
    assert_replaced(answer, right[language])
    assert_honest(answer, ["12\\.3", "gn99"])
    assert any("gn99" in struck for struck in answer.removed)


@pytest.mark.parametrize("language", LANGUAGES)
def test_right_words_from_memory_are_no_evidence(talk: Open, right: Right, values: Values, language: Language) -> None:
    """The figures are right, but no tool said so: the rules look it up."""
    with talk(says(filled(DRAFTS["good"]["short"][language], values[language]))) as t:
        answer = t.ask(SERVING[language].question)
    assert_replaced(answer, right[language])
    assert [call.tool for call in answer.calls] == [call.tool for call in right[language].calls]
