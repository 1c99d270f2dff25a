"""Training memory of detectors by parts that were fitted on published rows (mmdetection, detectron2).

    peak = (1 + 1 + O + D) · 4 · (params of backbone + params of method) + (β_backbone + β_method + Σ β_option) · factor · N·px + β_crowd · px

β are bytes per pixel of the batch. They are fitted, not derived: most rows are of 2 images of 1333 × 800 on 8 cards, so
other batches and sizes are extrapolated in proportion to the pixels. `python -m evals.detection_coefficients` fits
them again and prints how they do on rows that the fit has not seen.
"""

from __future__ import annotations

from collections.abc import Iterable

from knowledge.errors import InputError
from knowledge.vision_facts import VisionPart, vision_parts
from tools.phrases import Language, read_phrases, say

from .account import ELEMENT, VisionAccount
from .job import OPTIMIZER_COPIES, PHRASES, VisionJob

AMP = "amp"
CROWD = "crowd"
"""Kind of a data set with many objects in a picture: what matching them to anchors takes, one picture after the other, and so
once on a card whatever the batch."""
INFERENCE_SHARE = 0.14
"""Of the bytes per pixel of a training step, what a forward pass without gradients needs at its peak. No published table
was found: the share is the median over 130 segmentation networks of our own traces (0.05 to 0.49), not of detectors."""


def by_parts(job: VisionJob, *, framework: str | None = None, language: Language = "en") -> VisionAccount:
    """The account of a detector. InputError names what has no published row."""
    network = job.network
    assert network is not None
    name = framework or network.framework
    parts = find_parts(job, name)
    missing = [label for label, part in parts if part is None]
    if name is None or missing:
        table = read_phrases("tools", PHRASES)
        code = "no_detection_rows" if name else "no_detector"
        raise InputError(say(table, code, language, network=network.label, missing=", ".join(filter(None, missing))))
    known = [part for _, part in parts if part is not None]
    return _account(job, known)


def find_parts(job: VisionJob, framework: str | None) -> list[tuple[str, VisionPart | None]]:
    """Method, backbone, then options, each with its row or None."""
    network = job.network
    assert network is not None
    rows = vision_parts()
    options = [*job.options, *([AMP] if job.amp else [])]
    wanted = [("method", network.method.method), ("backbone", network.backbone), *(("option", name) for name in options)]
    kinds = {"option": ("option", CROWD)}
    found = ((name, [rows.get((framework or "", each, name)) for each in kinds.get(kind, (kind,))]) for kind, name in wanted)
    return [(name, next(filter(None, parts), None)) for name, parts in found]


def _account(job: VisionJob, parts: Iterable[VisionPart]) -> VisionAccount:
    rows = list(parts)
    weights = round(ELEMENT * 1e6 * sum(row.parameters_m for row in rows))
    factor = 1.0
    for row in rows:
        factor *= row.factor
    image = job.height * job.width
    dynamic = round(sum(row.bytes_per_px * (image if row.kind == CROWD else job.pixels) for row in rows) * factor)
    if not job.training:
        return VisionAccount(weights, 0, 0, 0, round(dynamic * INFERENCE_SHARE), way="fitted", notes=("detector_inference",))
    buckets = weights if job.data_parallel else 0
    optimizer = OPTIMIZER_COPIES[job.optimizer] * weights
    return VisionAccount(weights, weights, optimizer, buckets, max(0, dynamic), way="fitted")
