"""DescribePrice: the list price of one type in one region."""

from __future__ import annotations

from typing import Any

from knowledge.rows import PriceRow

from .answers import Json, amount, part, rows, text
from .faults import Call, Fault, fault
from .reading import Reading, Unit

NOT_SOLD = ("InvalidInstanceType", "PriceNotFound")
"""Beginnings of codes that say: this type is not sold here."""
OTHER_DISK = "InvalidSystemDiskCategory"
"""The default system disk does not go with the type; newer ones take only ESSD."""
BELOW_LIST = "List price. The account itself would have paid less on that day (offer or contract)."


def read_price(reading: Reading, region: str, instance_type: str, unit: Unit) -> PriceRow | None:
    """The list price, or None where it is not sold, or where the answer has no amount that can be (dropped and counted)."""
    call = Call("DescribePrice", region)
    body = _ask(reading, call, instance_type, unit)
    if isinstance(body, Fault) and body.code.startswith(OTHER_DISK) and instance_type not in reading.essd:
        reading.essd.add(instance_type)
        body = _ask(reading, call, instance_type, unit)
    if isinstance(body, Fault):
        if body.code.startswith(NOT_SOLD):
            return None
        raise body.error
    return _row(reading, body, call, instance_type, unit)


def _ask(reading: Reading, call: Call, instance_type: str, unit: Unit) -> Json | Fault:
    asked: dict[str, Any] = {
        "RegionId": call.region,
        "ResourceType": "instance",
        "InstanceType": instance_type,
        "PriceUnit": unit.capitalize(),
        "Period": 1,
        "Amount": 1,
    }
    if instance_type in reading.essd:
        asked["SystemDisk"] = {"Category": "cloud_essd"}
    return reading.client.try_to_ask("ecs", call.action, call.region, **asked)


def _row(reading: Reading, body: Json, call: Call, instance_type: str, unit: Unit) -> PriceRow | None:
    """The total holds a system disk; only the detail of the instance is the price of the instance. OriginalPrice is the
    list price, TradePrice what this very account pays."""
    price = part(body, "PriceInfo", "Price")
    details = [row for row in rows(price, "DetailInfos", "DetailInfo") if text(row, "Resource") == "instanceType"]
    if len(details) != 1:
        raise fault("no_answer", call).error
    listed = amount(details[0], "OriginalPrice", per=unit)
    if listed is None:
        reading.drop(call, "amount")
        return None
    site = reading.site_of(price, call)
    if site is None:
        return None
    paid = amount(details[0], "TradePrice", per=unit)
    note = BELOW_LIST if paid is not None and paid < listed else ""
    return reading.price_row(call, instance_type, listed, site, unit=unit, note=note)

