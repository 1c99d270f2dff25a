"""The frame, with a job of known need: `gib` on every card, whatever the card."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal

import pytest

from knowledge.errors import InputError
from knowledge.rows import Gpu
from tools.demand import Wish
from tools.jobs.ask import ChangedDemand, JobAsk, Solvable
from tools.jobs.size import size_job
from tools.jobs.solve import largest, quantity_name
from tools.results import Band, Estimate

PHRASES = "phrases/running.toml"


@dataclass(frozen=True)
class Flat:
    """Needs the same on each of up to `most` cards; cards below `capability` cannot run it."""

    gib: float
    most: int = 8
    capability: float = 7.0
    disk_gib: float = 10.0
    host_memory_gib: float = 1.0

    def estimates(self, gpu: Gpu, gpus: int) -> tuple[Estimate, ...]:
        if gpus > self.most:
            return ()
        band = Band(low=self.gib * 0.9, best=self.gib, high=self.gib * 1.1)
        return (Estimate(job="vision_training", per_gpu_gib=band, gpus=gpus, parts={"all": self.gib}),)

    def blocked(self, gpu: Gpu) -> str | None:
        return None if (gpu.compute_capability or 0) >= self.capability else "compute_capability"

    def cautions(self, gpu: Gpu, gpus: int) -> list[str]:
        return []


def job(gib: float, **changes: object) -> JobAsk:
    ask = JobAsk(job="vision_training", subject="flat", demand=Flat(gib), phrase_table=PHRASES)
    return replace(ask, **changes)  # type: ignore[arg-type]


def per_batch(batch: int) -> Flat:
    return Flat(2.0 + 1.5 * batch)


def test_the_cheapest_machine_leads_and_its_sum_is_shown() -> None:
    sizing = size_job(job(10.0))
    first = sizing.advice.recommendations[0]
    assert first.fits
    assert first.required_gib_per_gpu == pytest.approx(10.0)
    assert first.instance_type == sizing.advice.cheapest
    assert sizing.estimate.per_gpu_gib.best == pytest.approx(10.0)
    assert sizing.limit_gib == pytest.approx(first.required_gib_per_gpu + first.headroom_gib)


def test_a_named_card_is_checked_with_what_would_make_it_fit() -> None:
    changes = (ChangedDemand("small", "half of it", Flat(15.0)), ChangedDemand("less", "a little less", Flat(29.0)))
    sizing = size_job(job(30.0, changes=changes, on=("nvidia-a10", "nvidia-a100-80gb")))
    a10, a100 = (next(c for c in sizing.checks if c.gpu_id == gpu) for gpu in ("nvidia-a10", "nvidia-a100-80gb"))
    assert (a10.fits, a10.fits_with) == (False, ["half of it"])
    assert a10.headroom_gib is not None and a10.headroom_gib < 0
    assert (a100.fits, a100.fits_with, a100.tight) == (True, [], False)


def test_a_change_is_offered_with_the_cheaper_machine_it_allows() -> None:
    sizing = size_job(job(60.0, changes=(ChangedDemand("small", "quarter", Flat(15.0)), ChangedDemand("none", "nothing", Flat(60.0)))))
    assert [change.code for change in sizing.changes] == ["small"]
    change, first = sizing.changes[0], sizing.advice.recommendations[0]
    assert change.saves_gib == pytest.approx(45.0)
    assert change.hourly is not None and first.price is not None and change.hourly < first.price.amount


@pytest.mark.parametrize(("card", "value"), [("nvidia-a10", 11), ("nvidia-a100-80gb", 46)])
def test_the_largest_batch_is_solved_for(card: str, value: int) -> None:
    ask = job(30.0, on=(f"{card}x1",), solve=(Solvable("batch", per_batch, 1, 512, wished=40),))
    (solved,) = size_job(ask, solve="batch").solved
    assert solved.value == value  # 2 + 1.5·b ≤ 0.9 × usable: 19.9 GiB and 71.2 GiB
    assert solved.required_gib is not None and solved.required_gib <= solved.limit_gib < solved.required_gib + 1.5
    assert (solved.next_machine is not None) == (value < 40)


def test_zero_when_not_even_the_least_fits_and_capped_at_the_end_of_the_search() -> None:
    too_much = job(1.0, on=("nvidia-a10x1",), solve=(Solvable("batch", lambda n: Flat(500.0 + n), 1, 64),))
    assert size_job(too_much, solve="batch").solved[0].value == 0
    little = job(1.0, on=("nvidia-a10x1",), solve=(Solvable("batch", lambda n: Flat(0.001 * n), 1, 64),))
    assert (size_job(little, solve="batch").solved[0].value, size_job(little, solve="batch").solved[0].capped) == (64, True)


@pytest.mark.parametrize(("language", "words"), [("zh", "求不出"), ("en", "cannot be solved for")])
def test_what_cannot_be_solved_for_is_said(language: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        size_job(job(1.0), solve="rank", language=language)  # type: ignore[arg-type]


def test_a_blocked_card_says_why() -> None:
    ask = replace(job(5.0, on=("nvidia-t4",)), demand=Flat(5.0, capability=8.0))
    check = size_job(ask).checks[0]
    assert not check.fits
    assert check.blocked


def test_a_budget_counts() -> None:
    sizing = size_job(job(60.0, wish=Wish(max_hourly=Decimal(1))))
    assert not sizing.advice.recommendations
    assert sizing.over_budget is not None and sizing.over_budget.price is not None
    assert sizing.over_budget.price.amount > 1


@pytest.mark.parametrize(
    ("limit", "low", "high", "step", "found"),
    [(100, 1, 512, 1, 100), (100, 1, 512, 16, 96), (100, 1, 64, 1, 64), (0, 1, 64, 1, None), (1, 1, 64, 1, 1), (5, 10, 4, 1, None)],
)
def test_largest(limit: int, low: int, high: int, step: int, found: int | None) -> None:
    assert largest(lambda n: n <= limit, low=low, high=high, step=step) == found


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("lora_rank", "lora-rank"), ("LoRA rank", "lora-rank"), ("rank", "lora-rank"), ("秩", "lora-rank"), ("batch_size", "batch"),
        ("micro-batch", "batch"), ("批大小", "batch"), ("seq", "context"), ("max_length", "context"), ("上下文", "context"), ("分辨率", "crop"), ("frames", "frames"),
    ],
)  # fmt: skip
def test_what_is_solved_for_whatever_its_spelling(said: str, name: str) -> None:
    assert quantity_name(said) == name
