"""Why the rules answered in place of the chat model: what was struck or what failed, and the sentence that says so."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from assistant.check.problem import Problem
from tools.phrases import Language, read_phrases, say

from .context import TurnOver


@dataclass(frozen=True)
class Trouble:
    """`removed`: each thing the check struck, or the kind of failure; `sentence`: for the user, without any of it."""

    removed: list[str]
    sentence: str


def trouble_of(llm: str, failure: BaseException | None, problems: Iterable[Problem], *, language: Language) -> Trouble:
    """The trouble with a model that failed, or whose second draft still has problems."""
    table = read_phrases("assistant", "turn/trouble.toml")
    if failure is None:
        struck = sorted({problem.text for problem in problems})
        return Trouble(struck or [f"{llm}: empty"], say(table, "struck" if struck else "empty", language, llm=llm))
    if isinstance(failure, TurnOver):
        return Trouble([f"{llm}: over_time"], say(table, "over_time", language, llm=llm))
    from assistant.chat_models.failure import failure_of, say_failure

    found = failure_of(failure)
    because = say_failure(found, llm=llm, language=language)
    return Trouble([f"{llm}: {found.kind}"], say(table, "failed", language, because=because))
