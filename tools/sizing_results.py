"""Results of sizing the serving of a language model. GiB = 2^30 bytes; per GPU where the name says so."""

from __future__ import annotations

from decimal import Decimal

from .advise import Advice
from .results import Estimate, Recommendation, Result
from .solved import Solved
from .speed.results import Speed, TokenPrice


class ModelFacts(Result):
    """The model as sized. `how`: exact | newest_common | typical | config."""

    model_id: str
    hf_id: str
    how: str
    alternatives: list[str]
    params_total: int
    params_billion: float
    params_active_billion: float | None
    layers: int | None
    kv_heads: int | None
    heads: int | None
    head_dim: int | None
    attention: str
    max_context: int | None
    native_dtype: str | None
    confidence: str
    source_ids: list[str]


class Totals(Result):
    """Sums over the whole model, before they are spread over cards."""

    weights_gib: float
    weights_gb: float
    kv_kib_per_token: float
    kv_gib_per_sequence: float
    kv_gib: float
    disk_gib: float


class CardCheck(Result):
    """Does the job fit on `gpus` cards of this kind, and what would."""

    label: str  # what the user named, or the instance type
    instance_type: str | None
    gpu_id: str
    gpus: int
    tensor_parallel: int
    required_gib: float
    weights_gib: float
    kv_gib: float
    usable_gib: float
    limit_gib: float
    headroom_gib: float
    fits: bool
    tight: bool
    blocked: str | None  # a sentence
    max_sequences: int
    longest_context: int
    will_show_gib: float | None
    times_too_large: float | None  # need of the whole job against the whole limit, where it does not fit
    fits_with: str | None  # flags that make it fit, not counted as fitting
    in_catalog: bool = True  # a machine with exactly that card and count exists
    nearest_counts: list[int] = []  # where none does: the next smaller and the next larger count
    cautions: list[str] = []  # sentences: a vGPU slice needs the GRID driver


class Variant(Result):
    """One change and what it does. Savings against the first recommendation, None without prices."""

    code: str  # kv_fp8 | weights_fp8 | weights_int4 | half_context | half_concurrency
    weights_gib: float
    kv_gib: float
    instance_type: str
    gpu_count: int
    gpu_memory_gb_total: float | None
    hourly: Decimal | None
    saves_per_hour: Decimal | None
    saves_per_month: Decimal | None  # × 730 hours
    within_budget: bool | None = None  # None: no budget, or no price to hold against it


class Replicas(Result):
    """Copies of the model that share the users: `copies` on each of `machine.instances` machines, `users` sequences each."""

    machine: Recommendation
    copies: int
    users: int
    tensor_parallel: int  # of each copy
    leads: bool  # comes first: no single machine is advised, and joined machines cost more


class LlmSizing(Result):
    """Everything known about serving one model: sums, advice, checks of what the user named, cheaper variants.

    Sums are for `shown_users` sequences: all of them, or those of one copy where `replicas` lead.
    """

    model: ModelFacts
    weight_dtype: str
    kv_dtype: str
    context: int
    concurrency: int
    totals: Totals
    estimate: Estimate
    estimate_gpu_id: str
    tensor_parallel: int  # of each machine
    limit_gib: float
    max_sequences: int
    longest_context: int
    room_flags: str | None  # engine flags that make room where the shown layout is tight
    advice: Advice
    checks: list[CardCheck]
    ruled_out: CardCheck | None  # the largest card that cannot run the job at all, at its largest count
    full_load: Recommendation | None  # machines for the usual number of users, where fewer had to be taken
    full_load_concurrency: int
    variants: list[Variant]
    assumed: list[str]  # codes: context, concurrency, precision, concurrency_lowered, model_newest, model_typical, model_config
    cautions: list[str]  # codes: context_beyond_model, hybrid_margin, …
    source_ids: list[str]
    pipeline_parallel: int = 1  # machines, each a stage
    over_budget: Recommendation | None = None  # the cheapest machine that fits, where the budget leaves none
    region_has_prices: bool = True
    replicas: Replicas | None = None  # copies that share the users, where cheaper or the only way without joining machines
    engine: str = "vllm"
    speed: Speed | None = None  # of one copy on the shown machine; None where no rates or no speeds of the engine are published
    token_price: TokenPrice | None = None
    solved: list[Solved] = []  # the largest context or concurrency on each place named, where asked for
    weight_only: Variant | None = None  # code fp8_weight_only: FP8 weights on a cheaper card without FP8 units (W8A16)

    @property
    def shown_users(self) -> int:
        """Sequences that the sums are for."""
        return self.replicas.users if self.replicas and self.replicas.leads else self.concurrency
