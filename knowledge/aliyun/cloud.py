"""What the rest asks of the cloud: `Cloud`, the keys and options it is opened with, and what it left out."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

from knowledge.errors import SettingsError
from knowledge.rows import PriceRow, SpotRow
from knowledge.snapshot_rows import ListedType, Offered, PlanRate, Site, SpotAdvice

LOCAL_HOSTS = ("127.0.0.1", "localhost")
_ENDPOINT = re.compile(r"(?:(?P<scheme>https?)://)?(?P<host>[A-Za-z0-9](?:[A-Za-z0-9.-]{0,252}[A-Za-z0-9])?)(?P<port>:\d{1,5})?/?")


@dataclass(frozen=True, slots=True)
class Dropped:
    """Why a row of an answer was not taken: the action that gave it, the region, and what was wrong with it."""

    action: str
    region: str
    reason: Literal["name", "amount", "currency", "status", "region", "rate", "conflict"]


class Cloud(Protocol):
    """Reads what the cloud offers. Each method pages to the end and raises CloudError.

    Regions and families go by their ids (`cn-hangzhou`, `gn7i`), types by their full names (`ecs.gn7i-c8g1.2xlarge`).
    Amounts are list prices of Linux instances without disks; `as_of` of each row is the day of the call, in UTC.
    """

    def list_types(self, region: str, families: Sequence[str]) -> list[ListedType]:
        """Specifications of the types of these families; of all types with a GPU where no family is named."""

    def offered(
        self, region: str, *, families: Sequence[str] = (), types: Sequence[str] = (), charge: str = "payg"
    ) -> list[Offered]:
        """What the zones of the region sell by that way of paying (payg, subscription, spot), sold out or not; all of it
        where neither families nor types are named."""

    def prices(self, region: str, instance_type: str, unit: Literal["hour", "month", "year"]) -> PriceRow | None:
        """List price of the instance alone for one hour, month or year; None where it is not sold."""

    def bulk_prices(self, region: str) -> list[PriceRow]:
        """Hourly list prices of everything that the region sells, from the price list of the billing interface."""

    def spot_history(self, region: str, instance_type: str, since: datetime) -> list[SpotRow]:
        """The newest spot price of each zone; zones without a change since then are left out."""

    def spot_advice(self, region: str, families: Sequence[str]) -> list[SpotAdvice]:
        """Average spot price and rate of interruption by type and zone, over the last 30 days."""

    def plan_rates(self, region: str, families: Sequence[str]) -> list[PlanRate]:
        """Official rates of savings plans, by family, kind of plan, years and payment in advance."""


class CountingCloud(Cloud, Protocol):
    """A Cloud that tells what it met."""

    @property
    def site(self) -> Site | None:
        """Site of the account, told by the currency of its prices; None before the first of them."""

    @property
    def dropped(self) -> Mapping[Dropped, int]:
        """How many rows were not taken, by reason."""


@dataclass(frozen=True, slots=True, repr=False)
class Credentials:
    """A key of the account, or (`ram_role`) leave to ask the metadata service of this machine for one. `security_token`
    belongs to temporary keys. Never shown: repr and str say only which kind it is."""

    access_key_id: str = ""
    access_key_secret: str = ""
    security_token: str = ""
    ram_role: bool = False

    @property
    def complete(self) -> bool:
        """Whether there is something to sign with."""
        return self.ram_role or bool(self.access_key_id.strip() and self.access_key_secret.strip())

    @property
    def secrets(self) -> tuple[str, ...]:
        """What must not be shown."""
        return tuple(filter(None, (self.access_key_id.strip(), self.access_key_secret.strip(), self.security_token.strip())))

    def __repr__(self) -> str:
        kind = "ram_role" if self.ram_role else "sts" if self.security_token else "access_key" if self.complete else "none"
        return f"Credentials({kind})"


@dataclass(frozen=True, slots=True)
class CloudOptions:
    """How to ask. `endpoint` and `billing_endpoint`: host or host:port in place of the SDK's choice for the region, with
    http:// before it only on this machine; `attempts` count the first one; `site` chooses the price list that is read."""

    endpoint: str | None = None
    billing_endpoint: str | None = None
    connect_timeout_s: float = 5.0
    read_timeout_s: float = 20.0
    calls_per_second: float = 2.0
    attempts: int = 5
    site: Site = "cn"

    def __post_init__(self) -> None:
        for endpoint in (self.endpoint, self.billing_endpoint):
            if endpoint is not None:
                split_endpoint(endpoint)
        limits = (self.connect_timeout_s, self.read_timeout_s, self.calls_per_second, float(self.attempts))
        if not all(0 < value <= 600 for value in limits):
            raise SettingsError("timeouts, calls per second and attempts must be above 0 and at most 600")


def split_endpoint(endpoint: str) -> tuple[str, Literal["HTTP", "HTTPS"]]:
    """host[:port] and protocol. Raises SettingsError for what is no address, and for http to another machine: a temporary
    key would travel in the clear."""
    found = _ENDPOINT.fullmatch(endpoint.strip())
    if not found:
        raise SettingsError("the cloud endpoint must be HOST or HOST:PORT, without user, password or path")
    plain = found["scheme"] == "http"
    if plain and found["host"] not in LOCAL_HOSTS:
        raise SettingsError(f"the cloud endpoint {found['host'][:60]} must be reached by https")
    return found["host"] + (found["port"] or ""), "HTTP" if plain else "HTTPS"
