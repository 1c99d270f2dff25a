"""Finds the model that a name, a bare size or a config.json means; every way yields a row of the model table."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, replace
from sys import maxsize

from knowledge.errors import InputError, UnknownModel
from knowledge.facts import models
from knowledge.rows import Model

from .bare_sizes import BareSize, active_after, find_bare_sizes
from .config_json import read_config
from .misspelt import nearest_models, respell
from .model_names import Entry, fold, is_name, name_index, name_parts, names_as_written
from .model_spans import Name, find_dtype, read_name, read_series, sharper
from .model_tokens import ONE_FORM, Token, name_words, size_billions, tokenize
from .phrases import Language, read_phrases, say
from .typical import typical_experts, typical_model

LONGEST_NAME = 200
LEAST_KNOWN_BY_SIZE = 100
"""Billions from which a bare size may mean one mixture of experts: below, dense models of every size are about."""
SAME_SIZE, NEAR_SIZE = 0.002, 0.03
"""A size as people round it; and how near a dense model may come for the size to mean nothing in particular."""
PHRASES = "phrases/lookup.toml"


@dataclass(frozen=True, slots=True)
class ModelMatch:
    """A model and how it was found.

    `how`: exact (the table's row), newest_common (the name fits `alternatives` too), typical (only a size was
    given: parameters as stated, shape of a usual model of that size) or config. `weight_dtype` is a precision
    of precisions.csv when the name itself says it.
    """

    model: Model
    how: str
    alternatives: tuple[str, ...] = ()
    weight_dtype: str | None = None


@dataclass(frozen=True, slots=True)
class ModelSpan:
    """A name in a text, at `start` to `end`. Without a `match` the name is unknown or lacks its size; see `nearest`."""

    start: int
    end: int
    text: str
    match: ModelMatch | None
    nearest: tuple[str, ...] = ()


def look_up_model(name: str, *, language: Language = "en") -> ModelMatch:
    """The model called `name`, in any spelling of either language; a name with only a size in it gets a typical shape.

    Raises UnknownModel with the nearest names, InputError for a name too long or a size out of range.
    """
    plain = name.strip().translate(ONE_FORM)
    if len(plain) > LONGEST_NAME:
        table = read_phrases("tools", PHRASES)
        raise InputError(say(table, "too_long", language, most=LONGEST_NAME, length=len(plain)))
    as_written = names_as_written().get(fold(plain))
    if as_written is not None:
        return ModelMatch(models()[as_written], "exact")
    spans = _name_spans(plain)
    known = [span for span in spans if span.match is not None]
    if known:
        match = known[0].match
        assert match is not None
        rest = find_dtype(plain[known[0].end :])
        return replace(match, weight_dtype=sharper(match.weight_dtype, rest))
    if not spans:
        sizes = find_bare_sizes(plain, _tokens(plain), named=True)
        if sizes:
            written = plain[sizes[0].start : sizes[0].end] if sizes[0].foreign else ""
            return _stated(sizes[0].token, written, find_dtype(plain), sizes[0].active)
    nearest = spans[0].nearest if spans and spans[0].nearest else nearest_models(plain)
    raise UnknownModel(_unknown(plain, nearest, language), nearest=nearest)


def find_models(text: str) -> tuple[ModelSpan, ...]:
    """Names of models and bare sizes (13B 模型, 70B) in a text, in order, longest first, none overlapping."""
    plain = text.translate(ONE_FORM)
    spans = _name_spans(plain)
    taken = sorted([(span.start, span.end) for span in spans] + _links(plain))
    end = 0
    for size in find_bare_sizes(plain, _tokens(plain)):
        if size.start < end or _inside(size.start, taken):
            size = replace(size, start=size.token.start)  # what is glued before it is taken already
        if size.start >= end and not any(_inside(at, taken) for at in (size.start, size.end - 1)):
            spans.append(_size_span(plain, size))
            end = size.end
    spans = [replace(span, text=text[span.start : span.end]) for span in spans]
    return tuple(sorted(spans, key=lambda span: span.start))


def model_from_config(text: str) -> ModelMatch:
    """The model described by a Hugging Face config.json. Raises InputError naming what is wrong or missing."""
    model, weight_dtype = read_config(text)
    return ModelMatch(model, "config", weight_dtype=weight_dtype)


def _tokens(text: str) -> list[Token]:
    return tokenize(text, words=name_index().words)


def _name_spans(text: str) -> list[ModelSpan]:
    """Spans of names, misspelt ones included, bare sizes left out."""
    tokens, spans, at = _tokens(text), list[ModelSpan](), 0
    links = _links(text)
    stem: tuple[str, ...] = ()
    while at < len(tokens):
        after = at + 1
        span = None
        if not _inside(tokens[at].start, links):
            series = read_series(text, tokens[at], stem, spans[-1].end) if spans else None
            found = (series, at + 1) if series else read_name(text, tokens, at)
            if found:
                stem = stem if series else _stem(found[0])
                span, after = _span(text, found[0]), max(found[1], at + 1)
            else:
                wrong = respell(text, tokens, at)
                if wrong:
                    written = text[wrong.start : wrong.end]
                    span, after = ModelSpan(wrong.start, wrong.end, written, None, wrong.nearest), wrong.after
        if span is not None:
            spans.append(_clear_of(spans, span, text))
        at = after
    return spans


def _stem(name: Name) -> tuple[str, ...]:
    """The name without its size, for the sizes listed after it."""
    key = name.entry.key if name.entry else ()
    return key[:-1] if key and re.fullmatch(r"[\d.x]+b", key[-1]) else ()


def _clear_of(spans: list[ModelSpan], span: ModelSpan, text: str) -> ModelSpan:
    """`span` without what the span before it has taken (V3/R1: `V3/` is no organisation)."""
    if not spans or span.start >= spans[-1].end:
        return span
    start = spans[-1].end
    while start < span.end and not text[start].isalnum():
        start += 1
    return replace(span, start=start, text=text[start : span.end])


_LINK = re.compile(r"(?:https?://|www\.|github\.com/)(?!(?:www\.)?(?:hf\.co|huggingface\.co|modelscope\.c))\S+")


def _links(text: str) -> list[tuple[int, int]]:
    """Places of links, those to a model's page left out."""
    return [match.span() for match in _LINK.finditer(text)]


