"""Which way of paying is the cheapest for a use, in one sentence with its reservation."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from tools.phrases import Language
from tools.prices import HOURS_PER_MONTH

from .figures import money, place, plain, price, sentence, span, unit
from .results import CostRow, Way
from .time import Usage


def cheapest_of(
    rows: Sequence[CostRow], use: Usage, region: str, language: Language, *, local_disk: bool = False
) -> tuple[Way | None, str]:
    """The cheapest way of fixed price, the others, what spot would come to; without a time, from how many hours a month pays."""
    if not use.known:
        return None, _by_hours(rows, region, language)
    fixed = sorted((row for row in rows if row.way != "spot" and row.total is not None), key=lambda row: row.total or 0)
    spot = next((row for row in rows if row.way == "spot" and row.total is not None), None)
    if not fixed:
        said = sentence("cheapest.no_price", language, region=place(region, language))
        return None, said + _spot(spot, None, language)
    best, parts = fixed[0], [sentence(f"cheapest.{'only' if len(fixed) == 1 else 'best'}", language, **_words(fixed[0], use, language))]
    if len(fixed) > 1:
        others = [sentence("cheapest.other", language, **_words(row, use, language)) for row in fixed[1:]]
        parts.append(sentence("cheapest.others", language, others=("、" if language == "zh" else ", ").join(others)))
    parts.append(sentence("reserve.payg_local" if best.way == "payg" and local_disk else f"reserve.{best.way}", language))
    return best.way, "".join(parts) + _spot(spot, best, language)


def _words(row: CostRow, use: Usage, language: Language) -> dict[str, str]:
    """Arguments of the sentences."""
    return {
        "use": use.words(language), "way": sentence(f"way.{row.way}", language), "total": money(row.total if row.total is not None else Decimal(0)),
        "unit": unit(row.currency, language), "region": place(row.region, language), "date": row.as_of,
    }  # fmt: skip


def _spot(row: CostRow | None, best: CostRow | None, language: Language) -> str:
    """Whether spot was cheaper on its day: at its highest, only in some zones, or nowhere."""
    if row is None or row.total is None:
        return ""
    code = "spot.total"
    if best is not None and best.total is not None:
        high = row.total_high or row.total
        code = "spot.cheaper" if high < best.total else "spot.partly" if row.total < best.total else "spot.dearer"
    return sentence(code, language, total=span(row.total, row.total_high), unit=unit(row.currency, language), date=row.as_of)


def _by_hours(rows: Sequence[CostRow], region: str, language: Language) -> str:
    """From how many hours a month on the subscription pays, with the dates of both prices."""
    month = next((row for row in rows if row.way == "month" and row.break_even_hours is not None), None)
    payg = next((row for row in rows if row.way == "payg"), None)
    if month is None or payg is None or month.break_even_hours is None or payg.amount is None or month.amount is None:
        return ""
    code = "by_hours.never" if month.break_even_hours >= HOURS_PER_MONTH else "by_hours.from"
    return sentence(
        code, language, region=place(region, language), hours=plain(month.break_even_hours), payg=price(payg.amount),
        payg_date=payg.as_of, month=price(month.amount), month_date=month.as_of, unit=unit(payg.currency, language),
        daily=plain(month.break_even_hours / 30),
    )  # fmt: skip
