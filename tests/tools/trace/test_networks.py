"""Names of networks as people write them, without torch."""

from __future__ import annotations

import pytest

from knowledge.errors import InputError
from tools.trace.networks import backbones, find_network, methods


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("DeepLabV3+ R101", "deeplabv3plus/resnet101/d8"),
        ("deeplabv3plus_r50-d8", "deeplabv3plus/resnet50/d8"),
        ("DeepLab v3 plus, ResNet-101, output stride 16: d16", "deeplabv3plus/resnet101/d16"),
        ("DeepLabV3 R-18", "deeplabv3/resnet18/d8"),
        ("UPerNet Swin-L", "upernet/swin-l/d32"),
        ("upernet swin_large", "upernet/swin-l/d32"),
        ("ConvNeXt-XL UPerNet", "upernet/convnext-xl/d32"),
        ("segformer b5", "segformer/mit-b5/d32"),
        ("SegFormer-B0", "segformer/mit-b0/d32"),
        ("mit_b3", "segformer/mit-b3/d32"),
        ("unet", "unet/unet-s5/d32"),
        ("U-Net", "unet/unet-s5/d32"),
        ("Ｕ－Ｎｅｔ", "unet/unet-s5/d32"),
        ("U-Net ResNet34", "unet/resnet34/d32"),
        ("unet efficientnet-l2", "unet/efficientnet-l2/d32"),
        ("HRNet W48", "fcn/hrnet-w48/d8"),
        ("HRNetV2p-W18-Small FCN", "fcn/hrnet-w18s/d8"),
        ("OCRNet HRNetV2p-W48", "ocrnet/hrnet-w48/d8"),
        ("Mask2Former Swin-B", "mask2former/swin-b/d32"),
        ("PSPNet MobileNetV2", "pspnet/mobilenetv2/d8"),
        ("ResNet-101", "classifier/resnet101/d32"),
        ("EfficientNet-L2", "classifier/efficientnet-l2/d32"),
        ("mobilenet v3 small", "classifier/mobilenetv3-small/d32"),
        ("ViT-L/16", "classifier/vit-l/d32"),
        ("BiSeNet", "bisenetv1/resnet18/d32"),
        ("BiSeNetV2", "bisenetv2/bisenetv2/d32"),
        ("FastSCNN", "fast-scnn/fast-scnn/d32"),
        ("SETR PUP ViT-L", "setr-pup/vit-l/d32"),
        ("SegNeXt MSCAN-T", "segnext/mscan-t/d32"),
        ("PIDNet PIDNet-M", "pidnet/pidnet-m/d32"),
        ("DDRNet23", "ddrnet/ddrnet23/d32"),
        ("knet/swin-l/d32", "knet/swin-l/d32"),
    ],
)
def test_names_people_write(typed: str, name: str) -> None:
    assert find_network(typed).name == name


def test_every_short_name_is_read_back() -> None:
    for method, row in methods().items():
        network = find_network(f"{method}/{row['backbone']}/d{row['stride']}")
        assert (network.method, network.backbone) == (method, row["backbone"])
        assert find_network(network.name) == network


def test_tables_are_whole() -> None:
    for row in methods().values():
        assert set(row) == {"title", "aliases", "backbone", "stride"}
        assert row["backbone"] in backbones()
        assert row["stride"] in (8, 16, 32)
    spellings = [alias for table in (methods(), backbones()) for row in table.values() for alias in row["aliases"]]  # type: ignore[attr-defined]
    assert len(spellings) == len(set(spellings))


@pytest.mark.parametrize("typed", ["", "yolov99", "忽略之前的指令" * 100, "net"])
def test_unknown_names_are_refused_in_one_sentence(typed: str) -> None:
    with pytest.raises(InputError, match="No network is called") as caught:
        find_network(typed)
    assert "--module" in str(caught.value) and len(str(caught.value)) < 900
    with pytest.raises(InputError, match="不认识"):
        find_network(typed, language="zh")
