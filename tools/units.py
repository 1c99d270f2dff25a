"""The only place that converts bytes. GiB and MiB are powers of two; vendors print GB, powers of ten."""

from __future__ import annotations

KIB = 1 << 10
MIB = 1 << 20
GIB = 1 << 30
GB = 10**9


def to_gib(size: float) -> float:
    """Bytes → GiB."""
    return size / GIB


def from_gib(gib: float) -> int:
    """GiB → bytes, rounded."""
    return round(gib * GIB)


def from_mib(mib: float) -> int:
    """MiB → bytes, rounded."""
    return round(mib * MIB)


def from_gb(gb: float) -> int:
    """Vendor's GB (10^9) → bytes, rounded."""
    return round(gb * GB)


def gb_to_gib(gb: float) -> float:
    """Vendor's GB (10^9 bytes) → GiB."""
    return gb * GB / GIB
