"""What a chat model's draft may say in figures: facts of the answer, the question, the thread, the records and the passages of a turn."""

from __future__ import annotations

import bisect
import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from knowledge import facts

from .dates import known_dates, known_versions
from .fact_base import FactBase
from .figures import Figure, read_figures
from .records import Fact, Walk
from .subjects import Subject
from .templates import Wordings

if TYPE_CHECKING:
    from .support import Support

NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
UNITS = (1.0, 1.073741824, 0.931322575, 1e-3, 1e-4, 1e-8)
"""How many times a number is the figure where the unit or the scale is another one."""
SIZE = re.compile(r"(?<![\d.])(\d{1,4}(?:\.\d{1,2})?)(?=[bB](?![A-Za-z0-9]))")
BITS = re.compile(r"(?i)(?:int|fp|bf|nf|w|a)(\d{1,2})(?!\d)|(?<!\d)(\d{1,2})(?=[ -]?(?:bits?|位))")
FOUR_BIT = re.compile(r"(?i)awq|gptq|nf4|q4")
DISPROVED = re.compile(r"不对|有误|不成立|写错|(?:is|are|was) (?:wrong|incorrect|not so|not true|false|mistaken)")
"""What calls the statement before it wrong."""
OPENS = re.compile(r"[。！？\n(（「『“\"‘]|\. ")
DENIED = re.compile(
    r"不对|不准|错|并非|不是|没有|而非|有误|不存在|不符|不止|并不|纠正|更正|实际|不成立|说法|[Nn]ot(?![a-z])|n't|wrong|incorrect|rather than|instead of|false|mistaken|actually|contrary|claim|inaccurate"
)
"""Words of a line that may repeat a wrong figure to say that it is wrong."""


class Known:
    """The facts of one turn, each part made when it is first needed."""

    def __init__(self, support: Support) -> None:
        self._support = support

    @cached_property
    def said(self) -> FactBase:
        """Of the composed answer, the question and the thread: what stands there may be said again."""
        support = self._support
        texts = [_without(support.reference, self.walk.wrong), *support.earlier, self._question[0]]
        days = [facts.CATALOG_READ_ON, facts.active_day()]
        return FactBase(fact for text in [*texts, *days] for fact in facts_of_text(text))

    @cached_property
    def walk(self) -> Walk:
        """One pass over the findings."""

        def pass_over() -> Walk:
            walk = Walk()
            for finding in self._support.evidence.findings:
                walk.over(finding.args)
                walk.over(finding.data)
                walk.sentences[finding.error, Subject()] = None
            return walk

        return self._support.evidence.once("walk", pass_over)

    @cached_property
    def records(self) -> FactBase:
        """Of the fields of tool results and arguments."""
        return self._support.evidence.once("records", lambda: FactBase(self.walk.facts))

    @cached_property
    def passages(self) -> Passages:
        """The sentences in tool results and the excerpts of sources."""

        def gather() -> Passages:
            wrong = self.walk.wrong
            sentences = {(_without(text, wrong), subject): None for text, subject in self.walk.sentences}
            sentences |= {(_without(ref.excerpt, wrong), Subject()): None for finding in self._support.evidence.findings for ref in finding.sources}
            return Passages(list(sentences))

        return self._support.evidence.once("passages", gather)

    @cached_property
    def denied(self) -> FactBase:
        """Of statements that were judged wrong: to be repeated only where they are called so."""
        wrong = [*self.walk.wrong, *self._question[1]]
        told = [self._support.reference, *(text for text, _ in self.walk.sentences if DISPROVED.search(text))]
        return FactBase([fact for text in wrong for fact in facts_of_text(text)] + [fact for text in told for fact in facts_of_text(text, disproved=True)])

    @cached_property
    def wordings(self) -> Wordings:
        """How the composed answer and the thread word what they say."""
        return Wordings(fold(text) for text in (self._support.reference, *self._support.earlier))

    @cached_property
    def dates(self) -> frozenset[tuple[int, int, int]]:
        """Days, and months with day 0."""
        return self._support.gathered("dates", known_dates)

    @cached_property
    def versions(self) -> frozenset[tuple[str, str]]:
        """Programs with their versions."""
        return self._support.gathered("versions", known_versions)

    @cached_property
    def sizes(self) -> frozenset[float]:
        """Sizes of models in billions, which stand in names: Qwen2.5-72B."""
        return self._support.gathered("sizes", lambda text: frozenset(float(m.group(1)) for m in SIZE.finditer(text)))

    @cached_property
    def bits(self) -> frozenset[float]:
        """Widths of numbers in bits, which stand in names: int4, fp8, 4-bit, AWQ."""
        return self._support.gathered("bits", _bits_in)

    @cached_property
    def _question(self) -> tuple[str, list[str]]:
        """The question without what was judged wrong in it, and that."""
        text = self._support.question
        wrong = [s for s in self.walk.wrong if s and s.strip() in text]
        return _without(text, [s.strip() for s in wrong]), wrong


