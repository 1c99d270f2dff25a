"""Renting machines against paying an API per token.

    API price of a million tokens    a = (input · price_in + output · price_out) / (input + output)
    break-even                       rent of a month / a
    capacity of a month              answer tokens/s · 3600 · 730 · (input + output) / output
    load needed                      break-even / capacity          slow end of the speed: the higher share
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Literal

from knowledge.errors import InputError
from tools.names import show_instance
from tools.phrases import Language
from tools.prices import (
    DEFAULT_REGION,
    HOURS_PER_MONTH,
    NoPrice,
    all_prices,
    cost,
    hourly,
    region_id,
    why_no_price,
)
from tools.results import Price, TokensPerSecond

from .figures import (
    count,
    currency_words,
    money,
    percent,
    place,
    price,
    price_span,
    sentence,
    unit,
)
from .limits import price_of, whole
from .results import ApiPrice, Rent, RentOrApi, Verdict
from .ways import newest

INPUT_TOKENS, OUTPUT_TOKENS = 1000, 200
MILLION = 1_000_000
SECONDS = 3600 * HOURS_PER_MONTH
CLEARLY_PCT = 20.0
"""Up to this load at the slow end nobody doubts that a machine in use is kept that busy."""


def rent_or_api(
    instance_type: str, *, api: ApiPrice, tokens_per_s: TokensPerSecond | None = None, input_tokens: int | None = None,
    output_tokens: int | None = None, machines: int = 1, region: str = DEFAULT_REGION, model: str = "", language: Language = "en",
) -> RentOrApi:  # fmt: skip
    """Tokens a month from which renting is cheaper, whether the machines can make them, and a verdict.

    `tokens_per_s`: answer tokens of one machine at full load (`machine_speed`); without it only the break-even is told.
    `model` only names what has no speed. Lengths that are not given are 1,000 and 200 tokens, said in a note. Raises UnknownInstance, and InputError for an
    unknown region or a number out of range.
    """
    instance, home = show_instance(instance_type, language=language), region_id(region, language=language)
    whole(machines, "machines", language)
    prompt = whole(INPUT_TOKENS if input_tokens is None else input_tokens, "tokens_per_request", language)
    answer = whole(OUTPUT_TOKENS if output_tokens is None else output_tokens, "tokens_per_request", language)
    api = _checked(api, language)
    blended = (api.input * prompt + api.output * answer) / (prompt + answer)
    capacity = _capacity(tokens_per_s, machines, prompt, answer)
    listed = [p for p in newest(all_prices(instance.instance_type, home)) if p.currency == api.currency]
    rents = [_rent(p, blended, machines, prompt + answer, capacity) for p in listed if p.billing in ("payg", "month")]
    best = min(rents, key=lambda row: row.monthly, default=None)
    code = _verdict(best, capacity)
    return RentOrApi(
        instance_type=instance.instance_type, machines=machines, region=home, api=api, input_tokens=prompt, output_tokens=answer,
        api_per_million=blended, rents=rents, break_even_tokens=best.break_even_tokens if best else None,
        capacity_low=capacity[0] if capacity else None, capacity_high=capacity[1] if capacity else None, verdict_code=code,
        verdict=_verdict_words(code, best, capacity, language),
        notes=[
            *_notes(instance.instance_type, home, api, best, (prompt, answer), input_tokens is None or output_tokens is None, language),
            *([sentence("api.speed_unknown", language, model=model)] if model and tokens_per_s is None else []),
        ],
        source_ids=list(dict.fromkeys(row.source_id for row in rents)),
    )  # fmt: skip


def rent_sentence(result: RentOrApi, row: Rent, language: Language) -> str:
    """One way of renting: its month, the break-even, and the load that it takes."""
    said = sentence(
        "api.break_even", language, way=sentence(f"way.{row.way}", language), machines=result.machines, name=result.instance_type, monthly=money(row.monthly),
        unit=unit(row.currency, language), region=place(row.region, language), date=row.as_of, api=price(result.api_per_million),
        tokens=count(row.break_even_tokens, language), requests=count(row.break_even_requests_per_day, language),
    )  # fmt: skip
    if row.needed_low is None or row.needed_high is None or row.million_low is None:
        return said + sentence("api.needed_unknown", language)
    return said + sentence(
        "api.needed", language, low=percent(row.needed_low), high=percent(row.needed_high),
        million=price_span(row.million_low, row.million_high), unit=unit(row.currency, language),
    )  # fmt: skip


def _checked(api: ApiPrice, language: Language) -> ApiPrice:
    paid, got = price_of(api.input, "api_input", language), price_of(api.output, "api_output", language)
    if not paid and not got:
        raise InputError(sentence("api.free", language))
    return ApiPrice(input=paid, output=got, currency=api.currency.strip().upper())


def _capacity(speed: TokensPerSecond | None, machines: int, prompt: int, answer: int) -> tuple[int, int] | None:
    """Tokens a month of all machines, prompts counted, at the slow and the fast end."""
    if speed is None or speed.low <= 0:
        return None
    each = machines * SECONDS * (prompt + answer) / answer
    return int(speed.low * each), int(speed.high * each)


def _rent(item: Price, blended: Decimal, machines: int, request: int, capacity: tuple[int, int] | None) -> Rent:
    way: Literal["payg", "month"] = "payg" if item.billing == "payg" else "month"
    monthly = cost(item, amount_of_time=HOURS_PER_MONTH if item.per == "hour" else 1, instances=machines)
    tokens = int(monthly / blended * MILLION)
    return Rent(
        way=way, monthly=monthly, currency=item.currency, region=item.region, as_of=item.as_of, source_id=item.source_id,
        break_even_tokens=tokens, break_even_requests_per_day=tokens / request / (HOURS_PER_MONTH / 24),
        needed_low=100 * tokens / capacity[1] if capacity else None, needed_high=100 * tokens / capacity[0] if capacity else None,
        million_low=_per_million(monthly, capacity[1]) if capacity else None,
        million_high=_per_million(monthly, capacity[0]) if capacity else None,
    )  # fmt: skip


def _per_million(monthly: Decimal, tokens: int) -> Decimal:
    return (monthly / tokens * MILLION).quantize(Decimal("0.0001"))


def _verdict(best: Rent | None, capacity: tuple[int, int] | None) -> Verdict:
    """By the cheapest rent: beyond the fast end never, within the band hardly, else above a load."""
    if best is None:
        return "no_price"
    if capacity is None or best.needed_low is None or best.needed_high is None:
        return "no_speed"
    if best.needed_low > 100:
        return "never"
    if best.needed_high > 100:
        return "only_fast"
    return "clearly" if best.needed_high <= CLEARLY_PCT else "above"


def _verdict_words(code: Verdict, best: Rent | None, capacity: tuple[int, int] | None, language: Language) -> str:
    return sentence(
        f"api.verdict.{code}", language, tokens=count(best.break_even_tokens, language) if best else "–",
        most=count(capacity[1], language) if capacity else "–", high=percent(best.needed_high) if best and best.needed_high else "–",
        low=percent(best.needed_low) if best and best.needed_low else "–",
    )  # fmt: skip


def _notes(
    name: str, home: str, api: ApiPrice, best: Rent | None, lengths: tuple[int, int], assumed: bool, language: Language
) -> Iterator[str]:
    if best is None:
        missing = hourly(name, region=home, currency=api.currency)
        said = sentence("api.no_rent", language, region=place(home, language), name=name, unit=currency_words(api.currency, language))
        yield why_no_price(missing, language) if isinstance(missing, NoPrice) else said
    yield sentence("api.lengths_assumed" if assumed else "api.lengths", language, prompt=f"{lengths[0]:,}", answer=f"{lengths[1]:,}")
    if best is not None:
        yield sentence("api.whole_month", language, hours=HOURS_PER_MONTH)
    yield sentence("api.beside", language)
    yield sentence("api.given_price", language)
