"""Every named network can be traced, in every way, and published figures come out.

The figures are training memory per GPU as mmsegmentation's model list prints them
(github.com/open-mmlab/mmsegmentation, metafiles of 1.2.2; V100, PyTorch before 1.11, SyncBN, four or eight GPUs).
"""

from __future__ import annotations

from dataclasses import replace

import pytest

pytestmark = pytest.mark.torch
pytest.importorskip("torch")

from knowledge.errors import InputError  # noqa: E402
from tools.trace.front import trace  # noqa: E402
from tools.trace.networks import methods  # noqa: E402
from tools.trace.request import Precision, TraceRequest  # noqa: E402
from tools.units import to_gib  # noqa: E402

OLD = TraceRequest(data_parallel=True, sync_bn=True, old_torch=True)


@pytest.mark.parametrize(
    ("network", "classes", "height", "width", "batch", "optimizer", "precision", "published"),
    [
        ("unet", 19, 512, 1024, 4, "sgd", "fp32", 17.91),
        ("fcn r50", 19, 512, 1024, 2, "sgd", "fp32", 5.7),
        ("psp r101", 150, 512, 512, 4, "sgd", "fp32", 12.0),
        ("deeplabv3+ r101", 19, 769, 769, 2, "sgd", "fp32", 12.5),
        ("deeplabv3+ r101", 19, 512, 1024, 2, "sgd", "fp16", 6.35),
        ("deeplabv3+ mobilenetv2", 19, 512, 1024, 2, "sgd", "fp32", 5.1),
        ("danet r50", 19, 769, 769, 2, "sgd", "fp32", 8.8),
        ("encnet r50", 19, 512, 1024, 2, "sgd", "fp32", 8.6),
        ("fast-scnn", 19, 512, 1024, 4, "sgd", "fp32", 3.3),
        ("bisenet r50", 19, 1024, 1024, 4, "sgd", "fp32", 15.39),
        ("segformer b0", 150, 512, 512, 2, "adamw", "fp32", 2.1),
        ("segformer b5", 19, 1024, 1024, 1, "adamw", "fp32", 18.0),
        ("upernet swin-l", 150, 512, 512, 2, "adamw", "fp32", 10.98),
        ("segmenter vit-b", 150, 512, 512, 1, "sgd", "fp32", 4.2),
        ("semantic fpn pcpvt-s", 150, 512, 512, 4, "adamw", "fp32", 6.6),
        ("segnext mscan-t", 150, 512, 512, 16, "adamw", "fp32", 17.88),
    ],
)
def test_published_figures(
    network: str, classes: int, height: int, width: int, batch: int, optimizer: str, precision: Precision, published: float
) -> None:
    request = replace(
        OLD, network=network, classes=classes, height=height, width=width, batch=batch, optimizer=optimizer, precision=precision
    )
    assert to_gib(trace(request).allocated) == pytest.approx(published, rel=0.025)


@pytest.mark.parametrize("method", list(methods()))
def test_every_method_trains_and_infers(method: str) -> None:
    row = methods()[method]
    request = TraceRequest(network=f"{method}/{row['backbone']}/d{row['stride']}", classes=5, height=256, width=256)
    full, infer = trace(request), trace(replace(request, training=False))
    half = trace(replace(request, precision="bf16", checkpointing=True))
    for result in (full, infer, half):
        assert result.parts.total == result.allocated <= result.reserved
        assert min(vars_of(result.parts)) >= 0
    assert infer.allocated < full.allocated
    assert half.saved < full.saved


def vars_of(parts: object) -> list[int]:
    return [getattr(parts, name) for name in parts.__slots__]  # type: ignore[attr-defined]


def test_a_batch_of_one_is_refused_where_pooled_values_are_normalised() -> None:
    request = TraceRequest(network="pspnet r50", batch=1)
    for language, words in (("zh", "批量为 1"), ("en", "a batch of 1")):
        with pytest.raises(InputError, match=words):
            trace(request, language=language)  # type: ignore[arg-type]
    assert trace(replace(request, sync_bn=True)).allocated > 0


def test_combinations_that_do_not_exist_are_refused() -> None:
    with pytest.raises(InputError, match="Segmenter is not built on R-50 here"):
        trace(TraceRequest(network="segmenter r50"))


def test_checkpointing_frozen_stages_and_auxiliary_heads_save_memory() -> None:
    request = TraceRequest(network="fcn r50", height=256, width=256)
    full = trace(request)
    assert trace(replace(request, checkpointing=True)).saved < 0.6 * full.saved
    frozen = trace(replace(request, frozen_stages=2))
    assert frozen.saved < full.saved and frozen.parts.optimizer < full.parts.optimizer
    assert trace(replace(request, options={"aux": False})).parameters < full.parameters


def test_a_trace_is_quick() -> None:
    """Three seconds on one idle core; the bound leaves room for busy ones."""
    assert trace(TraceRequest(network="hrnet w48", height=1024, width=1024)).seconds < 15
