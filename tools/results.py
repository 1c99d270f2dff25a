"""The public result types of the tools. Field names are stable: every face and every `--json` shows these.

Memory is GiB (2^30 bytes) per GPU unless the name says otherwise; money is Decimal (a string in JSON, never rounded).
"""

from __future__ import annotations

from decimal import Decimal
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

Job = Literal[
    "llm_inference", "llm_training", "vision_training", "vision_inference", "encoder_inference",
    "diffusion_inference", "diffusion_training", "asr_inference", "cpu_inference",
]  # fmt: skip
Verdict = Literal["true", "wrong", "partly", "outdated", "not_in_catalog", "cannot_judge"]


class Result(BaseModel):
    """Base of all results: immutable, no unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class Band(Result):
    """A figure with its range."""

    low: float
    best: float
    high: float


class ErrorBand(Result):
    """Where the range comes from: signed percent, number of measured rows, name of the accuracy table."""

    low_pct: float
    high_pct: float
    n: int
    from_: str = Field(alias="from")


class Estimate(Result):
    """What a job needs on one GPU, in parts that sum to `per_gpu_gib.best`."""

    job: Job
    per_gpu_gib: Band
    gpus: int
    parts: dict[str, float]
    will_show_gib: float | None = None
    kv_bytes_per_token: int | None = None
    kv_tokens: int | None = None
    max_concurrency: float | None = None
    assumptions: list[str] = []
    basis: Literal["formula", "measured coefficients", "traced"] = "formula"
    error_band: ErrorBand | None = None
    command: str | None = None
    source_ids: list[str] = []


class Price(Result):
    """One price as listed on its date; `amount_high` only for ranges (spot)."""

    amount: Decimal
    amount_high: Decimal | None = None
    currency: str
    per: Literal["hour", "month", "year"]
    billing: Literal["payg", "month", "year", "spot"]
    region: str
    site: Literal["cn", "intl"]
    as_of: str
    source_id: str
    note: str = ""


class TokensPerSecond(Result):
    """Decode speed range of the whole instance."""

    low: float
    high: float


class Recommendation(Result):
    """One instance type for a job. `headroom_gib` is the limit (0.9 × usable) less the need; negative does not fit."""

    instance_type: str
    instances: int = 1
    family: str
    gpu_id: str
    gpu_count: int
    gpu_memory_gb_total: float | None
    required_gib_per_gpu: float
    usable_gib_per_gpu: float
    headroom_gib: float
    fits: bool
    vcpu: int
    memory_gib: float | None
    tokens_per_s: TokensPerSecond | None = None
    price: Price | None = None
    prices: list[Price] = []
    status: str
    catalog_as_of: str
    reasons: list[str] = []
    cautions: list[str] = []


class Statement(Result):
    """A judged statement; `start` and `end` are offsets in the text that was given."""

    text: str
    start: int
    end: int
    subject: str
    verdict: Verdict
    fact: str
    source_ids: list[str] = []


class ClaimReport(Result):
    """Statements in order of their place, and how many there are of each verdict."""

    statements: list[Statement]
    counts: dict[str, int]
