"""Builders of methods whose heads attend: non-local and its kin, ANN, OCRNet, ISANet, EncNet, EMANet, DMNet, PSANet, PointRend,
FastFCN, K-Net. Widths are facts of the published configurations (github.com/open-mmlab/mmsegmentation, configs/_base_/models).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from torch import nn

from .backbones import Plan, make_backbone
from .convolutional import auxiliary, with_auxiliary
from .nets.context_heads import APCHead, DMHead, EMAHead, EncHead, PSAHead
from .nets.heads import FCNHead, Head
from .nets.jpu import JPU
from .nets.knet import KNetHead
from .nets.nonlocal_heads import CrissCross, DAHead, GlobalContext, MiddleHead, NonLocal
from .nets.point_head import PointHead
from .nets.pyramid import FPN, ASPPHead, FPNHead, PSPHead, UPerHead
from .nets.relation_heads import ANNHead, ISAHead, ObjectHead, OCRHead
from .nets.segmentor import Segmentor

WIDTH = 512
"""Channels of these heads."""


def build_single(plan: Plan, make: Callable[[int, int, int], Head]) -> nn.Module:
    """A head of 512 channels on the last feature, and the usual auxiliary head."""
    backbone = make_backbone(plan)
    return with_auxiliary(plan, backbone, make(backbone.channels[-1], WIDTH, plan.classes))


def build_middle(plan: Plan, block: Callable[[int], nn.Module], *, times: int = 1) -> nn.Module:
    return build_single(plan, lambda ins, width, classes: MiddleHead(ins, width, classes, block(width), times=times))


def build_ann(plan: Plan) -> nn.Module:
    backbone = make_backbone(plan)
    return with_auxiliary(plan, backbone, ANNHead(backbone.channels[-2:], WIDTH, plan.classes))


def build_emanet(plan: Plan) -> nn.Module:
    return build_single(plan, lambda ins, _, classes: EMAHead(ins, 256, classes))


def build_psanet(plan: Plan) -> nn.Module:
    mask = plan.option("mask", 97)
    return build_single(plan, lambda ins, width, classes: PSAHead(ins, width, classes, mask=mask))


def build_ocrnet(plan: Plan) -> nn.Module:
    backbone = make_backbone(plan)
    total = sum(backbone.channels)
    if plan.family == "hrnet":
        coarse = FCNHead(total, total, plan.classes, convs=1, joins=False, kernel=1, gathers=True, dropout=0)
        return Segmentor(backbone, [OCRHead(coarse, ObjectHead(total, WIDTH, plan.classes, gathers=True))])
    coarse = FCNHead(backbone.channels[-2], 256, plan.classes, convs=1, joins=False, index=2)
    return Segmentor(backbone, [OCRHead(coarse, ObjectHead(backbone.channels[-1], WIDTH, plan.classes))])


def build_pointrend(plan: Plan) -> nn.Module:
    backbone = make_backbone(plan)
    head = FPNHead(256, 128, plan.classes)
    return Segmentor(backbone, [PointHead(head, 256, plan.classes)], neck=FPN(backbone.channels))


def build_fastfcn(plan: Plan) -> nn.Module:
    """`head` is psp, aspp or enc, on the joint feature; the dilations of stride 8 stay without its strides."""
    backbone = make_backbone(plan, dilations=(1, 1, 2, 4))
    neck = JPU(backbone.channels[1:])
    ins = neck.channels[-1]
    head = HEADS[plan.option("head", "psp")](ins, plan.classes)
    return Segmentor(backbone, [head, *auxiliary(plan, neck.channels, index=1)], neck=neck)


HEADS: dict[str, Callable[[int, int], Head]] = {
    "fcn": lambda ins, classes: FCNHead(ins, WIDTH, classes),
    "psp": lambda ins, classes: PSPHead(ins, WIDTH, classes),
    "aspp": lambda ins, classes: ASPPHead(ins, WIDTH, classes),
    "enc": lambda ins, classes: EncHead(ins, WIDTH, classes),
}


def build_knet(plan: Plan) -> nn.Module:
    """`head` is the first head: fcn, psp, aspp or uper."""
    kind = plan.option("head", "uper" if plan.family == "swin" else "fcn")
    backbone = make_backbone(plan)
    first = UPerHead(backbone.channels, WIDTH, plan.classes) if kind == "uper" else HEADS[kind](backbone.channels[-1], plan.classes)
    return Segmentor(backbone, [KNetHead(first, WIDTH), *auxiliary(plan, backbone.channels)])


def disentangled(width: int) -> nn.Module:
    return NonLocal(width, disentangled=True)


ATTENTIVE: dict[str, Callable[[Plan], nn.Module]] = {
    "nonlocal": partial(build_middle, block=NonLocal), "dnlnet": partial(build_middle, block=disentangled),
    "gcnet": partial(build_middle, block=GlobalContext), "ccnet": partial(build_middle, block=CrissCross, times=2),
    "danet": partial(build_single, make=DAHead), "dmnet": partial(build_single, make=DMHead),
    "apcnet": partial(build_single, make=APCHead), "isanet": partial(build_single, make=ISAHead),
    "encnet": partial(build_single, make=EncHead), "emanet": build_emanet, "psanet": build_psanet, "ann": build_ann,
    "ocrnet": build_ocrnet, "pointrend": build_pointrend, "fastfcn": build_fastfcn, "knet": build_knet,
}  # fmt: skip
