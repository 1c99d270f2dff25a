"""What the catalog and the price table know of a name: a card, a family, a type, or nothing of that name."""

from __future__ import annotations

from collections.abc import Iterable

from knowledge import facts
from knowledge.rows import Family, Gpu, Instance

from .catalog import NameCheck, card_label, exists, instance_words, resolve_card, types_of
from .finder import InstanceListing, find_instances
from .phrases import Language
from .prices import DEFAULT_REGION, NoPrice, all_prices, hourly, why_no_price
from .results import Price, Result
from .usable import usable_gib, usable_is_estimated

SOLD_FIRST = ("on_sale", "contact_sales", "invite_only", "overseas_only", "phased_out", "name_only")


class TypeFacts(Result):
    """One instance type with its price in the region asked for, or why there is none."""

    instance_type: str
    family: str
    cards: str  # in words: "4 × A10 24 GB"
    gpu_id: str
    gpu_count: int
    gpu_memory_gb_each: float | None
    gpu_memory_gb_total: float | None
    vcpu: int
    memory_gib: float | None
    network_gbps: float | None
    rdma: str
    rdma_gbps: float | None
    nvlink: bool
    status: str
    price: Price | None
    no_price: str | None
    monthly: Price | None = None  # a subscription listed in the region, in a search
    prices: list[Price] = []  # all kinds of billing and regions on record, only where asked for
    source_ids: list[str]


class CardFacts(Result):
    """One card. `families` are those that carry it, those on sale first."""

    gpu_id: str
    label: str
    architecture: str
    compute_capability: float | None
    memory_gb: float
    usable_gib: float
    usable_is_estimated: bool
    memory_bandwidth_gb_s: float | None
    fp16_tflops: float | None
    int8_tops: float | None
    fp8_tflops: float | None
    bf16: bool | None
    fp8: bool | None
    nvlink_gb_s: float | None
    families: list[str]
    source_ids: list[str]


class FamilyFacts(Result):
    """One family in words; its types stand in `Described.types`."""

    family: str
    kind: str
    generation: int
    card: str
    status: str
    nvlink: bool
    rdma: str
    summary: str
    best_for: str
    source_ids: list[str]


class Described(Result):
    """One name: whether it is known, and what is known of it."""

    name: str
    check: NameCheck
    cards: list[CardFacts] = []
    family: FamilyFacts | None = None
    types: list[TypeFacts] = []


def describe(
    name: str, *, region: str = DEFAULT_REGION, language: Language = "en", with_prices: bool = False
) -> Described:
    """Everything on record about a name, the types of a card or family by price. Never raises for an unknown name."""
    check = exists(name)
    if check.kind == "instance" and check.known:
        row = facts.instances()[check.name]
        types = [type_facts(row, region=region, language=language, with_prices=with_prices)]
        return Described(name=name, check=check, cards=_card_of(row, language), types=types)
    if check.kind == "family" and check.known:
        family = facts.families()[check.name]
        listed = [
            type_facts(row, region=region, language=language, with_prices=with_prices) for row in types_of(family.family)
        ]
        cards = [_card_facts(facts.gpus()[family.gpu_id], language)] if family.gpu_id else []
        return Described(name=name, check=check, cards=cards, family=_family_facts(family, language),
                         types=sorted(listed, key=_by_price))  # fmt: skip
    gpus = resolve_card(name) if check.kind == "card" else ()
    carrying = find_instances(region=region, gpu_id=[gpu.gpu_id for gpu in gpus], vgpu=False) if gpus else []
    rows = [listing_facts(row, language=language) for row in carrying]
    if with_prices:
        rows = [row.model_copy(update={"prices": all_prices(row.instance_type)}) for row in rows]
    return Described(
        name=name,
        check=check,
        cards=[_card_facts(gpu, language) for gpu in gpus],
        types=rows,
    )


def type_facts(
    row: Instance, *, region: str = DEFAULT_REGION, language: Language = "en", with_prices: bool = False
) -> TypeFacts:
    """One row of the catalog in words, with its hourly price in `region`."""
    price = hourly(row.instance_type, region=region)
    found = None if isinstance(price, NoPrice) else price
    missing = why_no_price(price, language) if isinstance(price, NoPrice) else None
    prices = all_prices(row.instance_type) if with_prices else []
    return _type_facts(row, found, missing, prices, language)


def listing_facts(listing: InstanceListing, *, language: Language) -> TypeFacts:
    """A search result in words."""
    missing = why_no_price(listing.no_price, language) if listing.no_price else None
    found = _type_facts(listing.instance, listing.price, missing, [], language)
    return found if listing.monthly is None else found.model_copy(update={"monthly": listing.monthly})


def families_with(gpu_id: str) -> list[str]:
    """Families that carry a card, those on sale first."""
    rows = [row for row in facts.families().values() if row.gpu_id == gpu_id]
    return [row.family for row in sorted(rows, key=lambda row: SOLD_FIRST.index(row.status))]


def _type_facts(
    row: Instance, price: Price | None, missing: str | None, prices: Iterable[Price], language: Language
) -> TypeFacts:
    return TypeFacts(
        instance_type=row.instance_type,
        family=row.family,
        cards=instance_words(row, language),
        gpu_id=row.gpu_id,
        gpu_count=row.gpu_count,
        gpu_memory_gb_each=row.gpu_memory_gb_each,
        gpu_memory_gb_total=row.gpu_memory_gb_total,
        vcpu=row.vcpu,
        memory_gib=row.memory_gib,
        network_gbps=row.network_gbps,
        rdma=row.rdma,
        rdma_gbps=row.rdma_gbps,
        nvlink=row.nvlink,
        status=row.status,
        price=price,
        no_price=missing,
        prices=list(prices),
        source_ids=list(row.source_ids),
    )


def _by_price(row: TypeFacts) -> tuple[bool, float, int, int]:
    return (row.price is None, float(row.price.amount) if row.price else 0.0, row.gpu_count, row.vcpu)


def _card_of(row: Instance, language: Language) -> list[CardFacts]:
    return [_card_facts(facts.gpus()[row.gpu_id], language)] if row.gpu_id else []


def _card_facts(gpu: Gpu, language: Language) -> CardFacts:
    return CardFacts(
        gpu_id=gpu.gpu_id,
        label=card_label(gpu, language),
        architecture=gpu.architecture,
        compute_capability=gpu.compute_capability,
        memory_gb=gpu.memory_gb,
        usable_gib=usable_gib(gpu),
        usable_is_estimated=usable_is_estimated(gpu),
        memory_bandwidth_gb_s=gpu.memory_bandwidth_gb_s,
        fp16_tflops=gpu.fp16_tflops,
        int8_tops=gpu.int8_tops,
        fp8_tflops=gpu.fp8_tflops,
        bf16=gpu.bf16,
        fp8=gpu.fp8,
        nvlink_gb_s=gpu.nvlink_gb_s,
        families=families_with(gpu.gpu_id),
        source_ids=list(gpu.source_ids),
    )


def _family_facts(row: Family, language: Language) -> FamilyFacts:
    return FamilyFacts(
        family=row.family,
        kind=row.kind,
        generation=row.generation,
        card=card_label(facts.gpus()[row.gpu_id], language) if row.gpu_id else "",
        status=row.status,
        nvlink=row.nvlink,
        rdma=row.rdma,
        summary=row.summary_zh if language == "zh" else row.summary_en,
        best_for=row.best_for_zh if language == "zh" else row.best_for_en,
        source_ids=list(row.source_ids),
    )
