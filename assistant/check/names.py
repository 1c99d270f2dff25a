"""Names of a draft: instance types, families and cards must be in the catalog or in the evidence."""

from __future__ import annotations

from collections.abc import Iterator

from knowledge import facts
from knowledge.kept import kept

from .draft_text import DraftText
from .patterns import CARD, NAME, URL
from .problem import Problem
from .support import Support


def bad_names(draft: DraftText, support: Support) -> Iterator[Problem]:
    plain = URL.sub(lambda m: " " * len(m.group()), draft.text)
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


