"""A question in, a Reading out. Nothing is guessed here: what was not said stays empty."""

from __future__ import annotations

import re
from collections.abc import Iterable

from knowledge.facts import families

from .intents import Findings, choose_intents, find_features, hostile_end, is_hostile
from .language import find_language, find_switch, has_language
from .lexicon import Hit, lexicon
from .methods import find_engine, find_job, find_method, find_network, is_training, names_of
from .models import Models, find_model_mentions, split_config
from .money import find_budget
from .names import Named, blank, find_names
from .normalise import normalise
from .numbers import asks_of_one_token
from .others import blank_closed, find_closed, find_clouds
from .precision import Precisions, find_precisions
from .presumes import find_presumes
from .quantities import Quantities, read_quantities
from .reading import Intent, NameMention, Reading
from .regions import find_regions
from .replies import names_typed
from .thread import carry_over, is_continuation, is_dangling
from .wishes import find_wish

LARGEST_SIDE = 8192
"""Pixels up to which a bare number beside a vision network is the side of its input."""


def read_question(text: str, *, previous: Reading | None = None, language: str | None = None) -> Reading:
    """What `text` asks. `previous` is the reading of the question before in the thread; `language` zh or en overrides.

    Never raises for any text; of texts beyond normalise.MAX_READ characters the beginning and the end are read.
    """
    config, rest = split_config(text)
    normal = normalise(rest)
    reading, hits = _read(text, normal, config)
    reading = reading.model_copy(update={"language": _language(reading, hits, previous, language)})
    if previous is not None and (is_continuation(reading, previous, hits) or _is_of_its_tokens(reading, previous)):
        reading = carry_over(reading, previous, hits)
    elif is_dangling(reading):
        reading = reading.model_copy(update={"intents": ["sizing"]})
    reading = _with_batch(reading, previous)
    return reading.model_copy(update={"missing": find_missing(reading)})


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


def _read(text: str, normal: str, config: str | None) -> tuple[Reading, list[Hit]]:
    lower = normal.lower() if len(normal.lower()) == len(normal) else normal
    named = find_names(lower)
    hits = lexicon().scan(normal)
    models = find_model_mentions(blank_closed(blank(normal, named), hits))
    open_text = _blank_spans(blank(lower, named), models.spans)
    budget = find_budget(open_text)
    if budget:
        open_text = _blank_spans(open_text, [budget[1]])
    dtypes = find_precisions(_blank_spans(normal, models.spans))
    quantities = read_quantities(open_text)
    network = find_network(normal, hits) if not models.mentions else None
    job = find_job(
        hits, modality=models.modality, has_network=network is not None,
        sized=bool(models.mentions) or config is not None,
        batched=quantities.batch is not None,
        about_llm=bool(quantities.context or quantities.concurrency) or asks_of_one_token(lower),
    )  # fmt: skip
    reading = Reading(
        text=text, normal=normal, language=find_language(normal), intents=["guidance"], job=job,
        models=list(models.mentions), cards=_of_kind(named, "card"), families=_of_kind(named, "family"),
        instances=_of_kind(named, "instance"), config_json=config,
        weight_dtype=_weight_dtype(dtypes, models, hits), weight_dtypes=list(dtypes.weights), kv_dtype=dtypes.kv,
        context=quantities.context, contexts=quantities.contexts, concurrency=quantities.concurrency,
        concurrencies=quantities.concurrencies, people=quantities.people, batch=quantities.batch,
        machines=quantities.machines or _machines(named),
        card_memory_gb=_card_memory(named), gpus=_gpus(named, quantities), tensor_parallel=quantities.tensor_parallel,
        disk_gib=quantities.disk_gib, hours=quantities.hours or _hours_priced(lower, hits),
        months=quantities.months or (None if quantities.hours else _months_priced(lower, hits)),
        budget=budget[0] if budget else None, method=find_method(hits, dtypes.weights),
        network=network[0] if network else None, crop=quantities.crop,
        region=next(iter(find_regions(normal)), None), regions=find_regions(normal),
        billing=names_of(hits, "billing"), engine=find_engine(hits), topics=_topics(hits),
        features=names_of(hits, "features"), wish=find_wish(normal, hits),
        closed_models=find_closed(hits), other_clouds=find_clouds(lower),
        absurd=list(dict.fromkeys([*models.absurd, *quantities.absurd])),
    )  # fmt: skip
    reading = _fit_to_job(reading)
    hits = _with_price(reading, hits)
    intents = find_intents(reading, named, hits)
    presumes = find_presumes(normal, named, intents)
    return reading.model_copy(update={"intents": intents, "presumes": presumes}), hits


def _topics(hits: list[Hit]) -> list[str]:
    """Topics of the table; a rate ("QPS 5") makes speed one of them."""
    return list(dict.fromkeys([*names_of(hits, "topics"), *names_of(hits, "rates")]))


def _with_price(reading: Reading, hits: list[Hit]) -> list[Hit]:
    """The hits, and a price asked where "how much?" is all that is said."""
    if re.fullmatch(r"(?:and |so |ok,? )?how much(?: money| then| now| in total| a month| per month)?\W{0,3}", reading.normal.lower()):
        return [*hits, Hit("cues", "price", 0, len(reading.normal))]
    return hits


