"""Builders of transformer methods and of networks made for speed. Widths are facts of the published configurations
(github.com/open-mmlab/mmsegmentation, configs/_base_/models).
"""

from __future__ import annotations

from collections.abc import Callable

from torch import nn

from .backbones import Plan, make_backbone
from .nets.ddrnet import DDRHead
from .nets.heads import FCNHead, Head
from .nets.icnet import ICNeck, ICNet
from .nets.lraspp import LRASPPHead
from .nets.mask2former import Mask2FormerHead
from .nets.maskformer import MaskFormerHead
from .nets.mscan import HamHead
from .nets.pidnet import PIDHead
from .nets.segmentor import Segmentor
from .nets.stdc import EdgeHead
from .nets.token_heads import DPTHead, MLAHead, MLANeck, SegmenterHead, UpHead
from .nets.vit import SIZES

SETR_BLOCKS = (9, 14, 19, 23)
MLA_BLOCKS = (5, 11, 17, 23)
HAM_WIDTHS = {"t": 256, "s": 256, "b": 512, "l": 1024}


def build_setr(plan: Plan, *, convs: int = 1, scale: int = 4, kernel: int = 1) -> nn.Module:
    """The naive head; three auxiliary heads on earlier blocks."""
    backbone = make_backbone(plan, taken=_blocks(plan, SETR_BLOCKS))
    ins = backbone.channels[0]
    head = UpHead(ins, 256, plan.classes, convs=convs, scale=scale, kernel=kernel)
    more = plan.option("aux_convs", 2 if convs > 1 else 1)
    aux = [UpHead(ins, 256, plan.classes, convs=more, kernel=kernel, index=k) for k in range(3)]
    return Segmentor(backbone, [head, *(aux if plan.option("aux", True) else [])])


def build_setr_pup(plan: Plan) -> nn.Module:
    return build_setr(plan, convs=4, scale=2, kernel=3)


def build_setr_mla(plan: Plan) -> nn.Module:
    backbone = make_backbone(plan, taken=_blocks(plan, MLA_BLOCKS))
    neck = MLANeck(backbone.channels[0])
    aux = [FCNHead(256, 256, plan.classes, convs=0, joins=False, kernel=1, index=k, dropout=0) for k in range(4)]
    head = MLAHead(neck.channels, 128, plan.classes)
    return Segmentor(backbone, [head, *(aux if plan.option("aux", True) else [])], neck=neck)


def _blocks(plan: Plan, of_24: tuple[int, ...]) -> list[int]:
    depth = SIZES[plan.row["size"]][2]
    return [(block + 1) * depth // 24 - 1 for block in of_24]


def build_segmenter(plan: Plan) -> nn.Module:
    """`head` is mask (transformer) or fcn (one convolution)."""
    width, heads, depth = SIZES[plan.row["size"]]
    backbone = make_backbone(plan, taken=[depth - 1], final_norm=True, rate=0.1)
    if plan.option("head", "mask") == "fcn":
        head: Head = FCNHead(width, width, plan.classes, convs=0, joins=False, dropout=0)
    else:
        head = SegmenterHead(width, heads, plan.classes)
    return Segmentor(backbone, [head])


def build_dpt(plan: Plan) -> nn.Module:
    backbone = make_backbone(plan)
    return Segmentor(backbone, [DPTHead(backbone.channels[0], plan.classes)])


def build_segnext(plan: Plan) -> nn.Module:
    backbone = make_backbone(plan)
    return Segmentor(backbone, [HamHead(backbone.channels[1:], HAM_WIDTHS[plan.row["size"]], plan.classes)])


def build_lraspp(plan: Plan) -> nn.Module:
    backbone = make_backbone(plan)
    return Segmentor(backbone, [LRASPPHead(backbone.channels, plan.classes)])


def build_icnet(plan: Plan) -> nn.Module:
    backbone = ICNet(plan.row["depth"], ins=plan.request.channels)
    heads = [FCNHead(128, 128, plan.classes, convs=1, joins=False, index=k, dropout=0.1 if k < 2 else 0) for k in (2, 0, 1)]
    return Segmentor(backbone, heads if plan.option("aux", True) else heads[:1], neck=ICNeck())


def build_stdc(plan: Plan) -> nn.Module:
    backbone = make_backbone(plan)
    heads = [FCNHead(256, 256, plan.classes, convs=1, joins=False, index=3)]
    heads += [FCNHead(128, 64, plan.classes, convs=1, joins=False, index=k) for k in (2, 1)]
    for head in heads:
        head.terms = ("sampled",)
    heads.append(EdgeHead(256, 64, 2, convs=1, joins=False, index=0))
    return Segmentor(backbone, heads if plan.option("aux", True) else heads[:1])


def build_cgnet(plan: Plan) -> nn.Module:
    backbone = make_backbone(plan)
    return Segmentor(backbone, [FCNHead(256, 256, plan.classes, convs=0, joins=False, dropout=0)])


def build_erfnet(plan: Plan) -> nn.Module:
    backbone = make_backbone(plan)
    return Segmentor(backbone, [FCNHead(16, 128, plan.classes, convs=1, joins=False)])


def build_ddrnet(plan: Plan) -> nn.Module:
    backbone = make_backbone(plan)
    return Segmentor(backbone, [DDRHead(backbone.channels, 64 if plan.row["size"] == 32 else 128, plan.classes)])


def build_pidnet(plan: Plan) -> nn.Module:
    backbone = make_backbone(plan)
    return Segmentor(backbone, [PIDHead(backbone, plan.classes)])


def build_mask2former(plan: Plan) -> nn.Module:
    backbone = make_backbone(plan, **({"deep_stem": False} if plan.family == "resnet" else {}))
    return Segmentor(backbone, [Mask2FormerHead(backbone.channels, plan.classes)])


def build_maskformer(plan: Plan) -> nn.Module:
    backbone = make_backbone(plan, **({"deep_stem": False} if plan.family == "resnet" else {}))
    return Segmentor(backbone, [MaskFormerHead(backbone.channels, plan.classes)])


OTHERS: dict[str, Callable[[Plan], nn.Module]] = {
    "setr": build_setr, "setr-pup": build_setr_pup, "setr-mla": build_setr_mla, "segmenter": build_segmenter, "dpt": build_dpt,
    "segnext": build_segnext, "lraspp": build_lraspp, "icnet": build_icnet, "stdc": build_stdc, "cgnet": build_cgnet,
    "erfnet": build_erfnet, "ddrnet": build_ddrnet, "pidnet": build_pidnet,
    "mask2former": build_mask2former, "maskformer": build_maskformer,
}  # fmt: skip
