"""CPU families for inference: the smallest type that holds the job, what it may reach, and why others do not suit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import ceil

from knowledge.facts import families, instances
from knowledge.other_facts import CpuFamily, cpu_families
from knowledge.rows import Instance, Model
from tools.phrases import Language, read_phrases, say
from tools.results import TokensPerSecond
from tools.speed.loads import make_loads

from .memory import KV_BYTES, PHRASES, CpuJob
from .results import CpuChoice

BANDWIDTH_SHARE = (0.35, 1.0)
"""Of the share of a socket's bandwidth that the vCPUs of a type have (a judgement; never measured on these types)."""

LEAST_VCPU = 4
"""Below this a model is served too slowly to be of use (a judgement)."""


def choose_families(job: CpuJob, memory_gib: float, *, language: Language) -> list[CpuChoice]:
    """Families that suit, those with a type that fits first, then by memory and by processor."""
    rows = [_choice(row, job, memory_gib, language) for row in cpu_families().values() if row.suits]
    return sorted(rows, key=lambda row: (not row.fits, row.memory_gib or memory_gib, row.arch != "x86_64"))


def not_suited(named: Iterable[str], *, language: Language) -> list[CpuChoice]:
    """Families that do not suit: the storage-enhanced ones that get recommended, and whatever else was named."""
    known = [row for row in cpu_families().values() if not row.suits]
    return [_unsuited(row, language) for row in known] + list(_others(named, language))


def _choice(row: CpuFamily, job: CpuJob, memory_gib: float, language: Language) -> CpuChoice:
    types = sorted(_types(row.family), key=lambda i: (i.memory_gib or 0, i.vcpu))
    large = [i for i in types if (i.memory_gib or 0) >= memory_gib and i.vcpu >= LEAST_VCPU]
    chosen = large[0] if large else None
    reason = row.reason_zh if language == "zh" else row.reason_en
    cautions = [] if chosen else [_why_none(row, types, memory_gib, language)]
    vcpu = chosen.vcpu if chosen else None
    return CpuChoice(
        family=row.family,
        instance_type=chosen.instance_type if chosen else None,
        vcpu=vcpu,
        memory_gib=chosen.memory_gib if chosen else None,
        gib_per_vcpu=row.gib_per_vcpu,
        arch=row.arch,
        kernels=row.kernels,
        fits=chosen is not None,
        tokens_per_s=_speed(row, job, vcpu) if vcpu else None,
        reason=reason,
        cautions=cautions,
        source_ids=list(row.source_ids),
    )


def _types(family: str) -> list[Instance]:
    return [i for i in instances().values() if i.family == family and i.status == "on_sale"]


def _why_none(row: CpuFamily, types: list[Instance], memory_gib: float, language: Language) -> str:
    table, need = read_phrases("tools", PHRASES), ceil(memory_gib)
    if not types:
        vcpu = max(LEAST_VCPU, 2 ** ceil(max(memory_gib / row.gib_per_vcpu, 1.0) - 1).bit_length())
        return say(table, "types_not_listed", language, family=row.family, ratio=row.gib_per_vcpu, need=need, vcpu=vcpu)
    return say(table, "no_type_large_enough", language, family=row.family, largest=f"{types[-1].memory_gib:g}", need=need)


def _speed(row: CpuFamily, job: CpuJob, vcpu: int) -> TokensPerSecond | None:
    """Decode speed of one sequence: bytes that a token reads against the bandwidth of the vCPUs' share."""
    if not isinstance(job.model, Model) or not row.socket_gb_s or not row.socket_vcpus:
        return None
    loads = make_loads(job.model, job.precision, kv_bytes=KV_BYTES)
    read = loads.weight_bytes(1) + loads.cache_bytes(job.context / 2)
    share = row.socket_gb_s * 1e9 * vcpu / row.socket_vcpus
    low, high = (share * part / read for part in BANDWIDTH_SHARE)
    return TokensPerSecond(low=low, high=high)


def _unsuited(row: CpuFamily, language: Language) -> CpuChoice:
    return CpuChoice(
        family=row.family, instance_type=None, vcpu=None, memory_gib=None, gib_per_vcpu=row.gib_per_vcpu, arch=row.arch,
        kernels=row.kernels, fits=False, reason=row.reason_zh if language == "zh" else row.reason_en,
        source_ids=list(row.source_ids),
    )  # fmt: skip


def _others(named: Iterable[str], language: Language) -> Iterator[CpuChoice]:
    table = read_phrases("tools", PHRASES)
    for name in named:
        family = _family_of(name)
        row = families().get(family)
        if family in cpu_families():
            continue
        code = "family_is_gpu" if row is not None and row.gpu_id else "family_unknown"
        yield CpuChoice(
            family=family, instance_type=None, vcpu=None, memory_gib=None, gib_per_vcpu=0, arch="", kernels="", fits=False,
            reason=say(table, code, language, family=family), source_ids=list(row.source_ids) if row else [],
        )  # fmt: skip


def _family_of(name: str) -> str:
    """Family of a type or family as typed."""
    plain = name.strip().lower()
    row = instances().get(plain) or instances().get(f"ecs.{plain}")
    return row.family if row else plain.removeprefix("ecs.").split(".")[0][:40]
