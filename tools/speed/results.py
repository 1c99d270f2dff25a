"""Results about speed. Seconds and tokens per second as bands: `best` by the roofline, `low` and `high` as measured rows strayed."""

from __future__ import annotations

from tools.results import Band, ErrorBand, Result


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
