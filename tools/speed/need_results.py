"""Results of asking for a speed: the machines that keep it, and why other cards do not."""

from __future__ import annotations

from decimal import Decimal

from tools.results import Price, Result

from .results import Speed, TokenPrice


class SpeedMachines(Result):
    """Machines of one type that meet a wished speed, by the low end of the band.

    `concurrency` requests are then open at once over all copies, by Little's law: requests per second × seconds each.
    """

    instance_type: str
    family: str
    gpu_id: str
    gpu_count: int
    instances: int
    status: str
    copies: int  # in all
    tensor_parallel: int  # cards of each copy
    concurrency: int
    concurrency_per_copy: int
    room_per_copy: int  # sequences that the memory of a copy holds
    speed: Speed  # of one copy at that load
    load: float  # share of what the copies can do within the wish; the rest is in reserve
    price: Price | None  # of one machine per hour
    hourly: Decimal | None  # of all machines
    token_price: TokenPrice | None  # where `copies` are kept full
    source_ids: list[str] = []


class SpeedAnswer(Result):
    """Machines for a wished speed, cheapest first; `too_slow` says by card what stands in the way, as sentences."""

    qps: float | None
    total_tokens_per_s: float | None
    tokens_per_s: float | None
    ttft_s: float | None
    concurrency: int | None
    input_tokens: int
    output_tokens: int
    region: str
    currency: str
    machines: list[SpeedMachines]
    over_budget: SpeedMachines | None = None  # the cheapest that reaches it, where the budget leaves none
    too_slow: dict[str, str] = {}
    assumptions: list[str] = []
    source_ids: list[str] = []
