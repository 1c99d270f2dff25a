"""What a draft is judged by: the evidence of its question, made anew by the tools that the rules call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from assistant.assistant import HISTORY_CHARS, OFFLINE
from assistant.check.check import find_problems
from assistant.check.problem import Problem
from assistant.compose.compose import compose
from assistant.evidence import MARK, Evidence
from assistant.offline import OfflineModel, ask_message
from assistant.prompts import system_prompt
from assistant.read.reading import Reading

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage
    from langchain_core.tools import BaseTool

    from knowledge.search import Library

MAX_ROUNDS = 6


@dataclass(frozen=True)
class JudgedBy:
    """Everything that a draft on one question is held against, as the assistant does it.

    `composed` is the offline answer; `reference` that and the digests of the findings that a chat model is shown.
    """

    question: str
    evidence: Evidence
    composed: str
    reading: Reading
    reference: str
    derived: tuple[float, ...] = ()
    earlier: tuple[str, ...] = ()

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
        from assistant.threads.history import messages_of
        from assistant.threads.reading import after_turn, read_in_thread
        from assistant.threads.thread import Thread
        from assistant.turn.results import composed_digests

        thread = Thread()
        for question in turns:
            reading = read_in_thread(question, thread)
            before = messages_of(thread, budget_chars=HISTORY_CHARS)
            messages = self._found([*before, ask_message(question, reading)])
            evidence = Evidence.of(messages)
            composed = compose(reading, evidence)
            shown, _ = evidence.cited(composed.text)
            thread = after_turn(thread, question, reading, answer=MARK.sub("", shown), language=reading.language, llm=OFFLINE)
        return JudgedBy(
            question=turns[-1], evidence=evidence, composed=composed.text, reading=reading, derived=tuple(composed.derived),
            reference="\n\n".join([composed.text, *composed_digests(messages)]), earlier=tuple(str(m.text) for m in before),
        )  # fmt: skip

    def found(self, turns: Sequence[str]) -> list[BaseMessage]:
        """Calls and findings of a question that stands alone."""
        return self._found([ask_message(turns[-1], self.play(turns).reading)])[1:]

    def _found(self, messages: Sequence[BaseMessage]) -> list[BaseMessage]:
        """The messages with the calls of the rules and what the tools found, as a chat model would read it."""
        from assistant.turn.results import numbered

        model, thread = OfflineModel(), [*messages]
        for _ in range(MAX_ROUNDS):
            said = model.invoke(thread)
            if not said.tool_calls:
                break
            thread += [said, *(self._tools[call["name"]].invoke(call) for call in said.tool_calls)]
            digested = {message.tool_call_id: message for message in numbered(thread)}
            thread = [digested.get(getattr(message, "tool_call_id", ""), message) for message in thread]
        return thread


def open_rules() -> Rules:
    """The rules over the knowledge and the catalog that the settings name."""
    from assistant.catalog_in_use import use_catalog
    from assistant.library import open_library
    from assistant.settings import read_settings

    settings = read_settings()
    use_catalog(settings.data_dir, settings.site)
    return Rules(open_library(settings))
