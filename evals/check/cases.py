"""The cases of the check: questions whose composed answers are good, and drafts of chat models, good and bad.

`cases/check_questions.jsonl`: id, category, lang, turns. `cases/check_transcripts.jsonl`: id, style, category, lang, turns, draft;
for a bad one `expect`, the codes of problems one of which must be found in it; for a good one `worked`, the figures that its
writer worked out. `turns` are the questions of one thread; a draft answers the last of them. The evidence is not kept: it is made
anew, so that a draft is held against the facts of today.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import get_args

from pydantic import BaseModel, ConfigDict, ValidationError

from assistant.check.problem import Code
from knowledge.errors import InputError
from tools.phrases import Language

from .words import say

QUESTIONS, TRANSCRIPTS = "check_questions.jsonl", "check_transcripts.jsonl"
CODES: tuple[str, ...] = get_args(Code)


class Case(BaseModel):
    """One case. Without a `draft` the composed answer is the draft; with `expect` the draft is bad."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str
    lang: Language
    turns: tuple[str, ...]
    category: str = "transcript"
    style: str = ""
    draft: str = ""
    expect: tuple[Code, ...] = ()
    worked: tuple[str, ...] = ()

    @property
    def source(self) -> str:
        """Who words the answer: the offline model, or a chat model whose words are kept."""
        return "transcript" if self.draft else "offline"


def read_cases(path: Path | None = None, *, language: Language = "en") -> list[Case]:
    """The cases of a file, or the shipped ones. Raises InputError naming the line that is none, or for a file without any."""
    if path is not None:
        found = list(_cases(path.read_text(encoding="utf-8"), path.name, language))
        if not found:
            raise InputError(say("none", language, name=path.name))
        return found
    folder = files("evals").joinpath("cases")
    return [
        case for name in (QUESTIONS, TRANSCRIPTS) for case in _cases(folder.joinpath(name).read_text(encoding="utf-8"), name, language)
    ]  # fmt: skip


def _cases(text: str, name: str, language: Language) -> Iterator[Case]:
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            case = Case.model_validate(json.loads(line))
        except (ValueError, ValidationError) as error:
            raise InputError(say("case", language, name=name, line=number, reason=_reason(error))) from None
        if not case.turns or not all(turn.strip() for turn in case.turns):
            raise InputError(say("case", language, name=name, line=number, reason="turns"))
        yield case


def _reason(error: Exception) -> str:
    if isinstance(error, ValidationError):
        first = error.errors()[0]
        return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
    return str(error).splitlines()[0]
