"""Spot: DescribeSpotPriceHistory (prices by zone) and DescribeSpotAdvice (averages and interruptions of the last 30 days)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from knowledge.rows import SpotRow
from knowledge.snapshot_rows import SpotAdvice

from .answers import Json, amount, number, rows, text, type_name, whole, zone_name
from .faults import Call
from .reading import MOST_PAGES, Reading, endless

LONGEST = timedelta(days=30)
"""The most that one question may span."""


def spot_history(reading: Reading, region: str, instance_type: str, since: datetime) -> list[SpotRow]:
    """The newest price of each zone since then. The interface lists changes, and by itself only those of the last hours:
    the start is always said."""
    call = Call("DescribeSpotPriceHistory", region)
    now = reading.clock().astimezone(UTC)
    asked = {
        "RegionId": region,
        "InstanceType": instance_type,
        "NetworkType": "vpc",
        "OSType": "linux",
        "StartTime": _moment(max(since.astimezone(UTC), now - LONGEST)),
        "EndTime": _moment(now),
    }
    newest: dict[str, tuple[str, SpotRow]] = {}
    offset = 0
    for _ in range(MOST_PAGES):
        body = reading.client.ask("ecs", call.action, region, **asked, **({"Offset": offset} if offset else {}))
        found = rows(body, "SpotPrices", "SpotPriceType")
        for price in found:
            _keep_newest(reading, {**price, "Currency": body.get("Currency")}, call, instance_type, newest)
        following = whole(body, "NextOffset", most=10**9)
        if not found or not following or following <= offset:
            return [row for _, row in newest.values()]
        offset = following
    raise endless(call)


def _keep_newest(
    reading: Reading, price: Json, call: Call, instance_type: str, newest: dict[str, tuple[str, SpotRow]]
) -> None:
    zone, when = zone_name(price, "ZoneId"), text(price, "Timestamp")
    if not zone or not when or text(price, "InstanceType") not in ("", instance_type):
        reading.drop(call, "name")
        return
    quoted = amount(price, "SpotPrice")
    if quoted is None:
        reading.drop(call, "amount")
        return
    if reading.site_of(price, call) is None or (zone in newest and newest[zone][0] >= when):
        return
    row = SpotRow(
        instance_type=instance_type,
        region=call.region,
        zone=zone,
        currency=reading.currency,
        spot_per_hour=quoted,
        payg_per_hour=amount(price, "OriginPrice"),
        as_of=reading.day,
        source_id=reading.source_id,
    )
    newest[zone] = (when, row)


def _moment(time: datetime) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ")


def spot_advice(reading: Reading, region: str, families: Sequence[str]) -> list[SpotAdvice]:
    """One call a family. AverageSpotDiscount is the share of the pay-as-you-go price that is paid, in percent."""
    call = Call("DescribeSpotAdvice", region)
    found: dict[tuple[str, str], SpotAdvice] = {}
    for family in dict.fromkeys(name.removeprefix("ecs.") for name in families):
        body = reading.client.ask("ecs", call.action, region, RegionId=region, InstanceTypeFamily=f"ecs.{family}")
        for zone in rows(body, "AvailableSpotZones", "AvailableSpotZone"):
            for row in rows(zone, "AvailableSpotResources", "AvailableSpotResource"):
                advice = _advice(reading, row, zone_name(zone, "ZoneId"), call)
                if advice:
                    found[advice.zone, advice.instance_type] = advice
    return list(found.values())


def _advice(reading: Reading, row: Json, zone: str, call: Call) -> SpotAdvice | None:
    name = type_name(row, "InstanceType")
    average, rate = whole(row, "AverageSpotDiscount", most=100) or None, number(row, "InterruptionRate", most=100)
    worded = text(row, "InterruptRateDesc", most=20)
    if not name or not zone:
        reading.drop(call, "name")
        return None
    if average is None and rate is None and not worded:
        reading.drop(call, "rate")
        return None
    return SpotAdvice(name, call.region, zone, average, rate, worded, reading.day)
