"""Models of pictures, sound and texts: by the tables of their jobs, and names only known as words, which still tell the job."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache

from knowledge import facts
from tools.diffusion.names import find_diffusion_model
from tools.encoders.names import find_encoder
from tools.speech.names import find_speech_model

from .lexicon import Hit, Lexicon, both_languages, read_table
from .models import Models
from .reading import ModelMention

_MODALITY = {"diffusion": "diffusion", "speech": "asr", "encoder": "encoder"}
_OF_LANGUAGE = ("text", "vision-language")


@dataclass(frozen=True, slots=True)
class SubjectMention:
    """A model as typed; `kind` diffusion, speech or encoder; `id` of its table, the name itself where no table has it."""

    start: int
    end: int
    text: str
    kind: str
    id: str
    known: bool = True


@cache
def _words() -> tuple[Lexicon, frozenset[str]]:
    """Names that no table has, and names that are everyday words as well."""
    table = read_table("subjects")
    kinds = {kind: row for kind, row in table.items() if kind in _MODALITY}
    return Lexicon({"subjects": both_languages(kinds)}), frozenset(table["everyday"]["words"])


def find_subjects(text: str, hits: Iterable[Hit]) -> list[SubjectMention]:
    """All such models named, in the order of the text, each once. `hits` are the words of the text, for everyday names."""
    jobs = {hit.name.partition("_")[0] for hit in hits if hit.table == "jobs"}
    lexicon, everyday = _words()
    finders = {"diffusion": find_diffusion_model, "speech": find_speech_model, "encoder": find_encoder}
    found = [SubjectMention(span.start, span.end, span.text, kind, span.id) for kind, find in finders.items() for span in find(text)]
    found = [mention for mention in found if mention.text.lower() not in everyday or _speaks(mention.kind, jobs, text)]
    for hit in lexicon.scan(text):
        if not any(hit.start < mention.end and mention.start < hit.end for mention in found):
            name = text[hit.start : hit.end]
            found.append(SubjectMention(hit.start, hit.end, name, hit.name, name.lower(), known=False))
    unique: dict[str, SubjectMention] = {}
    for mention in sorted(found, key=lambda mention: (mention.start, -mention.end)):
        unique.setdefault(mention.id, mention)
    return list(unique.values())


@cache
def _drawn() -> re.Pattern[str]:
    return re.compile(r"帧|视频|出图|(?<![a-z0-9])(?:frames?|video|\d{3,4}p|t2v|i2v)(?![a-z])", re.IGNORECASE)


def _speaks(kind: str, jobs: set[str], text: str) -> bool:
    """Whether a text speaks of the work of such a model."""
    return ("asr" if kind == "speech" else kind) in jobs or (kind == "diffusion" and _drawn().search(text) is not None)


def names_of_kind(kind: str, subjects: Sequence[SubjectMention], models: Models) -> list[str]:
    """Names of one kind as typed; that of the table of models where it says more: the "whisper medium" of "faster-whisper medium"."""
    names = [_fuller(subject, models) for subject in subjects if subject.kind == kind]
    if names or models.modality != _MODALITY[kind]:
        return list(dict.fromkeys(names))
    return [mention.text for mention in models.mentions]


def _fuller(subject: SubjectMention, models: Models) -> str:
    for mention, (start, end) in zip(models.mentions, models.places, strict=True):
        if mention.model_id and subject.start <= start < subject.end < end:
            return mention.text
    return subject.text


def without_subjects(models: Models, subjects: Sequence[SubjectMention]) -> Models:
    """The models without those that are a part of such a name: the Hunyuan of "Hunyuan video", the Qwen2 of "gte-Qwen2-7B"."""
    kept = [at for at, mention in enumerate(models.mentions) if not _is_part(mention, models.places[at], subjects)]
    if len(kept) == len(models.mentions):
        return models
    mentions = tuple(models.mentions[at] for at in kept)
    first = facts.models().get(mentions[0].model_id or "") if mentions else None
    return replace(
        models, mentions=mentions, places=tuple(models.places[at] for at in kept), weight_dtype=models.weight_dtype if mentions else None,
        modality=first.modality if first else models.modality if mentions else None,
    )  # fmt: skip


def _is_part(mention: ModelMention, place: tuple[int, int], subjects: Sequence[SubjectMention]) -> bool:
    start, end = place
    row = facts.models().get(mention.model_id or "")
    inside = any(subject.start <= start < subject.end or subject.start < end <= subject.end for subject in subjects)
    return inside and (row is None or row.modality in _OF_LANGUAGE)


def with_encoders(models: Models, subjects: Sequence[SubjectMention]) -> Models:
    """The models, and where there is none, the encoders named: their sum is made by name."""
    encoders = [subject for subject in subjects if subject.kind == "encoder"]
    if models.mentions or not encoders:
        return models
    mentions = tuple(ModelMention(text=subject.text) for subject in encoders)
    return replace(models, mentions=mentions, places=tuple((subject.start, subject.end) for subject in encoders))


def modality_of(subjects: Sequence[SubjectMention]) -> str | None:
    """What the first of them works on."""
    return _MODALITY[subjects[0].kind] if subjects else None