def _inside(at: int, spans: list[tuple[int, int]]) -> bool:
    before = bisect_right(spans, (at, maxsize)) - 1
    return before >= 0 and spans[before][0] <= at < spans[before][1]


def _span(text: str, name: Name) -> ModelSpan | None:
    """The span of a name; without a match where its size is absurd."""
    try:
        return _read_span(text, name)
    except InputError:
        return ModelSpan(name.start, name.end, text[name.start : name.end], None)


def _read_span(text: str, name: Name) -> ModelSpan | None:
    written = text[name.start : name.end]
    if name.entry is None or (name.odd and name.size is not None):
        if name.size is None:
            return None
        end, active = active_after(text, name.end)
        stated = _stated(name.size, text[name.start : end], name.weight_dtype, active)
        return ModelSpan(name.start, end, text[name.start : end], stated)
    if name.odd:
        size = next((part for part in name.entry.key if re.fullmatch(r"[\d.]+b", part)), None)
        model = typical_model(size_billions(size), name=written) if size else None
        match = ModelMatch(model, "typical", (), name.weight_dtype) if model else None
        return ModelSpan(name.start, name.end, written, match, () if match else _members(name.entry))
    match = _resolve(name.entry, name.spelling, name.weight_dtype)
    if match is None and not _asks_alone(name.entry):
        return None
    return ModelSpan(name.start, name.end, written, match, () if match else _members(name.entry))


def _resolve(entry: Entry, spelling: str, dtype: str | None) -> ModelMatch | None:
    """The one model that an entry means, None where it lacks the size that would tell."""
    ids = entry.ids or (entry.group if len(entry.group) == 1 else [])
    if not ids:
        return None
    owner = name_index().spellings.get(spelling)
    official = owner in ids and (not entry.loose or not spelling.isalnum() and " " not in spelling)
    model_id = owner if owner is not None and official else ids[0]
    if entry.loose:
        open_name = model_id == ids[0] and len(name_parts(models()[model_id]).stem) > 1
    else:
        open_name = not entry.given or (len(entry.given) > 1 and owner not in ids)
        open_name = open_name and len(ids) > 1
    model = models()[model_id]
    if entry.renamed:
        model = _renamed(model, entry.renamed)
    others = tuple(other for other in ids if other != model_id) if open_name else ()
    return ModelMatch(model, "newest_common" if open_name else "exact", others, dtype)


def _renamed(model: Model, name: str) -> Model:
    """`model` under the name of another of the same shape, with what differs by the table `other_window`."""
    row = name_words()["other_window"].get(name, {})
    total = row.get("params_total", model.params_total)
    return replace(
        model,
        id=name,
        hf_id=row.get("hub", ""),
        aliases=(),
        max_context=row.get("context", model.max_context),
        kv_heads=row.get("kv_heads", model.kv_heads),
        params_total=total,
        params_active=total if model.moe is None else model.params_active,
        note=f"Shape of {model.id}.",
    )


def _asks_alone(entry: Entry) -> bool:
    """Whether the name without a size is worth asking about: a brand known alone, or a stem with a generation."""
    brand = name_words()["brands"].get(entry.key[0], {})
    return bool(brand.get("alone", False)) or len(entry.key) > 1


def _members(entry: Entry) -> tuple[str, ...]:
    """Up to five models that a name without a size may mean, the preferred first."""
    return tuple((entry.ids or entry.group)[:5])


def _stated(size: Token, written: str, dtype: str | None, active: float | None = None) -> ModelMatch:
    if size.kind == "moe":
        count, each = size.text[:-1].split("x")
        return ModelMatch(typical_experts(int(count), float(each), name=written), "typical", (), dtype)
    billions = size_billions(size.text)
    known = () if written or active is not None else _experts_of_size(billions)
    if known:
        return ModelMatch(known[0], "newest_common", tuple(row.id for row in known[1:]), dtype)
    return ModelMatch(typical_model(billions, name=written, active=active), "typical", (), dtype)


def _experts_of_size(billions: float) -> tuple[Model, ...]:
    """Mixtures of experts of exactly this size where no dense model is near it: 671B is DeepSeek, 235B is Qwen3."""
    if billions < LEAST_KNOWN_BY_SIZE:
        return ()
    near = [row for row in models().values() if abs(row.params_total / 1e9 / billions - 1) < NEAR_SIZE]
    if not all(row.moe for row in near):
        return ()
    return tuple(row for row in near if abs(row.params_total / 1e9 / billions - 1) < SAME_SIZE)


def _size_span(text: str, size: BareSize) -> ModelSpan:
    written = text[size.start : size.end]
    try:
        return ModelSpan(size.start, size.end, written, _stated(size.token, written if size.foreign else "", None, size.active))
    except InputError:
        return ModelSpan(size.start, size.end, written, None)


def _unknown(name: str, nearest: tuple[str, ...], language: Language) -> str:
    code = "empty" if not name else "nothing_near" if not nearest else "several" if is_name(name) else "near"
    return say(read_phrases("tools", PHRASES), code, language, name=name, nearest=", ".join(nearest))
