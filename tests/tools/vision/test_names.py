"""Names of vision networks as people write them, in both languages."""

from __future__ import annotations

import pytest

from knowledge.vision_facts import (
    vision_backbones,
    vision_methods,
    vision_networks,
    vision_presets,
)
from tools.vision.names import (
    find_network,
    named_whole,
    nearest_names,
    networks_in,
)
from tools.vision.network import backbones_of, network_of


@pytest.mark.parametrize(
    ("text", "network"),
    [
        ("DeepLabV3+ ResNet101", "deeplabv3plus/r101-d8"),
        ("deeplab v3+ R-101", "deeplabv3plus/r101-d8"),
        ("DeepLabV3Plus-ResNet101", "deeplabv3plus/r101-d8"),
        ("deeplabv3plus_r101-d8_4xb2-80k_cityscapes-512x1024", "deeplabv3plus/r101-d8"),
        ("segformer-b5", "segformer/mit-b5"),
        ("训练 SegFormer-B5，1024×1024，batch 8", "segformer/mit-b5"),
        ("SegFormer MiT-B2", "segformer/mit-b2"),
        ("ＳｅｇＦｏｒｍｅｒ－Ｂ３", "segformer/mit-b3"),
        ("UNet", "unet/s5-fcn"),
        ("U-Net 语义分割", "unet/s5-fcn"),
        ("Swin-L UPerNet", "upernet/swin-l"),
        ("UPerNet (Swin-L)", "upernet/swin-l"),
        ("HRNet W48", "fcn/hrnet-w48"),
        ("HRNetV2p-W18-Small FCN", "fcn/hrnet-w18s"),
        ("OCRNet HRNet-W48", "ocrnet/hrnet-w48"),
        ("mask2former swin-b", "mask2former/swin-b"),
        ("用 Mask2Former（Swin-L 主干）训练", "mask2former/swin-l"),
        ("ResNet50 分类", "classifier/r50"),
        ("ResNet101 主干的 PSPNet", "pspnet/r101-d8"),
        ("EfficientNet-L2", "classifier/efficientnet-l2"),
        ("MobileNetV3 on a T4", "classifier/mobilenetv3-l"),
        ("ViT-L/16 fine-tune", "classifier/vit-l"),
        ("FCN R-50-D16", "fcn/r50-d16"),
        ("Faster R-CNN R50-FPN", "faster-rcnn/r50"),
        ("mask rcnn resnext101", "mask-rcnn/x101-32x4d"),
        ("Cascade Mask R-CNN X101-64x4d", "cascade-mask-rcnn/x101-64x4d"),
        ("YOLOX-s", "yolox/yolox-s"),
        ("BiSeNetV2", "bisenetv2/bisenetv2"),
        ("nnU-Net ResEnc L", "nnunet-resenc-l/"),
    ],
)
def test_a_name_as_written_is_found(text: str, network: str) -> None:
    found = find_network(text)
    assert found is not None and found.id == network


@pytest.mark.parametrize("text", ["YOLOv8x", "YOLOv5s 训练", "RT-DETR", "UNet++", "DETR R50", "PP-LiteSeg"])
def test_a_network_of_which_only_the_name_is_known_is_not_covered(text: str) -> None:
    found = find_network(text)
    assert found is not None and not found.covered


@pytest.mark.parametrize(
    "text", ["", "Qwen2.5-72B int4 on A10", "a 100 ann users", "gn7i 有货吗", "8 users 32k", "swimming", "the solo developer", "unetworked"]
)
def test_other_text_names_none(text: str) -> None:
    assert networks_in(text) == []


def test_the_size_of_an_uncovered_detector_belongs_to_its_name() -> None:
    (mention,) = networks_in("用 YOLOv8x 训练")
    assert mention.text == "YOLOv8x"


def test_two_networks_keep_their_own_backbones() -> None:
    found = networks_in("DeepLabV3+ R-101 还是 Swin-B 的 UPerNet？ or SegFormer-B2")
    assert [mention.network.id for mention in found] == ["deeplabv3plus/r101-d8", "upernet/swin-b", "segformer/mit-b2"]


def test_places_are_those_of_the_text_as_typed() -> None:
    text = "请问 SegFormer-B5 要多少显存"
    (mention,) = networks_in(text)
    assert text[mention.start : mention.end] == mention.text == "SegFormer-B5"


def test_an_unnamed_backbone_is_the_default_and_said_so() -> None:
    found = find_network("PSPNet")
    assert found is not None and found.id == "pspnet/r50-d8" and not found.given


def test_every_network_of_the_table_is_one_of_its_method_and_backbone() -> None:
    for name, row in vision_networks().items():
        assert name == f"{row.method}/{row.backbone}"
        network = network_of(name)
        assert network is not None and network.covered and network.label
        assert row.method in vision_methods()


def test_every_default_of_a_size_and_every_lone_backbone_is_known() -> None:
    for method in vision_methods().values():
        for size in method.sizes if method.task != "detection" else ():
            assert network_of(f"{method.method}/{size.partition('=')[2]}") is not None, size
    for backbone in vision_backbones().values():
        assert backbone.alone in vision_methods()
    assert set(vision_presets()) <= set(vision_methods())


def test_known_backbones_are_listed_by_their_names() -> None:
    assert "Swin-L" in backbones_of("upernet") and "ResNet-50" in backbones_of("faster-rcnn")


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("SegFromer-B5", "SegFormer MiT-B5"), ("restnet50", "ResNet-50"), ("mask rcn", "Mask R-CNN"), ("upernett", "UPerNet"), ("blorbnet", None)],
)
def test_near_names_are_offered(typed: str, meant: str | None) -> None:
    near = nearest_names(typed)
    assert (near[0] if near else None) == meant


def test_an_abbreviation_counts_where_it_is_all_that_is_said() -> None:
    whole = named_whole("SAM")
    assert whole is not None and whole.method.method == "sam"
    assert find_network("SAM") is None and named_whole("sam i am") is None
