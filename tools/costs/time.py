"""The time that a comparison is made for: hours of a whole job, whole months, or hours in each of some months."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal

from tools.phrases import Language
from tools.prices import HOURS_PER_MONTH

from .figures import plain, sentence
from .limits import hours_of, whole

MONTHS_OF_A_YEAR = 12


@dataclass(frozen=True)
class Usage:
    """`hours` of each month where `months` is given (a month of 730 hours where they are not), else of the whole job."""

    machines: int
    hours: Decimal | None
    months: int | None

    @property
    def known(self) -> bool:
        """Whether any time was asked for."""
        return self.hours is not None or self.months is not None

    @property
    def all_hours(self) -> Decimal:
        """Hours of one machine over the whole time."""
        if self.months is None:
            return self.hours or Decimal(0)
        return (self.hours or Decimal(HOURS_PER_MONTH)) * self.months

    @property
    def all_months(self) -> int:
        """Months that a subscription must be held: those asked for, else as many as the hours take in one go."""
        if self.months is not None:
            return self.months
        if self.monthly_hours is not None:
            return 1
        return int((self.all_hours / HOURS_PER_MONTH).to_integral_value(ROUND_CEILING))

    @property
    def all_years(self) -> int:
        """Years that a yearly subscription must be held."""
        return -(-self.all_months // MONTHS_OF_A_YEAR)

    @property
    def monthly_hours(self) -> Decimal | None:
        """Hours of one month, where the use is of months or fits in one."""
        if self.months is not None:
            return self.hours or Decimal(HOURS_PER_MONTH)
        return self.hours if self.hours is not None and self.hours <= HOURS_PER_MONTH else None

    def words(self, language: Language) -> str:
        """«每月 200 小时、3 个月、2 台», «3 months, 2 machines»."""
        code = f"use.{'hours_' if self.hours is not None else ''}{'months' if self.months is not None else 'once'}"
        several = "" if language == "zh" or self.months == 1 else "s"
        time = sentence(code, language, hours=plain(self.hours or HOURS_PER_MONTH), months=self.months, s=several)
        return time + sentence("use.machines", language, machines=self.machines) if self.machines > 1 else time


def usage(machines: int, hours: Decimal | float | None, months: int | None, language: Language) -> Usage:
    """The use, with its limits checked. Raises InputError."""
    return Usage(
        machines=whole(machines, "machines", language),
        hours=None if hours is None else hours_of(hours, language, of_a_month=months is not None),
        months=None if months is None else whole(months, "months", language),
    )
