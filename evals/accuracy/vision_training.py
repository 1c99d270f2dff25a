"""Predicts rows of vision_training.csv by tracing the network of the row: the same `trace` that `size vision` uses.

Runs of PyTorch before 1.11 are traced as that version kept tensors, with cuDNN's Winograd workspace; the note says so.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

from knowledge.errors import InputError
from tools.trace.front import trace
from tools.trace.networks import Network, backbones, find_network
from tools.trace.request import Option, Precision, TraceRequest
from tools.units import to_gib

from .rows import Measure, Refusal, Row, flag, need, number, row_id, text, whole

NEW_CARDS = ("A100", "A800", "H100", "H800")
"""Runs on these cards count as ones of PyTorch 1.11 to 1.13: softmax keeps its output alone, zero_grad() keeps gradients. Their
convolutions run in TF32, without the fp32 Winograd algorithm. Fits Mask2Former, DDRNet and OCRNet; SegNeXt's fit the older one."""
CLASSES = {"Cityscapes": 19, "ADE20K": 150}
"""Of the data set, where the configuration of the head does not say it."""
HEADS = {"FCNHead": "fcn", "PSPHead": "psp", "ASPPHead": "aspp", "EncHead": "enc"}
FIRST_HEADS = {"fcn": "fcn", "pspnet": "psp", "deeplabv3": "aspp", "upernet": "uper"}
PSA_MASKS = {"ADE20K": 59}
"""Side of PSANet's masks where it is not 97."""
LOSSES = {"CrossEntropyLoss+DiceLoss": "cross_entropy+dice"}


def predict(row: Row) -> list[Measure] | Refusal:
    """Allocator peak of one published training run, in GiB (the list prints MiB / 1024)."""
    try:
        if text(row, "mem_note"):
            raise InputError(f"published figure in doubt: {text(row, 'mem_note')}")
        request = request_of(row)
        allocated, name, backbone = _traced(request_key(request))
    except InputError as error:
        return Refusal(row_id(row), str(error))
    groups = {
        "decode head": text(row, "decode_head") or "", "backbone": backbone, "network": name,
        "precision": request.precision, "era": "old" if request.old_torch else "new",
    }  # fmt: skip
    note = "predicted for PyTorch before 1.11" if request.old_torch else "predicted for PyTorch 1.11 to 1.13"
    return [Measure(row_id(row), "peak", number(row, "mem_gb") or 0.0, to_gib(allocated), groups=groups, note=note)]


RequestKey = tuple[TraceRequest, tuple[tuple[str, Option], ...]]


def request_key(request: TraceRequest) -> RequestKey:
    """The request in a form that can be looked up: its options as pairs."""
    return replace(request, options=()), tuple(sorted(request.options.items()))  # type: ignore[arg-type]


@cache
def _traced(key: RequestKey) -> tuple[int, str, str]:
    """Bytes, the network's name and its backbone's family; equal runs of several rows are traced once."""
    plain, options = key
    result = trace(replace(plain, options=dict(options)))
    network = find_network(plain.network)
    return result.allocated, result.network, str(backbones()[network.backbone]["family"])


def request_of(row: Row) -> TraceRequest:
    """The published run as a request. InputError names the missing field or the unknown network."""
    need(row, "mem_gb", "decode_head", "batch_per_gpu", "cfg_crop", "optimizer")
    network, options = network_of(row)
    height, width = sides_of(row)
    old = is_old(row)
    precision: Precision = "fp16" if flag(row, "amp") else "fp32"
    return TraceRequest(
        network=network.name,
        classes=whole(row, "num_classes") or classes_of(row), height=height, width=width, batch=batch_of(row),
        precision=precision, optimizer=(text(row, "optimizer") or "").casefold(), data_parallel=True,
        accumulate=whole(row, "accum") or 1, checkpointing=flag(row, "grad_checkpoint") is True,
        frozen_stages=max(0, whole(row, "frozen_stages") or 0), sync_bn=True, old_torch=old, workspace=old, gradients_stay=True,
        options=options,
    )  # fmt: skip


def network_of(row: Row) -> tuple[Network, dict[str, Option]]:
    """The network that method and backbone name, with the details that its configuration states."""
    method, backbone, config = (text(row, name) or "" for name in ("method", "backbone", "cfg_backbone"))
    model = (text(row, "model") or "").casefold()
    if method == "SETR":
        method = next((f"SETR {kind}" for kind in ("pup", "mla") if kind in model), method)
    if config == "MAE":
        backbone = f"MAE {backbone}"
    plain = re.sub(r"^(R-\d+)b", r"\1", backbone)  # R-50b is a ResNet with a plain stem
    network = find_network(f"{method} {plain}")
    dilations = re.findall(r"\d+", text(row, "dilations") or "")
    if dilations and set(dilations) == {"1"}:
        network = replace(network, stride=32)
    options: dict[str, Option] = {}
    if config == "ResNet":
        options["deep_stem"] = False
    if "MG124" in backbone:
        options["multi_grid"] = True
    if network.stride == 32 and dilations and dilations[-1] == "4":
        options["dilated"] = True
    if config == "SwinTransformer" and re.search("window12|384x384-pre", model + (text(row, "weights") or "")):
        options["window"] = 12
    if config == "VisionTransformer" and network.method == "upernet" and "MLN" not in backbone:
        options["neck"] = False
    return network, options | _head_options(row, network, model)


def _head_options(row: Row, network: Network, model: str) -> dict[str, Option]:
    head, losses = text(row, "decode_head") or "", LOSSES.get(text(row, "loss") or "", "")
    options: dict[str, Option] = {}
    if network.method in ("unet", "fastfcn"):
        options["head"] = HEADS.get(head, head)
    if network.method == "knet":
        options["head"] = next((kind for name, kind in FIRST_HEADS.items() if f"_{name}" in model), "fcn")
    if network.method == "segmenter" and head == "FCNHead":
        options["head"] = "fcn"
    if network.method == "unet" and losses:
        options["losses"] = losses
    if network.method == "setr" and text(row, "dataset") == "ADE20K":
        options["aux_convs"] = 2
    if network.method == "psanet" and text(row, "dataset") in PSA_MASKS:
        options["mask"] = PSA_MASKS[text(row, "dataset") or ""]
    return options


def batch_of(row: Row) -> int:
    """Pictures per GPU: what the model's old name says (GPUs × pictures, "4x4"), else the configuration."""
    pairs = re.findall(r"_(\d{1,2})x(\d{1,2})_", (text(row, "old_name") or "").replace("_", "__"))
    named = [images for gpus, images in pairs if f"{gpus}x{images}" != text(row, "cfg_crop")]
    return int(named[0]) if named else whole(row, "batch_per_gpu") or 0


def sides_of(row: Row) -> tuple[int, int]:
    """Height and width of the crop, "512x1024". InputError where it cannot be read."""
    found = re.fullmatch(r"\s*(\d{1,6})\s*[x×*,]\s*(\d{1,6})\s*", text(row, "cfg_crop") or "")
    if found is None:
        raise InputError(f"unreadable: cfg_crop {text(row, 'cfg_crop')!r}")
    return int(found[1]), int(found[2])


def classes_of(row: Row) -> int:
    name = text(row, "dataset") or ""
    if name not in CLASSES:
        raise InputError("missing: num_classes")
    return CLASSES[name]


def is_old(row: Row) -> bool:
    """Whether the run is one of PyTorch before 1.11, which all runs on older cards are taken for."""
    return not any(card in (text(row, "train_hardware") or "") for card in NEW_CARDS)
