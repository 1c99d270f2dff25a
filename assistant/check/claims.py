"""Statements of a draft: what the fact tables judge wrong is not repeated as true."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from knowledge import facts
from tools.claims.check import check_claims
from tools.phrases import Language

from .copied import tokens_of
from .draft_text import DraftText
from .name_shapes import names_within
from .problem import Problem
from .rejecting import denies, words_pattern
from .said import Said, plain_words, repeats, sentences_of
from .support import Support

WRONG = ("wrong", "not_in_catalog")
SHORTEST = 6
"""Characters of a statement that is looked for again; a shorter one is a bare name."""
ALIKE, SAME = 75.0, 92.0
"""Likeness (0–100) from which a sentence is judged as if it repeated a statement, and from which it repeats it."""
LONGEST = 400
"""Characters of a sentence that are judged."""


def bad_claims(draft: DraftText, support: Support) -> Iterator[Problem]:
    """Sentences that state as true what this turn's results, or the fact tables, judge wrong."""
    wrong = _wrong_statements(support)
    for said in sentences_of(draft):
        again = _repeated(said, wrong)  # a passage that is quoted to the model may say it word for word
        if not again and (repeats(said, support.reference) or not _tells_property(said, draft)):
            continue
        verdict = _judged(said.plain[:LONGEST], support.language, facts.active_day())
        if verdict and not denies(draft, said):
            yield Problem("claim", said.text.strip()[:120], said.start, f"“{said.plain[:80]}” is not so: {verdict} Give the fact, or leave the sentence out.")
        elif again and again[1] >= SAME and verdict is None and not denies(draft, said):
            yield Problem("claim", said.text.strip()[:120], said.start, f"“{said.plain[:80]}” is judged wrong by the tool results ({again[0][1]}): give the fact, or leave the sentence out.")


def _tells_property(said: Said, draft: DraftText) -> bool:
    """Whether the sentence tells a property of a machine or card, or a figure of a disk."""
    if words_pattern("claims", "alone").search(said.plain):
        return True
    if not words_pattern("claims", "property").search(said.plain):
        return False
    names = {name.known or name.text for name in names_within(draft.folded, said.start, said.end)}
    return bool(names) and (len(names) == 1 or not words_pattern("claims", "compares").search(said.plain))


@lru_cache(maxsize=512)
def _judged(plain: str, language: Language, day: str) -> str | None:
    """The fact that a sentence contradicts by the tables of that day; empty where the tables say that it is true, None where they
    say nothing of it."""
    statements = check_claims(plain, language=language, questions=False).statements
    found = [statement.fact for statement in statements if statement.verdict == "wrong"]
    return found[0] if found else "" if any(statement.verdict in ("true", "partly") for statement in statements) else None


@lru_cache(maxsize=4)
def _wrong_statements(support: Support) -> tuple[tuple[str, str], ...]:
    """What this turn's findings judge wrong: the wording, plain, and the fact; those of documents included."""
    found: dict[str, str] = {}
    stack: list[object] = [finding.data for finding in support.evidence.findings if finding.tool in ("check_claims", "search_guides")]
    while stack:
        value = stack.pop()
        if isinstance(value, list):
            stack += value
        elif isinstance(value, dict):
            if value.get("verdict") in WRONG and isinstance(value.get("text"), str) and "fact" in value:
                found[plain_words(value["text"])] = str(value["fact"])
            stack += [part for part in value.values() if isinstance(part, (list, dict))]
    return tuple((text, fact) for text, fact in found.items() if len(text) >= SHORTEST)


def _repeated(said: Said, wrong: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], float] | None:
    """The wrong statement that the sentence says again, with its likeness: same names and figures, near-equal words."""
    from rapidfuzz import fuzz

    words = set(tokens_of(said.plain))
    for statement in wrong:
        marked = {token for token in tokens_of(statement[0]) if any(character.isdigit() for character in token)}
        if marked <= words:
            likeness = fuzz.partial_ratio(statement[0], said.plain) if len(statement[0]) <= len(said.plain) else fuzz.ratio(statement[0], said.plain)
            if likeness >= ALIKE:
                return statement, likeness
    return None
