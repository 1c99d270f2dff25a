"""Image and video models by the names people use."""

from __future__ import annotations

from functools import cache

from knowledge.other_facts import DiffusionModel, diffusion_models
from tools.phrases import Language
from tools.table_names import NamedSpan, find_named, look_up_named, spellings


def find_diffusion_model(text: str) -> tuple[NamedSpan, ...]:
    """Image and video models that a text names, in order of their place."""
    return find_named(text, _names())


def look_up_diffusion_model(name: str, *, language: Language = "en") -> DiffusionModel:
    """The row called `name`. Raises UnknownModel with the nearest names."""
    return diffusion_models()[look_up_named(name, _names(), table="diffusion", language=language)]


@cache
def _names() -> dict[str, str]:
    return spellings({row.id: (row.hf_id, *row.aliases) for row in diffusion_models().values()})
