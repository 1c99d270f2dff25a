"""Results about costs. Money is Decimal; an amount that is not known is None, with the reason in a note.

Sentences that a person reads stand in the results in the language asked for; `cost_sentences` puts them in order.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Literal

from tools.results import Result

Way = Literal["payg", "month", "year", "spot", "savings_plan", "reserved"]
Verdict = Literal["never", "only_fast", "above", "clearly", "no_price", "no_speed"]
WAYS: tuple[Way, ...] = ("payg", "month", "year", "spot", "savings_plan", "reserved")


class CostRow(Result):
    """One way of paying for one machine, and what it comes to for the time and the machines asked for.

    `amount` is per `per`, `amount_high` the upper end of a range (spot, over the zones of a day). `total` and `total_high`
    are for all machines over the whole time; None where no time was asked for or no amount is known. `ceiling_pct` is the
    largest saving that Alibaba Cloud states over all products, where no rate of this family is known. Of a month:
    `effective_hourly` spreads it over the hours asked for (else over all of a month), `break_even_hours` is where it beats
    the hourly price of the same region.
    """

    way: Way
    amount: Decimal | None = None
    amount_high: Decimal | None = None
    per: Literal["hour", "month", "year"] = "hour"
    total: Decimal | None = None
    total_high: Decimal | None = None
    currency: str
    region: str
    as_of: str = ""
    source_id: str = ""
    ceiling_pct: int | None = None
    effective_hourly: Decimal | None = None
    break_even_hours: Decimal | None = None
    note: str = ""


class CostComparison(Result):
    """Ways of paying for one type in one region, side by side.

    `rows` are of the asked region; `elsewhere` of other regions, for ways of which the asked one has no price (they are
    never added to anything). `hours` are those of a month where `months` is given or the machine runs on, else those of
    the whole job. `cheapest_way` and `cheapest` hold only for that use.
    """

    instance_type: str
    region: str
    currency: str
    machines: int
    hours: Decimal | None
    months: int | None
    rows: list[CostRow]
    elsewhere: list[CostRow] = []
    break_even_hours: Decimal | None = None
    cheapest_way: Way | None = None
    cheapest: str = ""
    idle: list[str] = []
    notes: list[str] = []
    source_ids: list[str] = []


class ApiPrice(Result):
    """What an API charges per million tokens of prompt and of answer."""

    input: Decimal
    output: Decimal
    currency: str = "CNY"


class Rent(Result):
    """One way of renting the machines for a whole month against the API.

    `break_even_tokens` a month (prompts and answers together) cost as much at the API; `needed_low` and `needed_high` are
    the shares of the machines' capacity that this takes at the fast and the slow end, in percent; `million_low` and
    `million_high` what a million tokens then cost at full load.
    """

    way: Literal["payg", "month"]
    monthly: Decimal
    currency: str
    region: str
    as_of: str
    source_id: str
    break_even_tokens: int
    break_even_requests_per_day: float
    needed_low: float | None = None
    needed_high: float | None = None
    million_low: Decimal | None = None
    million_high: Decimal | None = None


class RentOrApi(Result):
    """Renting against paying an API per token. Capacities are tokens a month, prompts and answers together."""

    instance_type: str
    machines: int
    region: str
    api: ApiPrice
    input_tokens: int
    output_tokens: int
    api_per_million: Decimal  # of prompts and answers at those lengths
    rents: list[Rent]
    break_even_tokens: int | None
    capacity_low: int | None = None
    capacity_high: int | None = None
    verdict_code: Verdict
    verdict: str
    notes: list[str] = []
    source_ids: list[str] = []


class RunPrice(Result):
    """What one run costs by one way of paying: low and high by the hours, and for spot by the prices of the zones too."""

    way: Literal["payg", "spot"]
    low: Decimal
    high: Decimal
    all_low: Decimal  # of all runs
    all_high: Decimal
    currency: str
    region: str
    as_of: str
    source_id: str


class TrainingCost(Result):
    """Hours and price of a training run. `tflop_per_token` and the shares are None where hours were given or measured."""

    instance_type: str
    machines: int
    cards: int
    region: str
    runs: int
    tokens: int | None = None
    parameters: int | None = None
    method: str = ""
    gflop_per_token: float | None = None
    peak_tflops: float | None = None
    share_low: float | None = None  # of the cards' peak, recomputation counted
    share_high: float | None = None
    hours_low: float
    hours_high: float
    prices: list[RunPrice]
    no_price: str = ""
    assumptions: list[str] = []
    cautions: list[str] = []
    source_ids: list[str] = []


class ProductFact(Result):
    """A billing rule or figure as published; `official` says whether it was read on a page of Alibaba Cloud."""

    fact_id: str
    text: str
    official: bool
    as_of: str
    source_ids: list[str]


class Product(Result):
    """A product other than ECS with its billing rules."""

    product: str
    name: str
    facts: list[ProductFact]


class OtherProducts(Result):
    """Products in the order asked for. `unverified` is the sentence that goes with facts that are not official."""

    products: list[Product]
    unverified: str
    source_ids: list[str] = []


class MachineMonth(Result):
    """A machine that runs all month, by one way of paying."""

    way: Literal["payg", "month"]
    monthly: Decimal
    currency: str
    region: str
    as_of: str
    source_id: str


class FunctionsCost(Result):
    """GPU functions of Function Compute against a machine that is always there.

    `cu` compute units a month; `usd` by the official tiers and factors; `cny` by an unofficial copy, never to be shown
    without saying so. A break-even is told only within one currency.
    """

    card: str
    gpu_gb: int
    calls_per_day: float
    seconds_per_call: float
    cu: int
    usd: Decimal | None
    cny_unverified: Decimal | None
    instance_type: str | None = None
    machine: list[MachineMonth] = []
    break_even_calls_per_day: float | None = None
    break_even_official: bool = False
    sentences: list[str] = []
    source_ids: list[str] = []
