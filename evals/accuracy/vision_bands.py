"""The printed range around a predicted allocator peak of a vision job."""

from __future__ import annotations

from knowledge.facts import error_bands


def bounds(name: str, predicted: float) -> tuple[float, float]:
    """Low and high of a prediction by a row of error_bands.csv, as the Estimate prints them."""
    band = error_bands()[name]
    return predicted * (1 + band.low_pct / 100), predicted * (1 + band.high_pct / 100)
