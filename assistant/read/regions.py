"""Regions named in a text: by id, or by the names people use in either language."""

from __future__ import annotations

from knowledge.facts import regions
from knowledge.kept import kept

from .lexicon import Lexicon


@kept
def _lexicon() -> Lexicon:
    names = {row.region: [row.region, *row.aliases] for row in regions().values()}
    return Lexicon({"regions": names})


def find_regions(text: str) -> list[str]:
    """The ids of the regions named, each once, in order."""
    return list(dict.fromkeys(hit.name for hit in _lexicon().scan(text)))


def find_region(text: str) -> str | None:
    """The id of the first region named, None if there is none."""
    return next(iter(find_regions(text)), None)
