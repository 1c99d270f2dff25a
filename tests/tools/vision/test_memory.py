"""Memory of vision networks against published figures, and what each setting does to it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from knowledge.errors import InputError
from knowledge.vision_facts import vision_memory, vision_networks
from tools.units import to_gib
from tools.vision.account import VisionAccount
from tools.vision.job import VisionJob
from tools.vision.memory import vision_account
from tools.vision.names import find_network


def job_of(name: str, height: int, width: int, batch: int, classes: int, **changes: object) -> VisionJob:
    network = find_network(name)
    assert network is not None
    job = VisionJob(network=network, batch=batch, height=height, width=width, classes=classes)
    return replace(job, **changes)  # type: ignore[arg-type]


def account_of(name: str, height: int, width: int, batch: int, classes: int, **changes: object) -> VisionAccount:
    return vision_account(job_of(name, height, width, batch, classes, **changes))


PUBLISHED = [
    # mmsegmentation's model list: maximum of max_memory_allocated over 4 V100, PyTorch 1.5 to 1.7
    ("UNet", 512, 1024, 4, 19, "sgd", "fp32", 17.91),
    ("FCN R-101", 512, 512, 4, 150, "sgd", "fp32", 12.0),
    ("PSPNet R-50", 512, 1024, 2, 19, "sgd", "fp32", 6.1),
    ("DeepLabV3 R-101", 512, 1024, 2, 19, "sgd", "fp32", 9.6),
    ("DeepLabV3+ R-101", 512, 1024, 2, 19, "sgd", "fp32", 11.0),
    ("DeepLabV3+ R-101", 512, 1024, 2, 19, "sgd", "fp16", 6.35),
    ("SegFormer-B0", 512, 512, 2, 150, "adamw", "fp32", 2.1),
    ("SegFormer-B5", 1024, 1024, 1, 19, "adamw", "fp32", 18.0),
    ("UPerNet R-50", 512, 1024, 2, 19, "sgd", "fp32", 6.4),
    ("UPerNet Swin-L", 512, 512, 2, 150, "adamw", "fp32", 10.98),
    ("HRNet-W48", 512, 512, 4, 150, "sgd", "fp32", 8.2),
    ("BiSeNetV2", 1024, 1024, 4, 19, "sgd", "fp32", 7.64),
]


@pytest.mark.parametrize(("name", "height", "width", "batch", "classes", "optimizer", "precision", "published"), PUBLISHED)
def test_old_runs_are_predicted_within_eight_percent(
    name: str, height: int, width: int, batch: int, classes: int, optimizer: str, precision: str, published: float
) -> None:
    account = account_of(
        name, height, width, batch, classes, optimizer=optimizer, precision=precision, data_parallel=True, era="legacy"
    )
    assert to_gib(account.allocated) == pytest.approx(published, rel=0.08)


def test_current_pytorch_needs_less_than_the_old_one() -> None:
    """A100 row of mmsegmentation 1.x: DeepLabV3+ R-50, 1280 x 1280, 65 classes, 2 images: 24.04 GiB."""
    new = account_of("DeepLabV3+ R-50", 1280, 1280, 2, 65, data_parallel=True)
    old = account_of("DeepLabV3+ R-50", 1280, 1280, 2, 65, data_parallel=True, era="legacy")
    assert to_gib(new.allocated) == pytest.approx(24.04, rel=0.02)
    assert old.allocated > new.allocated


@pytest.mark.parametrize(
    ("name", "batch", "published"),
    [("Faster R-CNN R-50", 2, 4.0), ("Mask R-CNN X101-64x4d", 2, 10.7), ("RetinaNet R-101", 2, 5.7), ("YOLOX-x", 8, 28.1)],
)
def test_detectors_are_near_the_rows_they_were_fitted_on(name: str, batch: int, published: float) -> None:
    network = find_network(name)
    assert network is not None
    job = job_of(name, network.method.height, network.method.width, batch, 80, data_parallel=True)
    assert to_gib(vision_account(job).allocated) == pytest.approx(published, rel=0.08)


def test_a_preset_is_the_published_figure() -> None:
    """nnU-Net ResEnc L: 22.7 GB by nvidia-smi on an A100."""
    assert to_gib(account_of("nnU-Net ResEnc L", 128, 128, 2, 2).required) == pytest.approx(22.7)


@pytest.mark.parametrize(
    ("name", "low", "high"),
    [
        ("FCN R-101", 0.54, 0.62), ("PSPNet R-101", 0.52, 0.60), ("DeepLabV3+ R-101", 0.54, 0.62), ("BiSeNetV2", 0.70, 0.80),
        ("SegFormer-B5", 0.75, 0.90),
    ],
)  # fmt: skip
def test_mixed_precision_is_not_half(name: str, low: float, high: float) -> None:
    full = account_of(name, 512, 1024, 2, 19)
    mixed = account_of(name, 512, 1024, 2, 19, precision="fp16")
    assert low < mixed.allocated / full.allocated < high
    assert mixed.weights >= full.weights and mixed.optimizer == full.optimizer


def test_classes_cost_what_the_loss_keeps() -> None:
    """4 · (heads + 2) bytes per class and pixel in current PyTorch: 16 with an auxiliary head, 12 without."""
    for name, per_pixel in (("DeepLabV3+ R-50", 16), ("SegFormer-B2", 12)):
        few, many = (account_of(name, 512, 512, 4, classes) for classes in (120, 150))
        assert (many.activations - few.activations) / (30 * 4 * 512 * 512) == pytest.approx(per_pixel, rel=0.03)


def test_memory_grows_with_batch_and_crop_and_not_faster_than_linear_in_batch() -> None:
    one, two, four = (account_of("UPerNet Swin-T", 512, 512, batch, 150).allocated for batch in (1, 2, 4))
    assert one < two < four and four - two == pytest.approx(2 * (two - one), rel=0.02)
    small, large = (account_of("SegFormer-B2", side, side, 1, 19).activations for side in (512, 1024))
    assert large > 4 * small  # attention grows with the square of the pixels


def test_accumulation_keeps_the_gradients_and_data_parallel_adds_buckets() -> None:
    plain = account_of("FCN R-50", 512, 512, 4, 19)
    summed = account_of("FCN R-50", 512, 512, 4, 19, accumulate=4)
    spread = account_of("FCN R-50", 512, 512, 4, 19, data_parallel=True)
    assert summed.allocated - plain.allocated == pytest.approx(plain.weights, rel=0.02)
    assert spread.allocated - plain.allocated == spread.buckets > 0


def test_optimizers_keep_their_states() -> None:
    states = {name: account_of("FCN R-50", 512, 512, 2, 19, optimizer=name).optimizer for name in ("sgd-plain", "sgd", "adamw")}
    assert states["sgd-plain"] == 0 and states["adamw"] == 2 * states["sgd"]


def test_checkpointing_and_inference_need_less() -> None:
    plain = account_of("SegFormer-B2", 512, 512, 2, 150)
    again = account_of("SegFormer-B2", 512, 512, 2, 150, checkpointing=True)
    forward = account_of("SegFormer-B2", 512, 512, 2, 150, training=False)
    assert forward.allocated < again.allocated < plain.allocated
    assert forward.gradients == forward.optimizer == forward.buckets == 0


def test_a_small_batch_of_a_large_network_peaks_in_the_optimizer_step() -> None:
    account = account_of("ViT-L", 224, 224, 1, 1000, optimizer="adamw")
    assert "peak_in_step" in account.notes
    assert account.allocated == pytest.approx(5 * account.weights, rel=0.01)  # weights, gradients, two moments, the step's copy


@pytest.mark.parametrize(
    ("change", "zh", "en"),
    [
        ({"batch": 0}, "batch", "batch"),
        ({"batch": 10**12}, "65,536", "65,536"),
        ({"height": -1}, "边长", "sides"),
        ({"width": 10**6}, "16,384", "16,384"),
        ({"classes": 0}, "类别数", "classes"),
        ({"optimizer": "magic"}, "优化器", "optimizer"),
        ({"accumulate": 0}, "累积", "accumulation"),
    ],
)
def test_absurd_settings_are_one_sentence(change: dict[str, object], zh: str, en: str) -> None:
    job = replace(job_of("UNet", 512, 512, 2, 19), **change)  # type: ignore[arg-type]
    for language, word in (("zh", zh), ("en", en)):
        with pytest.raises(InputError, match=word):
            vision_account(job, language=language)


@pytest.mark.parametrize("name", ["YOLOv8x", "UNet++", "RT-DETR"])
def test_what_is_only_a_name_is_refused_by_name(name: str) -> None:
    for language in ("zh", "en"):
        with pytest.raises(InputError, match=name.rstrip("x").replace("+", r"\+")):
            vision_account(job_of(name, 640, 640, 8, 80), language=language)


def test_an_unknown_backbone_names_the_known_ones() -> None:
    with pytest.raises(InputError, match="Swin-L"):
        vision_account(job_of("UPerNet EfficientNet-B4", 512, 512, 2, 19))


def test_coefficients_hold_on_traces_they_have_not_seen() -> None:
    rows = vision_memory().values()
    errors = sorted(abs(row.heldout_pct) for row in rows if row.phase == "training")
    assert {row.network for row in rows} <= set(vision_networks())
    assert errors[len(errors) // 2] < 1.0 and errors[int(0.95 * len(errors))] < 6.0


def test_every_network_of_the_table_is_known_in_training_and_inference() -> None:
    keys = set(vision_memory())
    for network in vision_networks():
        for phase, precision in (("training", "fp32"), ("training", "amp"), ("inference", "fp32")):
            assert (network, "modern", phase, precision, False) in keys, network
