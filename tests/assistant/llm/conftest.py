"""One library and one offline assistant for all of these tests, and assistants over a stub for each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from assistant import Answer, Assistant
from assistant.settings import Settings
from knowledge.search import Library
from tests.assistant.llm.running import LLM, Talk, settings_of
from tests.assistant.llm.scenes import DRAFTS, SERVING, Good, figures, filled
from tests.assistant.llm.scripts import looks_up_then
from tests.assistant.llm.stub import open_stub
from tests.assistant.llm.wire import Reply, Script
from tools.phrases import Language

Open = Callable[..., AbstractContextManager[Talk]]
TALKS = count()


@pytest.fixture(scope="session")
def offline(tmp_path_factory: pytest.TempPathFactory) -> Assistant:
    """The rules alone, with search by words."""
    return Assistant("offline", settings=Settings(data_dir=tmp_path_factory.mktemp("llm"), embedder="none"))


@pytest.fixture(scope="session")
def library(offline: Assistant) -> Library:
    """Its knowledge."""
    return offline.library


@pytest.fixture(scope="session")
def right(offline: Assistant) -> dict[Language, Answer]:
    """The rules' answers to the questions of SERVING."""
    return {language: offline.ask(scene.question) for language, scene in SERVING.items()}


@pytest.fixture(scope="session")
def values(right: dict[Language, Answer], library: Library, tmp_path_factory: pytest.TempPathFactory) -> dict[Language, dict[str, str]]:
    """What fills in the drafts, from the right answers and from what a model is sent by its tools."""
    found: dict[Language, dict[str, str]] = {}
    for language, scene in SERVING.items():
        with open_stub(looks_up_then(scene.uses, "")) as stub:
            Assistant(LLM, library, settings=settings_of(stub, LLM, tmp_path_factory.mktemp("values"))).ask(scene.question)
        found[language] = figures(right[language], stub.asked[1].results[0])
    return found


@pytest.fixture(scope="session")
def good(values: dict[Language, dict[str, str]]) -> Good:
    """A right draft with its mark on each question of SERVING."""
    return {language: filled(DRAFTS["good"]["short"][language], values[language]) for language in values}


@pytest.fixture(scope="session")
def shared(library: Library, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Talk]:
    """One server and one assistant for all tests that set nothing special: making them costs more than a turn."""
    with open_stub(lambda _: Reply()) as stub:
        yield Talk(stub, Assistant(LLM, library, settings=settings_of(stub, LLM, tmp_path_factory.mktemp("shared"))))


@pytest.fixture
def talk(shared: Talk, library: Library, tmp_path: Path) -> Open:
    """Opens an assistant over a stub that plays a script: `with talk(script, max_steps=4) as t: t.ask(…)`.

    With settings, another model or knowledge, or `own`, both are new; else the shared ones, with no requests and no threads yet.
    """

    @contextmanager
    def opened(script: Script, *, llm: str = LLM, knowledge: Library | None = None, own: bool = False, **settings: Any) -> Iterator[Talk]:
        if not (own or settings or knowledge) and llm == LLM:
            shared.stub.begin(script)
            yield Talk(shared.stub, shared.assistant, f"{tmp_path.name} {next(TALKS)} ")
            return
        with open_stub(script) as stub:
            yield Talk(stub, Assistant(llm, knowledge or library, settings=settings_of(stub, llm, tmp_path, **settings)))

    return opened
