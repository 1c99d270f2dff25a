"""Models of pictures, sound and texts by their names, those included that the table of language models lacks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

from .lexicon import Lexicon, both_languages, read_table
from .models import Models
from .reading import ModelMention

_MODALITY = {"diffusion": "diffusion", "speech": "asr", "encoder": "encoder"}


@dataclass(frozen=True, slots=True)
class SubjectMention:
    """A model as typed, with its version and size; `kind` diffusion, speech or encoder."""

    start: int
    end: int
    text: str
    kind: str


@cache
def _lexicon() -> Lexicon:
    return Lexicon({"subjects": both_languages(read_table("subjects"))})


@cache
def _suffix() -> re.Pattern[str]:
    part = r"(?:v?\d{1,2}(?:\.\d{1,2}){0,2}b?|[at]\d{1,2}b|dev|schnell|pro|kontext|fill|krea|klein|turbo|large|medium|small|base|tiny|mini|xl|t2v|i2v|ti2v|s2v|vace|edit|lightning|zh|en|multilingual|reranker|embedding)"
    return re.compile(rf"(?:[ ._\-]?{part}(?![a-z0-9]|\s?[x×*]\s?\d|\s?(?:张|个|卡|人|用户|并发|users?|qps|gpus?|cards?|images?))){{1,5}}")


def find_subjects(text: str) -> list[SubjectMention]:
    """All such models named, in the order of the text."""
    found = []
    for hit in _lexicon().scan(text):
        suffix = _suffix().match(text.lower(), hit.end)
        end = suffix.end() if suffix else hit.end
        found.append(SubjectMention(hit.start, end, text[hit.start : end].strip(), hit.name))
    return found


def names_of_kind(kind: str, subjects: Sequence[SubjectMention], models: Sequence[ModelMention], modality: str | None) -> list[str]:
    """Names of one kind as typed, each once; a model of the table by the whole of its name ("Whisper large-v3")."""
    names = [model.text for model in models if modality == _MODALITY[kind]]
    for subject in subjects:
        lower = subject.text.lower()
        longer = next((at for at, name in enumerate(names) if name.lower() in lower), None)
        if subject.kind != kind or any(lower in name.lower() for name in names):
            continue
        if longer is None:
            names.append(subject.text)
        else:
            names[longer] = subject.text
    return names


def without_subjects(models: Models, subjects: Sequence[SubjectMention]) -> Models:
    """The models without unknown ones that are a part of a name of these kinds: the Hunyuan of "Hunyuan video"."""
    places = [(subject.start, subject.end) for subject in subjects if subject.kind != "encoder"]
    if not places or not any(mention.model_id is None for mention in models.mentions):
        return models
    inside = {
        mention.text
        for mention, (start, end) in zip(models.mentions, models.spans, strict=False)
        if mention.model_id is None and any(start < last and first < end for first, last in places)
    }
    kept = tuple(mention for mention in models.mentions if mention.text not in inside)
    return Models(kept, models.spans, models.weight_dtype if kept else None, models.modality if kept else None, models.absurd)


def with_encoders(models: Models, subjects: Sequence[SubjectMention]) -> Models:
    """The models, and where there is none, the encoders known as words: their sum is made by name."""
    if models.mentions:
        return models
    names = list(dict.fromkeys(subject.text for subject in subjects if subject.kind == "encoder"))
    return replace(models, mentions=tuple(ModelMention(text=name) for name in names))


def modality_of(subjects: Sequence[SubjectMention]) -> str | None:
    """What the first of them works on."""
    return _MODALITY[subjects[0].kind] if subjects else None
