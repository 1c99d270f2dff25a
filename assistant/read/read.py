"""A question in, a Reading out. Nothing is guessed here: what was not said stays empty."""

from __future__ import annotations

import re

from .api_price import told_again
from .asks import asks_again, intents_asked
from .belong import drop_foreign
from .earlier import NOTHING, Earlier
from .findings import Found, find_all
from .intents import Findings, choose_intents, find_features, hostile_end, is_hostile
from .language import find_switch, has_language
from .lexicon import Hit
from .methods import is_training, names_of
from .models import split_config
from .names import Named
from .networks import names_network
from .normalise import normalise
from .numbers import asks_of_one_token
from .pasted import find_pasted, read_pasted
from .pointed import pointed_article, pointed_config, read_pointed
from .presumes import find_presumes
from .reading import Intent, Reading
from .recall import both, recall
from .replies import (
    ELLIPTIC,
    HARDWARE,
    SUBJECT,
    asks_rate_alone,
    asks_token_price,
    names_typed,
    sheets,
)
from .thread import carry_over, is_continuation, is_dangling
from .variants import variant_of


def read_question(text: str, *, previous: Reading | None = None, language: str | None = None, earlier: Earlier = NOTHING) -> Reading:
    """What `text` asks. `previous` is the reading of the question before in the thread, `earlier` what else of it may be pointed
    at; `language` zh or en overrides.

    Never raises for any text; of texts beyond normalise.MAX_READ characters the beginning and the end are read.
    """
    pasted = find_pasted(text)
    if pasted is not None:
        return read_pasted(text, pasted, language=language)
    config, rest = split_config(text)
    pointed = None if config else pointed_config(text, earlier)
    config = config or pointed
    normal = normalise(rest)
    found = find_all(text, normal, config)
    hits = _with_price(found.reading, found.hits)
    reading = found.reading.model_copy(update=_asked(found, hits))
    reading = reading.model_copy(update={"language": _language(reading, hits, previous, language)})
    article = pointed_article(text, reading, earlier)
    if article is not None:
        return read_pointed(text, article, reading.language)
    reading = _continued(reading, previous, earlier, hits, pointed=pointed is not None) if previous is not None else _alone(reading)
    reading = drop_foreign(_with_batch(reading, previous))
    return reading.model_copy(update={"missing": find_missing(reading)})


def _continued(reading: Reading, previous: Reading, earlier: Earlier, hits: list[Hit], *, pointed: bool) -> Reading:
    """The reading with what it takes from the thread, where it leans on that."""
    back = recall(reading, previous, earlier)
    if reading.gpus is None and not reading.cards:
        reading = reading.model_copy(update={"gpus": sheets(reading)})
    if asks_token_price(reading):
        reading = reading.model_copy(update={"context": None, "contexts": []})
    reading = reading.model_copy(update=told_again(reading, previous) | asks_again(reading, previous))
    variant = variant_of(reading, previous)
    side_by_side = both(reading, previous, earlier)
    if side_by_side:
        return carry_over(reading.model_copy(update=side_by_side), previous, hits).model_copy(update={"intents": side_by_side["intents"]})
    if back is not None:
        return carry_over(reading, back, hits)
    if variant:
        unsized: dict[str, object] = {**dict.fromkeys(("models", "networks", "diffusion_models", "speech_models"), []), "network": None, "job": previous.job}
        return carry_over(reading.model_copy(update={**unsized, **variant}), previous, hits)
    if pointed or is_continuation(reading, previous, hits) or _is_of_its_tokens(reading, previous) or _is_of_its_speed(reading, previous):
        return carry_over(reading, previous, hits)
    return _alone(reading)


def _alone(reading: Reading) -> Reading:
    """A question that carries nothing, though its words may say that it continues something."""
    return reading.model_copy(update={"intents": ["sizing"]}) if is_dangling(reading) and not reading.asks else reading


def _language(reading: Reading, hits: list[Hit], previous: Reading | None, wanted: str | None) -> str:
    """As wanted by the caller, as ordered in the text ("用英文"), as the text itself, else as the thread."""
    if wanted in ("zh", "en"):
        return str(wanted)
    switch = find_switch(reading.normal, hits)
    if switch:
        return switch
    if previous is not None and not has_language(reading.normal, hits, names_typed(reading)):
        return previous.language
    return reading.language


def _asked(found: Found, hits: list[Hit]) -> dict[str, object]:
    """The intents, and what the question takes for granted."""
    intents = intents_asked(found.reading, find_intents(found.reading, found.named, hits, subject=found.subject))
    return {"intents": intents, "presumes": find_presumes(found.reading.normal, found.named, intents)}


