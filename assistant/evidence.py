"""The evidence of one turn: what its tools found, and the sources, numbered once, by code.

A tool's finding travels on its ToolMessage (`artifact`); it is not changed once it is there, for turns may share it. `Evidence.of(messages)` reads the findings back. Nothing else feeds an Answer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel, ConfigDict, PrivateAttr, TypeAdapter

from knowledge import facts

from .answer import Citation

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

MAX_EXCERPT = 700
MAX_MARKS = 2
TRUST = ("official", "vendor", "measured", "community", "blog")
FENCE = re.compile(r"(```.*?```)", re.S)
MARK = re.compile(r"\[(\d{1,3})\]")
Data = TypeVar("Data", bound=BaseModel)
Made = TypeVar("Made")


class SourceRef(BaseModel):
    """One source of a finding with the passage or row that holds the fact."""

    model_config = ConfigDict(extra="forbid")

    source_id: str
    excerpt: str = ""
    title: str = ""  # for documents that are not in the source table
    url: str = ""
    published_on: str = ""
    trust: str = ""


class Correction(BaseModel):
    """An argument of a chat model's call that contradicted the question, and what was used in its place (None: left to the tool)."""

    model_config = ConfigDict(extra="forbid")

    argument: str
    given: Any
    used: Any = None


class Finding(BaseModel):
    """What one tool call found: its result as plain data and its sources in order."""

    model_config = ConfigDict(extra="forbid")

    tool: str
    args: dict[str, Any] = {}
    data: Any = None
    sources: list[SourceRef] = []
    error: str = ""
    ms: float = 0.0
    corrections: list[Correction] = []
    derived: list[float] = []  # figures that what a chat model reads of it works out of the data
    _result: Any = PrivateAttr(None)  # the data as the tool returned it, so that it need not be read back

    def read(self, data_type: type[Data]) -> Data:
        """The data as its result type."""
        if not isinstance(self._result, data_type):
            self._result = data_type.model_validate(self.data)
        found: Data = self._result
        return found

    def read_all(self, data_type: type[Data]) -> list[Data]:
        """The data as a list of its result type."""
        if not isinstance(self._result, list) or not all(isinstance(item, data_type) for item in self._result):
            self._result = TypeAdapter(list[data_type]).validate_python(self.data)  # type: ignore[valid-type]
        found: list[Data] = self._result
        return found

    @classmethod
    def of_result(cls, tool: str, args: dict[str, Any], result: Any, data: Any, sources: list[SourceRef]) -> Finding:
        """The finding of a tool that returned `result`, which is `data` as plain values."""
        finding = cls(tool=tool, args=args, data=data, sources=sources)
        finding._result = result
        return finding


def finding_of(message: BaseMessage) -> Finding | None:
    """What the tool of a message found; None for any other message."""
    artifact = getattr(message, "artifact", None)
    return artifact if isinstance(artifact, Finding) else None


class Evidence:
    """All findings of a turn. Sources are numbered in the order in which the tools brought them."""

    def __init__(self, findings: Iterable[Finding] = ()) -> None:
        self.findings = list(findings)
        self._excerpts: dict[str, list[str]] = {}
        self._refs: dict[str, SourceRef] = {}
        self._made: dict[str, Any] = {}
        for finding in self.findings:
            for ref in finding.sources:
                self._register(ref)

    def once(self, name: str, make: Callable[[], Made]) -> Made:
        """What is worked out of these findings, made when it is first asked for: several drafts of a turn are held against it."""
        if name not in self._made:
            self._made[name] = make()
        made: Made = self._made[name]
        return made

    @classmethod
    def of(cls, messages: Sequence[BaseMessage]) -> Evidence:
        """Evidence of the tool messages after the last human message."""
        findings: list[Finding] = []
        for message in messages:
            if message.type == "human" and not message.additional_kwargs.get("guard"):
                findings.clear()
            finding = finding_of(message)
            if finding is not None:
                findings.append(finding)
        return cls(findings)

    def of_tool(self, tool: str) -> list[Finding]:
        """The findings of one tool that did not fail, in order of the calls."""
        return [f for f in self.findings if f.tool == tool and not f.error]

    def mark(self, source_ids: Iterable[str], *, most: int = MAX_MARKS) -> str:
        """Citation marks such as `[1][3]` for sources that a finding brought: the most trusted ones, each once."""
        order = list(self._refs)
        known = [s for s in dict.fromkeys(source_ids) if s in self._refs]
        chosen = sorted(known, key=_trust_rank)[:most]
        return "".join(f"[{order.index(s) + 1}]" for s in known if s in chosen)

    def citation(self, number: int) -> Citation | None:
        """The citation of a number, or None when there is no such source."""
        ids = list(self._refs)
        if not 1 <= number <= len(ids):
            return None
        return self._citation(ids[number - 1], number)

    def cited(self, text: str) -> tuple[str, list[Citation]]:
        """The text with its marks renumbered 1, 2, … in order of appearance, and their citations.

        Marks of sources that do not exist are taken out.
        """
        order: dict[int, int] = {}

        def renumber(match: re.Match[str]) -> str:
            old = int(match.group(1))
            if self.citation(old) is None:
                return ""
            return f"[{order.setdefault(old, len(order) + 1)}]"

        parts = FENCE.split(text)  # every other one is code, whose brackets cite nothing
        new_text = "".join(part if number % 2 else MARK.sub(renumber, part) for number, part in enumerate(parts))
        ids = list(self._refs)
        return new_text, [self._citation(ids[old - 1], n) for old, n in order.items()]

    def _register(self, ref: SourceRef) -> None:
        self._refs.setdefault(ref.source_id, ref)
        excerpts = self._excerpts.setdefault(ref.source_id, [])
        if ref.excerpt and ref.excerpt not in excerpts:
            excerpts.append(ref.excerpt)

    def _citation(self, source_id: str, n: int) -> Citation:
        ref = self._refs[source_id]
        source = facts.sources().get(source_id)
        excerpt = "\n".join(self._excerpts[source_id])
        return Citation(
            n=n,
            source_id=source_id,
            title=ref.title or (source.title if source else source_id),
            url=ref.url or (source.url if source else ""),
            published_on=ref.published_on or (source.published_on if source else ""),
            trust=ref.trust or (source.trust if source else "document"),
            excerpt=excerpt if len(excerpt) <= MAX_EXCERPT else excerpt[: MAX_EXCERPT - 1] + "…",
        )


def _trust_rank(source_id: str) -> int:
    source = facts.sources().get(source_id)
    return TRUST.index(source.trust) if source and source.trust in TRUST else len(TRUST)
