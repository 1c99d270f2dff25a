"""Composes renting against an API: both bills at the volume told, whether the machines can make so much, the verdict."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from assistant.cost_tools import Costs
from assistant.evidence import Evidence, Finding
from assistant.found import FoundInstances
from assistant.plan_costs import monthly_spend
from assistant.read.reading import Reading
from tools.costs.results import Rent, RentOrApi
from tools.prices import all_prices, monthly_estimate

from . import words
from .catalog import type_table
from .costs import chosen_words, total, unit
from .draft import Draft, Voice, paragraphs

MAX_LINES = 6


def compose_api(reading: Reading, evidence: Evidence) -> Draft | None:
    """The answer from `rent_or_api`; without a machine what the API's bill would rent; without prices what is missing."""
    voice, derived = Voice("costs", reading.language), list[float]()
    findings = [finding for finding in evidence.findings if finding.tool == "rent_or_api"]
    if reading.api is None:
        return Draft(kind="clarify", text=voice("api_tell"), constant=True)
    parts = [_bill(voice, reading, derived)]
    if findings:
        parts += [part for finding in findings for part in _rented(voice, reading, evidence, finding, derived)]
    elif not any(finding.tool.startswith("size_") for finding in evidence.findings):
        parts += _for_that_money(voice, reading, evidence)
    parts.append(_one_price(voice, reading))
    return Draft(kind="price", text=paragraphs(*dict.fromkeys(parts)), derived=derived)


def _bill(voice: Voice, reading: Reading, derived: list[float]) -> str:
    """What the API costs a month, as a sum."""
    spend, api, tokens = monthly_spend(reading), reading.api, reading.tokens_per_month
    if spend is None or api is None or tokens is None:
        return voice("api_tell_volume") if tokens is None else ""
    derived += [spend, tokens, *(price for price in (api.input, api.output) if price is not None), *(part for part in (reading.input_per_month, reading.output_per_month) if part)]
    said = {"unit": unit(api.currency, voice), "price": words.plain(api.input or api.output or 0)}
    if reading.input_per_month and reading.output_per_month and api.input != api.output:
        sum_ = voice(
            "api_sum_two", inputs=_count(reading.input_per_month, voice, derived), paid=words.plain(api.input or 0),
            outputs=_count(reading.output_per_month, voice, derived), got=words.plain(api.output or 0), unit=said["unit"],
        )  # fmt: skip
    else:
        sum_ = voice("api_sum_one", **said)
    return voice("api_volume", spend=total(Decimal(str(spend))), unit=said["unit"], tokens=_count(tokens, voice, derived), sum=sum_)


def _rented(voice: Voice, reading: Reading, evidence: Evidence, finding: Finding, derived: list[float]) -> Iterator[str]:
    if finding.error:
        yield voice("refused", reason=finding.error)
        return
    costs = finding.read(Costs)
    found = costs.api
    if found is None:
        return
    yield chosen_words(voice, costs, machines=found.machines, picked=bool(reading.models) and not costs.choice.chosen_of)
    best = min(found.rents, key=lambda row: row.monthly, default=None)
    spend = monthly_spend(reading) or _blended(reading, found)
    if spend is not None and monthly_spend(reading) is None and reading.api:
        derived += [spend, float(found.api_per_million)]
        yield voice("api_blended", spend=total(Decimal(str(spend))), unit=unit(reading.api.currency, voice), each=words.money(found.api_per_million))
    if best is not None and spend is not None:
        yield _against(voice, evidence, found, best, Decimal(str(spend)), derived)
        yield _capacity(voice, reading, found, best, Decimal(str(spend)), derived)
    if best is None:
        yield _other_money(voice, evidence, found, derived)
    yield "\n".join(f"- {said}" for said in costs.sentences[: 1 + len(found.rents)]) if found.rents else ""
    yield words.sentences(found.notes, voice.language)


def _blended(reading: Reading, found: RentOrApi) -> float | None:
    """The API's bill where one volume and two prices are told: by the lengths that the comparison assumes."""
    return float(found.api_per_million) * reading.tokens_per_month / 1e6 if reading.tokens_per_month else None


