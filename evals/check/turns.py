"""What a draft is judged by: the evidence of its question, made anew by the tools that the rules call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from assistant.check.check import find_problems
from assistant.check.problem import Problem
from assistant.compose.compose import compose
from assistant.evidence import Evidence
from assistant.offline import OfflineModel, ask_message
from assistant.prompts import system_prompt
from assistant.read.read import read_question
from assistant.read.reading import Reading
from assistant.read.thread import choose_previous

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage
    from langchain_core.tools import BaseTool

    from knowledge.search import Library

MAX_ROUNDS = 6


@dataclass(frozen=True)
class JudgedBy:
    """Everything that a draft on one question is held against; `reference` is the composed answer."""

    question: str
    evidence: Evidence
    reference: str
    derived: tuple[float, ...] = ()
    earlier: tuple[str, ...] = ()
    reading: Reading | None = None

    def problems(self, draft: str) -> list[Problem]:
        """The problems that the check finds in a chat model's draft."""
        return find_problems(
            draft, self.evidence, question=self.question, derived=self.derived, reference=self.reference, earlier=self.earlier,
            bound=True, reading=self.reading, prompt=system_prompt(),
        )  # fmt: skip


@dataclass(frozen=True)
class Rules:
    """The offline model with its tools, and the threads that were played already."""

    library: Library
    _played: dict[tuple[str, ...], JudgedBy] = field(default_factory=dict)

    @cached_property
    def _tools(self) -> dict[str, BaseTool]:
        from assistant.toolbox import make_toolbox

        return {tool.name: tool for tool in make_toolbox(self.library, schemas=False)}

    def play(self, turns: Sequence[str]) -> JudgedBy:
        """What a draft on the last of these questions is judged by."""
        key = tuple(turns)
        if key not in self._played:
            self._played[key] = self._play(key)
        return self._played[key]

    def _play(self, turns: tuple[str, ...]) -> JudgedBy:
        from langchain_core.messages import AIMessage, HumanMessage

        earlier: list[str] = []
        carried: Reading | None = None
        for question in turns:
            reading = read_question(question, previous=carried)
            before = [(HumanMessage, AIMessage)[number % 2](text) for number, text in enumerate(earlier)]
            evidence = Evidence.of(self._found([*before, ask_message(question, reading)]))
            composed = compose(reading, evidence)
            judged = JudgedBy(question, evidence, composed.text, tuple(composed.derived), tuple(earlier), reading)
            carried = choose_previous(reading, carried)
            earlier += [question, evidence.cited(composed.text)[0]]
        return judged

    def _found(self, messages: Sequence[BaseMessage]) -> list[BaseMessage]:
        """The messages with the calls of the rules and what the tools found."""
        model, thread = OfflineModel(), [*messages]
        for _ in range(MAX_ROUNDS):
            said = model.invoke(thread)
            if not said.tool_calls:
                break
            thread += [said, *(self._tools[call["name"]].invoke(call) for call in said.tool_calls)]
        return thread


def open_rules() -> Rules:
    """The rules over the knowledge and the catalog that the settings name."""
    from assistant.catalog_in_use import use_catalog
    from assistant.library import open_library
    from assistant.settings import read_settings

    settings = read_settings()
    use_catalog(settings.data_dir, settings.site)
    return Rules(open_library(settings))
