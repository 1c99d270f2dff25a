"""What a draft says of "it": links, precisions, bare metal, slices, sale and generation, held against the catalog.

`claims` judges sentences that name the machine; here it is the one named last.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from knowledge import facts
from knowledge.rows import Instance
from tools.claims.check import check_claims
from tools.claims.names import gpu_ids_of
from tools.phrases import Language

from .draft_text import DraftText
from .name_shapes import Name
from .problem import Problem
from .promises import lower_of
from .rejecting import denies, read_words, words_pattern
from .said import Said, repeats, sentences_of
from .spoken_of import PART, PRONOUN, called, names_of, subjects_of
from .support import Support

LONGEST = 300
BUILT = ("Maxwell", "Pascal", "Volta", "Turing", "Ampere", "Ada Lovelace", "Hopper", "Blackwell")
"""Architectures of NVIDIA from the oldest to the newest."""
COUNT = re.compile(r"\d{1,2}|[一两二三四六八]|(?<![a-z])(?:one|two|three|four|six|eight)(?![a-z])")
COUNTS = {"一": "1", "两": "2", "二": "2", "三": "3", "四": "4", "六": "6", "八": "8", "one": "1", "two": "2", "three": "3", "four": "4", "six": "6", "eight": "8"}
KINDS = ("link", "switch", "built", "metal", "mig", "count", "stopped", "newest")
SOLD = ("on_sale", "contact_sales", "invite_only", "overseas_only")


def bad_properties(draft: DraftText, support: Support) -> Iterator[Problem]:
    """At most one problem of each sentence."""
    lower = lower_of(draft.folded)
    hints = read_words("properties")["hints"]
    kinds = [kind for kind in KINDS if any(hint in lower for hint in hints[kind])]
    if not kinds:
        return
    for said in sentences_of(draft):
        text = lower[said.start : said.end]
        if "?" in said.text:
            continue
        wrong = next((found for kind in kinds for found in _wrong(kind, draft, said, text, support)), None)
        if wrong and not repeats(said, support.reference) and not denies(draft, said):
            start, end, why = wrong
            yield Problem("claim", draft.folded[said.start + start : said.start + end], said.start + start, f"“{said.plain[:80]}” is not so: {why} Give the fact, or leave the sentence out.")


def _wrong(kind: str, draft: DraftText, said: Said, text: str, support: Support) -> Iterator[tuple[int, int, str]]:
    for match in words_pattern("properties", kind).finditer(text):
        subjects = subjects_of(draft, said, *match.span())
        part = max((m.end() for m in PART.finditer(text, 0, match.start())), default=0)
        if not subjects or (kind not in ("link", "count") and words_pattern("properties", "not").search(text[part : match.start()])):
            continue
        if kind in ("link", "count") and names_of(draft, said):
            continue  # left to the judge of claims, which reads the whole sentence
        behind = PART.search(text, match.end())
        clause = text[match.start() if kind == "count" else part : behind.start() if behind else len(text)]
        reasons = [_why_not(kind, name, clause, support.language) for name in subjects]
        if all(reasons):  # any of them may be meant
            yield *match.span(), reasons[-1]


def _why_not(kind: str, name: Name, clause: str, language: Language) -> str:
    """The fact that contradicts it, in words; empty if none does."""
    if kind == "link":
        return _judged(called(name), PRONOUN.sub(f" {called(name)} ", clause[:LONGEST], count=1), language, facts.active_day())
    if kind == "stopped":
        return f"{called(name)} is in the catalog and not phased out." if _is_sold(name) else ""
    return _of_machine(kind, name, clause) or _of_card(kind, name, clause)


def _of_machine(kind: str, name: Name, clause: str) -> str:
    rows = _rows(name)
    if kind == "metal" and rows and not any(row.bare_metal for row in rows):
        return f"{called(name)} is a virtual machine."
    if kind == "switch" and rows and not any(row.nvlink for row in rows):
        return f"{called(name)} has no NVLink, so no NVSwitch."
    said = COUNT.search(clause) if kind == "count" else None
    if said and len(rows) == 1 and rows[0].gpu_count and str(rows[0].gpu_count) != COUNTS.get(said.group(), said.group()):
        return f"{called(name)} has {rows[0].gpu_count}."
    return ""


def _of_card(kind: str, name: Name, clause: str) -> str:
    cards = [facts.gpus()[gpu] for gpu in _gpus(name) if gpu in facts.gpus()]
    built = {card.architecture for card in cards}
    if kind == "built" and cards and not any(one.lower().split()[0] in clause for one in built):
        return f"{called(name)} has {', '.join(sorted(built))}."
    if kind == "mig" and cards and all(card.mig is False for card in cards):
        return f"{cards[0].name} cannot be cut by MIG."
    if kind == "newest" and cards and built <= {*BUILT} and BUILT[-1] not in built:
        return f"there are newer cards in the catalog than that of {called(name)}."
    return ""


@lru_cache(maxsize=512)
def _judged(name: str, clause: str, language: Language, day: str) -> str:
    """The fact that the judge of claims sets against the clause, said of the name, by the tables of that day."""
    text = clause if name in clause else f"{name} {clause}"
    return next((item.fact for item in check_claims(text, language=language, questions=False).statements if item.verdict == "wrong"), "")


def _rows(name: Name) -> list[Instance]:
    if name.kind == "type":
        return [facts.instances()[name.known]]
    return [row for row in facts.instances().values() if name.kind == "family" and row.family == name.known]


def _gpus(name: Name) -> frozenset[str]:
    if name.kind == "type":
        gpu = facts.instances()[name.known].gpu_id
        return frozenset([gpu] if gpu else [])
    return frozenset(card.gpu_id for card in name.cards) or gpu_ids_of(name.known)


def _is_sold(name: Name) -> bool:
    """Whether the catalog sells the type or family, or any machine with the card."""
    if name.kind == "type":
        return facts.instances()[name.known].status in SOLD and name.known not in facts.gone_types()
    if name.kind == "family":
        return name.known in facts.families() and facts.families()[name.known].status in SOLD
    return any(row.status in SOLD and row.gpu_id in _gpus(name) for row in facts.families().values())
