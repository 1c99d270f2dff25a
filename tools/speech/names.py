"""Speech recognition models by the names people use."""

from __future__ import annotations

from functools import cache

from knowledge.other_facts import SpeechModel, speech_models
from tools.phrases import Language
from tools.table_names import NamedSpan, find_named, look_up_named, spellings


def find_speech_model(text: str) -> tuple[NamedSpan, ...]:
    """Speech models that a text names, in order of their place."""
    return find_named(text, _names())


def look_up_speech_model(name: str, *, language: Language = "en") -> SpeechModel:
    """The row called `name`. Raises UnknownModel with the nearest names."""
    return speech_models()[look_up_named(name, _names(), table="speech", language=language)]


@cache
def _names() -> dict[str, str]:
    return spellings({row.id: (row.hf_id, *row.aliases) for row in speech_models().values()})
