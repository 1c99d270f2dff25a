"""Predicts rows of vision_other.csv: detectron2 by fitted parts, nnU-Net and its rivals by the published table."""

from __future__ import annotations

from knowledge.errors import InputError
from tools.units import to_gib
from tools.vision.job import VisionJob
from tools.vision.memory import vision_account
from tools.vision.names import find_network

from .detection_rows import detectron2_row
from .rows import Measure, Refusal, Row, number, row_id, text
from .vision_bands import bounds
from .vision_detection import measure


def predict(row: Row) -> list[Measure] | Refusal:
    """Peak of one published training run: max_memory_allocated of detectron2, nvidia-smi of nnU-Net."""
    try:
        if "nnU-Net" in (text(row, "source") or ""):
            return [_preset(row)]
        return [measure(row, detectron2_row(row))]
    except InputError as error:
        return Refusal(row_id(row), str(error))


def _preset(row: Row) -> Measure:
    """The figure of the published table, looked up by name: agreement says only that the table was copied right."""
    name = text(row, "model") or ""
    network = find_network(name.split(" [")[0])
    if network is None or network.preset is None:
        raise InputError(f"unknown network: {name}")
    job = VisionJob(network=network, batch=1, height=128, width=128, classes=2)
    predicted = to_gib(vision_account(job).required)
    low, high = bounds("vision_preset", predicted)
    return Measure(row_id(row), "peak", number(row, "mem_gb") or 0.0, predicted, low, high, {"method": "preset"}, note="looked up, not computed")
