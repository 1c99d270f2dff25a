"""What may be asked: numbers beyond it are slips of the unit, told in one sentence."""

from __future__ import annotations

import math
from decimal import Decimal, InvalidOperation

from knowledge.errors import InputError
from tools.phrases import Language

from .figures import sentence

HOURS_OF_A_MONTH = 744
"""31 days."""
MOST = {"machines": 10_000, "hours": 1_000_000, "months": 120, "runs": 100_000, "tokens_per_request": 100_000_000}
MOST_PRICE = Decimal(1_000_000)


def whole(value: int, name: str, language: Language) -> int:
    """A count between one and what may be asked. Raises InputError."""
    if isinstance(value, bool) or not 1 <= value <= MOST[name]:
        raise InputError(_out(name, value, 1, MOST[name], language, code="out_of_range_whole"))
    return value


def hours_of(value: Decimal | float, language: Language, *, of_a_month: bool = False) -> Decimal:
    """Hours as Decimal, above zero. Raises InputError."""
    most = HOURS_OF_A_MONTH if of_a_month else MOST["hours"]
    number = _decimal(value)
    if number is None or not 0 < number <= most:
        raise InputError(_out("hours_a_month" if of_a_month else "hours", value, 0, most, language))
    return number


def price_of(value: Decimal, name: str, language: Language) -> Decimal:
    """A price per million tokens, not negative. Raises InputError."""
    number = _decimal(value)
    if number is None or not 0 <= number <= MOST_PRICE:
        raise InputError(_out(name, value, 0, int(MOST_PRICE), language))
    return number


def positive(value: float, name: str, most: float, language: Language) -> float:
    """A number above zero and at most `most`. Raises InputError."""
    if not math.isfinite(value) or not 0 < value <= most:
        raise InputError(_out(name, value, 0, most, language))
    return value


def _decimal(value: Decimal | float) -> Decimal | None:
    try:
        number = Decimal(str(value))
    except InvalidOperation:
        return None
    return number if number.is_finite() else None


def _out(name: str, value: object, least: float, most: float, language: Language, *, code: str = "out_of_range") -> str:
    given = str(value)
    shown = given if len(given) <= 20 else f"{given[:19]}…"
    return sentence(code, language, what=sentence(f"limit.{name}", language), given=shown, least=f"{least:g}", most=f"{most:,.0f}")
