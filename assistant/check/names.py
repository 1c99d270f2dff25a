"""Names of a draft: instance types, families and cards must be in the catalog or in the evidence.

The draft of a chat model is held to more: a type must be in this turn's evidence, what the catalog lacks may only be named to
say so, a card must be that of the type beside it, and a copied sentence must keep its names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from knowledge import facts
from knowledge.kept import kept

from .belonging import bad_pairs, belongs
from .copied import changed_names
from .draft_text import DraftText
from .held import is_held
from .model_names import bad_models
from .name_shapes import ODD_LETTER, ODD_NAME, Name, names_within, uniform
from .patterns import CARD, NAME, URL
from .problem import Problem
from .rejecting import denies_name, words_pattern
from .said import MARKS, Said, code_of, repeats, sentences_of
from .support import Support
from .unfit import bad_picks

PLURAL = re.compile(r"[`*\s]*(?:系列|各规格|families|series|generation)")
FIGURE = re.compile(r"(?<![A-Za-z0-9.])\d")
SPARE = (1, 2, 3, 4, 6, 8)
"""Numbers of cards in a machine: their memory together is no wrong size of one card."""


def bad_names(draft: DraftText, support: Support) -> Iterator[Problem]:
    if not support.bound:
        yield from _unknown_names(draft, support)
        return
    found: dict[tuple[int, str], Problem] = {}
    for problem in _bound_names(draft, support):
        found.setdefault((problem.start, problem.code), problem)
    yield from found.values()


def _bound_names(draft: DraftText, support: Support) -> Iterator[Problem]:
    for match in ODD_NAME.finditer(draft.folded) if ODD_LETTER.search(draft.folded) else ():
        if any(character.isdigit() for character in match.group()):
            yield Problem("name", match.group(), match.start(), f"“{match.group()}” holds an invisible or foreign letter: write the name in plain Latin letters and digits.")
    for said in sentences_of(draft):
        if repeats(said, support.reference):
            continue
        text = uniform(said.text)
        names = names_within(draft.folded, said.start, said.end)
        yield from _strange(names, said, draft, support)
        yield from bad_pairs(names, text, said)
        yield from bad_models(names, text, said, support)
        yield from changed_names(said, support)
        yield from bad_picks(names, said, support)
    for said in code_of(draft):
        text = uniform(said.text)
        names = names_within(draft.folded, said.start, said.end)
        yield from (_unsupported(name, said) for name in names if name.kind != "card" and not is_held(name, support))
        yield from bad_models(names, text, said, support)


def _strange(names: list[Name], said: Said, draft: DraftText, support: Support) -> Iterator[Problem]:
    """Names that nothing holds, or that are said to be there and are not."""
    for name in names:
        held = is_held(name, support)
        if not held and not (name.known and name.kind in ("family", "card")):
            yield _unsupported(name, said)
        elif not held and not name.wrong_gb and not any(belongs(name, other) for other in names) and (_has_no_facts(name) or _claims_much(said, names)):
            yield _problem(name, said, "is in the catalog but in no tool result of this turn: look it up before you recommend it or give figures of it, or leave it out.")
        elif _is_absent(name, said) and not denies_name(draft, said):
            yield _problem(name, said, "is not in the catalog: name it only in a sentence that says so, or leave it out.")
        elif name.wrong_gb and not _is_total(name, said) and not denies_name(draft, said):
            yield _problem(name, said, f"has a memory size that this card is not made in (it has {_sizes(name)} GB): give the size of the tool result, or say that the size is wrong.")


def _has_no_facts(name: Name) -> bool:
    """Whether the catalog has no more than the name of the family."""
    row = facts.families().get(name.known)
    return row is not None and row.status == "name_only"


def _claims_much(said: Said, names: list[Name]) -> bool:
    """Whether the sentence is more than a mention: a title or row, a recommendation, one with figures or with a source."""
    if said.kind in ("heading", "row") or MARKS.search(said.text) or words_pattern("names", "recommends").search(said.text.lower()):
        return True
    rest = said.text
    for name in reversed(names):
        rest = rest[: name.start] + rest[name.end :]
    return FIGURE.search(rest) is not None


def _is_absent(name: Name, said: Said) -> bool:
    """Whether the catalog lacks the name; a card without figures counts only where it is offered."""
    if name.known or name.kind == "other":
        return False
    if name.kind == "card":
        return words_pattern("names", "offers").search(said.text.lower()) is not None
    lower = name.text.lower()
    if lower not in facts.not_families() and PLURAL.match(said.text, name.end) and any(family.startswith(lower) for family in facts.families()):
        return False  # "the ebmgn9 families"
    return "g" in lower.split("-")[0][:5] and re.match(r"(?:ecs\.|ml\.)?[a-z]{0,4}g[nai]\d|ecs\.|ml\.", lower) is not None or lower in facts.not_families()


def _is_total(name: Name, said: Said) -> bool:
    """Whether the size is that of several cards together: "4 张 A10（96 GB）"."""
    counts = [count for count in SPARE if count > 1 and any(card.memory_gb * count == name.wrong_gb for card in name.cards)]
    before = said.text[max(0, name.start - 14) : name.start] + said.text[name.start : name.end + 8]
    return any(re.search(rf"(?<!\d){count}(?!\d)|{'零一两三四五六七八'[count]}", before) for count in counts) or bool(counts and re.search(r"共|合计|一起|total|together|in all", before))


def _sizes(name: Name) -> str:
    return "/".join(f"{size:g}" for size in sorted({card.memory_gb for card in name.cards}))


def _unsupported(name: Name, said: Said) -> Problem:
    return _problem(name, said, "stands in no tool result of this turn and not in the question: use the names of the tool results, or look it up first.")


def _problem(name: Name, said: Said, reason: str) -> Problem:
    return Problem("name", said.text[name.start : name.end], said.start + name.start, f"“{said.text[name.start : name.end]}” {reason}")


def _without_links(text: str) -> str:
    return URL.sub(lambda match: " " * len(match.group()), text)


def _unknown_names(draft: DraftText, support: Support) -> Iterator[Problem]:
    """Composed text: names must be in the catalog, the evidence or the question."""
    plain = _without_links(draft.text)
    for pattern in (NAME, CARD):
        for match in pattern.finditer(plain):
            name = match.group().rstrip(".-")
            if name.lower() not in catalog_names() and not support.has_name(name):
                yield Problem("name", name, match.start())


@kept
def catalog_names() -> frozenset[str]:
    """Every name of the catalog in lower case: types with and without `ecs.`, families, the words of the cards."""
    names: set[str] = set()
    for instance in facts.instances().values():
        names |= {instance.instance_type, instance.instance_type.removeprefix("ecs.")}
    names |= set(facts.families())
    for gpu in facts.gpus().values():
        names |= {part.strip("(),") for part in gpu.name.lower().split()}
    offered = {family.gpu_id for family in facts.families().values()}
    for row in facts.gpu_names():  # as the catalog words its own: "48 GB Blackwell card (RTX PRO 5000 by its specifications)"
        labels = [label for label in (row.label_zh, row.label_en) if label and row.gpu_id and row.gpu_id in offered]
        names |= {match.group() for label in labels for match in CARD.finditer(label)}
    return frozenset(name.lower() for name in names)
