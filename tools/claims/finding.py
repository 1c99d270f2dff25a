"""A judged statement inside the package, and the voice that words its fact."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from knowledge import facts
from tools.phrases import Language, read_phrases, say
from tools.results import Verdict


@dataclass(frozen=True, slots=True)
class Finding:
    """A verdict on the stretch [start, end) of the normalised text."""

    start: int
    end: int
    subject: str
    verdict: Verdict
    fact: str
    source_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Voice:
    """Words facts in one language."""

    language: Language

    def say(self, code: str, **arguments: object) -> str:
        table = read_phrases("tools", "claims/phrases.toml")
        if "date" not in arguments:
            date = say(table, "date", self.language, date=facts.CATALOG_READ_ON)
            return say(table, code, self.language, date=date, **arguments)
        return say(table, code, self.language, **arguments)

    def pick(self, zh: str, en: str) -> str:
        return zh if self.language == "zh" else en

    def list(self, names: Iterable[str]) -> str:
        return self.pick("、", ", ").join(names)


def figure(value: float) -> str:
    """A number without a useless ".0"; at most one decimal."""
    return f"{value:.0f}" if abs(value - round(value)) < 0.05 else f"{value:.1f}"


def sizes(values: Iterable[float], voice: Voice) -> str:
    return voice.pick(" 或 ", " or ").join(figure(value) for value in sorted(set(values)))


def true_if(condition: bool) -> Verdict:
    return "true" if condition else "wrong"


def join_sources(*groups: Iterable[str]) -> tuple[str, ...]:
    """Source ids of all groups, each once, in order."""
    return tuple(dict.fromkeys(item for group in groups for item in group))
