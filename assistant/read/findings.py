"""Puts together what the finders find: a Reading without its intents."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from .api_price import find_api_rate
from .apple import find_mac
from .asks import find_asks, find_site
from .belong import SERVED, fit_to_job
from .language import find_language
from .lexicon import Hit, lexicon
from .methods import (
    TUNING,
    find_engine,
    find_job,
    find_method,
    find_methods,
    is_training,
    names_of,
    speaks_of_cpu,
)
from .models import Models, find_model_mentions, without_api
from .money import find_budget, is_budget_of_nothing
from .names import Named, blank, find_names
from .networks import NetworkMention, find_networks, find_task, names_network
from .numbers import asks_of_one_token
from .others import blank_closed, find_closed, find_clouds
from .owned import is_owned
from .precision import Precisions, find_precisions
from .quantities import Quantities, read_quantities
from .reading import NameMention, Reading
from .regions import find_regions
from .solve import find_solve
from .subjects import (
    SubjectMention,
    find_subjects,
    modality_of,
    names_of_kind,
    with_encoders,
    without_subjects,
)
from .switches import Switches, find_switches, offload_of
from .variants import listed_networks
from .volumes import Volumes, find_volumes
from .wishes import find_wish


@dataclass(frozen=True, slots=True)
class Found:
    """A reading without its intents, and what its finders found."""

    reading: Reading
    named: list[Named]
    hits: list[Hit]
    subject: bool  # a model of pictures or sound that a table has


def find_all(text: str, normal: str, config: str | None) -> Found:
    """Everything that the finders find in `text`, normalised as `normal`, the config.json cut out."""
    lower = normal.lower() if len(normal.lower()) == len(normal) else normal
    named, hits, switches = find_names(lower), lexicon().scan(normal), find_switches(normal)
    api = find_api_rate(blank(lower, named))
    volumes = find_volumes(_blank_spans(blank(lower, named), api[1] if api else []), training=is_training(hits), priced=api is not None)
    told = [*(api[1] if api else []), *volumes.spans]
    open_names = _blank_spans(blank_closed(blank(normal, named), hits), told)
    subjects = find_subjects(open_names, hits)
    models = with_encoders(without_subjects(find_model_mentions(open_names), subjects), subjects)
    models = without_api(models, open_names) if api else models
    open_text = _blank_spans(blank(lower, named), [*told, *models.spans, *((subject.start, subject.end) for subject in subjects)])
    budget = find_budget(open_text, priced=bool(named))
    if budget:
        open_text = _blank_spans(open_text, [budget[1]])
    dtypes = find_precisions(_blank_spans(normal, [*told, *models.spans, *_stretches(switches.hits, "optimizer")]))
    quantities = read_quantities(_blank_spans(open_text, _stretches(switches.hits, *_WITH_DIGITS)))
    modality, solve = _modality(models, subjects), find_solve(lower)
    networks = listed_networks(normal, find_networks(normal, hits)) if not (models.mentions or subjects) else []
    hits = _without_names(hits, [*subjects, *networks])
    job = find_job(
        hits, modality=modality, has_network=bool(networks) or (names_network(hits) and not (models.mentions or subjects)),
        sized=bool(models.mentions) or config is not None,
        batched=quantities.batch is not None or solve == "batch",
        about_llm=bool(quantities.context or quantities.concurrency) or asks_of_one_token(lower),
        adapters="lora_adapters" in quantities.counts,
        on_cpu=speaks_of_cpu(lower) and not named,
        settings=switches.of_training or bool(_OF_TRAINING & set(quantities.counts)),
    )  # fmt: skip
    reading = Reading(
        text=text, normal=normal, language=find_language(normal), intents=["guidance"], job=job,
        models=list(models.mentions), config_json=config, closed_models=find_closed(hits),
        diffusion_models=names_of_kind("diffusion", subjects, models),
        speech_models=names_of_kind("speech", subjects, models),
        network=networks[0].text if networks else None, networks=[network.text for network in networks],
        budget=budget[0] if budget else None, solve=solve, owned=is_owned(open_text, named),
        weight_dtype=_weight_dtype(dtypes, models, hits), weight_dtypes=list(dtypes.weights), kv_dtype=dtypes.kv,
        task=find_task(hits, networks), amp=_amp(switches, dtypes, job), inference=_serves(hits),
        method=_tuning(find_method(hits, dtypes.weights)), methods=find_methods(hits), absurd=list(dict.fromkeys([*models.absurd, *quantities.absurd, *_negative_cards(lower), *_no_budget(lower)])),
        **_of_hardware(named, quantities), **_of_switches(switches, job), **_of_words(normal, lower, hits),
        api=api[0] if api else None, **_of_volumes(volumes),
    ).model_copy(update=_of_amounts(quantities, _blank_spans(lower, [*told, *([budget[1]] if budget else [])]), hits))
    reading = _with_asks(_on_mac(reading, lower), lower, hits)
    return Found(fit_to_job(reading, side=quantities.side, memory_gib=quantities.memory_gib, seconds=quantities.seconds), named, hits, any(subject.known for subject in subjects))


def _of_volumes(volumes: Volumes) -> dict[str, Any]:
    return {name: getattr(volumes, name) for name in ("tokens_per_month", "input_per_month", "output_per_month", "training_tokens")}


def _with_asks(reading: Reading, lower: str, hits: list[Hit]) -> Reading:
    """The reading with what of costs and orders it asks, and of which site."""
    asks = find_asks(reading, lower, {hit.name for hit in hits if hit.table == "cues"})
    return reading.model_copy(update={"asks": asks, "site": find_site(reading, lower)})


def _on_mac(reading: Reading, lower: str) -> Reading:
    """The reading with a Mac as what it is: a machine of one's own with one memory, run as without a card."""
    mac = find_mac(lower)
    if mac is None or reading.cards or reading.families or reading.instances:
        return reading
    job = "cpu_inference" if reading.job in SERVED else reading.job
    return reading.model_copy(update={"unified": True, "owned": True, "job": job, "ram_gib": mac.memory_gib or reading.ram_gib, "card_memory_gb": None, "gpus": None})


