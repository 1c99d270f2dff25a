"""How rows of published segmentation runs become requests to the tracer. No torch here."""

from __future__ import annotations

import pytest

from evals.accuracy.rows import Refusal, Row
from evals.accuracy.vision_training import predict, request_key, request_of

ROW: Row = {
    "model": "fcn_r50-d8_4xb2-40k_cityscapes-512x1024", "method": "FCN", "backbone": "R-50-D8", "mem_gb": "5.7",
    "dataset": "Cityscapes", "cfg_backbone": "ResNetV1c", "decode_head": "FCNHead", "num_classes": "19", "batch_per_gpu": "2",
    "cfg_crop": "512x1024", "optimizer": "SGD", "amp": "False", "accum": "1", "dilations": "(1, 1, 2, 4)",
    "loss": "CrossEntropyLoss", "mem_note": "", "weights": "https://x/fcn_r50-d8_20200604_192608-efe53f0d.pth",
    "old_name": "fcn_r50-d8_512x1024_40k_cityscapes", "train_hardware": "4x V100 GPUS",
}  # fmt: skip


def row(**changes: object) -> Row:
    return ROW | changes


def test_a_row_becomes_a_request() -> None:
    request = request_of(ROW)
    assert (request.network, request.classes, request.height, request.width, request.batch) == ("fcn/resnet50/d8", 19, 512, 1024, 2)
    assert (request.optimizer, request.precision, request.data_parallel) == ("sgd", "fp32", True)
    assert request.old_torch and request.workspace and not request.options


@pytest.mark.parametrize(
    ("changes", "network", "options"),
    [
        ({"backbone": "R-101b-D8", "cfg_backbone": "ResNet"}, "fcn/resnet101/d8", {"deep_stem": False}),
        ({"method": "DeepLabV3", "backbone": "R-101-D16-MG124"}, "deeplabv3/resnet101/d16", {"multi_grid": True}),
        ({"method": "UPerNet", "backbone": "R-50", "dilations": "(1, 1, 1, 1)"}, "upernet/resnet50/d32", {}),
        ({"backbone": "HRNetV2p-W18-Small", "cfg_backbone": "HRNet", "dilations": ""}, "fcn/hrnet-w18s/d8", {}),
        ({"method": "UNet", "backbone": "UNet-S5-D16", "decode_head": "PSPHead", "loss": "CrossEntropyLoss+DiceLoss", "dilations": ""},
         "unet/unet-s5/d32", {"head": "psp", "losses": "cross_entropy+dice"}),
        ({"method": "KNet", "model": "knet-s3_r50-d8_deeplabv3_8xb2"}, "knet/resnet50/d8", {"head": "aspp"}),
        ({"method": "FastFCN", "backbone": "R-50-D32", "decode_head": "EncHead"}, "fastfcn/resnet50/d32", {"dilated": True, "head": "enc"}),
        ({"method": "UPerNet", "backbone": "DeiT-B", "cfg_backbone": "VisionTransformer", "dilations": ""}, "upernet/vit-b/d32", {"neck": False}),
        ({"method": "UPerNet", "backbone": "ViT-B", "cfg_backbone": "MAE", "dilations": ""}, "upernet/mae-b/d32", {}),
        ({"method": "SETR", "backbone": "ViT-L", "model": "setr_vit-l_mla_8xb2", "dilations": ""}, "setr-mla/vit-l/d32", {}),
        ({"method": "PSANet", "dataset": "ADE20K"}, "psanet/resnet50/d8", {"mask": 59}),
        ({"method": "Mask2Former", "backbone": "Swin-B", "cfg_backbone": "SwinTransformer", "model": "swin-b-in22k-384x384-pre", "dilations": ""},
         "mask2former/swin-b/d32", {"window": 12}),
        ({"method": "NonLocalNet", "decode_head": "NLHead"}, "nonlocal/resnet50/d8", {}),
        ({"method": "LRASPP", "backbone": "M-V3s-D8 (scratch)", "dilations": ""}, "lraspp/mobilenetv3-small/d8", {}),
    ],
)  # fmt: skip
def test_networks_of_rows(changes: dict[str, object], network: str, options: dict[str, object]) -> None:
    request = request_of(row(**changes))
    assert (request.network, dict(request.options)) == (network, options)


def test_batch_of_old_names_classes_of_data_sets_and_the_era() -> None:
    assert request_of(row(old_name="fastfcn_r50-d32_jpu_psp_4x4_512x1024_80k_cityscapes")).batch == 4
    assert request_of(row(old_name="unet_s5-d16_64x64_40k_drive", cfg_crop="64x64")).batch == 2
    assert request_of(row(num_classes="", dataset="ADE20K")).classes == 150
    new = request_of(row(train_hardware="8x A100 GPUS"))
    assert not new.old_torch and not new.workspace and new.gradients_stay


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"batch_per_gpu": ""}, "missing: batch_per_gpu"),
        ({"num_classes": "", "dataset": "My own"}, "missing: num_classes"),
        ({"method": "SAN", "backbone": "SAN"}, "No network is called 'SAN SAN'"),
        ({"mem_note": "suspect"}, "published figure in doubt: suspect"),
        ({"batch_per_gpu": "0"}, "between 1 and 4096"),
    ],
)
def test_rows_without_enough_detail_are_refused_by_name(changes: dict[str, object], reason: str) -> None:
    refusal = predict(row(**changes))
    assert isinstance(refusal, Refusal) and reason in refusal.reason


def test_equal_runs_share_a_trace() -> None:
    assert request_key(request_of(ROW)) == request_key(request_of(row(model="another", mem_gb="9")))
    assert hash(request_key(request_of(ROW)))
