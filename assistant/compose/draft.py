"""What a composer makes: the text and the structured parts of an Answer."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from assistant.answer import Caution, Kind
from tools.phrases import Language, read_phrases, say
from tools.results import Estimate, Recommendation


class Draft(BaseModel):
    """A composed answer before the check. `text` carries evidence-wide marks; they are renumbered when it is shown."""

    model_config = ConfigDict(extra="forbid")

    kind: Kind
    text: str
    assumptions: list[str] = []
    cautions: list[Caution] = []
    estimate: Estimate | None = None
    recommendations: list[Recommendation] = []
    constant: bool = False
    """The text states no finding: a greeting, a refusal, a question back. It has no figures to check."""
    derived: list[float] = []
    """Figures of the text that follow from evidence by a shown operation (limit = usable × 0.9, sums, differences)."""


class Voice:
    """Speaks the phrases of one file in one language."""

    def __init__(self, name: str, language: Language) -> None:
        self.language: Language = language
        self._table = read_phrases("assistant", f"compose/phrases/{name}.toml")

    def __call__(self, code: str, **arguments: object) -> str:
        return say(self._table, code, self.language, **arguments)

    def has(self, code: str) -> bool:
        """Whether the file has this phrase."""
        return code in self._table


def paragraphs(*parts: str) -> str:
    """Non-empty parts, a blank line between them."""
    return "\n\n".join(part for part in parts if part)
