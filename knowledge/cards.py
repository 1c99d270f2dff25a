"""Generated cards: one per family, GPU, model and disk level, in both languages, from the fact tables.

They let search find a figure by its words. Sentences stand in data/cards.toml; a figure that is unknown is left
out, never guessed. They are made of the shipped tables alone, as their vectors are: a refresh changes no card.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from . import facts
from .rows import Disk, Family, Gpu, GpuNames, Instance, Model
from .tables import read_data

LANGUAGES = ("zh", "en")


@dataclass(frozen=True, slots=True)
class Card:
    """Plain sentences on one subject. `point` is the summary line."""

    kind: str  # family | gpu | model | disk
    subject: str  # id of the row
    lang: str
    title: str
    point: str
    body: str
    source_ids: tuple[str, ...]
    topics: tuple[str, ...]
    asked_as: tuple[str, ...] = ()


@cache
def cards() -> tuple[Card, ...]:
    """All cards, Chinese beside English, in the order of the tables."""
    return tuple(_all_cards())


def _all_cards() -> Iterator[Card]:
    for lang in LANGUAGES:
        yield from (family_card(row, lang) for row in facts.shipped_families().values())
        yield from (gpu_card(row, lang) for row in facts.gpus().values())
        yield from (model_card(row, lang) for row in facts.models().values())
        yield from (disk_card(row, lang) for row in facts.disks().values())


def family_card(row: Family, lang: str) -> Card:
    label = _gpu_label(row.gpu_id, lang)
    types = [one for one in facts.shipped_instances().values() if one.family == row.family]
    sentences = [
        _say("family.best_for", lang, best_for=_in(row, "best_for", lang)) if row.best_for_en else "",
        _say("family.counts", lang, counts=" / ".join(row.gpu_counts)) if row.gpu_counts else "",
        _types(types, lang),
        *(_links(row, lang) if row.status != "name_only" and row.gpu_id else ()),
        row.note if lang == "en" else "",
        _say("family.read_on", lang, day=facts.CATALOG_READ_ON),
    ]
    return Card(
        kind="family",
        subject=row.family,
        lang=lang,
        title=_say("family.title" if label else "family.title_cpu", lang, family=row.family, gpu=label),
        point=_say(
            "family.point",
            lang,
            family=row.family,
            summary=_in(row, "summary", lang),
            status=_say(f"status.{row.status}", lang),
        ),
        body=_join(sentences, lang),
        source_ids=row.source_ids,
        topics=("family", "gpu") if row.gpu_id else ("family", "cpu"),
    )


def gpu_card(row: Gpu, lang: str) -> Card:
    label = _gpu_label(row.gpu_id, lang) or row.name
    carried = [one.family for one in facts.shipped_families().values() if one.gpu_id == row.gpu_id]
    bandwidth = row.memory_bandwidth_gb_s
    sentences = [
        _say("gpu.usable", lang, usable=row.usable_mib / 1024) if row.usable_mib else "",
        _say("gpu.fp32", lang, tflops=row.fp32_tflops) if row.fp32_tflops else "",
        _say("gpu.fp16", lang, tflops=row.fp16_tflops) if row.fp16_tflops else "",
        _either("gpu.bf16", row.bf16, lang),
        _either("gpu.fp8", row.fp8, lang),
        _nvlink(row, lang),
        _say("gpu.mig", lang) if row.mig else "",
        _say("gpu.families", lang, families=", ".join(carried))
        if carried
        else _say("gpu.no_families", lang, day=facts.CATALOG_READ_ON),
        row.note if lang == "en" else "",
    ]
    return Card(
        kind="gpu",
        subject=row.gpu_id,
        lang=lang,
        title=_say("gpu.title", lang, label=label),
        point=_say(
            "gpu.point",
            lang,
            label=label,
            memory=row.memory_gb,
            architecture=row.architecture,
            bandwidth=_say("gpu.bandwidth", lang, bandwidth=bandwidth) if bandwidth else "",
        ),
        body=_join(sentences, lang),
        source_ids=row.source_ids,
        topics=("gpu", "memory"),
    )


def model_card(row: Model, lang: str) -> Card:
    active = row.params_active if row.params_active != row.params_total else None
    sentences = [
        _say("model.kind", lang, modality=_say(f"modality.{row.modality}", lang), family=row.family),
        _shape(row, lang),
        _experts(row, lang),
        _say("model.dtype", lang, dtype=row.native_dtype) if row.native_dtype else "",
        _say("model.licence", lang, licence=row.licence) if row.licence else "",
        row.note if lang == "en" else "",
    ]
    return Card(
        kind="model",
        subject=row.id,
        lang=lang,
        title=_say("model.title", lang, model=row.id),
        point=_say(
            "model.point",
            lang,
            model=row.id,
            params=_count(row.params_total),
            active=_say("model.active", lang, active=_count(active)) if active else "",
            context=_say("model.context", lang, context=row.max_context) if row.max_context else "",
            weights=row.params_total * 2 / 1e9,
        ),
        body=_join(sentences, lang),
        source_ids=row.source_ids,
        topics=("llm", "memory") if row.modality in ("text", "vision-language") else ("memory",),
    )


def disk_card(row: Disk, lang: str) -> Card:
    note = row.note if lang == "en" else _phrases()["disk_note"].get(row.level, "")
    gib = row.min_size_gib
    minimum = _say("disk.minimum", lang, gib=gib) if gib else ""
    kind = "point" if row.max_throughput_mb_s else "point_iops" if row.max_iops else "point_plain"
    return Card(
        kind="disk",
        subject=row.level,
        lang=lang,
        title=_say("disk.title", lang, level=row.level),
        point=_say(
            f"disk.{kind}",
            lang,
            level=row.level,
            iops=row.max_iops,
            throughput=row.max_throughput_mb_s,
            minimum=minimum,
            note=note,
        ),
        body=note,
        source_ids=row.source_ids,
        topics=("disk",),
    )


def _types(types: list[Instance], lang: str) -> str:
    if not types:
        return ""
    names = ", ".join(one.instance_type for one in types)
    said = _say("family.types", lang, n=len(types), types=names)
    sized = sorted((one for one in types if one.memory_gib), key=lambda one: (one.vcpu, one.memory_gib))
    if not sized:
        return said
    small, large = sized[0], sized[-1]
    return _join([said, _size(small, large, lang)], lang)


def _size(small: Instance, large: Instance, lang: str) -> str:
    if small is large:
        return _say("family.only_size", lang, vcpu=small.vcpu, memory=small.memory_gib)
    return _say(
        "family.size",
        lang,
        small=small.instance_type,
        vcpu=small.vcpu,
        memory=small.memory_gib,
        large=large.instance_type,
        vcpu2=large.vcpu,
        memory2=large.memory_gib,
    )


def _links(row: Family, lang: str) -> tuple[str, str]:
    several = any(count not in ("1",) and "/" not in count for count in row.gpu_counts)
    nvlink = _either("family.nvlink", row.nvlink, lang) if several else ""
    return nvlink, _say(f"family.rdma_{row.rdma}", lang)


def _nvlink(row: Gpu, lang: str) -> str:
    if row.nvlink_gb_s is None:
        return ""
    return _say("gpu.nvlink" if row.nvlink_gb_s else "gpu.no_nvlink", lang, nvlink=row.nvlink_gb_s)


def _shape(row: Model, lang: str) -> str:
    if not (row.layers and row.hidden_size and row.heads and row.kv_heads and row.head_dim):
        return ""
    return _say(
        "model.shape",
        lang,
        layers=row.layers,
        hidden=row.hidden_size,
        heads=row.heads,
        kv_heads=row.kv_heads,
        head_dim=row.head_dim,
        attention=str((row.attention or {}).get("type", "?")).upper(),
    )


def _experts(row: Model, lang: str) -> str:
    if not row.moe or not row.moe.get("num_experts"):
        return ""
    return _say(
        "model.experts",
        lang,
        experts=row.moe.get("num_experts"),
        used=row.moe.get("experts_per_token"),
    )


def _count(parameters: int) -> str:
    return f"{parameters / 1e9:.1f}B" if parameters >= 1e9 else f"{parameters / 1e6:.0f}M"


@cache
def _phrases() -> dict[str, Any]:
    return tomllib.loads(read_data("cards.toml"))


@cache
def _labels() -> dict[str, GpuNames]:
    return {row.gpu_id: row for row in facts.gpu_names() if row.gpu_id}


def _gpu_label(gpu_id: str, lang: str) -> str:
    row = _labels().get(gpu_id)
    return (row.label_zh if lang == "zh" else row.label_en) if row else ""


def _say(code: str, lang: str, **arguments: object) -> str:
    group, name = code.split(".")
    phrase: str = _phrases()[group][name][lang]
    return phrase.format(**arguments)


def _either(code: str, value: bool | None, lang: str) -> str:
    return "" if value is None else _say(f"{code}_{'yes' if value else 'no'}", lang)


def _in(row: Family, field: str, lang: str) -> str:
    return str(getattr(row, f"{field}_{lang}"))


def _join(sentences: list[str], lang: str) -> str:
    return ("" if lang == "zh" else " ").join(sentence for sentence in sentences if sentence)
