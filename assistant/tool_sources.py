"""What a finding cites: the rows and passages behind each figure, as sources with their excerpt."""

from __future__ import annotations

from collections.abc import Iterable

from knowledge import facts
from tools.cpu.results import CpuSizing
from tools.describe import Described, TypeFacts
from tools.jobs.results import JobSizing
from tools.phrases import Language
from tools.results import Price, Recommendation
from tools.sizing_results import LlmSizing
from tools.speed.need_results import SpeedAnswer

from .evidence import SourceRef
from .found import FoundPassage


def passage_sources(passage: FoundPassage) -> Iterable[SourceRef]:
    """Of one passage found; of an added document also the facts that its wrong statements are held against."""
    if passage.kind != "document":
        yield from (SourceRef(source_id=s, excerpt=f"{passage.title}: {passage.point}") for s in passage.source_ids)
        return
    for source_id in passage.source_ids:
        yield SourceRef(
            source_id=source_id, excerpt=passage.text, title=passage.document, published_on=passage.published_on, trust=passage.trust
        )
    for statement in passage.statements:
        if statement.verdict != "true":
            yield from (SourceRef(source_id=s, excerpt=statement.fact) for s in statement.source_ids)


def sizing_sources(sizing: LlmSizing) -> Iterable[SourceRef]:
    """Of a sizing of a language model: its shape, the account, prices, cards."""
    model, totals = sizing.model, sizing.totals
    shape = (
        f"{model.model_id}: {model.params_billion:.2f}B parameters, {model.layers} layers, {model.kv_heads} KV heads, "
        f"{model.attention}; weights {totals.weights_gib:.1f} GiB in {sizing.weight_dtype}, "
        f"KV cache {totals.kv_kib_per_token:g} KiB per token"
    )
    yield from (SourceRef(source_id=s, excerpt=shape) for s in model.source_ids)
    account = ", ".join(f"{name} {value:.2f} GiB" for name, value in sizing.estimate.parts.items())
    yield SourceRef(source_id="vllm-startup-logs", excerpt=f"vLLM's start-up account, per GPU: {account}")
    rows = [*sizing.advice.recommendations, *sizing.advice.multi, *sizing.advice.near_misses[:4]]
    rows += [row for row in (sizing.full_load, sizing.replicas and sizing.replicas.machine) if row]
    yield from pick_sources(rows)
    for check in [*sizing.checks, *([sizing.ruled_out] if sizing.ruled_out else [])]:
        yield from gpu_sources(check.gpu_id)
    yield from (SourceRef(source_id=s) for s in sizing.source_ids if s in facts.sources())


def job_sources(sizing: JobSizing) -> Iterable[SourceRef]:
    """Of a sizing of any other job: the sum, prices, cards."""
    account = ", ".join(f"{name} {value:.2f} GiB" for name, value in sizing.estimate.parts.items())
    line = f"{sizing.subject}, {sizing.job}, per GPU: {account} ({sizing.estimate.basis})"
    yield from (SourceRef(source_id=s, excerpt=line) for s in sizing.estimate.source_ids)
    advice = sizing.advice
    yield from pick_sources([*advice.recommendations, *advice.multi, *advice.near_misses[:4]])
    for gpu_id in dict.fromkeys([*(c.gpu_id for c in sizing.checks), *(s.gpu_id for s in sizing.solved)]):
        yield from gpu_sources(gpu_id)
    yield from (SourceRef(source_id=s) for s in sizing.source_ids if s in facts.sources())


def speed_sources(answer: SpeedAnswer) -> Iterable[SourceRef]:
    """Of machines for a wished speed: what the speed rests on, prices, cards."""
    for row in answer.machines[:4]:
        line = f"{row.instance_type}: {row.speed.tokens_per_s.best:.0f} tokens/s in all by the roofline, efficiency fitted on published tables"
        yield from (SourceRef(source_id=s, excerpt=line) for s in row.speed.source_ids)
        if row.price:
            yield price_source(row.instance_type, row.price)
        yield from gpu_sources(row.gpu_id)
    yield from (SourceRef(source_id=s) for s in answer.source_ids if s in facts.sources())


def cpu_sources(sizing: CpuSizing) -> Iterable[SourceRef]:
    """Of a sizing of inference on a CPU: the sum and the families."""
    account = ", ".join(f"{name} {value:.2f} GiB" for name, value in sizing.estimate.parts.items())
    line = f"{sizing.subject}, main memory: {account}"
    yield from (SourceRef(source_id=s, excerpt=line) for s in sizing.estimate.source_ids)
    for choice in [*sizing.families, *sizing.not_suited]:
        yield from (SourceRef(source_id=s, excerpt=f"{choice.family}: {choice.reason}") for s in choice.source_ids)


def pick_sources(rows: Iterable[Recommendation]) -> Iterable[SourceRef]:
    """Of recommended machines: their prices and their rows of the catalog."""
    for row in rows:
        for price in ([row.price] if row.price else []) + list(row.prices):
            yield price_source(row.instance_type, price)
        instance = facts.instances()[row.instance_type]
        status = f"{row.instance_type}: {instance.vcpu} vCPU, {instance.memory_gib} GiB, {row.gpu_count} GPU, {row.status}"
        yield from (SourceRef(source_id=s, excerpt=status) for s in instance.source_ids)


def gpu_sources(gpu_id: str) -> Iterable[SourceRef]:
    """Of one card."""
    gpu = facts.gpus()[gpu_id]
    line = f"{gpu.name}: {gpu.memory_gb:g} GB, {gpu.usable_mib or '?'} MiB in nvidia-smi, {gpu.memory_bandwidth_gb_s or '?'} GB/s"
    yield from (SourceRef(source_id=s, excerpt=line) for s in gpu.source_ids)


def described_sources(item: Described, language: Language) -> Iterable[SourceRef]:
    """Of what the catalog says of a name."""
    fact = item.check.fact_zh if language == "zh" else item.check.fact_en
    yield from (SourceRef(source_id=s, excerpt=fact) for s in item.check.source_ids)
    for card in item.cards:
        yield from gpu_sources(card.gpu_id)
    yield from type_sources(item.types)


def type_sources(rows: Iterable[TypeFacts]) -> Iterable[SourceRef]:
    """Of instance types and their prices."""
    for row in rows:
        line = f"{row.instance_type}: {row.cards}, {row.vcpu} vCPU, {row.memory_gib} GiB, {row.status}"
        yield from (SourceRef(source_id=s, excerpt=line) for s in row.source_ids)
        if row.price:
            yield price_source(row.instance_type, row.price)


def price_source(instance_type: str, price: Price) -> SourceRef:
    """Of one price."""
    figure = f"{price.amount}" + (f"–{price.amount_high}" if price.amount_high is not None else "")
    line = f"{instance_type}, {price.region}, {price.billing}: {figure} {price.currency}/{price.per}, {price.as_of}"
    return SourceRef(source_id=price.source_id, excerpt=line)
