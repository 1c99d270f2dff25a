"""From an instance type as the cloud's interface lists it to a row of the catalog: its card told by its wording, what is
left out kept as it was, and of what is new nothing claimed that was not given."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from .rows import Family, Gpu, GpuNames, Instance
from .snapshot_rows import ListedType

SMALLEST, LARGEST = 0.88, 1.08
"""The interface gives GiB that a system sees, the card table GB as printed: 22.06 or 24 for an A10 of 24 GB."""

KINDS = {"ebm": "bare_metal_gpu", "scc": "scc_gpu", "vgn": "vgpu", "sgn": "vgpu", "cgn": "vgpu"}
ARCHITECTURES = {"x86": "x86_64", "x86_64": "x86_64", "arm": "arm64", "arm64": "arm64"}

_MAKERS = re.compile(r"\b(?:nvidia|tesla|geforce|quadro|gpu(?=\s+nvidia))\b|[®™]")
_SIZE = re.compile(r"(?<![a-z0-9])(\d{1,3})\s*gi?b?\b")
_SLICE = re.compile(r"\s*(?:\*\s*)?1?/\s*(\d{1,2})\s*$")


def card_of_wording(
    wording: str, memory_gib: float | None, *, likely: str, gpus: dict[str, Gpu], called: dict[str, tuple[str, ...]]
) -> str | None:
    """Id of the one card that the wording and its memory can mean; `likely` decides where the memory is not given.

    `called` is what `cards_called` makes of the table of card names.
    """
    plain = _MAKERS.sub(" ", unicodedata.normalize("NFKC", wording).lower())
    size = _SIZE.search(plain)
    name = re.sub(r"[\s\-_]", "", _SIZE.sub(" ", plain))
    found = [gpu_id for gpu_id in called.get(name, ()) if gpu_id in gpus]
    memory = memory_gib or (float(size[1]) if size else None)
    if memory is not None:
        found = [gpu_id for gpu_id in found if _is_size(memory, gpus[gpu_id])]
    elif likely in found:
        return likely
    return found[0] if len(found) == 1 else None


def cards_called(names: Iterable[GpuNames]) -> dict[str, tuple[str, ...]]:
    """Ids of the cards of each name, written without spaces and dashes."""
    called: dict[str, tuple[str, ...]] = {}
    for row in names:
        for name in {re.sub(r"[\s\-_]", "", name) for name in row.names} if row.gpu_id else ():
            called[name] = (*called.get(name, ()), row.gpu_id)
    return called


def _is_size(memory_gib: float, gpu: Gpu) -> bool:
    return SMALLEST <= memory_gib / gpu.memory_gb <= LARGEST


def kind_of(family: str, types: Iterable[ListedType]) -> str:
    """Kind of a family that the shipped table does not have, by its prefix and what its types carry."""
    carries = any(row.gpu_count or row.gpu_spec for row in types)
    named = next((kind for prefix, kind in KINDS.items() if family.startswith(prefix)), "")
    if carries or "gn" in family:
        return named or "gpu"
    return "cpu"


def updated(row: Instance, listed: ListedType, *, gpu: Gpu | None, source_id: str) -> Instance:
    """The shipped row with the figures that the interface gives. `gpu` is its card as told by the wording, if it was.

    The memory of a card stays as printed (GB); the interface's figure (GiB) only tells which card it is.
    """
    new = _given(listed)
    if listed.erdma_interfaces and row.rdma == "none":
        new["rdma"] = "erdma"
    if row.vgpu:
        new.pop("gpu_count", None)  # a slice counts as one
    elif gpu is not None and gpu.gpu_id != row.gpu_id:
        new |= {"gpu_id": gpu.gpu_id, "gpu_memory_gb_each": gpu.memory_gb}
    merged = replace(row, **new, source_ids=tuple(dict.fromkeys((*row.source_ids, source_id))))
    if merged.vgpu or merged.gpu_memory_gb_each is None:
        return merged
    return replace(merged, gpu_memory_gb_total=merged.gpu_count * merged.gpu_memory_gb_each)


def made(
    listed: ListedType, *, gpu: Gpu | None, family: Family | None, kind: str, status: str, source_id: str, note: str
) -> Instance | None:
    """A row for a type that the shipped table does not have; None where its card, its share of one, or its vCPU is not told."""
    share = _SLICE.search(listed.gpu_spec)
    count = 0 if kind == "cpu" else 1 if kind == "vgpu" else listed.gpu_count
    untold = gpu is None or not count or (kind == "vgpu" and share is None)
    if not _count(listed.vcpu) or (kind != "cpu" and untold):
        return None
    each = None if gpu is None else gpu.memory_gb / int(share[1]) if kind == "vgpu" and share else gpu.memory_gb
    given = _given(listed) | {"gpu_count": count or 0}
    blank = Instance(
        instance_type=listed.instance_type,
        family=listed.family,
        vcpu=0,
        memory_gib=None,
        gpu_id=gpu.gpu_id if gpu else "",
        gpu_count=0,
        gpu_fraction=f"1/{share[1]}" if kind == "vgpu" and share else "",
        gpu_memory_gb_each=each,
        gpu_memory_gb_total=None if each is None else each * (count or 0),
        network_gbps=None,
        pps=None,
        rdma="erdma" if listed.erdma_interfaces else "none",
        rdma_gbps=None,
        nvlink=family.nvlink if family and family.gpu_id else False,
        bare_metal=kind in ("bare_metal_gpu", "scc_gpu"),
        vgpu=kind == "vgpu",
        local_disk_gib=None,
        cpu_model="",
        cpu_arch="x86_64",
        status=status,
        confidence="official",
        source_ids=(source_id,),
        note=note,
    )
    return replace(blank, **given)


def slice_wording(wording: str) -> str:
    """The card's part of the wording of a slice: "NVIDIA T4/2" → "NVIDIA T4"."""
    return _SLICE.sub("", wording)


def _given(listed: ListedType) -> dict[str, Any]:
    """Figures that the interface gives, by field of the catalog; zero of what a machine must have is not a figure."""
    figures: dict[str, Any] = {
        "vcpu": _count(listed.vcpu),
        "memory_gib": _count(listed.memory_gib),
        "gpu_count": _count(listed.gpu_count),
        "network_gbps": _count(listed.network_gbps),
        "pps": _count(listed.pps),
        "local_disk_gib": _count(listed.local_disk_gib),
        "cpu_model": listed.cpu_model.strip() or None,
        "cpu_arch": ARCHITECTURES.get(listed.cpu_arch.strip().lower()),
    }
    return {name: value for name, value in figures.items() if value is not None}


def _count(value: float | None) -> float | None:
    return value if value is not None and value > 0 else None
