"""Advice against brute force over the whole catalog, and the rules of ranking one by one. No model is involved."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from knowledge.errors import InputError, UnknownInstance
from knowledge.facts import gpus, instances, price_rows, sources
from knowledge.rows import Gpu, Instance
from tools.advise import Advice, Wish, advise
from tools.offers import NO_NVLINK_GAIN, Offer, rank, tier
from tools.prices import NoPrice, hourly
from tools.results import Band, Estimate, Price, TokensPerSecond

UTILIZATION = 0.9
PHRASES = "phrases/advise.toml"


@dataclass(frozen=True)
class Job:
    """A job of so many GiB that are cut over the cards, and so many that each card bears."""

    cut_gib: float
    each_gib: float = 2.0
    error: float = 0.05
    needs: Callable[[Gpu], bool] = field(default=lambda gpu: True)
    biggest: int = 1024  # cards it can be cut over
    loads_gib: float = 0.0
    disk: float = 100.0

    @property
    def disk_gib(self) -> float:
        return self.disk

    @property
    def host_memory_gib(self) -> float:
        return self.loads_gib

    def per_gpu(self, cards: int) -> float:
        return self.cut_gib / cards + self.each_gib

    def estimates(self, gpu: Gpu, gpus: int) -> tuple[Estimate, ...]:
        ways = [
            n for n in (1, 2, 4, 8, 16, 24, 32, 48, 64, 96, 128) if n <= min(gpus, self.biggest)
        ]
        return tuple(self._estimate(n) for n in ways)

    def blocked(self, gpu: Gpu) -> str | None:
        return None if self.needs(gpu) else "arm"

    def cautions(self, gpu: Gpu, gpus: int) -> list[str]:
        return ["few_vcpu"] if gpus > 1 and not gpu.nvlink_gb_s else []

    def _estimate(self, cards: int) -> Estimate:
        best = self.per_gpu(cards)
        band = Band(low=best * (1 - self.error), best=best, high=best * (1 + self.error))
        return Estimate(job="llm_inference", per_gpu_gib=band, gpus=cards, parts={"all": best})


def ask(job: Job, wish: Wish | None = None, language: Literal["zh", "en"] = "en") -> Advice:
    return advise(job, wish, language=language, phrase_table=PHRASES)


# ---- brute force: the rules of the design, written again in the plainest way


def fits(job: Job, row: Instance) -> bool:
    card = gpus().get(row.gpu_id)
    if card is None or card.compute_capability is None or row.vgpu or not job.needs(card):
        return False
    usable = 0.94 * card.memory_gb if card.usable_mib is None else card.usable_mib / 1024 - 0.2
    cards = max(n for n in (1, 2, 4, 8) if n <= min(row.gpu_count, job.biggest))
    enough_host = row.memory_gib is None or row.memory_gib >= job.loads_gib / 2
    return job.per_gpu(cards) <= UTILIZATION * usable and enough_host


def listed(region: str) -> dict[str, Decimal]:
    return {
        row.instance_type: row.amount
        for row in price_rows()
        if (row.region, row.billing, row.currency) == (region, "payg", "CNY")
    }


def cheapest_by_force(job: Job, region: str) -> Decimal | None:
    amounts = listed(region)
    return min(
        (
            amounts[row.instance_type]
            for row in instances().values()
            if row.instance_type in amounts and row.status == "on_sale" and fits(job, row)
        ),
        default=None,
    )


def check_against_force(job: Job, region: str) -> None:
    advice = ask(job, Wish(region=region))
    expected = cheapest_by_force(job, region)
    if expected is None:
        assert advice.cheapest is None
        return
    first = advice.recommendations[0]
    assert (first.instance_type, listed(region)[first.instance_type]) == (
        advice.cheapest,
        expected,
    )
    assert first.price is not None
    assert first.price.amount == expected


JOBS = [
    Job(cut, each, biggest=biggest, loads_gib=loads)
    for cut, each in [(1, 1), (8, 2), (14.5, 2), (15, 3), (28, 4), (65, 6), (140, 8), (270, 10), (600, 5), (700, 1)]
    for biggest, loads in [(1024, 0), (1, 20), (4, 140)]
]  # fmt: skip
REGIONS = ["cn-hangzhou", "cn-beijing", "cn-wulanchabu", "us-east-1", "ap-northeast-1"]


@pytest.mark.parametrize("region", REGIONS)
@pytest.mark.parametrize("job", JOBS, ids=lambda j: f"{j.cut_gib}/{j.biggest}+{j.each_gib}")
def test_no_cheaper_type_fits(job: Job, region: str) -> None:
    check_against_force(job, region)


@settings(max_examples=60, deadline=None)
@given(
    cut=st.floats(0.5, 900),
    each=st.floats(0, 20),
    biggest=st.sampled_from([1, 2, 4, 8, 1024]),
    loads=st.floats(0, 2000),
    capability=st.sampled_from([0.0, 7.0, 7.5, 8.0, 8.9, 9.0]),
    region=st.sampled_from(REGIONS),
)
def test_no_cheaper_type_fits_random_jobs(
    cut: float, each: float, biggest: int, loads: float, capability: float, region: str
) -> None:
    def needs(gpu: Gpu) -> bool:
        return (gpu.compute_capability or 0) >= capability

    check_against_force(Job(cut, each, needs=needs, biggest=biggest, loads_gib=loads), region)


@pytest.mark.parametrize("job", JOBS[::3], ids=lambda j: f"{j.cut_gib}+{j.each_gib}")
def test_recommended_are_exactly_those_that_fit(job: Job) -> None:
    advice = ask(job)
    have = {r.instance_type for r in advice.recommendations}
    retired = ("phased_out", "name_only")
    rows = instances().values()
    assert have == {r.instance_type for r in rows if fits(job, r) and r.status not in retired}
    assert all(r.fits for r in advice.recommendations)
    assert not any(r.fits for r in advice.near_misses)


# ---- order


@pytest.mark.parametrize("job", JOBS, ids=lambda j: f"{j.cut_gib}/{j.biggest}+{j.each_gib}")
def test_ranking_is_monotone(job: Job) -> None:
    """On sale and priced first, by price; of equal price more headroom, then fewer cards."""
    order = {"on_sale": 1, "contact_sales": 2, "invite_only": 3, "overseas_only": 4}
    keys = [
        (0, r.price.amount, -r.headroom_gib, r.gpu_count)
        if r.status == "on_sale" and r.price
        else (order[r.status], Decimal(0), 0.0, 0)
        for r in ask(job).recommendations
    ]
    assert keys == sorted(keys)


@pytest.mark.parametrize("more", [1.0, 5.0, 30.0, 200.0])
def test_a_larger_job_never_costs_less(more: float) -> None:
    for job in JOBS:
        small, large = cost_of(job), cost_of(replace(job, cut_gib=job.cut_gib + more))
        assert large is None or (small is not None and small <= large)


def cost_of(job: Job) -> Decimal | None:
    first = next(iter(ask(job).recommendations), None)
    return first.price.amount if first and first.price and first.status == "on_sale" else None


def test_retired_types_stand_aside() -> None:
    advice = ask(Job(4))
    assert {r.status for r in advice.off_sale} <= {"phased_out", "name_only"}
    assert advice.off_sale
    assert not {"phased_out", "name_only"} & {r.status for r in advice.recommendations}


def test_a_retired_type_that_is_named_is_answered() -> None:
    advice = ask(Job(4), Wish(instance_types=frozenset({"gn5-c4g1.xlarge"})))
    assert [r.status for r in advice.recommendations] == ["phased_out"]
    assert advice.cheapest is None
    assert any("no longer sold" in reason for reason in advice.recommendations[0].reasons)


def test_a_types_own_status_counts_not_its_familys() -> None:
    rows = [
        row for row in instances().values() if row.family == "gn6i" and row.status == "phased_out"
    ]
    assert rows
    assert {r.instance_type for r in ask(Job(4)).recommendations}.isdisjoint(
        row.instance_type for row in rows
    )


def fp8(gpu: Gpu) -> bool:
    return bool(gpu.fp8)


@pytest.mark.parametrize(
    ("language", "words"), [("en", "no type that is on sale"), ("zh", "所以排在最前")]
)
def test_others_come_first_only_where_nothing_else_does_it(
    language: Literal["zh", "en"], words: str
) -> None:
    advice = ask(Job(30, needs=fp8), language=language)
    first, *others = advice.recommendations
    assert first.status == "contact_sales"
    assert any(words in reason for reason in first.reasons)
    assert not any(words in reason for r in others for reason in r.reasons)
    assert (advice.cheapest, advice.safer, advice.faster) == (None, None, None)
    assert "nvidia-a10" in advice.blocked


def offer(
    amount: str | None, *, needs: float = 10, name: str = "ecs.gn7i-c8g1.2xlarge", **change: object
) -> Offer:
    price: Price | NoPrice = NoPrice(name, "cn-hangzhou", "never_seen")
    if amount is not None:
        listed_price = hourly("ecs.gn7i-c8g1.2xlarge")
        assert isinstance(listed_price, Price)
        price = listed_price.model_copy(update={"amount": Decimal(amount)})
    band = Band(low=needs, best=needs, high=needs)
    row = replace(instances()[name], **change)  # type: ignore[arg-type]
    estimate = Estimate(job="llm_inference", per_gpu_gib=band, gpus=row.gpu_count, parts={})
    return Offer(row, gpus()[row.gpu_id], estimate, UTILIZATION, price, 0.0)


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        (offer("1"), offer("2")),
        (offer("2", needs=5), offer("2", needs=6)),
        (offer("2"), offer("2", gpu_count=2)),
        (offer("2"), offer("2", bare_metal=True)),
        (offer("9"), offer(None)),
        (offer(None), offer("1", status="contact_sales")),
        (offer(None, status="contact_sales"), offer("1", status="invite_only")),
        (offer(None, status="invite_only"), offer("1", status="overseas_only")),
        (offer(None, status="overseas_only"), offer("1", status="phased_out")),
        (offer(None, status="phased_out"), offer("1", status="name_only")),
        (offer(None), offer(None, gpu_memory_gb_total=48.0)),
        (replace(offer("9"), machines=2), replace(offer("1"), machines=3)),
        (replace(offer("9", rdma="erdma"), machines=2), replace(offer("1"), machines=2)),
        (offer("9"), offer("1", status="contact_sales")),
    ],
)
def test_rank_puts_the_better_first(better: Offer, worse: Offer) -> None:
    assert rank(better, "CNY", better.hourly_cost("CNY")) < rank(worse, "CNY", worse.hourly_cost("CNY"))


def test_a_price_in_another_currency_is_no_price() -> None:
    assert (tier(offer("1"), "CNY"), tier(offer("1"), "USD")) == (0, 1)


# ---- cheapest, safer, faster


@pytest.mark.parametrize("job", JOBS, ids=lambda j: f"{j.cut_gib}/{j.biggest}+{j.each_gib}")
def test_safer_and_faster(job: Job) -> None:
    advice = ask(job)
    by_name = {r.instance_type: r for r in advice.recommendations}
    priced = [r for r in advice.recommendations if r.status == "on_sale" and r.price]
    safe = [r for r in priced if r.headroom_gib >= 0.25 * UTILIZATION * r.usable_gib_per_gpu]
    assert advice.safer == (safe[0].instance_type if safe else None)
    if advice.cheapest is None or advice.faster is None:
        assert not priced
        return
    cheapest, faster = by_name[advice.cheapest].price, by_name[advice.faster].price
    assert cheapest is not None
    assert faster is not None
    assert faster.amount <= 3 * cheapest.amount
    assert bandwidth(job, advice.faster) >= bandwidth(job, advice.cheapest)


def bandwidth(job: Job, name: str) -> float:
    row = instances()[name]
    cards = max(n for n in (1, 2, 4, 8) if n <= min(row.gpu_count, job.biggest))
    each = gpus()[row.gpu_id].memory_bandwidth_gb_s or 0.0
    return each * (1 + (1 if row.nvlink else NO_NVLINK_GAIN) * (cards - 1))


# ---- wishes


@pytest.mark.parametrize(
    ("wish", "holds"),
    [
        (Wish(gpu_ids=frozenset({"nvidia-a10"})), lambda row: row.gpu_id == "nvidia-a10"),
        (Wish(gpu_ids=frozenset({"A10"})), lambda row: row.gpu_id == "nvidia-a10"),
        (Wish(families=frozenset({"GN7E"})), lambda row: row.family == "gn7e"),
        (Wish(instance_types=frozenset({"gn7i-2x.8xlarge"})), lambda row: row.instance_type == "ecs.gn7i-2x.8xlarge"),
        (Wish(gpu_count=4), lambda row: row.gpu_count == 4),
        (Wish(rdma=True), lambda row: row.rdma != "none"),
        (Wish(nvlink=True), lambda row: row.nvlink),
        (Wish(families=frozenset({"vgn7i-vws"})), lambda row: row.vgpu),
    ],
    ids=["card", "card by name", "family", "type", "count", "rdma", "nvlink", "vgpu family"],
)  # fmt: skip
def test_wishes_are_kept(wish: Wish, holds: Callable[[Instance], bool]) -> None:
    found = ask(Job(3), wish).recommendations
    assert found
    assert all(holds(instances()[r.instance_type]) for r in found)


@pytest.mark.parametrize(
    ("wish", "error"),
    [
        (Wish(gpu_ids=frozenset({"H800"})), UnknownInstance),
        (Wish(families=frozenset({"gn7v"})), UnknownInstance),
        (Wish(instance_types=frozenset({"ecs.gn6i-p4"})), UnknownInstance),
        (Wish(region="Atlantis"), InputError),
    ],
)
def test_wishes_outside_the_catalog_are_refused(wish: Wish, error: type[Exception]) -> None:
    with pytest.raises(error):
        ask(Job(3), wish)


def test_vgpu_only_when_asked() -> None:
    def slices(advice: Advice) -> list[str]:
        return [
            r.instance_type for r in advice.recommendations if instances()[r.instance_type].vgpu
        ]

    small = Job(1, 0.2)
    assert not slices(ask(small))
    assert slices(ask(small, Wish(include_vgpu=True)))


def test_a_slice_offers_its_nominal_memory_at_most() -> None:
    advice = ask(Job(1, 0.2), Wish(families=frozenset({"vgn7i-vws"})))
    usable = {r.gpu_memory_gb_total: r.usable_gib_per_gpu for r in advice.recommendations}
    assert usable[4] == 4
    assert usable[24] < 22.1  # a whole A10, not the 24 printed


def test_region_names_are_understood() -> None:
    first = ask(Job(3), Wish(region="乌兰察布")).recommendations[0]
    assert first.price is not None
    assert first.price.region == "cn-wulanchabu"


def test_budget_sorts_out_the_dear_and_the_unpriced() -> None:
    advice = ask(Job(20), Wish(max_hourly=Decimal(21)))
    assert advice.recommendations
    assert all(r.price and r.price.amount <= 21 for r in advice.recommendations)
    assert advice.over_budget
    assert all(r.price and r.price.amount > 21 for r in advice.over_budget)
    assert advice.price_unknown
    assert all(r.price is None for r in advice.price_unknown)
    assert any("over budget" in reason for reason in advice.over_budget[0].reasons)


def test_utilization_moves_the_limit() -> None:
    job = Job(17, 3)  # 20 GiB on one A10 of 22.0
    one_a10 = {"gpu_ids": frozenset({"nvidia-a10"}), "gpu_count": 1}
    assert not ask(job, Wish(**one_a10)).recommendations  # type: ignore[arg-type]
    assert ask(job, Wish(**one_a10, utilization=0.95)).recommendations  # type: ignore[arg-type]


def test_alternatives_when_the_wish_cannot_be_met() -> None:
    wish = Wish(gpu_ids=frozenset({"nvidia-t4"}), gpu_count=1)
    advice = ask(Job(20), wish)
    assert not advice.recommendations
    assert not advice.multi
    assert advice.near_misses[0].gpu_id == "nvidia-t4"
    same_card, *_ = advice.alternatives
    assert (same_card.gpu_id, same_card.gpu_count) == ("nvidia-t4", 2)
    assert ask(Job(20)).cheapest in {r.instance_type for r in advice.alternatives}


# ---- near misses, cautions, reasons


def test_near_misses_are_closest_first_and_say_by_how_much() -> None:
    misses = ask(Job(215)).near_misses
    short = [-r.headroom_gib for r in misses]
    assert short == sorted(short)
    assert len({(r.gpu_id, r.gpu_count) for r in misses}) == len(misses)
    assert f"short by {short[1]:.1f}".removesuffix(".0") in misses[1].reasons[0]


@pytest.mark.parametrize(
    ("cut", "fitting", "words"),
    [
        (17.4, True, "tight"),
        (18.4, False, "less than the error band"),
        (12.0, True, None),
        (30.0, False, None),
    ],
)
def test_tight_within_the_error_band(cut: float, fitting: bool, words: str | None) -> None:
    """One A10 has a limit of 19.8 GiB; the band is ±5 %."""
    advice = ask(Job(cut), Wish(gpu_ids=frozenset({"nvidia-a10"}), gpu_count=1))
    first = (advice.recommendations + advice.near_misses)[0]
    assert first.fits == fitting
    marked = [c for c in first.cautions if "tight" in c or "error band" in c]
    assert bool(marked) == (words is not None)
    assert words is None or words in marked[0]


@pytest.mark.parametrize(
    ("loads", "expected"),
    [(10, (True, False)), (20, (True, True)), (40, (False, False))],
    ids=["enough", "less than the weights", "less than half"],
)
def test_host_memory(loads: float, expected: tuple[bool, bool]) -> None:
    """gn6i-c4g1.xlarge has 15 GiB of host memory."""
    wish = Wish(instance_types=frozenset({"ecs.gn6i-c4g1.xlarge"}))
    advice = ask(Job(4, loads_gib=loads), wish)
    (row,) = advice.recommendations + advice.near_misses
    assert (row.fits, any("memory-mapped" in c for c in row.cautions)) == expected
    assert row.fits or any("less than half" in reason for reason in row.reasons)


def test_cautions_of_the_machine() -> None:
    arm = ask(Job(3), Wish(families=frozenset({"gn7r"}))).recommendations[0]
    assert any("aarch64" in c for c in arm.cautions)
    assert any("94 %" in c for c in arm.cautions)
    abroad = ask(Job(3), Wish(region="ap-northeast-1")).recommendations[0]
    assert any("China site" in c for c in abroad.cautions)


def test_the_demands_own_cautions_are_told() -> None:
    two = ask(Job(20), Wish(gpu_ids=frozenset({"nvidia-a10"}), gpu_count=2)).recommendations[0]
    assert any("fewer than 2 vCPU" in c for c in two.cautions)


def test_no_price_names_other_regions() -> None:
    wish = Wish(instance_types=frozenset({"ecs.gn7-c12g1.3xlarge"}))
    (row,) = ask(Job(20), wish).recommendations
    assert row.price is None
    assert any("cn-shanghai" in reason for reason in row.reasons)
    assert {p.region for p in row.prices} == {"cn-shanghai", "cn-beijing", "cn-wulanchabu"}


@pytest.mark.parametrize(
    ("language", "words"), [("en", "100 GiB of disk"), ("zh", "云盘至少留约 100 GiB")]
)
def test_disk_is_said(language: Literal["zh", "en"], words: str) -> None:
    assert any(
        words in reason for reason in ask(Job(3), language=language).recommendations[0].reasons
    )


def test_idle_cards_are_said() -> None:
    wish = Wish(gpu_ids=frozenset({"nvidia-t4"}), gpu_count=4)
    row = ask(Job(5, biggest=1), wish).recommendations[0]
    assert "uses 1 of its 4 cards" in row.reasons


def test_cards_without_cuda_are_never_recommended() -> None:
    advice = ask(Job(1, 0.1), Wish(include_vgpu=True))
    cards = {r.gpu_id for r in advice.recommendations + advice.off_sale + advice.near_misses}
    assert cards.isdisjoint({"amd-s7150", "intel-sg1", "thead-ppu-810e", ""})
    amd = ask(Job(1, 0.1), Wish(families=frozenset({"ga1"})))
    assert not amd.recommendations + amd.off_sale


def test_source_ids_resolve_and_hold_the_price() -> None:
    advice = ask(Job(215))
    assert set(advice.source_ids) <= set(sources())
    price = advice.recommendations[0].price
    assert price is not None
    assert price.source_id in advice.source_ids


# ---- several machines


def test_several_machines_only_when_no_single_one_holds_it() -> None:
    assert not ask(Job(600)).multi
    advice = ask(Job(1250))
    assert not advice.recommendations
    assert advice.multi
    for group in advice.multi:
        need = Job(1250).per_gpu(group.instances * group.gpu_count)
        assert group.required_gib_per_gpu == need
        assert need <= UTILIZATION * group.usable_gib_per_gpu
    first = advice.multi[0]
    assert first.price is not None
    total = first.price.amount * first.instances
    assert any(f"{total} CNY" in reason for reason in first.reasons)


def test_groups_take_the_fewest_machines_that_do() -> None:
    job = Job(1250)
    for group in ask(job).multi:
        fewer = max((n for n in (1, 2, 3, 4, 6, 8, 12) if n < group.instances), default=1)
        assert job.per_gpu(fewer * group.gpu_count) > UTILIZATION * group.usable_gib_per_gpu


def test_groups_without_rdma_are_warned_of() -> None:
    for group in ask(Job(1250)).multi:
        plain = instances()[group.instance_type].rdma == "none"
        assert any("ordinary network" in c for c in group.cautions) == plain


def test_a_budget_counts_all_machines() -> None:
    advice = ask(Job(1250), Wish(max_hourly=Decimal(300)))
    assert not advice.multi
    assert advice.over_budget
    assert all(r.instances > 1 for r in advice.over_budget)


def test_nothing_can_be_done() -> None:
    advice = ask(Job(1e9))
    assert not advice.recommendations + advice.multi + advice.alternatives
    assert advice.near_misses


# ---- speed


class FastJob(Job):
    def tokens_per_s(self, gpu: Gpu, estimate: Estimate) -> TokensPerSecond | None:
        return TokensPerSecond(low=10.0 * estimate.gpus, high=20.0 * estimate.gpus)


def test_speed_is_shown_when_the_demand_knows_it() -> None:
    two = Wish(gpu_ids=frozenset({"nvidia-a10"}), gpu_count=2)
    assert ask(FastJob(20), two).recommendations[0].tokens_per_s == TokensPerSecond(
        low=20, high=40
    )
    assert ask(Job(20), two).recommendations[0].tokens_per_s is None


def test_advice_is_deterministic_and_serialises() -> None:
    one, two = ask(Job(30)), ask(Job(30))
    assert one.model_dump_json() == two.model_dump_json()
    shown: Mapping[str, object] = one.model_dump(mode="json")["recommendations"][0]["price"]
    assert isinstance(shown["amount"], str)
