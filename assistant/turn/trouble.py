"""Why the rules answered in place of the chat model: what was struck or what failed, and the sentence that says so."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import dataclass, replace

from assistant.check.problem import Problem
from tools.phrases import Language, read_phrases, say

from .context import ModelFailed, TurnOver

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Trouble:
    """`removed`: each thing the check struck, or the kind of failure; `sentence`: for the user, without any of it."""

    removed: list[str]
    sentence: str


def trouble_of(llm: str, failure: BaseException | None, problems: Iterable[Problem], *, language: Language, provider: str = "") -> Trouble:
    """The trouble with a model that failed, or whose second draft still has problems. `provider`: whose rules its server follows."""
    table = read_phrases("assistant", "turn/trouble.toml")
    if failure is None:
        struck = sorted({problem.text for problem in problems} - {""})
        return Trouble(struck or [f"{llm}: empty"], say(table, "struck" if struck else "empty", language, llm=llm))
    if isinstance(failure, TurnOver):
        return Trouble([f"{llm}: over_time"], say(table, "over_time", language, llm=llm))
    from assistant.chat_models.failure import failure_of, say_failure

    found = failure_of(failure.__cause__ or failure if isinstance(failure, ModelFailed) else failure)
    if found.kind == "unknown" and not isinstance(failure, ModelFailed):
        log.error("a fault in a turn of %s", llm, exc_info=failure)
        return Trouble([f"{llm}: internal"], say(table, "internal", language))
    log.info("%s failed: %s (%s)", llm, found.kind, found.detail, exc_info=failure if found.kind == "unknown" else None)
    because = say_failure(replace(found, detail=""), llm=llm, language=language, provider=provider)  # a server's own words are unproven too
    return Trouble([f"{llm}: {found.kind}"], say(table, "failed", language, because=because))
