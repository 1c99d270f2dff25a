"""Results about speed. Seconds and tokens per second as bands: `best` by the roofline, `low` and `high` as measured rows strayed."""

from __future__ import annotations

from decimal import Decimal

from tools.results import Band, ErrorBand, Price, Result


class Speed(Result):
    """One copy of a model on `gpus` cards, answering `concurrency` requests at once.

    For times `low` is the short one, for speeds the slow one. `first_token_s` holds where requests arrive evenly;
    `tokens_per_s_per_user` is what a user sees after the first token, `tokens_per_s` what all get, prompts included.
    """

    gpu_id: str
    gpus: int
    engine: str
    concurrency: int
    input_tokens: int
    output_tokens: int
    first_token_s: Band
    time_per_token_ms: Band
    request_s: Band
    tokens_per_s_per_user: Band
    tokens_per_s: Band
    bound_by: str  # weights | compute | cache | start | exchange: what takes most of a step
    error_band: ErrorBand
    assumptions: list[str] = []
    source_ids: list[str] = []

    @property
    def tokens_per_s_per_card(self) -> float:
        """Answer tokens of each card, by the best figure."""
        return self.tokens_per_s.best / self.gpus


class TokenPrice(Result):
    """Price of a million tokens at full load: rent per hour over tokens per hour. `low` is the cheap end.

    `answer` spreads the whole rent over the answer's tokens, `all` over prompt and answer.
    """

    answer: Band
    all_tokens: Band
    currency: str
    as_of: str
    region: str
    source_id: str


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
    too_slow: dict[str, str] = {}
    assumptions: list[str] = []
    source_ids: list[str] = []
