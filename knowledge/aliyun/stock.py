"""DescribeAvailableResource: what the zones of a region sell, in one way of paying."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from knowledge.snapshot_rows import Offered

from .answers import Json, family_of, rows, text, type_name, zone_name
from .faults import Call
from .reading import Reading

CHARGES = {
    "payg": {"InstanceChargeType": "PostPaid", "SpotStrategy": "NoSpot"},
    "subscription": {"InstanceChargeType": "PrePaid"},
    "spot": {"InstanceChargeType": "PostPaid", "SpotStrategy": "SpotAsPriceGo"},
}
_STATUS = {"Available": "available", "SoldOut": "sold_out"}
_STOCK = {
    "WithStock": "with_stock",
    "ClosedWithStock": "closed_with_stock",
    "WithoutStock": "without_stock",
    "ClosedWithoutStock": "closed_without_stock",
}


def offered(
    reading: Reading, region: str, *, families: Collection[str], types: Collection[str], charge: str, listed: Mapping[str, str]
) -> list[Offered]:
    """What is sold, sold out or not, of these families and types; everything where neither is named. `listed`: families of
    types that were listed before; others go by their names."""
    call = Call("DescribeAvailableResource", region)
    asked = {"RegionId": region, "DestinationResource": "InstanceType", "ResourceType": "instance", **CHARGES[charge]}
    if len(types) == 1 and not families:
        asked["InstanceType"] = next(iter(types))
    body = reading.client.ask("ecs", call.action, region, **asked)
    wanted = {family.removeprefix("ecs.") for family in families}
    found = {}
    for zone, resource in _resources(reading, body, call):
        row = _offered(reading, resource, zone, call, charge)
        if row and _named(row.instance_type, wanted, types, listed):
            found[row.zone, row.instance_type] = row
    return list(found.values())


def _resources(reading: Reading, body: Json, call: Call) -> Iterator[tuple[str, Json]]:
    for zone in rows(body, "AvailableZones", "AvailableZone"):
        name = zone_name(zone, "ZoneId")
        if not name or text(zone, "RegionId") not in ("", call.region):
            reading.drop(call, "region")
            continue
        for kind in rows(zone, "AvailableResources", "AvailableResource"):
            if text(kind, "Type") in ("", "InstanceType"):
                yield from ((name, row) for row in rows(kind, "SupportedResources", "SupportedResource"))


def _offered(reading: Reading, row: Json, zone: str, call: Call, charge: str) -> Offered | None:
    name = type_name(row, "Value")
    status = _STATUS.get(text(row, "Status"))
    if not name or not status:
        reading.drop(call, "name" if not name else "status")
        return None
    stock = _STOCK.get(text(row, "StatusCategory"), "")
    return Offered(call.region, zone, name, charge, status, stock, reading.day)


def _named(name: str, families: Collection[str], types: Collection[str], listed: Mapping[str, str]) -> bool:
    if not families and not types:
        return True
    return name in types or (listed.get(name) or family_of(name)) in families