def _of_hardware(named: list[Named], quantities: Quantities) -> dict[str, Any]:
    return {
        "cards": _of_kind(named, "card"), "families": _of_kind(named, "family"), "instances": _of_kind(named, "instance"),
        "card_memory_gb": _card_memory(named), "gpus": _gpus(named, quantities),
        "machines": quantities.machines or _machines(named),
    }  # fmt: skip


_NEGATIVE = re.compile(r"(?:(?<![a-z0-9\u4e00-\u9fff.\-)])|(?<=[用要有租买开]))[-−]\s?\d{1,4}\s?(?:张|块|片|个|x|×|\*|gpus?|cards?)(?![a-z])")


def _negative_cards(lower: str) -> list[str]:
    """A count of cards below zero: "用 -3 张 A100"."""
    return [f"negative_quantity:{match.group().strip()}" for match in _NEGATIVE.finditer(lower)]


def _no_budget(lower: str) -> list[str]:
    return ["zero_budget:0"] if is_budget_of_nothing(lower) else []


_AMOUNTS = (
    "context", "contexts", "concurrency", "concurrencies", "people", "batch", "tensor_parallel", "disk_gib", "ram_gib",
    "crop", "input_tokens", "output_tokens", "utilization", "video_seconds",
)  # fmt: skip


def _of_amounts(quantities: Quantities, lower: str, hits: list[Hit]) -> dict[str, Any]:
    months = quantities.months or (None if quantities.hours else _months_priced(lower, hits))
    time = {"hours": quantities.hours or _hours_priced(lower, hits), "months": months, "hours_per_month": quantities.hours_per_month}
    return {name: getattr(quantities, name) for name in _AMOUNTS} | quantities.rates | quantities.counts | time


def _of_switches(switches: Switches, job: str | None) -> dict[str, Any]:
    names = ("objective", "optimizer", "checkpointing", "sharding", "packing", "flash_attention", "cross_entropy", "enforce_eager", "expert_parallel")
    return {name: getattr(switches, name) for name in names} | {"offload": offload_of(switches, job)}


def _of_words(normal: str, lower: str, hits: list[Hit]) -> dict[str, Any]:
    regions = find_regions(normal)
    return {
        "region": next(iter(regions), None), "regions": regions, "billing": names_of(hits, "billing"),
        "engine": find_engine(hits), "topics": _topics(hits), "features": names_of(hits, "features"),
        "wish": find_wish(normal, hits), "other_clouds": find_clouds(lower),
    }  # fmt: skip


_WITH_DIGITS = ("optimizer", "sharding", "flash", "objective")
"""Settings whose digits count nothing: ZeRO-3, 8-bit Adam, FlashAttention-2."""
_OF_TRAINING = {"lora_rank", "accumulate", "global_batch"}


def _stretches(hits: Iterable[Hit], *tables: str) -> list[tuple[int, int]]:
    return [(hit.start, hit.end) for hit in hits if hit.table in tables]


def _modality(models: Models, subjects: Sequence[SubjectMention]) -> str | None:
    """Of the models of the table, where the first is known; else of a name known as a word."""
    known = models.modality if any(mention.model_id for mention in models.mentions) else None
    return known or modality_of(subjects) or models.modality


def _amp(switches: Switches, dtypes: Precisions, job: str | None) -> bool | None:
    """Mixed precision as said; training a network "in fp16" is meant so, in fp32 it is not."""
    if switches.amp is not None or job != "vision_training" or not dtypes.weights:
        return switches.amp
    return dtypes.weights[0] in ("fp16", "bf16")


def _tuning(method: str | None) -> str | None:
    """What of the weights is trained; RLHF, DPO and pre-training are objectives."""
    return method if method in TUNING else None


def _without_names(hits: list[Hit], mentions: Sequence[SubjectMention | NetworkMention]) -> list[Hit]:
    """The hits without wishes that are a part of a name: faster-whisper, Faster R-CNN."""
    return [hit for hit in hits if hit.table != "wishes" or not any(one.start <= hit.start < one.end for one in mentions)]


def _serves(hits: list[Hit]) -> bool | None:
    """Whether serving is said (True) or training (False)."""
    if is_training(hits):
        return False
    return True if {"inference", "running"} & set(names_of(hits, "jobs")) else None


def _topics(hits: list[Hit]) -> list[str]:
    """Topics of the table; a rate ("QPS 5") makes speed one of them."""
    return list(dict.fromkeys([*names_of(hits, "topics"), *names_of(hits, "rates")]))


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