def _other_money(voice: Voice, evidence: Evidence, found: RentOrApi, derived: list[float]) -> str:
    """The rent in the other currency, where the API's has no price of the machine: side by side, not converted."""
    listed = [item for item in all_prices(found.instance_type, found.region) if item.billing in ("payg", "month") and item.currency != found.api.currency]
    months = [monthly_estimate(item) if item.per == "hour" else item for item in listed]
    best = min(months, key=lambda item: item.amount, default=None)
    if best is None:
        return ""
    month = best.model_copy(update={"amount": best.amount * found.machines})
    derived.append(float(month.amount))
    return voice(
        "api_other_money", machines=found.machines, rent=f"{total(month.amount)} {unit(month.currency, voice)}", way=voice(f"way.{best.billing}"),
        region=words.region(best.region, voice.language), date=best.as_of, unit=unit(found.api.currency, voice), mark=evidence.mark([best.source_id]),
    )  # fmt: skip


def _against(voice: Voice, evidence: Evidence, found: RentOrApi, best: Rent, spend: Decimal, derived: list[float]) -> str:
    """The two bills of a month and their difference."""
    gap = abs(best.monthly - spend)
    derived.append(float(gap))
    return voice(
        "api_rent_more" if best.monthly > spend else "api_rent_less", way=voice(f"way.{best.way}"), machines=found.machines,
        rent=total(best.monthly), gap=total(gap), unit=unit(best.currency, voice), region=words.region(best.region, voice.language),
        date=best.as_of, mark=evidence.mark([best.source_id]),
    )  # fmt: skip


def _capacity(voice: Voice, reading: Reading, found: RentOrApi, best: Rent, spend: Decimal, derived: list[float]) -> str:
    """Whether the machines can make the volume, and how many could."""
    tokens = reading.tokens_per_month
    if not found.capacity_low or not found.capacity_high or not tokens:
        return ""
    derived += [float(found.capacity_low), float(found.capacity_high)]
    shared = {
        "machines": found.machines, "low": _count(found.capacity_low, voice, derived), "high": _count(found.capacity_high, voice, derived),
        "tokens": _count(tokens, voice, derived),
    }  # fmt: skip
    if tokens <= found.capacity_low:
        share = 100 * tokens / found.capacity_low
        derived.append(share)
        return voice("api_enough", share=f"{share:.2g}" if share < 10 else f"{share:.0f}", **shared)
    needed = -(-int(tokens) * found.machines // found.capacity_low)
    cost = best.monthly / found.machines * needed
    derived += [float(needed), float(cost)]
    return voice("api_short", needed=f"{needed:,}", cost=total(cost), unit=unit(best.currency, voice), spend=total(spend), **shared)


def _for_that_money(voice: Voice, reading: Reading, evidence: Evidence) -> list[str]:
    """Without a model: the machines that the API's bill would rent by the month."""
    spend, found = monthly_spend(reading), evidence.of_tool("find_instances")
    ask = voice("api_ask")
    if spend is None or not found or reading.api is None:
        return [ask]
    said = {"spend": total(Decimal(str(spend))), "unit": unit(reading.api.currency, voice)}
    listed = found[0].read(FoundInstances)
    if not listed.types:
        return [voice("api_nothing", **said), ask]
    return [voice("api_no_model", **said), type_table(Voice("catalog", voice.language), evidence, listed.types[:MAX_LINES]), ask]


def _one_price(voice: Voice, reading: Reading) -> str:
    api = reading.api
    if api is None or (api.input is not None and api.output is not None):
        return ""
    return voice("api_one_price", given=voice("tokens.input" if api.input is not None else "tokens.output"))


def _count(value: float, voice: Voice, derived: list[float]) -> str:
    """Tokens as people say them, noted as a figure of the text at the digits that are shown."""
    from tools.costs.figures import count

    shown = count(value, voice.language)
    derived += [float(value), float(shown.split(" ")[0].replace(",", ""))]
    return shown