def _with_price(reading: Reading, hits: list[Hit]) -> list[Hit]:
    """The hits, and a price asked where "how much?" is all that is said."""
    if re.fullmatch(r"(?:and |so |ok,? )?how much(?: money| then| now| in total| a month| per month)?\W{0,3}", reading.normal.lower()):
        return [*hits, Hit("cues", "price", 0, len(reading.normal))]
    return hits


def _is_of_its_speed(reading: Reading, previous: Reading) -> bool:
    """"多少 token 每秒" after a question about something to be run."""
    own = any(getattr(reading, name) for name in (*SUBJECT, *HARDWARE))
    return not own and any(getattr(previous, name) for name in SUBJECT) and asks_rate_alone(reading)


def _is_of_its_tokens(reading: Reading, previous: Reading) -> bool:
    """"How big is the KV of one token?", "what do a million tokens cost?" after a question about a model."""
    own = reading.models or reading.config_json or not (previous.models or previous.config_json)
    of_price = asks_token_price(reading) or ("token_price" in reading.topics and len(reading.normal) <= ELLIPTIC)
    return not own and (of_price or (reading.intents[0] == "sizing" and asks_of_one_token(reading.normal.lower())))


def _with_batch(reading: Reading, previous: Reading | None) -> Reading:
    """A batch of a served language model is how many sequences run at once, unless users are said beside it."""
    said_anew = previous is None or reading.batch != previous.batch
    free = reading.concurrency is None or "concurrency" in reading.carried
    if reading.job != "llm_inference" or reading.batch is None or not (said_anew and free):
        return reading
    carried = [name for name in reading.carried if name not in ("concurrency", "concurrencies", "people")]
    return reading.model_copy(
        update={"concurrency": reading.batch, "concurrencies": [reading.batch], "people": False, "carried": carried}
    )


_AMOUNTS = ("context", "concurrency", "batch", "crop", "resolution", "frames", "lora_rank", "accumulate", "global_batch")
"""Fields of which one alone is of a job."""


def find_intents(reading: Reading, named: list[Named], hits: list[Hit], *, subject: bool = False) -> list[Intent]:
    """Intents of a reading, most certain first; orders to drop the rules come first unless they were pasted."""
    cues = frozenset(hit.name for hit in hits if hit.table == "cues")
    real = [name for name in named if name.kind != "memory"]
    found = Findings(
        text=reading.normal, hits=tuple(hits), subject=bool(reading.models) or subject or (bool(reading.closed_models) and "offtopic" not in cues and "greeting" not in cues), models_named=len(reading.models), network=reading.network is not None or (not reading.models and names_network(hits)), solve=reading.solve is not None,
        hardware=len({name.mention.name for name in real}) or int(reading.card_memory_gb is not None),
        other_clouds=bool(reading.other_clouds),
        places=tuple(name.start for name in real), bare_memory=not real and reading.card_memory_gb is not None,
        unknown=any(not name.mention.known for name in real),
        memory_of_card=any(name.mention.memory_gb is not None for name in real),
        dtypes=len(reading.weight_dtypes), billings=len(reading.billing),
        quantity=any(getattr(reading, name) for name in _AMOUNTS) or asks_of_one_token(reading.normal.lower()),
        training=is_training(hits), budget=reading.budget is not None, duration=bool(reading.hours or reading.months),
        job_said=reading.inference is not None,
        job_words=bool({"llm", "vision", "diffusion", "encoder", "asr"} & set(names_of(hits, "jobs"))),
        config=reading.config_json is not None, absurd=bool(reading.absurd),
    )  # fmt: skip
    features = find_features(found)
    intents = choose_intents(features)
    if not is_hostile(reading.normal.lower(), cues):
        return intents
    return _with_hostile(reading, intents, cues)


def _with_hostile(reading: Reading, intents: list[Intent], cues: frozenset[str]) -> list[Intent]:
    """The user's own order is answered as such; one inside a pasted text does not spoil the question around it."""
    others = [i for i in intents if i not in ("hostile", "out_of_scope", "greeting")]
    tail = reading.normal[hostile_end(reading.normal.lower()) :]
    asks = any(mark in tail for mark in "?？吗") or "need" in cues or "size" in cues
    pasted = "pasted" in cues or len(reading.normal) > 400
    if others and asks and pasted:
        return [others[0], "hostile", *others[1:]]
    return ["hostile", *others] if others and asks else ["hostile"]


def find_missing(reading: Reading) -> list[str]:
    """What a sum needs and the question (with its thread) does not say."""
    if "sizing" not in reading.intents:
        return []
    job = reading.job or ""
    named = any(getattr(reading, name) for name in SUBJECT if name != "closed_models")
    missing = [] if named else ["network" if job.startswith("vision") else "model"]
    if job and job != "llm_inference":
        return missing
    if reading.weight_dtype is None and reading.method is None:
        missing.append("precision")
    if reading.context is None:
        missing.append("context")
    if reading.concurrency is None:
        missing.append("concurrency")
    return missing
