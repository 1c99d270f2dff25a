"""Rows of published detectors as jobs: method, backbone, options and resolution, read from the names of their configs."""

from __future__ import annotations

import re
from dataclasses import dataclass

from knowledge.errors import InputError
from knowledge.vision_facts import vision_methods
from tools.vision.job import VisionJob, check_job
from tools.vision.network import Network

from .rows import Row, flag, need, text, whole

_BACKBONE = re.compile(
    r"(?:^|[_-])(r2-?101|r2[_-]50|r2[_-]101|res2net-101|r18|r34|r50|r101|x50-32x4d|x101[-_]32x4d|x101[-_]32x8d|x101[-_]64x4d|x101(?=-dcn)"
    r"|s50|s101|swin-[tsbl]|convnext-[tsbl]|hrnetv2p-w\d+|regnetx-[\d.]+[GM]F|d53|mobilenetv2|hourglass104|pvtv2-b0"
    r"|(?<=yolox_)(?:tiny|s|m|l|x))(?=[-_]|$)"
)
_RENAMED = {
    "r2-101": "res2net101", "r2-50": "res2net50", "res2net-101": "res2net101", "s50": "resnest50", "s101": "resnest101",
    "d53": "darknet53", "x101": "x101-64x4d",
}  # fmt: skip
_METHODS = {"solov2_light": "solov2-light", "ld": "ld"}
_OPTIONS = {
    "dcn": r"dconv|dcn", "gcb": r"gcb", "syncbn": r"syncbn", "gn-head": r"(?<!grid-rcnn_r50_fpn_)(?<!ws-)gn-head",
    "objects365": r"objects365", "openimages": r"openimages", "pafpn": r"pafpn", "rfp": r"-rfp|^detectors", "sac": r"-sac|^detectors",
    "attention-1111": r"attention_1111", "attention-0010": r"attention_0010", "dyhead": r"dyhead", "lsj": r"_[ls]sj[_-]",
    "crowdhuman": r"crowdhuman", "ms-crop": r"ms-crop", "caffe": r"caffe",
    "gn-all": r"gn[-_]all|gn[-_]ws|gn\+ws", "fpg": r"[-_]fpg", "nasfpn": r"nasfpn", "carafe": r"carafe", "groie": r"groie",
    "dpool": r"dpool", "lvis": r"lvis", "crop-50e": r"crop\d+-50e",
}  # fmt: skip
_IN_METHOD = ("htc", "fcos", "grid-rcnn", "detectors-cascade-rcnn", "detectors-htc")
_ONE_CARD = re.compile(r"_1xb\d+")
_AMP = re.compile(r"fp16|[-_]amp[-_]")
_SIDES = {
    r"dyhead_ms": (1200, 2000), r"_[ls]sj[_-]": (1024, 1024), r"crowdhuman": (800, 1400), r"cityscapes": (1024, 2048),
    r"voc0712": (600, 1000), r"deepfashion": (750, 1101), r"openimages": (800, 1024),
}  # fmt: skip
"""Largest pictures, by what the name says: the scales of mmdetection's configs and data sets."""
_SIDE_IN_NAME = re.compile(r"^yolov3.*?[-_](320|416|608)(?=[-_])|crop(\d{3,})")
_BATCH_IN_NAME = re.compile(r"[_-]\d{1,3}x(?:b)?(\d{1,2})[_-]")
USUAL_BATCH = 2
"""Pictures per card where neither the configuration nor the name says it: mmdetection's own default, 8 cards of 2
(docs/en/user_guides/config.md, "8xb2 by default")."""
_CONFIG = re.compile(
    r"(?P<method>faster_rcnn|mask_rcnn|cascade_mask_rcnn|keypoint_rcnn|retinanet|rpn|panoptic_fpn|scratch_mask_rcnn)"
    r"_(?P<backbone>R_50|R_101|X_101_32x8d)_(?P<rest>\w+)\.yaml$"
)


@dataclass(frozen=True)
class DetectionRow:
    """A row as a job, and the framework whose parts it belongs to."""

    id: str
    framework: str
    job: VisionJob