class Passages:
    """Sentences that are read only where a figure might stand in them: there are hundreds."""

    def __init__(self, sentences: list[tuple[str, Subject]]) -> None:
        self._sentences = sentences
        self._facts: dict[int, list[Fact]] = {}
        numbers = [(float(m.group().replace(",", "")), at) for at, (text, _) in enumerate(sentences) for m in NUMBER.finditer(text)]
        numbers.sort()
        self._values, self._places = [value for value, _ in numbers], [at for _, at in numbers]

    def near(self, figure: Figure) -> FactBase:
        """Facts of the sentences that hold a number which the figure may be, in its own unit or another."""
        item = figure.quantity
        places: set[int] = set()
        for unit in UNITS:
            value = item.plain * unit
            slack = value * 0.02 + 0.5 * unit if value < 100 else value * 0.02
            low, high = bisect.bisect_left(self._values, value - slack), bisect.bisect_right(self._values, value + slack)
            places.update(self._places[low:high])
        return FactBase(fact for at in places for fact in self._read(at))

    def words(self, counted: re.Match[str] | None) -> bool:
        """Whether a number and what it counts stand in a sentence word for word."""
        if counted is None:
            return False
        alone = re.compile(rf"(?<![\d.,]){re.escape(counted.group())}")
        return any(alone.search(fold(text)) for text, _ in self._sentences)

    def _read(self, at: int) -> list[Fact]:
        if at not in self._facts:
            text, subject = self._sentences[at]
            self._facts[at] = [*facts_of_text(text, subject)]
        return self._facts[at]


def _bits_in(text: str) -> frozenset[float]:
    said = {float(m.group(1) or m.group(2)) for m in BITS.finditer(text)}
    return frozenset(said | ({4.0} if FOUR_BIT.search(text) else set()))


def fold(text: str) -> str:
    """One width, and a Chinese comma as `;`, as a draft is folded."""
    return unicodedata.normalize("NFKC", text.replace("，", "；"))


def facts_of_text(text: str, subject: Subject = Subject(), *, disproved: bool = False) -> tuple[Fact, ...]:  # noqa: B008
    """What the figures of a text say; with `disproved` only what it calls wrong, else the rest."""
    return _facts_of(fold(text), subject, disproved)


@lru_cache(2048)
def _facts_of(text: str, subject: Subject, disproved: bool) -> tuple[Fact, ...]:
    """Kept, as the texts of a thread come back in each of its turns."""
    return tuple(_read_facts(text, subject, disproved))


def _read_facts(text: str, subject: Subject, disproved: bool) -> Iterator[Fact]:
    wrong = [(_start_of(text, match.start()), match.start()) for match in DISPROVED.finditer(text)]
    for figure in read_figures(text, subject=subject):
        if any(start <= figure.quantity.start < end for start, end in wrong) is not disproved:
            continue
        item = figure.quantity
        for value in item.strict:
            yield Fact(value, item.dim, item.per, figure.labels, figure.subject, item.slack, figure.carried, item.text, figure.span, figure.soft, value / item.plain if item.plain else 0.0)


def _start_of(text: str, at: int) -> int:
    """Where the statement begins that a word calls wrong: behind the last bracket, quote or full stop."""
    return max((match.end() for match in OPENS.finditer(text, max(0, at - 160), at)), default=max(0, at - 160))


def _without(text: str, parts: Iterable[str]) -> str:
    for part in parts:
        text = text.replace(part, " ") if len(part) > 3 else text
    return text


