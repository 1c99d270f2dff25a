"""The same agent over Ollama's own interface, through the real client."""

from __future__ import annotations

import json

import pytest

from assistant import Answer
from tests.assistant.llm.conftest import Open
from tests.assistant.llm.running import assert_honest, assert_replaced, assert_spoken
from tests.assistant.llm.scenes import SERVING, Good
from tests.assistant.llm.scripts import fails, looks_up_then
from tests.assistant.llm.wire import Fault
from tools.phrases import Language

LANGUAGES: list[Language] = ["zh", "en"]
OLLAMA = "ollama:stub-model"
NO_TOOLS = {"error": "registry.ollama.ai/library/stub-model:latest does not support tools"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_honest_model(talk: Open, good: Good, language: Language) -> None:
    draft = good[language]
    with talk(looks_up_then(SERVING[language].uses, draft, reasoning="xyzzy"), llm=OLLAMA) as t:
        answer = t.ask(SERVING[language].question)
    assert_spoken(answer, draft, llm=OLLAMA)
    assert "xyzzy" not in answer.model_dump_json()
    assert {asked.path for asked in t.asked} == {"/api/chat"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_lying_model(talk: Open, right: dict[Language, Answer], language: Language) -> None:
    with talk(looks_up_then(SERVING[language].uses, "RTX 5090"), llm=OLLAMA) as t:
        answer = t.ask(SERVING[language].question)
    assert_replaced(answer, right[language])
    assert_honest(answer, ["5090"])


@pytest.mark.parametrize(
    "fault",
    [
        Fault(400, NO_TOOLS),
        Fault(404, {"error": "model 'stub-model' not found"}),
        Fault(500, {"error": "llama runner process has terminated: CUDA out of memory"}),
        Fault(500, {"error": "error parsing tool call: raw='RTX 5090' err=unexpected end"}),
        Fault(200, json.dumps({"error": "an error in the stream, RTX 5090"}) + "\n", content_type="application/x-ndjson"),
        Fault(200, "not json\n", content_type="application/x-ndjson"),
        Fault(200, "", content_type="application/x-ndjson"),
        Fault(200, '{"model": "stub-model", "message": {"role": "assistant", "content": "RTX 5090"}, "done": fal', content_type="application/x-ndjson"),
    ],
    ids=["no tools", "no model", "no memory", "call not parsed", "error in the stream", "no json", "nothing", "cut"],
)
def test_a_server_that_fails(talk: Open, right: dict[Language, Answer], fault: Fault) -> None:
    with talk(fails(fault), llm=OLLAMA) as t:
        answer = t.ask(SERVING["zh"].question)
    assert_replaced(answer, right["zh"])
    assert_honest(answer, ["5090"])
