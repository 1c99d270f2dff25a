"""An order as asked for, checked: only known names and figures in range go into a command."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from knowledge.errors import InputError
from knowledge.rows import Instance
from tools.names import show_instance
from tools.phrases import Language, read_phrases, say
from tools.prices import region_id
from tools.site import Site

from .results import Billing

PHRASES = "phrases/order.toml"
MAX_MACHINES = 100
"""RunInstances creates 1 to 100 instances at once."""
PERIODS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 24, 36, 48, 60)
"""Months that RunInstances takes as Period."""
DEFAULT_DISK_GIB = 100
LEAST_DISK_GIB = 40
"""Room for a system with driver and CUDA; RunInstances itself takes 20 GiB."""
MAX_SYSTEM_DISK_GIB = 2048
"""Of a system disk with Linux; what is larger becomes a data disk (ECS limits)."""
MAX_DATA_DISK_GIB = 65_536
"""Of an ESSD at PL1 (ECS limits)."""


@dataclass(frozen=True, slots=True)
class OrderRequest:
    """What is to be ordered. Disks in GiB; `data_disk_gib` is 0 where none is needed."""

    row: Instance
    region: str
    zone: str | None
    machines: int
    billing: Billing
    months: int
    system_disk_gib: int
    data_disk_gib: int
    disk_said: bool
    site: Site


def said(code: str, language: Language, **arguments: object) -> str:
    """A sentence of the order's phrases."""
    return say(read_phrases("tools", PHRASES), code, language, **arguments)


def check_order(
    instance_type: str,
    *,
    region: str,
    machines: int,
    billing: Billing,
    months: int,
    disk_gib: int | None,
    zone: str | None,
    site: Site,
    language: Language,
) -> OrderRequest:
    """The request with its names as the catalog spells them.

    Raises UnknownInstance for a type outside the catalog, InputError for an unknown region, a zone of another region, and
    figures out of range.
    """
    row = show_instance(instance_type, language=language)
    place = region_id(region, language=language)
    if not 1 <= machines <= MAX_MACHINES:
        raise InputError(said("machines_range", language, most=MAX_MACHINES))
    if billing == "month" and months not in PERIODS:
        raise InputError(said("months_range", language, months=", ".join(map(str, PERIODS))))
    if disk_gib is not None and not 1 <= disk_gib <= MAX_DATA_DISK_GIB:
        raise InputError(said("disk_range", language, most=MAX_DATA_DISK_GIB))
    system, data = _disks(disk_gib)
    return OrderRequest(
        row=row,
        region=place,
        zone=_zone(zone, place, language),
        machines=machines,
        billing=billing,
        months=months if billing == "month" else 1,
        system_disk_gib=system,
        data_disk_gib=data,
        disk_said=disk_gib is not None,
        site=site,
    )


def _disks(disk_gib: int | None) -> tuple[int, int]:
    """System disk and data disk: one disk as long as a system disk may be that large."""
    if disk_gib is None:
        return DEFAULT_DISK_GIB, 0
    if disk_gib <= MAX_SYSTEM_DISK_GIB:
        return max(disk_gib, LEAST_DISK_GIB), 0
    return DEFAULT_DISK_GIB, disk_gib


def _zone(zone: str | None, region: str, language: Language) -> str | None:
    """The zone's id: that of its region and a letter, as cn-hangzhou-i or us-east-1a."""
    if zone is None:
        return None
    plain = unicodedata.normalize("NFKC", zone).strip().lower()
    if not re.fullmatch(rf"{re.escape(region)}-?[a-z]", plain, re.ASCII):
        raise InputError(said("unknown_zone", language, zone=" ".join(plain.split())[:40], region=region))
    return plain
