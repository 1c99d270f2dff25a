"""Results of sizing a job: the sum, where it fits, what one change would do, the largest value that fits."""

from __future__ import annotations

from decimal import Decimal

from tools.demand import Advice
from tools.results import Estimate, Job, Recommendation, Result
from tools.solved import Solved as Solved


class JobCheck(Result):
    """Does the job fit on `gpus` cards of this kind, how much room is left, and what would make it fit."""

    label: str  # what the user named, or the instance type
    instance_type: str | None
    gpu_id: str
    gpus: int
    required_gib: float | None  # None where the job cannot be cut over that many cards
    usable_gib: float
    limit_gib: float
    headroom_gib: float | None
    fits: bool
    tight: bool
    blocked: str | None  # a sentence
    fits_with: list[str]  # sentences: single changes each of which makes it fit, not counted as fitting
    in_catalog: bool = True
    nearest_counts: list[int] = []
    cautions: list[str] = []


class JobChange(Result):
    """One single change, what it saves on the shown machine, and the cheapest machine that it allows."""

    code: str
    what: str
    per_gpu_gib: float | None  # on the shown machine
    saves_gib: float | None
    instance_type: str | None = None  # the cheapest with a price, where cheaper than the first recommendation
    gpu_id: str | None = None
    gpu_count: int | None = None
    hourly: Decimal | None = None
    saves_per_hour: Decimal | None = None
    saves_per_month: Decimal | None = None
    within_budget: bool | None = None


class JobSizing(Result):
    """Everything known about one job."""

    job: Job
    subject: str
    settings: dict[str, str | int | float | bool | None]
    estimate: Estimate
    estimate_gpu_id: str
    limit_gib: float
    advice: Advice
    checks: list[JobCheck]
    changes: list[JobChange]
    solved: list[Solved]
    assumed: list[str]
    cautions: list[str]
    source_ids: list[str]
    over_budget: Recommendation | None = None
    region_has_prices: bool = True
