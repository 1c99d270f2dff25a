"""Time of one decoding step and of one prompt, by the roofline: bytes over bandwidth, operations over peak rate.

    read    = max( weights / (BW · share) , 2·P·B / (FLOPS · share) )  +  B · cache / (BW · share)
    start   = step + layers · layer + experts · expert                     kernels to be started
    step    = ( start^p + read^p )^(1/p)  +  2 · layers · exchange         p = 1: they add up; large: the longer one
              contexts beyond what CUDA graphs cover: the longer of that and layers · eager
    prompt  = max( 2·P·T / (FLOPS · share) , weights / (BW · share) )  +  attention · T²/2 / (FLOPS16 · share)  +  start
              + 2 · layers · exchange

The shares are fitted on published tables (efficiency.csv). Weights that are only stored in four or eight bits are
computed in 16 bits; FP8 runs at the FP8 rate where the card has one, but for attention.
"""

from __future__ import annotations

from dataclasses import dataclass

from knowledge.rows import Gpu
from knowledge.speed_facts import Efficiency, links

from .loads import Loads

ACTIVATION_BYTES = 2
"""Activations that cards exchange are 16 bit."""

FP8_KINDS = ("fp8",)

EAGER_OVERLAP = 4.0
"""Kernels that are started one by one run while the next are started: the longer of the two counts, nearly."""


@dataclass(frozen=True)
class Peak:
    """Published rates of one card: bytes and operations per second; and its exchange with the other cards.

    `operations` is the rate of matrix products in the kind of the weights, `attention` that of attention, always 16 bit.
    """

    bandwidth: float
    operations: float
    attention: float
    link: float
    extra_s: float


def peak_of(gpu: Gpu, kind: str, *, nvlink: bool) -> Peak | None:
    """Rates of a card for weights of that kind; None where its bandwidth or its 16-bit rate is not published."""
    sixteen = gpu.bf16_tflops or gpu.fp16_tflops
    if not (gpu.memory_bandwidth_gb_s and sixteen):
        return None
    operations = gpu.fp8_tflops if kind in FP8_KINDS and gpu.fp8_tflops else sixteen
    linked = nvlink and bool(gpu.nvlink_gb_s)
    link = links()["nvlink"] if linked else links().get(gpu.pcie, links()["4.0 x16"])
    speed = (gpu.nvlink_gb_s or 0) / 2 if linked else link.gb_s or 0  # NVLink is published for both directions
    return Peak(
        bandwidth=gpu.memory_bandwidth_gb_s * 1e9, operations=operations * 1e12, attention=sixteen * 1e12,
        link=speed * 1e9 * link.share, extra_s=link.extra_ms / 1e3,
    )  # fmt: skip


def step_s(loads: Loads, peak: Peak, efficiency: Efficiency, *, batch: int, context: float) -> float:
    """Seconds of one step that gives each of `batch` sequences, `context` tokens long, one token."""
    start = _start_s(loads, efficiency)
    read = _linear_s(loads, peak, efficiency, tokens=batch, operations=loads.step_operations)
    read += batch * _cache_s(loads, peak, efficiency, context)
    step = _overlapped(start, read, efficiency.overlap)
    if 0 < efficiency.graph_tokens < context:
        step = _overlapped(step, loads.layers * efficiency.eager_ms / 1e3, EAGER_OVERLAP)
    return step + _exchange_s(loads, peak, efficiency, tokens=batch)


def _overlapped(first: float, second: float, power: float) -> float:
    return float((first**power + second**power) ** (1 / power))


def prompt_s(loads: Loads, peak: Peak, efficiency: Efficiency, *, tokens: int, prompts: int = 1) -> float:
    """Seconds that reading `prompts` prompts of `tokens` each in one go takes: the first token comes at its end."""
    all_tokens = prompts * tokens
    linear = _linear_s(loads, peak, efficiency, tokens=all_tokens, operations=2 * loads.body)
    full, windowed = loads.pairs(tokens)
    attention = prompts * (loads.prompt_attention * full + loads.window_attention * windowed)
    exchange = _exchange_s(loads, peak, efficiency, tokens=all_tokens)
    return linear + attention / (peak.attention * efficiency.attention_share) + _start_s(loads, efficiency) + exchange


def _linear_s(loads: Loads, peak: Peak, efficiency: Efficiency, *, tokens: int, operations: float) -> float:
    """Matrix products: bound by reading the weights or by computing, whichever takes longer."""
    reading = loads.weight_bytes(tokens) / (peak.bandwidth * efficiency.weight_share)
    computing = tokens * operations / (peak.operations * efficiency.compute_share)
    return max(reading, computing)


def _cache_s(loads: Loads, peak: Peak, efficiency: Efficiency, context: float) -> float:
    """Attention of one sequence in one step: reading its cache, or computing with it (latent caches)."""
    moved = efficiency.cache_passes + efficiency.cache_repeats * loads.repeats
    reading = loads.cache_bytes(context) * moved / (peak.bandwidth * efficiency.cache_share)
    computing = loads.step_attention * context / (peak.attention * efficiency.compute_share)
    return max(reading, computing)


def _start_s(loads: Loads, efficiency: Efficiency) -> float:
    per_model = loads.layers * efficiency.layer_ms + loads.sparse_experts * efficiency.expert_ms
    return (efficiency.step_ms + per_model) / 1e3


def _exchange_s(loads: Loads, peak: Peak, efficiency: Efficiency, *, tokens: int) -> float:
    """Two all-reduces a layer, each of which moves 2·(tp − 1)/tp of the activations through every card."""
    cards = loads.tensor_parallel
    if cards == 1:
        return 0.0
    moved = tokens * loads.hidden * ACTIVATION_BYTES * 2 * (cards - 1) / cards
    return 2 * loads.layers * (efficiency.reduce_ms / 1e3 + peak.extra_s + moved / peak.link)


def step_parts(loads: Loads, peak: Peak, efficiency: Efficiency, *, batch: int, context: float) -> dict[str, float]:
    """Seconds of each part of a step by itself, for saying which bounds it; they add up where nothing overlaps."""
    reading = loads.weight_bytes(batch) / (peak.bandwidth * efficiency.weight_share)
    computing = batch * loads.step_operations / (peak.operations * efficiency.compute_share)
    bound = "weights" if reading >= computing else "compute"
    return {
        bound: max(reading, computing),
        "cache": batch * _cache_s(loads, peak, efficiency, context),
        "start": _start_s(loads, efficiency),
        "exchange": _exchange_s(loads, peak, efficiency, tokens=batch),
    }
