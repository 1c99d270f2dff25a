"""Predicts rows of vision_detection.csv by the fitted parts of detectors."""

from __future__ import annotations

from knowledge.errors import InputError
from tools.units import to_gib
from tools.vision.detection import by_parts

from .detection_rows import DetectionRow, mmdet_row
from .rows import Measure, Refusal, Row, number, row_id
from .vision_bands import bounds


def predict(row: Row) -> list[Measure] | Refusal:
    """Allocator peak of one published training run."""
    try:
        return [measure(row, mmdet_row(row))]
    except InputError as error:
        return Refusal(row_id(row), str(error))


def measure(row: Row, found: DetectionRow) -> Measure:
    """The published figure beside ours. InputError names parts that no row was fitted on."""
    job = found.job
    account = by_parts(job, framework=found.framework)
    predicted = to_gib(account.allocated)
    low, high = bounds("vision_detection", predicted)
    network = job.network
    groups = {"method": network.method.method if network else "", "precision": "amp" if job.amp else "fp32"}
    return Measure(row_id(row), "peak", number(row, "mem_gb") or 0.0, predicted, low, high, groups, note="fitted on published rows")
