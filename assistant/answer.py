"""The Answer: what every face shows. Built from evidence, never from prose. Field names are public and stable."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from tools.results import Estimate, Recommendation

Kind = Literal[
    "sizing", "catalog", "price", "guidance", "claim_check", "comparison", "clarify", "out_of_scope", "error"
]


class Part(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Caution(Part):
    """Something that bites: a stable code, its sentence, and where it is known from."""

    code: str
    text: str
    source_ids: list[str] = []


class Citation(Part):
    """Source number `n` as used in the text: [n]. `excerpt` is the passage or row that holds the fact."""

    n: int
    source_id: str
    title: str
    url: str
    published_on: str
    trust: str
    excerpt: str


class Call(Part):
    """One tool call of the turn."""

    tool: str
    args: dict[str, Any]
    ok: bool
    ms: float


class Answer(Part):
    """One answer. `text` is Markdown with [1] marks; all figures in it stand in the other fields or the sources."""

    language: Literal["zh", "en"]
    kind: Kind
    text: str
    assumptions: list[str] = []
    cautions: list[Caution] = []
    reading: dict[str, Any] = {}
    estimate: Estimate | None = None
    recommendations: list[Recommendation] = []
    citations: list[Citation] = []
    calls: list[Call] = []
    llm: str = "offline"
    verified: bool = True
    removed: list[str] = []
    elapsed_ms: float = 0.0
