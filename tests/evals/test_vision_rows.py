"""Adapters of the published rows of vision networks."""

from __future__ import annotations

import pytest

from evals.accuracy.rows import Measure, Refusal, Row
from evals.accuracy.vision_coefficients import job_of, predict_by_coefficients
from evals.accuracy.vision_detection import predict as predict_detection
from evals.accuracy.vision_other import predict as predict_other

SEGMENTATION: Row = {
    "model": "deeplabv3plus_r101-d8_4xb2-40k_cityscapes-512x1024", "method": "DeepLabV3+", "backbone": "R-101-D8", "mem_gb": "11.0",
    "batch_per_gpu": "2", "cfg_crop": "512x1024", "decode_head": "DepthwiseSeparableASPPHead", "num_classes": "19", "optimizer": "SGD",
    "cfg_backbone": "ResNetV1c", "amp": "False", "train_hardware": "4x V100 GPUS", "dataset": "Cityscapes", "config": "", "accum": "1",
    "grad_checkpoint": "False", "mem_note": "", "weights": "", "old_name": "",
}  # fmt: skip
DETECTION: Row = {"model": "faster-rcnn_r50_fpn_1x_coco", "mem_gb": "4.0", "batch_per_gpu": "2", "optimizer": "SGD", "amp": "False"}
DETECTRON2: Row = {
    "source": "detectron2 MODEL_ZOO.md", "section": "Faster R-CNN", "model": "R101-FPN", "mem_gb": "4.1", "batch_per_gpu": "",
    "config": "configs/COCO-Detection/faster_rcnn_R_101_FPN_3x.yaml",
    "note": "max_memory_allocated; 8x V100; IMS_PER_BATCH 16 (2/GPU) unless the config says otherwise",
}  # fmt: skip


def measured(found: list[Measure] | Refusal) -> Measure:
    assert isinstance(found, list)
    return found[0]


def refused(found: list[Measure] | Refusal) -> str:
    assert isinstance(found, Refusal)
    return found.reason


def test_a_segmentation_row_is_predicted_in_the_era_of_its_run() -> None:
    found = measured(predict_by_coefficients(SEGMENTATION))
    assert found.predicted == pytest.approx(11.0, rel=0.03)
    assert found.low is not None and found.high is not None and found.low < found.measured < found.high
    assert job_of(SEGMENTATION).era == "legacy"
    assert job_of(SEGMENTATION | {"train_hardware": "8x A100 GPUS"}).era == "modern"


@pytest.mark.parametrize(
    ("change", "network"),
    [
        ({"backbone": "R-50b-D8", "cfg_backbone": "ResNet"}, "deeplabv3plus/r50b-d8"),
        ({"method": "FCN", "backbone": "HRNetV2p-W18-Small"}, "fcn/hrnet-w18s"),
        ({"method": "UNet", "backbone": "UNet-S5-D16", "decode_head": "PSPHead"}, "unet/s5-psp"),
        ({"method": "Segformer", "backbone": "MIT-B4"}, "segformer/mit-b4"),
        ({"method": "UPerNet", "backbone": "ViT-B + LN + MLN"}, "upernet/vit-b-ln-mln"),
        ({"method": "Mask2Former", "backbone": "R-101-D32", "cfg_backbone": "ResNet"}, "mask2former/r101"),
        ({"method": "NonLocalNet", "backbone": "R-50-D8"}, "nonlocal/r50-d8"),
        ({"method": "DeepLabV3", "backbone": "M-V2-D8"}, "deeplabv3/mobilenetv2-d8"),
        ({"method": "PIDNet", "backbone": "PIDNet-L"}, "pidnet/l"),
    ],
)
def test_the_spelling_of_the_rows_is_understood(change: Row, network: str) -> None:
    found = job_of(SEGMENTATION | change).network
    assert found is not None and found.id == network


@pytest.mark.parametrize("field", ["batch_per_gpu", "cfg_crop", "decode_head"])
def test_a_missing_field_is_named(field: str) -> None:
    assert field in refused(predict_by_coefficients(SEGMENTATION | {field: ""}))


def test_an_unknown_network_is_named() -> None:
    assert "Blorb" in refused(predict_by_coefficients(SEGMENTATION | {"method": "Blorb"}))


def test_detectors_are_predicted_or_refused_by_name() -> None:
    assert measured(predict_detection(DETECTION)).predicted == pytest.approx(4.0, rel=0.08)
    assert measured(predict_detection(DETECTION | {"batch_per_gpu": ""})).predicted == pytest.approx(4.0, rel=0.08)  # 2 by default
    assert "blorb" in refused(predict_detection(DETECTION | {"model": "blorb_r50_fpn_1x_coco"}))


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"batch_per_gpu": "two"}, "batch"), ({"batch_per_gpu": "-3"}, "batch"), ({"batch_per_gpu": "1e30"}, "batch"),
        ({"optimizer": "Adafactor"}, "adafactor"), ({"mem_gb": "x"}, ""), ({"model": ""}, "model"),
        ({"model": "faster-rcnn_r50_fpn_crop99999"}, "crop"), ({"model": "faster-rcnn_r50_fpn_mdpool_1x_coco"}, "dpool"),
    ],
)  # fmt: skip
def test_an_odd_field_of_a_detector_is_named(change: Row, word: str) -> None:
    found = predict_detection(DETECTION | change)
    if isinstance(found, Refusal):
        assert word in found.reason
    else:  # no figure above zero: the run leaves it out
        assert word == "" and found[0].measured == 0


@pytest.mark.parametrize("crop", ["abc", "512", "512x", "x"])
def test_a_crop_that_cannot_be_read_is_named(crop: str) -> None:
    assert "cfg_crop" in refused(predict_by_coefficients(SEGMENTATION | {"cfg_crop": crop}))


def test_many_objects_in_a_picture_cost_once_on_a_card() -> None:
    name = "faster-rcnn_r50_fpn_1x_objects365v1"
    two, four = (measured(predict_detection(DETECTION | {"model": name, "batch_per_gpu": n})).predicted for n in ("2", "4"))
    plain = [measured(predict_detection(DETECTION | {"batch_per_gpu": n})).predicted for n in ("2", "4")]
    assert four - plain[1] == pytest.approx(two - plain[0], rel=0.01) and two - plain[0] > 2


def test_detectron2_rows_take_the_batch_of_their_note() -> None:
    assert measured(predict_other(DETECTRON2)).predicted == pytest.approx(4.1, rel=0.08)
    assert "batch_per_gpu" in refused(predict_other(DETECTRON2 | {"note": "see README"}))


def test_nnunet_rows_are_looked_up() -> None:
    row: Row = {"source": "nnU-Net documentation/resenc_presets.md", "model": "nnU-Net ResEnc L", "mem_gb": "22.7"}
    found = measured(predict_other(row))
    assert found.predicted == pytest.approx(found.measured) and "looked up" in found.note
