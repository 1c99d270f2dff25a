"""One step of small modules, its bytes counted by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

pytestmark = pytest.mark.torch
torch = pytest.importorskip("torch")

from tools.trace.request import TraceRequest, TraceResult  # noqa: E402
from tools.trace.step import trace_step  # noqa: E402

PLAIN = TraceRequest(network="x", optimizer="sgd-plain", workspace=False, batch=64)
WIDTH = 256
WEIGHTS = 3 * WIDTH * WIDTH * 4
TOKENS = 64 * WIDTH * 4
"""Bytes of one activation: batch × width × fp32."""


def chain() -> Any:
    """Three linear layers without bias, each followed by ReLU out of place."""
    with torch.device("meta"):
        return torch.nn.Sequential(
            *[layer for _ in range(3) for layer in (torch.nn.Linear(WIDTH, WIDTH, bias=False), torch.nn.ReLU())]
        )


def run(request: TraceRequest, *, model: Any = None) -> TraceResult:
    def inputs() -> tuple[Any]:
        return (torch.empty(request.batch, WIDTH, device="meta"),)

    def loss(module: Any, value: Any) -> Any:
        result = module(value)
        return result.sum() if request.training else result

    return trace_step(model or chain(), inputs=inputs, run=loss, request=request, name="chain")


def test_saved_tensors_of_a_chain() -> None:
    """Input and the three outputs of ReLU; the inputs of ReLU are freed, as ReLU keeps its result."""
    result = run(PLAIN)
    assert result.parameters == 3 * WIDTH * WIDTH
    assert result.parts.weights == WEIGHTS
    assert result.saved == pytest.approx(4 * TOKENS, abs=2048)


def test_parts_sum_to_the_allocated_bytes() -> None:
    for request in (PLAIN, replace(PLAIN, optimizer="adamw", data_parallel=True, accumulate=4), replace(PLAIN, training=False)):
        result = run(request)
        assert result.parts.total == result.allocated <= result.reserved


@pytest.mark.parametrize(("optimizer", "copies"), [("sgd-plain", 0), ("sgd", 1), ("adamw", 2)])
def test_optimizer_states(optimizer: str, copies: int) -> None:
    assert run(replace(PLAIN, optimizer=optimizer)).parts.optimizer == copies * WEIGHTS


def test_buckets_are_one_more_copy_of_the_gradients() -> None:
    assert run(replace(PLAIN, data_parallel=True)).parts.buckets == WEIGHTS
    assert run(PLAIN).parts.buckets == 0


def test_accumulation_and_old_pytorch_keep_gradients_through_the_forward_pass() -> None:
    wide = replace(PLAIN, batch=4096)
    fresh, kept, old = run(wide), run(replace(wide, accumulate=2)), run(replace(wide, old_torch=True))
    assert kept.parts.gradients == old.parts.gradients == WEIGHTS
    assert fresh.parts.gradients < WEIGHTS
    assert kept.allocated > fresh.allocated


def test_the_optimizer_step_is_the_peak_of_small_batches() -> None:
    result = run(replace(PLAIN, batch=1))
    assert result.phase == "optimizer step"
    assert result.allocated == pytest.approx(3 * WEIGHTS, rel=0.01)


def test_inference_keeps_two_activations() -> None:
    result = run(replace(PLAIN, training=False, batch=4096))
    assert result.parts.gradients == result.parts.optimizer == 0
    assert result.parts.activations == pytest.approx(3 * 4096 * WIDTH * 4, rel=0.01)  # input, one in, one out


def test_mixed_precision_halves_activations_and_copies_weights() -> None:
    wide = replace(PLAIN, batch=8192)
    full, half = run(wide), run(replace(wide, precision="fp16"))
    assert half.parts.weights == full.parts.weights
    assert 0.45 < half.saved / full.saved < 0.75  # halves of three outputs and of the input, which stays in fp32 too


def test_frozen_weights_have_no_gradients() -> None:
    model = chain()
    model[0].requires_grad_(False)
    model[2].requires_grad_(False)
    result = run(replace(PLAIN, optimizer="adamw"), model=model)
    assert result.parts.optimizer == 2 * WEIGHTS // 3
    assert result.saved < run(PLAIN).saved


def test_softmax_kept_input_and_output_before_1_11() -> None:
    class Soft(torch.nn.Module):  # type: ignore[name-defined,misc]
        def forward(self, value: Any) -> Any:
            value.requires_grad_()
            return torch.softmax(value * 2, -1)

    new, old = (run(replace(PLAIN, batch=4096, old_torch=flag), model=Soft()) for flag in (False, True))
    assert old.saved - new.saved == pytest.approx(4096 * WIDTH * 4, rel=0.01)


@pytest.mark.parametrize("cast", ["fp32", "fp16"])
def test_attention_of_new_pytorch_keeps_no_scores(cast: str) -> None:
    layer = torch.nn.TransformerEncoderLayer(WIDTH, 4, 512, batch_first=True, device="meta", dropout=0.0)

    class Tokens(torch.nn.Module):  # type: ignore[name-defined,misc]
        def __init__(self) -> None:
            super().__init__()
            self.layer = layer

        def forward(self, value: Any) -> Any:
            return self.layer(value.view(2, -1, WIDTH))

    result = run(replace(PLAIN, batch=4096, precision=cast), model=Tokens())  # type: ignore[arg-type]
    scores = 2 * 4 * 2048 * 2048 * (4 if cast == "fp32" else 2)
    assert result.saved < scores