def _fit_to_job(reading: Reading) -> Reading:
    """A length is a picture's side for vision ("UNet 512 输入") and means nothing to pictures and sound otherwise;
    a language model on CPU families alone is served by the CPU."""
    job, changes = reading.job or "", dict[str, object]()
    if job.startswith(("vision", "diffusion", "asr")) and reading.context:
        changes |= {"context": None, "contexts": []}
        if job.startswith("vision") and reading.crop is None and reading.context <= LARGEST_SIDE:
            changes["crop"] = (reading.context, reading.context)
    rows = [families().get(mention.name) for mention in reading.families]
    if job == "llm_inference" and rows and not reading.cards and all(row and row.kind == "cpu" for row in rows):
        changes["job"] = "cpu_inference"
    return reading.model_copy(update=changes)


def _is_of_its_tokens(reading: Reading, previous: Reading) -> bool:
    """"How big is the KV of one token?" after a question about a model."""
    own = reading.models or reading.config_json or reading.intents[0] != "sizing"
    return not own and bool(previous.models or previous.config_json) and asks_of_one_token(reading.normal.lower())


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


def find_intents(reading: Reading, named: list[Named], hits: list[Hit]) -> list[Intent]:
    """Intents of a reading, most certain first; orders to drop the rules come first unless they were pasted."""
    cues = frozenset(hit.name for hit in hits if hit.table == "cues")
    real = [name for name in named if name.kind != "memory"]
    found = Findings(
        text=reading.normal, hits=tuple(hits), subject=bool(reading.models) or (bool(reading.closed_models) and "offtopic" not in cues and "greeting" not in cues), models_named=len(reading.models), network=reading.network is not None,
        hardware=len({name.mention.name for name in real}) or int(reading.card_memory_gb is not None),
        other_clouds=bool(reading.other_clouds),
        places=tuple(name.start for name in real), bare_memory=not real and reading.card_memory_gb is not None,
        unknown=any(not name.mention.known for name in real),
        memory_of_card=any(name.mention.memory_gb is not None for name in real),
        dtypes=len(reading.weight_dtypes), billings=len(reading.billing),
        quantity=bool(reading.context or reading.concurrency or reading.batch or reading.crop) or asks_of_one_token(reading.normal.lower()),
        training=is_training(hits), budget=reading.budget is not None, duration=bool(reading.hours or reading.months),
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
    has_subject = bool(reading.models or reading.config_json or reading.network)
    missing = [] if has_subject else ["model"]
    if reading.job is not None and not reading.job.startswith("llm"):
        return missing
    if reading.weight_dtype is None and reading.method is None:
        missing.append("precision")
    if reading.context is None:
        missing.append("context")
    if reading.concurrency is None and reading.job != "llm_training":
        missing.append("concurrency")
    return missing


def _of_kind(named: list[Named], kind: str) -> list[NameMention]:
    """Mentions of one kind, each name once; the one with a memory size or a count is kept."""
    kept: dict[str, NameMention] = {}
    for name in named:
        if name.kind == kind:
            before = kept.get(name.mention.name)
            if before is None or (before.memory_gb is None and before.count is None):
                kept[name.mention.name] = name.mention
    return list(kept.values())


def _card_memory(named: list[Named]) -> float | None:
    return next((name.mention.memory_gb for name in named if name.kind == "memory"), None)


def _gpus(named: list[Named], quantities: Quantities) -> int | None:
    """Cards wished for: as said, or the count of the one card named."""
    counted = [name.mention for name in named if name.kind in ("card", "memory")]
    if quantities.gpus is not None:
        return quantities.gpus
    return counted[0].count if len({mention.name for mention in counted}) == 1 else None


def _machines(named: list[Named]) -> int | None:
    """How many of the one family or type named ("2 台 gn7e")."""
    counts = [name.mention.count for name in named if name.kind in ("family", "instance")]
    return counts[0] if len(counts) == 1 else None


def _hours_priced(lower: str, hits: list[Hit]) -> float | None:
    """24 where the price of a day is asked ("per day", "每天多少钱")."""
    if not any(hit.table == "cues" and hit.name == "price" for hit in hits):
        return None
    return 24.0 if re.search(r"(?:per|a|each|/) ?day(?![a-z])|daily|每天|每日|按天|/天", lower) else None


def _months_priced(lower: str, hits: list[Hit]) -> float | None:
    """1 or 12 where the price of a month or a year is asked ("per month", "每月多少钱")."""
    if not any(hit.table == "cues" and hit.name == "price" for hit in hits):
        return None
    if re.search(r"(?:per|a|each|/) ?month|monthly|每个?月|一个月|月费|按月|包月|/月", lower):
        return 1.0
    return 12.0 if re.search(r"(?:per|a|each|/) ?year|yearly|annual|每年|一年|包年(?!包月)|/年", lower) else None


def _weight_dtype(dtypes: Precisions, models: Models, hits: list[Hit]) -> str | None:
    """The precision said, else the one in the model's name, else AMP for training."""
    if dtypes.weights:
        return dtypes.weights[0]
    if models.weight_dtype:
        return models.weight_dtype
    return "amp" if dtypes.mixed and is_training(hits) else None


def _blank_spans(text: str, spans: Iterable[tuple[int, int]]) -> str:
    for start, end in spans:
        text = text[:start] + "\x00" * (end - start) + text[end:]
    return text
