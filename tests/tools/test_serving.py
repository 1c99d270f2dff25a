"""Serving a language model: published figures, what must change what, limits, and the Estimate."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from knowledge.errors import InputError
from knowledge.facts import gpus, models, sources
from tools.serving import ServingJob, ServingSum, estimate_serving, serving_sum, usable_bytes
from tools.units import GIB, KIB


def summed(model: str, dtype: str, gpu: str, tensor_parallel: int, **job: Any) -> ServingSum:
    asked = ServingJob(model=models()[model], weight_dtype=dtype, **job)
    return serving_sum(asked, gpus()[gpu], tensor_parallel=tensor_parallel)


def gib(size: int) -> float:
    return size / GIB


def test_qwen_72b_on_four_a100() -> None:
    """The worked example: 135.4 GiB of weights and 80.0 GiB of cache on 4 × 80 GB."""
    account = summed("Qwen2.5-72B-Instruct", "bf16", "nvidia-a100-80gb", 4, context=32768, concurrency=8)
    assert gib(account.weights_bytes) == pytest.approx(135.4, abs=0.05)
    assert gib(account.kv_bytes) == pytest.approx(80.0, abs=0.001)
    assert gib(account.weights_bytes_per_gpu) == pytest.approx(33.9, abs=0.05)
    assert gib(account.activation_bytes + account.engine_bytes) == pytest.approx(2.7, abs=0.05)
    assert gib(account.required_bytes_per_gpu) == pytest.approx(56.6, abs=0.1)
    assert gib(account.limit_bytes) == pytest.approx(71.2, abs=0.05)
    assert account.fits
    assert account.max_sequences == 13  # five more than asked for


@pytest.mark.parametrize("dtype", ["int4", "awq", "gptq"])
def test_llama_70b_in_four_bits_fills_one_l20(dtype: str) -> None:
    account = summed("Meta-Llama-3-70B-Instruct", dtype, "nvidia-l20", 1, context=8192, concurrency=1)
    assert gib(account.weights_bytes) == pytest.approx(37.0, abs=0.1)
    assert gib(account.kv_bytes) == 2.5
    assert gib(account.required_bytes_per_gpu) == pytest.approx(40.2, abs=0.1)
    assert gib(account.limit_bytes) == pytest.approx(40.3, abs=0.05)


def test_deepseek_v3_fits_eight_96_gb_cards_narrowly() -> None:
    account = summed("DeepSeek-V3", "fp8", "nvidia-h20-96gb", 8, context=32768, concurrency=1)
    assert gib(account.weights_bytes) == pytest.approx(627, abs=1)
    assert gib(account.kv_bytes) == pytest.approx(2.1, abs=0.05)
    assert account.kv_bytes_per_token_per_gpu == account.kv_bytes_per_token == 70_272
    assert gib(account.limit_bytes) == pytest.approx(85.8, abs=0.05)
    assert account.fits
    assert account.required_bytes_per_gpu > 0.98 * account.limit_bytes


@pytest.mark.parametrize(
    ("model", "dtype", "weights"),
    [
        ("Meta-Llama-3-70B-Instruct", "fp16", 131.4),
        ("Qwen2.5-7B-Instruct", "bf16", 14.2),
        ("Qwen2.5-7B-Instruct", "fp32", 28.4),
        ("gpt-oss-20b", "mxfp4", 13.5),  # vLLM: 13.47-13.72, experts padded to 3072
        ("gpt-oss-120b", "mxfp4", 64.4),
        ("Llama-3.1-8B-Instruct", "q4_k_m", 4.58),  # size of the published GGUF file
        ("Kimi-K2.5", "int4", 554.3),  # 595.2 GB checkpoint: experts in groups of 32
    ],
)
def test_published_sizes_of_weights(model: str, dtype: str, weights: float) -> None:
    account = summed(model, dtype, "nvidia-h100-80gb", 1)
    assert gib(account.weights_bytes) == pytest.approx(weights, rel=0.006)


def test_published_cache_sizes() -> None:
    assert summed("Qwen2.5-7B-Instruct", "bf16", "nvidia-a10", 1).kv_bytes_per_token == 56 * KIB
    refused = summed("Qwen3-Coder-30B-A3B-Instruct", "fp8", "nvidia-l20", 1, context=262144, concurrency=1)
    assert gib(refused.kv_bytes) == 24.0  # vLLM's refusal: "24.0 GiB KV needed for 262144 tokens"
    larger = summed("Qwen3-Coder-480B-A35B-Instruct", "fp8", "nvidia-h20-96gb", 1, context=262144, concurrency=1)
    assert gib(larger.kv_bytes) == 62.0


@pytest.mark.parametrize(
    ("model", "dtype", "gpu", "cards"),
    [
        ("DeepSeek-V3", "fp8", "nvidia-h20-96gb", 8),
        ("DeepSeek-R1-Distill-Qwen-1.5B", "bf16", "nvidia-a10", 1),
        ("DeepSeek-R1-Distill-Qwen-7B", "bf16", "nvidia-a10", 1),
        ("DeepSeek-R1-Distill-Qwen-14B", "bf16", "nvidia-l20", 1),
        ("DeepSeek-R1-Distill-Qwen-32B", "bf16", "nvidia-h20-96gb", 1),
        ("DeepSeek-R1-Distill-Llama-70B", "bf16", "nvidia-h20-96gb", 2),
        ("Qwen3-32B", "bf16", "nvidia-a10", 8),
        ("Qwen3-14B", "bf16", "nvidia-l20", 1),
        ("Qwen3-30B-A3B", "bf16", "nvidia-h20-96gb", 1),
        ("Mixtral-8x7B-v0.1", "bf16", "nvidia-a100-80gb", 2),
        ("Mixtral-8x7B-v0.1", "fp16", "nvidia-v100-32gb", 4),
        ("Qwen1.5-4B-Chat", "fp16", "nvidia-t4", 1),
        ("Qwen-7B-Chat", "int8", "nvidia-v100-16gb", 1),
        ("chatglm3-6b", "fp16", "nvidia-t4", 1),
        ("Qwen2.5-7B-Instruct", "bf16", "nvidia-l20", 1),
        ("Meta-Llama-3-8B-Instruct", "bf16", "nvidia-a10", 1),
    ],
)
def test_what_alibaba_cloud_pages_deploy_fits(model: str, dtype: str, gpu: str, cards: int) -> None:
    """Pages of PAI, ACK and Compute Nest that name model and card; short context, one user."""
    assert summed(model, dtype, gpu, cards, context=4096, concurrency=1).fits


def test_usable_memory_of_a_t4() -> None:
    assert 14.5 <= gib(usable_bytes(gpus()["nvidia-t4"])) < 14.75  # CUDA logs of the card: 14.56-14.74


@settings(deadline=None, max_examples=50)
@given(context=st.integers(1, 200_000), more=st.integers(0, 200_000), users=st.integers(1, 64))
def test_more_context_or_users_never_need_less(context: int, more: int, users: int) -> None:
    for model in ("Qwen3-8B", "gemma-3-27b-it", "DeepSeek-V3", "Qwen3.6-27B", "gpt-oss-120b"):
        less = summed(model, "bf16", "nvidia-a100-80gb", 1, context=context, concurrency=users)
        longer = summed(model, "bf16", "nvidia-a100-80gb", 1, context=context + more, concurrency=users)
        busier = summed(model, "bf16", "nvidia-a100-80gb", 1, context=context, concurrency=users + 1)
        assert less.required_bytes_per_gpu <= longer.required_bytes_per_gpu
        assert less.required_bytes_per_gpu < busier.required_bytes_per_gpu


@pytest.mark.parametrize("model", ["Qwen2.5-72B-Instruct", "DeepSeek-V3", "gemma-3-27b-it", "Llama-2-7b-hf"])
def test_fp8_cache_is_half(model: str) -> None:
    full, half = (summed(model, "bf16", "nvidia-h100-80gb", 1, kv_dtype=kind) for kind in ("bf16", "fp8"))
    assert full.kv_bytes == 2 * half.kv_bytes
    assert full.weights_bytes == half.weights_bytes


def test_tensor_parallel_divides_grouped_cache_and_not_the_latent_one() -> None:
    one, two, sixteen = (summed("Qwen2.5-72B-Instruct", "bf16", "nvidia-a100-80gb", tp) for tp in (1, 2, 16))
    assert one.kv_bytes_per_sequence_per_gpu == 2 * two.kv_bytes_per_sequence_per_gpu
    assert one.kv_bytes_per_sequence_per_gpu == 8 * sixteen.kv_bytes_per_sequence_per_gpu  # 8 heads, copied
    assert one.kv_bytes == two.kv_bytes == sixteen.kv_bytes
    latent = [summed("DeepSeek-V3", "fp8", "nvidia-h20-96gb", tp).kv_bytes_per_sequence_per_gpu for tp in (1, 8)]
    assert latent[0] == latent[1]


@pytest.mark.parametrize("model", ["Qwen3-8B", "Mixtral-8x7B-v0.1", "Llama-3.3-70B-Instruct", "Qwen2.5-VL-7B-Instruct"])
def test_fewer_bits_need_less(model: str) -> None:
    order = ("q2_k", "q4_k_m", "int8", "fp8", "bf16", "fp32")
    needs = [summed(model, dtype, "nvidia-a100-80gb", 1).required_bytes_per_gpu for dtype in order]
    assert needs == sorted(needs)
    assert len(set(needs)) == len(needs)


@pytest.mark.parametrize("model", ["Qwen3-8B", "gemma-3-27b-it", "gpt-oss-20b", "Qwen3.6-27B", "DeepSeek-V2-Lite-Chat"])
def test_longest_context_fills_the_pool_and_one_block_more_does_not_fit(model: str) -> None:
    at = summed(model, "bf16", "nvidia-a100-80gb", 1, concurrency=4)
    fits = summed(model, "bf16", "nvidia-a100-80gb", 1, context=at.longest_context, concurrency=4)
    over = summed(model, "bf16", "nvidia-a100-80gb", 1, context=at.longest_context + 16, concurrency=4)
    assert fits.fits
    assert not over.fits


def test_wished_users_raise_the_engine_limit() -> None:
    account = summed("Qwen3-8B", "bf16", "nvidia-a10", 1, context=512, concurrency=400)
    assert account.max_num_seqs == 400
    assert summed("Qwen3-8B", "bf16", "nvidia-a10", 1).max_num_seqs == 256
    assert summed("Qwen3-8B", "bf16", "nvidia-h20-96gb", 1).max_num_seqs == 1024
    assert summed("Qwen3-8B", "bf16", "nvidia-a100-80gb", 1).max_num_seqs == 256


@pytest.mark.parametrize(
    ("job", "limit"),
    [
        ({"context": 0}, "at least 1 token"),
        ({"context": -5}, "at least 1 token"),
        ({"context": 100_000_001}, "100,000,000"),
        ({"concurrency": 0}, "at least 1"),
        ({"concurrency": 100_001}, "100,000"),
        ({"gpu_memory_utilization": 0.0}, "above 0"),
        ({"gpu_memory_utilization": 1.01}, "at most 1"),
        ({"max_num_seqs": 0}, "max_num_seqs"),
        ({"max_num_batched_tokens": -1}, "max_num_batched_tokens"),
        ({"kv_dtype": "awq"}, "KV cache"),
        ({"kv_dtype": "q9"}, "No weight precision"),
    ],
)
def test_impossible_jobs_name_the_limit(job: dict[str, Any], limit: str) -> None:
    with pytest.raises(InputError, match=limit) as caught:
        summed("Qwen3-8B", "bf16", "nvidia-a10", 1, **job)
    assert "\n" not in str(caught.value)


def test_impossible_cuts_name_the_possible_ones() -> None:
    with pytest.raises(InputError, match="possible are 1, 2, 4"):
        summed("Qwen2.5-7B-Instruct", "bf16", "nvidia-a10", 3)  # 28 heads, 4 KV heads
    job = ServingJob(model=models()["Qwen2.5-7B-Instruct"], weight_dtype="bf16")
    with pytest.raises(InputError, match="不能做 8 路张量并行；可用 1, 2, 4"):
        estimate_serving(job, gpus()["nvidia-a10"], tensor_parallel=8, language="zh")


@pytest.mark.parametrize("model", ["FLUX.1-dev", "whisper-tiny", "bert-base-uncased"])
def test_other_kinds_of_models_are_refused(model: str) -> None:
    with pytest.raises(InputError, match="not a generative language model"):
        summed(model, "bf16", "nvidia-a10", 1)


@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize("model", [row.id for row in models().values() if row.modality in ("text", "vision-language")])
def test_every_language_model_of_the_table_can_be_estimated(model: str, language: Any) -> None:
    job = ServingJob(model=models()[model], weight_dtype="fp8")
    estimate = estimate_serving(job, gpus()["nvidia-h20-96gb"], tensor_parallel=1, language=language)
    assert sum(estimate.parts.values()) == pytest.approx(estimate.per_gpu_gib.best)
    assert estimate.per_gpu_gib.low < estimate.per_gpu_gib.best < estimate.per_gpu_gib.high
    assert all(part > 0 for part in estimate.parts.values())
    assert set(estimate.source_ids) <= set(sources())
    assert all("{" not in sentence for sentence in estimate.assumptions)


def test_estimate_shows_the_whole_account() -> None:
    job = ServingJob(model=models()["Qwen2.5-72B-Instruct"], weight_dtype="bf16", context=32768)
    estimate = estimate_serving(job, gpus()["nvidia-a100-80gb"], tensor_parallel=4)
    assert list(estimate.parts) == ["weights", "kv_cache", "activations", "engine"]
    assert estimate.gpus == 4
    assert estimate.will_show_gib == pytest.approx(72.2, abs=0.05)
    assert estimate.kv_bytes_per_token == 327_680
    assert estimate.max_concurrency == pytest.approx(13.9, abs=0.1)
    assert estimate.error_band is not None
    assert estimate.error_band.n >= 30
    assert {"vllm-docs", "vllm-startup-logs", "llm-d-planner-logs"} <= set(estimate.source_ids)
    assert any("nvidia-smi" in sentence and "72.2 GiB" in sentence for sentence in estimate.assumptions)


@pytest.mark.parametrize(
    ("language", "words"), [("zh", "模型自身上下文为 32,768 token"), ("en", "own context is 32,768 tokens")]
)
def test_context_beyond_the_model_is_said_not_refused(language: Any, words: str) -> None:
    job = ServingJob(model=models()["Qwen2.5-7B-Instruct"], weight_dtype="bf16", context=131072, concurrency=1)
    estimate = estimate_serving(job, gpus()["nvidia-a100-80gb"], tensor_parallel=1, language=language)
    assert any(words in sentence for sentence in estimate.assumptions)
