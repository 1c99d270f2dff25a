from __future__ import annotations

import pytest

from knowledge.facts import models
from tools.architecture import complete_shape
from tools.kv_cache import HYBRID_MARGIN, kv_layout


@pytest.mark.parametrize(
    ("model", "per_token"),
    [
        ("Llama-2-7b-hf", 2 * 32 * 32 * 128 * 2),  # MHA
        ("Qwen2.5-7B-Instruct", 57_344),  # GQA
        ("DeepSeek-V2-Lite-Chat", 31_104),  # MLA: vLLM 31,102
        ("Kimi-K2-Thinking", 70_272),  # MLA: vLLM 70,274
        ("gemma-3-27b-it", 573_440),  # 62 layers in groups of 10 → 70: vLLM 573,583
        ("gemma-3-4b-it", 143_360),  # 34 layers in groups of 5 → 35: vLLM 143,374
        ("gpt-oss-120b", 73_728),
        ("Hunyuan-A52B-Instruct", 64 // 2 * 2 * 8 * 80 * 2),  # two layers share one cache
    ],
)
def test_bytes_per_token_of_all_layers(model: str, per_token: int) -> None:
    assert kv_layout(models()[model], 2).bytes_per_token == per_token


def test_sliding_layers_stop_at_window_and_step() -> None:
    layout = kv_layout(models()["gpt-oss-20b"], 2)  # window 128
    layer = 2 * 8 * 64 * 2
    assert layout.sequence_bytes(100_000, step_tokens=2048) == 12 * layer * 100_000 + 12 * layer * (128 + 2048)
    assert layout.sequence_bytes(1600, step_tokens=2048) == 24 * layer * 1600
    assert layout.mean_bytes_per_token(100_000, step_tokens=2048) < layout.bytes_per_token


def test_sequences_are_rounded_up_to_blocks() -> None:
    layout = kv_layout(models()["Qwen3-8B"], 2)
    assert layout.sequence_bytes(1, step_tokens=2048) == layout.sequence_bytes(16, step_tokens=2048)
    assert layout.sequence_bytes(17, step_tokens=2048) == layout.sequence_bytes(32, step_tokens=2048)


def test_hybrids_grow_in_their_full_layers_only_and_hold_a_state() -> None:
    layout = kv_layout(models()["Qwen3.6-35B-A3B"], 1)
    assert layout.growing == pytest.approx(10_240 * HYBRID_MARGIN)
    assert layout.growing == pytest.approx(11_305, rel=0.01)  # vLLM's log
    assert 50e6 < layout.state < 100e6
    halved = kv_layout(models()["Qwen3.6-35B-A3B"], 1, tensor_parallel=2)
    assert (halved.growing, halved.state) == (layout.growing / 2, layout.state / 2)


@pytest.mark.parametrize(
    ("model", "floor", "ceiling"),
    [
        ("Kimi-Linear-48B-A3B-Instruct", 7 * 576 * 2, 10_000),
        ("NVIDIA-Nemotron-3-Nano-30B-A3B-BF16", 6 * 2 * 2 * 128 * 2, 7_000),
        ("DeepSeek-V4-Flash", 43 * 512 * 2, 43 * 640 * 2),
    ],
)
def test_other_hybrids(model: str, floor: int, ceiling: int) -> None:
    assert floor <= kv_layout(models()[model], 2).growing <= ceiling


def test_full_and_sliding_layers_of_different_heads_are_not_padded() -> None:
    layout = kv_layout(models()["gemma-4-31B-it"], 1, tensor_parallel=2)
    assert layout.growing == 10 * 2 * 2 * 512
    mean = layout.mean_bytes_per_token(262_144, step_tokens=2048)
    assert mean == pytest.approx(24_884, rel=0.15)  # a log with int8 cache, scales included


def test_encoders_keep_no_cache() -> None:
    assert kv_layout(models()["bert-base-uncased"], 2).bytes_per_token == 0


@pytest.mark.parametrize("model", ["Hunyuan-A13B-Instruct", "Qwen3.5-0.8B", "Qwen3.8-2.4T-A95B"])
def test_open_shapes_are_filled_from_a_near_model(model: str) -> None:
    row = models()[model]
    filled = complete_shape(row)
    assert filled.layers
    assert filled.kv_heads
    assert filled.hidden_size
    assert filled.params_total == row.params_total
    assert kv_layout(filled, 2).bytes_per_token > 0


def test_known_shapes_are_left_alone() -> None:
    assert complete_shape(models()["Qwen3-8B"]) is models()["Qwen3-8B"]
