"""What the readers of all actions share: the client, the day, the site that prices told, and the count of what was dropped."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, Literal

from knowledge.errors import CloudError
from knowledge.rows import PriceRow
from knowledge.snapshot_rows import Site

from .answers import Json, text
from .client import Client, Product
from .cloud import Dropped
from .faults import Call, fault

MOST_PAGES = 1000
SITE_OF: dict[str, Site] = {"CNY": "cn", "USD": "intl"}

Unit = Literal["hour", "month", "year"]
BILLING: dict[Unit, str] = {"hour": "payg", "month": "month", "year": "year"}
Reason = Literal["name", "amount", "currency", "status", "region", "rate", "conflict"]


@dataclass
class Reading:
    """One account being read. `clock` gives the time in UTC; `essd`: types whose system disk must be an ESSD."""

    client: Client
    clock: Callable[[], datetime]
    currency: str = ""
    essd: set[str] = field(default_factory=set)
    dropped: Counter[Dropped] = field(default_factory=Counter)

    @property
    def day(self) -> str:
        """Of the rows: today in UTC."""
        return self.clock().astimezone(UTC).date().isoformat()

    @property
    def source_id(self) -> str:
        """Under which rows of this day are cited."""
        return f"ecs-api-{self.day}"

    @property
    def site(self) -> Site | None:
        """Told by the currency of the first price."""
        return SITE_OF.get(self.currency)

    def drop(self, call: Call, reason: Reason) -> None:
        """Counts a row that is not taken."""
        self.dropped[Dropped(call.action, call.region, reason)] += 1

    def site_of(self, row: Json, call: Call) -> Site | None:
        """Site of a price by its currency; None (and dropped) for a currency of neither site.

        Raises CloudError when the account answered in the other site's currency before.
        """
        currency = text(row, "Currency").upper()
        if currency not in SITE_OF:
            self.drop(call, "currency")
            return None
        self.currency = self.currency or currency
        if currency != self.currency:
            raise fault("mixed_sites", call, first=self.currency, second=currency).error
        return SITE_OF[currency]

    def price_row(
        self, call: Call, instance_type: str, listed: Decimal, site: Site, *, unit: Unit, note: str = ""
    ) -> PriceRow:
        """A list price, in the currency of the account's site."""
        return PriceRow(
            instance_type=instance_type,
            region=call.region,
            billing=BILLING[unit],
            currency=self.currency,
            amount=listed,
            per=unit,
            site=site,
            as_of=self.day,
            confidence="high",
            source_id=self.source_id,
            note=note,
        )


def pages(
    reading: Reading, product: Product, call: Call, mark: str, find: Callable[[Json], tuple[list[Json], object]], **parameters: Any
) -> Iterator[Json]:
    """The rows of all pages. `mark` is the parameter that asks for the next page; `find` takes a page apart into its rows and
    the mark of the next one, empty where there is none.

    A mark that comes twice ends the list if its page is not full, as the last page of some lists does. On a full page there
    would be more, and too many pages never end: CloudError, because part of a list must not pass for the whole.
    """
    seen: set[object] = set()
    fullest = 1
    for _ in range(MOST_PAGES):
        found, following = find(reading.client.ask(product, call.action, call.region, **parameters))
        yield from found
        if not following or not isinstance(following, str | int):
            return
        if following in seen:
            if len(found) < fullest:
                return
            break
        fullest = max(fullest, len(found))
        seen.add(following)
        parameters[mark] = following
    raise endless(call)


def endless(call: Call) -> CloudError:
    """Pages that do not come to an end."""
    return fault("endless", call).error
