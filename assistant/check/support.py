"""What a draft may rest on: evidence, question, catalog, and for a chat model's draft the composed answer and the thread."""

from __future__ import annotations

import bisect
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Literal, TypeVar

from assistant.evidence import Evidence
from assistant.read.language import find_language
from knowledge import facts

from .loose import read_numbers
from .patterns import read_names

Read = TypeVar("Read")

if TYPE_CHECKING:
    from assistant.read.reading import Reading

    from .known import Known


class Support:
    """Everything that a draft may say. `bound` drafts (of a chat model) may also repeat `reference`, the composed and checked answer of
    the same evidence, and `earlier`, what was asked and answered in the thread before; composed text may not vouch for itself.
    `reading`: what was understood of the question; `prompt`: the system prompt, which no answer may repeat."""

    def __init__(
        self,
        evidence: Evidence,
        *,
        question: str,
        derived: Iterable[float] = (),
        reference: str = "",
        earlier: Sequence[str] = (),
        bound: bool = False,
        reading: Reading | None = None,
        prompt: str = "",
    ) -> None:
        self.evidence = evidence
        self.question = question
        self.derived = tuple(derived)
        self.reference = reference
        self.earlier = tuple(earlier)
        self.bound = bound
        self.reading = reading
        self.prompt = prompt

    @cached_property
    def _found(self) -> tuple[str, set[float]]:
        """The words, folded, and the numbers of the findings."""

        def collect() -> tuple[str, set[float]]:
            strings: dict[str, None] = {}  # each once: a finding repeats itself a lot
            numbers: set[float] = set()
            for finding in self.evidence.findings:
                _collect([finding.data, finding.args, finding.error, finding.derived], strings, numbers)
                for ref in finding.sources:
                    strings |= dict.fromkeys((ref.excerpt, ref.published_on, ref.title))
            return unicodedata.normalize("NFKC", "\n".join(strings)), numbers

        return self.evidence.once("collected", collect)

    @cached_property
    def language(self) -> Literal["zh", "en"]:
        """The language to answer in."""
        return self.reading.language if self.reading else find_language(self.question)

    @cached_property
    def known(self) -> Known:
        """Its figures with what they are of, for a draft that is bound."""
        from .known import Known  # composed text needs none of it

        return Known(self)

    @cached_property
    def tight(self) -> str:
        """`text` with single spaces and continued lines joined, where commands are looked for."""
        from .commands import tight

        return tight(self.text)

    @cached_property
    def lower(self) -> str:
        """`text` in lower case, where names are looked for."""
        return self.text.lower()

    @cached_property
    def text(self) -> str:
        """All words of it, folded (NFKC)."""
        return f"{self.own_text}\n{self._found[0]}"

    @cached_property
    def own_text(self) -> str:
        """The part of it that no finding brought."""
        own = [self.question, facts.CATALOG_READ_ON, facts.active_day(), *([self.reference, *self.earlier] if self.bound else [])]
        return "\n".join(unicodedata.normalize("NFKC", text) for text in own)

    def gathered(self, name: str, read: Callable[[str], frozenset[Read]]) -> frozenset[Read]:
        """What `read` finds in all words; those of the findings are read once."""
        return self.evidence.once(name, lambda: read(self._found[0])) | read(self.own_text)

    @cached_property
    def names(self) -> frozenset[str]:
        """Instance types, families and cards in it, in lower case; types also without `ecs.`."""
        return frozenset(name.lower() for name in read_names(self.text))

    @cached_property
    def numbers(self) -> list[float]:
        """All numbers of it, sorted, whatever they are of."""
        return sorted({*self.derived, *self._found[1]}.union(value for value, _ in read_numbers(self.text)))

    def has_number(self, value: float, decimals: int) -> bool:
        """Whether some supported number rounds to `value` at that many decimals."""
        slack = 0.5 * 10.0**-decimals + 1e-9 * max(1.0, abs(value))
        at = bisect.bisect_left(self.numbers, value - slack)
        return at < len(self.numbers) and self.numbers[at] <= value + slack

    def has_name(self, name: str) -> bool:
        """Whether evidence or question holds exactly this name (gn8i is not in "gn8is")."""
        return name.lower() in self.names


def _collect(value: object, strings: dict[str, None], numbers: set[float]) -> None:
    if isinstance(value, bool) or value is None:
        return
    if isinstance(value, (int, float)):
        numbers.add(float(value))
    elif isinstance(value, str):
        strings[value] = None
    elif isinstance(value, dict):
        for item in value.values():
            _collect(item, strings, numbers)
    elif isinstance(value, (list, tuple)):
        for item in value:
            _collect(item, strings, numbers)
