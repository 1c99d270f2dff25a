"""Builders of the convolutional methods: FCN, PSPNet, DeepLab, UPerNet, U-Net, SegFormer, BiSeNet, Fast-SCNN, Semantic FPN.

Widths, indices and numbers of convolutions are facts of the published configurations
(github.com/open-mmlab/mmsegmentation, configs/_base_/models).
"""

from __future__ import annotations

from collections.abc import Callable

from torch import nn

from .backbones import Plan, make_backbone
from .nets.bisenet import BiSeNetV1
from .nets.heads import FCNHead, Head
from .nets.layers import Backbone
from .nets.pyramid import FPN, ASPPHead, FPNHead, PSPHead, SegFormerHead, UPerHead
from .nets.segmentor import Classifier, Segmentor
from .nets.unet import DecoderHead, WithEarly
from .nets.vit_neck import DeconvNeck, MultiLevelNeck


def widths(plan: Plan) -> tuple[int, int]:
    """Channels of the decode head and of the auxiliary head."""
    return (128, 64) if plan.thin else (512, 256)


def auxiliary(plan: Plan, channels: list[int], *, width: int = 256, index: int = 2) -> list[Head]:
    """The usual auxiliary head: one convolution on the feature before the last."""
    if not plan.option("aux", True):
        return []
    return [FCNHead(channels[index], width, plan.classes, convs=1, joins=False, index=index)]


def with_auxiliary(plan: Plan, backbone: Backbone, head: Head) -> Segmentor:
    return Segmentor(backbone, [head, *auxiliary(plan, backbone.channels, width=widths(plan)[1])])


def build_fcn(plan: Plan) -> nn.Module:
    backbone = make_backbone(plan)
    if plan.family == "hrnet":
        total = sum(backbone.channels)
        head = FCNHead(total, total, plan.classes, convs=1, joins=False, kernel=1, gathers=True, dropout=0)
        return Segmentor(backbone, [head])
    return with_auxiliary(plan, backbone, FCNHead(backbone.channels[-1], widths(plan)[0], plan.classes))


def build_pspnet(plan: Plan) -> nn.Module:
    backbone = make_backbone(plan)
    return with_auxiliary(plan, backbone, PSPHead(backbone.channels[-1], widths(plan)[0], plan.classes))


def build_deeplabv3(plan: Plan) -> nn.Module:
    backbone = make_backbone(plan)
    return with_auxiliary(plan, backbone, ASPPHead(backbone.channels[-1], widths(plan)[0], plan.classes, dilations=_dilations(plan)))


def build_deeplabv3plus(plan: Plan) -> nn.Module:
    backbone = make_backbone(plan)
    head = ASPPHead(
        backbone.channels[-1], widths(plan)[0], plan.classes, dilations=_dilations(plan), separable=True,
        fine=backbone.channels[0], fine_width=12 if plan.thin else 48,
    )  # fmt: skip
    return with_auxiliary(plan, backbone, head)


def _dilations(plan: Plan) -> tuple[int, ...]:
    return (1, 6, 12, 18) if plan.network.stride == 16 else (1, 12, 24, 36)


def build_upernet(plan: Plan) -> nn.Module:
    backbone = make_backbone(plan)
    width, index, neck = 512, 2, None
    if plan.family == "vit":
        index, neck = 3, MultiLevelNeck(backbone.channels[0]) if plan.option("neck", True) else None
    elif plan.family == "beit":
        width, neck = backbone.channels[0], DeconvNeck(backbone.channels[0])
    head = UPerHead(backbone.channels, width, plan.classes)
    return Segmentor(backbone, [head, *auxiliary(plan, backbone.channels, index=index)], neck=neck)


def build_unet(plan: Plan) -> nn.Module:
    """mmsegmentation's U-Net with `head` fcn, psp or aspp; on other backbones a decoder of U-Net's form."""
    if plan.family != "unet":
        return _build_unet_on(plan)
    backbone = make_backbone(plan)
    kind = plan.option("head", "fcn")
    makers: dict[str, Callable[[], Head]] = {
        "fcn": lambda: FCNHead(64, 64, plan.classes, convs=1, joins=False, index=4),
        "psp": lambda: PSPHead(64, 16, plan.classes, index=4),
        "aspp": lambda: ASPPHead(64, 16, plan.classes, index=4),
    }
    aux = [FCNHead(128, 64, plan.classes, convs=1, joins=False, index=3)] if plan.option("aux", True) else []
    return Segmentor(backbone, [makers[kind](), *aux])


def _build_unet_on(plan: Plan) -> nn.Module:
    backbone = make_backbone(plan, **({"deep_stem": False} if plan.family == "resnet" else {}))
    if hasattr(backbone, "early_channels"):
        backbone = WithEarly(backbone)
    return Segmentor(backbone, [DecoderHead(backbone.channels, plan.classes)])


def build_segformer(plan: Plan) -> nn.Module:
    backbone = make_backbone(plan)
    return Segmentor(backbone, [SegFormerHead(backbone.channels, 256, plan.classes)])


def build_bisenetv1(plan: Plan) -> nn.Module:
    backbone = BiSeNetV1(plan.row["depth"], ins=plan.request.channels)
    wide, width = backbone.channels[0], backbone.channels[1]
    aux = [FCNHead(width, width // 2, plan.classes, convs=1, joins=False, index=k) for k in (1, 2)]
    main = FCNHead(wide, wide, plan.classes, convs=1, joins=False, index=0)
    return Segmentor(backbone, [main, *(aux if plan.option("aux", True) else [])])


def build_bisenetv2(plan: Plan) -> nn.Module:
    backbone = make_backbone(plan)
    main = FCNHead(128, 1024, plan.classes, convs=1, joins=False, index=0)
    rows = ((16, 16), (32, 64), (64, 256), (128, 1024))
    aux = [FCNHead(a, b, plan.classes, convs=2, joins=False, index=k + 1) for k, (a, b) in enumerate(rows)]
    return Segmentor(backbone, [main, *(aux if plan.option("aux", True) else [])])


def build_fast_scnn(plan: Plan) -> nn.Module:
    backbone = make_backbone(plan)
    heads: list[Head] = [FCNHead(128, 128, plan.classes, joins=False, separable=True)]
    if plan.option("aux", True):
        heads += [FCNHead(c, 32, plan.classes, convs=1, joins=False, index=k) for c, k in ((128, -2), (64, -3))]
    for head in heads:
        head.terms = ("sigmoid",)
    return Segmentor(backbone, heads)


def build_fpn(plan: Plan) -> nn.Module:
    backbone = make_backbone(plan)
    return Segmentor(backbone, [FPNHead(256, 128, plan.classes)], neck=FPN(backbone.channels))


def build_classifier(plan: Plan) -> nn.Module:
    return Classifier(make_backbone(plan), plan.classes)


CONVOLUTIONAL: dict[str, Callable[[Plan], nn.Module]] = {
    "fcn": build_fcn, "pspnet": build_pspnet, "deeplabv3": build_deeplabv3, "deeplabv3plus": build_deeplabv3plus,
    "upernet": build_upernet, "unet": build_unet, "segformer": build_segformer, "bisenetv1": build_bisenetv1,
    "bisenetv2": build_bisenetv2, "fast-scnn": build_fast_scnn, "fpn": build_fpn, "classifier": build_classifier,
}  # fmt: skip
