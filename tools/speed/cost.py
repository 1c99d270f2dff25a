"""Price of a million tokens: rent per hour over tokens per hour.

    price = hourly · 10^6 / (tokens/s · 3600)          the fast end of the band is the cheap end

It holds at full load; a machine that idles half of the time doubles it.
"""

from __future__ import annotations

from decimal import Decimal

from tools.results import Band, Price

from .results import Speed, TokenPrice

MILLION = 1_000_000
SECONDS_PER_HOUR = 3600


def token_price(price: Price, speed: Speed, *, copies: int = 1, instances: int = 1) -> TokenPrice:
    """Price of a million tokens when `copies` of the lane of `speed` keep `instances` machines busy.

    `price` is that of one machine per hour; its currency, date and region go with the figure.
    """
    hourly = float(price.amount) * instances
    answer = Band(
        low=_per_million(hourly, copies * speed.tokens_per_s.high),
        best=_per_million(hourly, copies * speed.tokens_per_s.best),
        high=_per_million(hourly, copies * speed.tokens_per_s.low),
    )
    share = speed.output_tokens / (speed.input_tokens + speed.output_tokens)
    both = Band(low=answer.low * share, best=answer.best * share, high=answer.high * share)
    return TokenPrice(
        answer=answer, all_tokens=both, currency=price.currency, as_of=price.as_of, region=price.region,
        source_id=price.source_id,
    )  # fmt: skip


def hourly_cost(price: Price, instances: int) -> Decimal:
    """Rent of all machines per hour."""
    return price.amount * instances


def _per_million(hourly: float, tokens_per_s: float) -> float:
    return hourly * MILLION / (tokens_per_s * SECONDS_PER_HOUR)
