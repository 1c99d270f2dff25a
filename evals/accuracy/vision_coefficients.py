"""Predicts rows of vision_training.csv by the coefficients, as `size vision` does without torch, in the era of the run."""

from __future__ import annotations

import re

from knowledge.errors import InputError
from knowledge.vision_facts import vision_networks
from tools.units import to_gib
from tools.vision.estimate import band_name
from tools.vision.job import VisionJob
from tools.vision.memory import vision_account
from tools.vision.network import Network, network_of

from .rows import Measure, Refusal, Row, flag, need, number, row_id, text, whole
from .vision_bands import bounds
from .vision_training import batch_of, classes_of, is_old, sides_of

_METHODS = {"NonLocalNet": "nonlocal", "FPN": "semfpn", "FastSCNN": "fastscnn", "DeepLabV3+": "deeplabv3plus", "Fast-SCNN": "fastscnn"}
_UNET_HEADS = {"FCNHead": "s5-fcn", "PSPHead": "s5-psp", "ASPPHead": "s5-deeplabv3"}
_JPU_HEADS = {"PSPHead": "r50-d32-psp", "ASPPHead": "r50-d32-aspp", "EncHead": "r50-d32-enc"}
_KNET_HEADS = ("fcn", "psp", "deeplab", "upernet")
_SINGLE = {"fastscnn": "fastscnn", "bisenetv2": "bisenetv2", "erfnet": "erfnet", "cgnet": "m3n21"}
_WITHOUT_STRIDE = ("mask2former", "maskformer", "pointrend", "bisenetv1", "icnet", "upernet", "semfpn")


def predict_by_coefficients(row: Row) -> list[Measure] | Refusal:
    """Allocator peak of one published training run."""
    try:
        if text(row, "mem_note"):
            raise InputError(f"published figure in doubt: {text(row, 'mem_note')}")
        job = job_of(row)
        account = vision_account(job)
    except InputError as error:
        return Refusal(row_id(row), str(error))
    predicted = to_gib(account.allocated)
    low, high = bounds(band_name(job, account), predicted)
    note = "predicted for PyTorch before 1.11" if job.era == "legacy" else "predicted for PyTorch from 1.11 on"
    groups = {"method": text(row, "method") or "", "era": job.era, "precision": "amp" if job.amp else "fp32"}
    return [Measure(row_id(row), "peak", number(row, "mem_gb") or 0.0, predicted, low, high, groups, note=note)]


def job_of(row: Row) -> VisionJob:
    """The published run as a job. InputError names the missing field or the unknown network."""
    need(row, "mem_gb", "batch_per_gpu", "cfg_crop", "decode_head", "optimizer")
    network = network_of_row(row)
    height, width = sides_of(row)
    return VisionJob(
        network=network,
        batch=batch_of(row),
        height=height,
        width=width,
        classes=whole(row, "num_classes") or classes_of(row),
        precision="fp16" if flag(row, "amp") else "fp32",
        optimizer=(text(row, "optimizer") or "").lower(),
        checkpointing=flag(row, "grad_checkpoint") is True,
        accumulate=whole(row, "accum") or 1,
        data_parallel=True,
        era="legacy" if is_old(row) else "modern",
    )


def network_of_row(row: Row) -> Network:
    """The network of a row. InputError when the table has none of that method and backbone."""
    method, backbone = text(row, "method") or "", text(row, "backbone") or ""
    name = f"{_METHODS.get(method, method.lower())}/{_backbone(row, _METHODS.get(method, method.lower()))}"
    network = network_of(name)
    if network is None or name not in vision_networks():
        raise InputError(f"unknown network: {method} {backbone}")
    return network


def _backbone(row: Row, method: str) -> str:
    head, config = text(row, "decode_head") or "", text(row, "config") or ""
    if method in _SINGLE:
        return _SINGLE[method]
    if method == "unet":
        return _UNET_HEADS.get(head, head)
    if method == "fastfcn":
        return _JPU_HEADS.get(head, head)
    if method == "knet":
        return _knet(config)
    plain = _plain(text(row, "backbone") or "", text(row, "cfg_backbone") or "", method)
    if method in _WITHOUT_STRIDE:
        plain = re.sub(r"-d\d+$", "", plain)
    if method == "segmenter":
        return f"{plain}-{'fcn' if head == 'FCNHead' else 'mask'}"
    if method == "setr":
        kind = re.search(r"naive|pup|mla", config)
        return f"{plain}-{kind[0] if kind else ''}"
    if text(row, "cfg_backbone") == "MAE":
        return "mae-b"
    wide = "window12" in (text(row, "model") or "") + (text(row, "weights") or "")
    return f"{plain}-w12" if wide and method == "upernet" else plain


def _plain(backbone: str, cfg_backbone: str, method: str) -> str:
    """R-101-D8 → r101-d8; R-50b of plain ResNet keeps its b; HRNetV2p-W18-Small → hrnet-w18s."""
    name = backbone.lower().replace("_16", "").split(" (")[0].removesuffix(" rsb").replace("-mg124", "")
    name = re.sub(r"^s-(\d+)", r"resnest\1", name.replace("hrnetv2p-", "hrnet-").replace("w18-small", "w18s"))
    name = re.sub(r"^r-(\d+b?)", r"r\1", name).replace(" + ", "-")
    if cfg_backbone == "ResNet" and re.match(r"r\d+-", name) and method not in ("mask2former", "maskformer"):
        name = re.sub(r"^(r\d+)", r"\1b", name)
    for old, new in (("m-v2", "mobilenetv2"), ("m-v3s", "mobilenetv3-s"), ("m-v3", "mobilenetv3-l")):
        name = name.replace(old, new)
    for prefix in ("ddrnet", "pidnet-", "stdc"):
        name = name.removeprefix(prefix)
    return name.replace("23-slim", "23slim")


def _knet(config: str) -> str:
    found = re.search(r"(r50|swin-[tl])", config)
    head = next((name for name in _KNET_HEADS if name in config), "")
    return f"{found[1] if found else ''}-{ {'psp': 'pspnet', 'deeplab': 'deeplabv3'}.get(head, head) }"
