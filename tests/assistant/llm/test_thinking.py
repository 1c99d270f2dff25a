"""Thinking models: what they think is never shown, wherever they put it, and is not sent back where servers refuse it."""

from __future__ import annotations

import json

import pytest

from assistant import Answer
from tests.assistant.llm.conftest import Open
from tests.assistant.llm.running import assert_replaced, assert_spoken, told
from tests.assistant.llm.scenes import SERVING, Good
from tests.assistant.llm.wire import Asked, Reply, Said, Script
from tools.phrases import Language

LANGUAGES: list[Language] = ["zh", "en"]
SECRET = "xyzzy-thought"
THOUGHT = f"The user wants an RTX 5090, maybe 99.9 GiB. {SECRET}"
FORMS = [
    "<think>{thought}</think>{draft}",
    "<think>\n{thought}\n</think>\n\n{draft}",
    "<thinking>{thought}</thinking>\n{draft}",
    "{thought}\n</think>\n\n{draft}",
    "<think>{thought}</think>{draft}<think>{thought}</think>",
    "<THINK>{thought}</THINK>{draft}",
    "<think></think>{draft}",
]
UNCLOSED = ["<think>{thought} {draft}", "<think>\n{thought}\n{draft}", "{draft}<think>{thought}"]


def thinks(language: Language, content: str, *, reasoning: str = "") -> Script:
    def script(asked: Asked) -> Said:
        if not asked.results:
            return Reply(f"<think>{THOUGHT}</think>", SERVING[language].uses, reasoning=reasoning)
        return Reply(content, reasoning=reasoning)

    return script


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("form", FORMS)
def test_thoughts_are_cut_out(talk: Open, good: Good, form: str, language: Language) -> None:
    draft = good[language]
    with talk(thinks(language, form.replace("{thought}", THOUGHT).replace("{draft}", draft), reasoning=THOUGHT)) as t:
        steps, answer = t.events(SERVING[language].question)
    assert_spoken(answer, draft)
    assert SECRET not in answer.model_dump_json() + told(steps)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("form", UNCLOSED)
def test_thoughts_without_an_end(talk: Open, right: dict[Language, Answer], good: Good, form: str, language: Language) -> None:
    """What stands behind the sign may all be thought; what stands before it may be shown."""
    draft = good[language]
    with talk(thinks(language, form.replace("{thought}", THOUGHT).replace("{draft}", draft))) as t:
        steps, answer = t.events(SERVING[language].question)
    assert SECRET not in answer.model_dump_json(exclude={"removed"}) + told(steps) and "5090" not in answer.text
    if form.startswith("{draft}"):
        assert_spoken(answer, draft)
    else:
        assert_replaced(answer, right[language])


@pytest.mark.parametrize("language", LANGUAGES)
def test_only_thoughts_and_no_answer(talk: Open, right: dict[Language, Answer], language: Language) -> None:
    with talk(thinks(language, "", reasoning=THOUGHT)) as t:
        answer = t.ask(SERVING[language].question)
    assert_replaced(answer, right[language])
    assert SECRET not in answer.model_dump_json()


def test_thoughts_are_not_sent_back(talk: Open, good: Good) -> None:
    """DeepSeek refuses them and others bill them; a next turn knows nothing of them either."""
    draft = good["zh"]
    with talk(thinks("zh", f"<think>{THOUGHT}</think>{draft}", reasoning=THOUGHT)) as t:
        t.ask(SERVING["zh"].question, "a")
        t.ask(SERVING["zh"].question, "a")
    for asked in t.asked:
        assert SECRET not in json.dumps(asked.body, ensure_ascii=False)