def mmdet_row(row: Row) -> DetectionRow:
    """A row of vision_detection.csv. InputError names what is missing or not known."""
    need(row, "mem_gb", "model")
    name = text(row, "model") or ""
    method, backbone = _mmdet_network(name)
    options = tuple(key for key, pattern in _OPTIONS.items() if re.search(pattern, name) and not _told(method, key))
    height, width = _mmdet_sides(name, method)
    job = VisionJob(
        network=_network(method, backbone),
        batch=whole(row, "batch_per_gpu") or 0 if text(row, "batch_per_gpu") else _batch_of(name),
        height=height,
        width=width,
        classes=80,
        precision="fp16" if flag(row, "amp") or _AMP.search(name) else "fp32",
        optimizer=(text(row, "optimizer") or "SGD").lower(),
        data_parallel=not _ONE_CARD.search(name),
        era="legacy",
        options=options,
    )
    check_job(job)
    return DetectionRow(name, "mmdet", job)


def detectron2_row(row: Row) -> DetectionRow:
    """A detectron2 row of vision_other.csv. InputError names what is missing or not known."""
    need(row, "mem_gb", "config")
    config = text(row, "config") or ""
    found = _CONFIG.search(config)
    if "IMS_PER_BATCH 16 (2/GPU)" not in (text(row, "note") or ""):
        raise InputError("missing: batch_per_gpu (the note states none)")
    if found is None:
        found = re.search(r"(?P<method>faster_rcnn)_(?P<backbone>R_50)_(?P<rest>C4)\.yaml$", config)
    if found is None:
        raise InputError(f"unknown network: {config}")
    method = found["method"].removeprefix("scratch_").replace("_", "-")
    backbone = {"R_50": "r50", "R_101": "r101", "X_101_32x8d": "x101-32x8d"}[found["backbone"]]
    job = VisionJob(
        network=_network(method, backbone), batch=2, height=800, width=1333, classes=80, data_parallel=True, era="legacy",
        options=_detectron2_options(config, found["rest"]),
    )  # fmt: skip
    return DetectionRow(config.rpartition("/")[2], "detectron2", job)


def _detectron2_options(config: str, rest: str) -> tuple[str, ...]:
    holds = {
        "c4": "C4" in rest, "dc5": "DC5" in rest, "gn": rest.lower().endswith("gn"), "syncbn": "syncbn" in rest.lower(),
        "unfrozen": "scratch_" in config, "lvis": "LVIS" in config,
    }  # fmt: skip
    return tuple(name for name, yes in holds.items() if yes)


def _mmdet_network(name: str) -> tuple[str, str]:
    found = _BACKBONE.search(name)
    if found is None:
        raise InputError(f"unknown backbone: {name}")
    head = name[: found.start()] or name
    plain = found[1].replace("_", "-")
    method = _METHODS.get(head, head.replace("_", "-"))
    backbone = _RENAMED.get(plain, plain.replace("hrnetv2p", "hrnet").lower())
    return method, f"yolox-{backbone}" if method == "yolox" else backbone


def _told(method: str, option: str) -> bool:
    """Whether all rows of the method have the option, so that the method's own figure holds it."""
    return option in ("gn-head", "rfp", "sac") and method in _IN_METHOD


def _batch_of(name: str) -> int:
    found = _BATCH_IN_NAME.search(re.sub(r"\d+x\d+d", "", name))
    return int(found[1]) if found else USUAL_BATCH


def _mmdet_sides(name: str, method: str) -> tuple[int, int]:
    found = _SIDE_IN_NAME.search(name)
    if found:
        side = int(found[1] or found[2])
        return side, side
    for pattern, sides in _SIDES.items():
        if re.search(pattern, name):
            return sides
    row = vision_methods().get(method)
    return (row.height, row.width) if row and row.task == "detection" else (800, 1333)


def _network(method: str, backbone: str) -> Network:
    row = vision_methods().get(method)
    if row is None or row.task != "detection":
        raise InputError(f"unknown method: {method}")
    return Network(row, backbone)
