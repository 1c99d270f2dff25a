"""Asking an assistant over a stub, and what must be true of every answer, whatever its model did."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, SecretStr

from assistant import Answer, Assistant
from assistant.settings import Settings
from tests.assistant.llm.faults import KEY
from tests.assistant.llm.stub import Stub
from tests.assistant.llm.wire import Asked

GRACE_S = 8.0
"""What a turn may take over its limit on a machine that is busy with other things."""
LLM = "openai:stub-model"


@dataclass
class Talk:
    """An assistant with the stub behind it. `prefix` keeps the threads of one test from those of another."""

    stub: Stub
    assistant: Assistant
    prefix: str = ""

    def ask(self, text: str, thread: str | None = None) -> Answer:
        """One answer, within the time limit."""
        started = time.monotonic()
        answer = self.assistant.ask(text, self.name(thread))
        assert time.monotonic() - started < self.assistant.settings.time_limit_s + GRACE_S
        return answer

    def events(self, text: str, thread: str | None = None) -> tuple[list[BaseModel], Answer]:
        """What is told on the way, and the answer."""
        *steps, answer = self.assistant.events(text, self.name(thread))
        assert isinstance(answer, Answer)
        return list(steps), answer

    def name(self, thread: str | None) -> str | None:
        """The thread's name for the assistant."""
        return thread and self.prefix + thread

    @property
    def asked(self) -> list[Asked]:
        """Every request to the model."""
        return self.stub.asked


def settings_of(stub: Stub, llm: str, folder: Path, **more: Any) -> Settings:
    """Settings that lead to the stub."""
    url = stub.root if llm.startswith("ollama") else stub.url
    fixed: dict[str, Any] = {"data_dir": folder, "embedder": "none", "llm_base_url": url, "llm_api_key": SecretStr(KEY), "time_limit_s": 20.0}
    return Settings(**{**fixed, **more})


def shown(answer: Answer) -> str:
    """Everything of an answer that a face may show, but `removed`, which names what was struck, and the calls' arguments."""
    return json.dumps(answer.model_dump(mode="json", exclude={"removed", "calls", "elapsed_ms"}), ensure_ascii=False)


def told(steps: Iterable[BaseModel]) -> str:
    """Everything that the steps on the way say."""
    return json.dumps([step.model_dump(mode="json") for step in steps], ensure_ascii=False)


def assert_honest(answer: Answer, lies: Iterable[str]) -> None:
    """Nothing of these patterns is shown."""
    for lie in lies:
        assert not re.search(lie, answer.text), f"{lie} in {answer.text}"
        for other in [*answer.assumptions, *(caution.text for caution in answer.cautions)]:
            assert not re.search(lie, other), f"{lie} in {other}"


def assert_replaced(answer: Answer, right: Answer) -> None:
    """The rules speak in the model's place, fully, and say so; the key is nowhere."""
    assert answer.llm == "offline"
    assert answer.verified
    assert answer.removed
    assert right.text in answer.text, answer.text
    assert answer.text != right.text  # a sentence says who speaks
    assert answer.recommendations == right.recommendations
    assert answer.estimate == right.estimate
    assert answer.kind == right.kind and answer.language == right.language
    assert KEY not in answer.model_dump_json()


def assert_spoken(answer: Answer, draft: str, *, llm: str = LLM) -> None:
    """The model's own words are shown, its marks perhaps with other numbers."""
    assert answer.llm == llm, (answer.removed, answer.text)
    assert answer.verified and not answer.removed
    assert re.sub(r"\[\d+\]", "[]", answer.text) == re.sub(r"\[\d+\]", "[]", draft)
    numbers = [int(n) for n in re.findall(r"\[(\d+)\]", answer.text)]
    assert sorted(set(numbers)) == [citation.n for citation in answer.citations]
    assert KEY not in answer.model_dump_json()
