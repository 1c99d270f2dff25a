"""Models of a question: names and bare sizes by the look-up, sizes that are nonsense, a pasted config.json."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

from tools.lookup import ModelMatch, ModelSpan, find_models

from .normalise import parse_number, scale_of
from .reading import ModelMention

MAX_CONFIG = 200_000
"""Characters of a text in which a config.json is looked for."""

HUGE = 1e12
"""Elements from which a size without a known model is doubted."""


SMALLEST = 1e6
"""Elements below which a number of parameters is not a model's size."""


@dataclass(frozen=True, slots=True)
class Models:
    """Mentions, where each stands first, the stretches they all take, what the names say of precision and kind, and absurd sizes."""

    mentions: tuple[ModelMention, ...] = ()
    places: tuple[tuple[int, int], ...] = ()
    spans: tuple[tuple[int, int], ...] = ()
    weight_dtype: str | None = None
    modality: str | None = None
    absurd: tuple[str, ...] = ()


def find_model_mentions(normal: str) -> Models:
    """Models named in normalised text, each once. Offsets are those of `normal`."""
    spans = [span for span in find_models(normal) if span.match is not None or span.nearest]
    mentions: dict[tuple[str | None, str], ModelMention] = {}
    places: dict[tuple[str | None, str], tuple[int, int]] = {}
    for span in spans:
        mention = _mention(span)
        key = (mention.model_id, "" if mention.model_id else mention.text.lower())
        mentions.setdefault(key, mention)
        places.setdefault(key, (span.start, span.end))
    known = [span.match for span in spans if span.match is not None]
    absurd, stretches, sizes = _stated_sizes(normal.lower(), bool(known) and known[0].how != "typical")
    if not spans and sizes:
        mentions[(None, sizes[0].text)] = sizes[0]
        places[(None, sizes[0].text)] = stretches[-1]
    return Models(
        mentions=tuple(mentions.values()),
        places=tuple(places.values()),
        spans=(*(_name_alone(span) for span in spans), *stretches),
        weight_dtype=next((match.weight_dtype for match in known if match.weight_dtype), None),
        modality=_modality(known),
        absurd=tuple(absurd),
    )


_WINDOW_SAID = re.compile(r"(?:^|\s+)\d{1,4}[km]$", re.IGNORECASE)


def _name_alone(span: ModelSpan) -> tuple[int, int]:
    """The stretch without a window said apart: "phi-3-mini 128k" names the model and asks for 128k of context."""
    said = _WINDOW_SAID.search(span.text)
    return span.start, span.start + said.start() if said else span.end


def _modality(known: Sequence[ModelMatch]) -> str | None:
    """Of the first model of the table; of a bare size only where nothing else is named ("340M parameter BERT")."""
    named = [match for match in known if match.how != "typical"] or known
    return named[0].model.modality if named else None


_API_BEHIND = re.compile(r"\s?(?:的)?\s?(?:api|接口)(?![a-z])", re.I)


def without_api(models: Models, text: str) -> Models:
    """The models without a series that only names an API ("千问 API 每千 token 0.02 元"): it is no model to be run."""
    named = [at for at, mention in enumerate(models.mentions) if mention.model_id is None and mention.params is None]
    apis = {at for at in named if _API_BEHIND.match(text, models.places[at][1])}
    if not apis:
        return models
    kept = [at for at in range(len(models.mentions)) if at not in apis]
    return replace(models, mentions=tuple(models.mentions[at] for at in kept), places=tuple(models.places[at] for at in kept))


def _mention(span: ModelSpan) -> ModelMention:
    if span.match is None:
        return ModelMention(text=span.text, nearest=list(span.nearest))
    match = span.match
    typical = match.how == "typical"
    return ModelMention(
        text=span.text,
        model_id=None if typical else match.model.id,
        params=match.model.params_total,
        note="" if match.how == "exact" else match.how,
        nearest=list(match.alternatives),
    )


@cache
def _stated() -> re.Pattern[str]:
    return re.compile(
        r"(?<![\d.a-z])(?P<sign>-|负|minus )?\s?(?P<value>\d{1,15}\^\d{1,3}|\d{1,30}(?:\.\d{1,6})?(?:e\+?\d{1,3})?|[一二两三四五六七八九十百千]{0,6})"
        r"\s?(?P<scale>万亿|千亿|百亿|十亿|亿|万|billion|trillion|million|b|t|m)?\s?(?:个|的|-)?\s?(?:参数|params?(?![a-z])|parameters?|(?<=[bt]) ?模型|(?<=[bt])[ -]?model|(?<=[bt])(?![a-z0-9]))"
    )


def _stated_sizes(
    lower: str, known: bool
) -> tuple[list[str], list[tuple[int, int]], list[ModelMention]]:
    """Sizes said in parameters: absurd ones as codes (10^12 and more without a known model, zero and below),
    their stretches, and the sensible ones as models."""
    codes, stretches, sizes = [], [], []
    for match in _stated().finditer(lower):
        value = parse_number(match["value"]) if match["value"] else (1.0 if match["scale"] else None)
        if value is None:
            continue
        params = value * scale_of(match["scale"] or "")
        code = "negative_quantity" if match["sign"] and match["scale"] != "t" else "zero_quantity" if params == 0 else ""
        code = code or ("huge_model" if params >= HUGE and not known and _is_size(match) else "")
        if code:
            codes.append(f"{code}:{match.group().strip()}")
            stretches.append(match.span())
        elif _is_size(match) and SMALLEST <= params < HUGE:
            stretches.append(match.span())
            sizes.append(ModelMention(text=match.group().strip(), params=int(params), note="typical"))
    return codes, stretches, sizes


def _is_size(match: re.Match[str]) -> bool:
    """2T alone may be a disk; a size needs the word, or a number far too large to be one."""
    return "参数" in match.group() or "param" in match.group() or "模型" in match.group() or "model" in match.group()


@cache
def _config_words() -> re.Pattern[str]:
    return re.compile(r'"(?:hidden_size|architectures|model_type|num_hidden_layers|n_embd|d_model)"')


def split_config(text: str) -> tuple[str | None, str]:
    """The largest balanced {…} that looks like a config.json, and the text without it."""
    head = text[:MAX_CONFIG]
    if not _config_words().search(head):
        return None, text
    best = max(_balanced(head), key=lambda span: span[1] - span[0], default=(0, 0))
    block = head[best[0] : best[1]]
    if not _config_words().search(block):
        return None, text
    return block, f"{text[: best[0]]} {text[best[1] :]}"


def _balanced(text: str) -> list[tuple[int, int]]:
    """Outermost {…}; braces inside JSON strings are not counted."""
    spans, depth, start = [], 0, 0
    for match in re.finditer(r'"(?:[^"\\\n]|\\.){0,4000}"|[{}]', text):
        if match.group() == "{":
            start = match.start() if depth == 0 else start
            depth += 1
        elif match.group() == "}" and depth:
            depth -= 1
            if depth == 0:
                spans.append((start, match.end()))
    return spans
