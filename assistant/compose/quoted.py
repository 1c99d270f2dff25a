"""What an added document says to a question: the sentences that answer it, and what is wrong with them.

Its text is material: it is quoted as what the document says, never stated as fact, and what it orders is not followed. A
statement that the tables call wrong is never quoted as an answer, only corrected.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import cache

from assistant.answer import Caution
from assistant.evidence import Evidence
from assistant.found import FoundPassage, FoundStatement
from assistant.read.reading import Reading
from knowledge.cuts import width
from knowledge.words import tokens
from tools.phrases import read_phrases

from .draft import Voice

MAX_SENTENCES = 3
MAX_WIDTH = 420
"""Of a quotation, in Latin characters."""
ALSO_TELLING = 0.5
"""A further sentence is quoted when it tells at least this much of what the best one does."""
MAX_CORRECTIONS = 3
SHAKY = ("partly", "outdated")
SENTENCE = re.compile(r".+?(?:[。！？!?]+[”』」）)]*|\.(?=\s)|\n|$)\s*", re.S)
MARKS = re.compile(r"^[\s>#*•·|+-]+|[\s|*]+$")
FENCE = re.compile(r"\s*(?:```|~~~)")


@dataclass(frozen=True)
class Quoted:
    """`text` is what is quoted of a passage, empty where nothing of it may be; `wrong` what is corrected, `shaky` what of
    the quoted is right in part or no longer."""

    passage: FoundPassage
    text: str
    wrong: tuple[FoundStatement, ...]
    shaky: tuple[FoundStatement, ...] = ()

    @property
    def says_something(self) -> bool:
        return bool(self.text or self.wrong)


@dataclass(frozen=True)
class _Sentence:
    text: str
    stated: tuple[FoundStatement, ...]
    share: float  # how much of the question's words it holds

    @property
    def is_wrong(self) -> bool:
        return any(item.is_wrong for item in self.stated)


def quote(passage: FoundPassage, reading: Reading) -> Quoted:
    """What the passage says to the question."""
    parts = _sentences(passage, reading)
    best = max((part.share for part in parts), default=0.0)
    telling = [part for part in parts if part.share >= max(ALSO_TELLING * best, 1e-9)] if best else parts[:2]
    asked = _on_what_is_asked(passage, reading)
    wrong = _each_once(asked or [item for part in telling for item in part.stated])
    if asked and all(item.is_wrong for item in asked):
        telling = []
    chosen = _fitting([part for part in telling if not part.is_wrong])
    shaky = _each_once([item for part in chosen for item in part.stated if item.verdict in SHAKY])
    return Quoted(
        passage,
        " ".join(part.text for part in parts if part in chosen),
        tuple(item for item in wrong if item.is_wrong)[:MAX_CORRECTIONS],
        tuple(shaky)[:MAX_CORRECTIONS],
    )


def about_what_is_asked(passage: FoundPassage, reading: Reading) -> Quoted:
    """Only what the passage says wrongly of the things that the question names."""
    wrong = [item for item in _each_once(_on_what_is_asked(passage, reading)) if item.is_wrong]
    return Quoted(passage, "", tuple(wrong)[:MAX_CORRECTIONS])


def say_quoted(quoted: Quoted, voice: Voice, evidence: Evidence) -> str:
    """The quotation with its document and date, and the corrections below it."""
    lines = []
    if quoted.text:
        mark = evidence.mark(quoted.passage.source_ids)
        lines.append(voice("document_says", document=_document(quoted, voice), text=quoted.text, mark=mark))
    return "\n".join([*lines, *say_corrections(quoted, voice, evidence)])


def say_corrections(quoted: Quoted, voice: Voice, evidence: Evidence) -> list[str]:
    """One line for each statement that is not so, or not quite: what the document says, and the fact."""
    return [
        voice(
            f"document_{item.verdict}",
            document=_document(quoted, voice),
            said=" ".join(item.text.split()),
            mark=evidence.mark(quoted.passage.source_ids),
            fact=item.fact.strip(),
            fact_mark=evidence.mark(item.source_ids),
        )
        for item in (*quoted.wrong, *quoted.shaky)
    ]


def cautions_of(quoted: Quoted) -> list[Caution]:
    """`document_wrong`, `document_partly` or `document_outdated` for each statement that is corrected."""
    return [
        Caution(
            code=f"document_{'wrong' if item.is_wrong else item.verdict}",
            text=item.fact.strip(),
            source_ids=list(dict.fromkeys([*quoted.passage.source_ids, *item.source_ids])),
        )
        for item in (*quoted.wrong, *quoted.shaky)
    ]


def _document(quoted: Quoted, voice: Voice) -> str:
    passage = quoted.passage
    date = voice("document_date", date=passage.published_on) if passage.published_on else ""
    return voice("document", title=passage.document or passage.title, date=date)


def _sentences(passage: FoundPassage, reading: Reading) -> list[_Sentence]:
    """The sentences and lines of a passage that can be quoted; those that give orders to an assistant cannot."""
    pieces: list[tuple[int, int, str]] = []
    place = 0
    for piece in SENTENCE.findall(passage.text):
        plain = MARKS.sub("", " ".join(piece.split()))
        if plain and not FENCE.match(piece) and not _orders().search(plain):
            pieces.append((place, place + len(piece), plain))
        place += len(piece)
    asked = set(tokens(reading.text))
    words = [asked & set(tokens(plain)) for _, _, plain in pieces]
    often = Counter(word for found in words for word in found)
    return [
        _Sentence(
            plain,
            tuple(item for item in passage.statements if item.start < end and item.end > start),
            sum(_weight(word) / often[word] for word in found),
        )
        for (start, end, plain), found in zip(pieces, words, strict=True)
    ]


def _weight(word: str) -> float:
    """Names and figures tell more than pairs of characters, marks of meaning as well."""
    return 2.0 if word.startswith("@") or any(letter.isdigit() for letter in word) else 1.0


@cache
def _orders() -> re.Pattern[str]:
    table = read_phrases("assistant", "compose/phrases/guidance.toml")["orders"]
    return re.compile(f"{table['zh']}|{table['en']}", re.I)


def _on_what_is_asked(passage: FoundPassage, reading: Reading) -> list[FoundStatement]:
    """The statements about the cards, families and types that the question names."""
    names = {word.lower() for m in (*reading.cards, *reading.families, *reading.instances) for word in (m.text, m.name)}
    names |= {name.removeprefix("ecs.") for name in names}
    return [item for item in passage.statements if names & set(re.split(r"[\s/]+", item.subject.lower().replace("ecs.", "")))]


def _each_once(items: list[FoundStatement]) -> list[FoundStatement]:
    """Statements of one fact once, the first that says it."""
    first: dict[str, FoundStatement] = {}
    for item in items:
        first.setdefault(item.fact, item)
    return list(first.values())


def _fitting(parts: list[_Sentence]) -> list[_Sentence]:
    """The most telling ones, as many as may be quoted."""
    kept: list[_Sentence] = []
    for part in sorted(parts, key=lambda item: -item.share)[:MAX_SENTENCES]:
        if kept and width("".join(item.text for item in (*kept, part))) > MAX_WIDTH:
            break
        kept.append(part)
    return kept
