"""What a card cannot do, what bites although it runs, how many shards, and the command."""

from __future__ import annotations

import shlex
from dataclasses import replace
from typing import Any

import pytest

from knowledge.facts import gpus, models, quantized_checkpoints, sources
from tools.commands import find_checkpoint
from tools.engine import activation_peak, current_engine, engine_of_version
from tools.serving import ServingJob, blocked, cautions, estimate_serving, tensor_parallel_sizes
from tools.units import GB, GIB, MIB, from_gb, from_gib, from_mib, gb_to_gib, to_gib


def job(model: str, dtype: str, **more: Any) -> ServingJob:
    return ServingJob(model=models()[model], weight_dtype=dtype, **more)


@pytest.mark.parametrize(
    ("model", "dtype", "gpu", "code"),
    [
        ("Qwen3-8B", "bf16", "nvidia-a10", None),
        ("Qwen3-8B", "bf16", "nvidia-t4", None),
        ("Qwen3-8B", "fp8", "nvidia-a10", "no_fp8_but_weight_only"),
        ("Qwen3-8B", "fp8", "nvidia-a30", "no_fp8_but_weight_only"),
        ("Qwen3-8B", "fp8", "nvidia-t4", "no_fp8"),
        ("Qwen3-8B", "fp8", "nvidia-v100-32gb", "no_fp8"),
        ("Qwen3-30B-A3B", "fp8", "nvidia-a100-80gb", "no_fp8"),
        ("DeepSeek-V3", "fp8", "nvidia-a100-80gb", "no_fp8"),
        ("Qwen3-8B", "fp8", "nvidia-l20", None),
        ("Qwen3-8B", "fp8", "nvidia-h20-96gb", None),
        ("Qwen3-8B", "nvfp4", "nvidia-h20-96gb", "no_fp4"),
        ("Qwen3-8B", "nvfp4", "nvidia-rtx-pro-5000-72gb", None),
        ("gpt-oss-20b", "mxfp4", "nvidia-a10", None),
        ("gpt-oss-20b", "mxfp4", "nvidia-t4", "no_fp4"),
        ("Qwen3-8B", "awq", "nvidia-t4", None),
        ("Qwen3-8B", "awq", "nvidia-v100-32gb", "awq_needs_turing"),
        ("gemma-2-9b-it", "bf16", "nvidia-t4", "float16_refused"),
        ("gemma-3-12b-it", "awq", "nvidia-v100-32gb", "awq_needs_turing"),
        ("gemma-3-12b-it", "gptq", "nvidia-v100-32gb", "float16_refused"),
        ("gemma-3-4b-it", "fp32", "nvidia-t4", None),
        ("gemma-3-12b-it", "fp16", "nvidia-a10", None),
        ("gpt-oss-20b", "fp8", "nvidia-a10", None),
        ("Qwen3-8B", "gptq", "nvidia-v100-32gb", None),
        ("Qwen3-8B", "int4", "nvidia-v100-32gb", None),
        ("Qwen-7B-Chat", "int8", "nvidia-v100-16gb", None),
        ("Qwen3-8B", "bf16", "nvidia-p100-16gb", "compute_capability"),
        ("Qwen3-8B", "bf16", "nvidia-m40-12gb", "compute_capability"),
        ("Qwen3-8B", "bf16", "amd-s7150", "not_cuda"),
        ("Qwen3-8B", "bf16", "thead-ppu-810e", "not_cuda"),
    ],
)
def test_blocked(model: str, dtype: str, gpu: str, code: str | None) -> None:
    assert blocked(job(model, dtype), gpus()[gpu]) == code


@pytest.mark.parametrize(
    ("asked", "gpu", "tensor_parallel", "codes"),
    [
        (job("Qwen3-8B", "bf16"), "nvidia-a100-80gb", 2, set()),
        (job("Qwen3-8B", "bf16"), "nvidia-t4", 1, {"no_bf16_use_fp16"}),
        (job("Qwen3-8B", "awq"), "nvidia-v100-16gb", 1, {"no_bf16_use_fp16"}),
        (job("Qwen3-8B", "bf16"), "nvidia-a10", 2, {"no_nvlink"}),
        (job("Qwen3-8B", "fp8"), "nvidia-a10", 1, {"fp8_weight_only"}),
        (job("Qwen3-8B", "bf16", kv_dtype="fp8"), "nvidia-a10", 1, {"fp8_kv_unsupported"}),
        (job("Qwen3-8B", "bf16", kv_dtype="fp8"), "nvidia-l20", 1, set()),
        (job("Qwen3-8B", "bf16", kv_dtype="int8"), "nvidia-a10", 1, set()),
        (job("Qwen-7B-Chat", "int8"), "nvidia-v100-16gb", 1, {"no_bf16_use_fp16", "int8_only_gptq"}),
        (job("Llama-3.1-8B-Instruct", "bf16", context=200_000), "nvidia-a100-80gb", 1,
         {"context_beyond_model", "context_refused"}),
        (job("Qwen3-8B", "bf16", context=200_000), "nvidia-a100-80gb", 1, {"context_beyond_model", "context_refused"}),
        (job("gpt-oss-20b", "mxfp4"), "nvidia-a100-80gb", 1, {"fp4_weight_only"}),
        (job("Qwen3-30B-A3B", "bf16"), "nvidia-h20-96gb", 8, {"kv_heads_replicated"}),
        (job("DeepSeek-V3", "fp8"), "nvidia-h20-96gb", 8, {"mla_replicated"}),
        (job("Qwen3-8B", "bf16", context=100_000), "nvidia-a100-80gb", 1, {"context_beyond_model"}),
        (job("Qwen3.6-27B", "bf16"), "nvidia-a100-80gb", 1, {"hybrid_margin"}),
        (job("Hunyuan-A13B-Instruct", "bf16"), "nvidia-a100-80gb", 1, {"typical_shape"}),
        (job("Qwen3-8B", "bf16"), "nvidia-a800-80gb", 1, {"usable_estimated"}),
        (job("Qwen3-8B", "q4_k_m"), "nvidia-a10", 1, {"gguf_plugin"}),
        (job("Qwen3-8B", "q4_k_m", engine_version="0.23"), "nvidia-a10", 1, set()),
        (job("Qwen3-8B", "q4_k_m", engine="llama.cpp"), "nvidia-a10", 1, set()),
    ],
)  # fmt: skip
def test_cautions(asked: ServingJob, gpu: str, tensor_parallel: int, codes: set[str]) -> None:
    assert set(cautions(asked, gpus()[gpu], tensor_parallel)) == codes


@pytest.mark.parametrize(
    ("model", "cards", "sizes"),
    [
        ("Qwen2.5-72B-Instruct", 8, (8, 4, 2, 1)),
        ("Qwen2.5-7B-Instruct", 8, (4, 2, 1)),  # 28 heads
        ("Qwen2.5-14B-Instruct", 8, (8, 4, 2, 1)),  # 40 heads, 8 KV heads: not 5
        ("Qwen3-30B-A3B", 8, (8, 4, 2, 1)),  # 4 KV heads, copied at 8
        ("Qwen2.5-0.5B-Instruct", 4, (2, 1)),  # 14 heads
        ("DeepSeek-V3", 16, (16, 8, 4, 2, 1)),
        ("Qwen3.5-0.8B", 8, (8, 4, 2, 1)),  # open shape: that of the nearest model
        ("Qwen3-8B", 1, (1,)),
        ("Qwen3-8B", 0, (1,)),
    ],
)
def test_tensor_parallel_sizes(model: str, cards: int, sizes: tuple[int, ...]) -> None:
    assert tensor_parallel_sizes(models()[model], cards) == sizes


@pytest.mark.parametrize(
    ("asked", "gpu", "tensor_parallel", "command"),
    [
        (job("Qwen2.5-72B-Instruct", "bf16", context=32768), "nvidia-a100-80gb", 4,
         "vllm serve Qwen/Qwen2.5-72B-Instruct --tensor-parallel-size 4 --max-model-len 32768"),
        (job("Qwen2.5-7B-Instruct", "bf16"), "nvidia-t4", 1,
         "vllm serve Qwen/Qwen2.5-7B-Instruct --tensor-parallel-size 1 --max-model-len 8192 --dtype half"),
        (job("Qwen2.5-7B-Instruct", "fp32"), "nvidia-a10", 1,
         "vllm serve Qwen/Qwen2.5-7B-Instruct --tensor-parallel-size 1 --max-model-len 8192 --dtype float32"),
        (job("Qwen2.5-72B-Instruct", "int4", kv_dtype="fp8"), "nvidia-l20", 2,
         "vllm serve Qwen/Qwen2.5-72B-Instruct-AWQ --tensor-parallel-size 2 --max-model-len 8192 --kv-cache-dtype fp8"),
        (job("Llama-3.1-8B-Instruct", "fp8"), "nvidia-l20", 1,
         "vllm serve meta-llama/Llama-3.1-8B-Instruct --tensor-parallel-size 1 --max-model-len 8192 --quantization fp8"),
        (job("Qwen2.5-7B-Instruct", "int4"), "nvidia-v100-16gb", 1,
         "vllm serve Qwen/Qwen2.5-7B-Instruct-GPTQ-Int4 --tensor-parallel-size 1 --max-model-len 8192 --dtype half"),
        (job("Llama-3.1-8B-Instruct", "nf4"), "nvidia-a10", 1,
         "vllm serve meta-llama/Llama-3.1-8B-Instruct --tensor-parallel-size 1 --max-model-len 8192"
         " --quantization bitsandbytes"),
        (job("DeepSeek-V3", "fp8"), "nvidia-h20-96gb", 8,
         "vllm serve deepseek-ai/DeepSeek-V3 --tensor-parallel-size 8 --max-model-len 8192"),
        (job("Qwen3-8B", "bf16", gpu_memory_utilization=0.95, max_num_seqs=64), "nvidia-a10", 1,
         "vllm serve Qwen/Qwen3-8B --tensor-parallel-size 1 --max-model-len 8192 --gpu-memory-utilization 0.95"
         " --max-num-seqs 64"),
        (job("Qwen3-8B", "bf16", concurrency=400, max_num_batched_tokens=4096), "nvidia-a10", 1,
         "vllm serve Qwen/Qwen3-8B --tensor-parallel-size 1 --max-model-len 8192 --max-num-seqs 400"
         " --max-num-batched-tokens 4096"),
        (job("Qwen3-8B", "bf16", kv_dtype="int8"), "nvidia-a10", 1,
         "vllm serve Qwen/Qwen3-8B --tensor-parallel-size 1 --max-model-len 8192"
         " --kv-cache-dtype int8_per_token_head"),
        (job("Qwen3-8B", "bf16", kv_dtype="auto"), "nvidia-a10", 1,
         "vllm serve Qwen/Qwen3-8B --tensor-parallel-size 1 --max-model-len 8192"),
        (job("Llama-3.1-8B-Instruct", "q4_k_m"), "nvidia-a10", 1,
         "vllm serve ./Llama-3.1-8B-Instruct-Q4_K_M.gguf --tensor-parallel-size 1 --max-model-len 8192"
         " --tokenizer meta-llama/Llama-3.1-8B-Instruct"),
    ],
)  # fmt: skip
def test_command(asked: ServingJob, gpu: str, tensor_parallel: int, command: str) -> None:
    assert estimate_serving(asked, gpus()[gpu], tensor_parallel=tensor_parallel).command == command


@pytest.mark.parametrize(("language", "words"), [("zh", "请换成 awq 权重"), ("en", "of your awq weights")])
def test_weights_that_have_to_be_found_are_said(language: Any, words: str) -> None:
    asked = job("Meta-Llama-3-70B-Instruct", "awq", concurrency=1)
    estimate = estimate_serving(asked, gpus()["nvidia-l20"], tensor_parallel=1, language=language)
    assert any(words in sentence for sentence in estimate.assumptions)
    assert shlex.split(estimate.command or "")[2] == "./Meta-Llama-3-70B-Instruct-AWQ"


def test_bf16_of_a_model_published_in_fp8_has_to_be_converted() -> None:
    assert not find_checkpoint(models()["DeepSeek-V3"], "bf16", gpus()["nvidia-h20-96gb"]).published
    assert find_checkpoint(models()["gpt-oss-20b"], "mxfp4", gpus()["nvidia-l20"]).path == "openai/gpt-oss-20b"


@pytest.mark.parametrize("dtype", ["bf16", "awq", "q4_k_m"])
def test_a_model_without_a_repository_is_a_folder(dtype: str) -> None:
    unnamed = replace(models()["Qwen3-8B"], id="13B", hf_id="", params_source="typical")
    asked = ServingJob(model=unnamed, weight_dtype=dtype)
    estimate = estimate_serving(asked, gpus()["nvidia-a10"], tensor_parallel=1)
    assert (estimate.command or "").startswith("vllm serve ./13B --tensor-parallel-size 1")
    assert any("./13B" in sentence for sentence in estimate.assumptions)
    assert "typical_shape" in cautions(asked, gpus()["nvidia-a10"], 1)


def test_published_checkpoints_name_known_families_and_sources() -> None:
    known = {row.family for row in models().values()} | set(models())
    for (family, _), row in quantized_checkpoints().items():
        assert family in known
        assert set(row.source_ids) <= set(sources())


@pytest.mark.parametrize(
    ("version", "group"),
    [
        ("0.6.3", "<=0.7"), ("<=0.11 (V1; page)", "0.8-0.14"), ("0.15.2rc1", "0.15-0.16"), ("v0.17.1", "0.17"),
        ("0.19.0", "0.18-0.19"), ("~0.22", ">=0.21"), ("1.0", ">=0.21"), ("", "0.20"), ("nightly", "0.20"),
    ],
)  # fmt: skip
def test_engine_versions(version: str, group: str) -> None:
    assert engine_of_version(version).group == group
    assert current_engine().group == "0.20"


def test_units() -> None:
    assert to_gib(GIB) == 1
    assert from_gib(1.5) == 1536 * MIB == from_mib(1536)
    assert from_gb(80) == 80 * GB
    assert gb_to_gib(80) == pytest.approx(74.506, abs=0.001)


@pytest.mark.parametrize(
    ("model", "version", "measured"),
    [("gpt-oss-20b", "0.11.0", 7.38), ("gpt-oss-120b", "0.11.0", 7.38), ("Qwen3-14B", "0.16.0", 5.64), ("Qwen3-14B", "0.17.0", 2.24)],
)  # fmt: skip
def test_activation_peak_by_version(model: str, version: str, measured: float) -> None:
    """Figures of the llm-d-planner version sweep: S = 1024, T = 8192."""
    peak = activation_peak(
        models()[model], engine=engine_of_version(version), element_bytes=2, max_num_seqs=1024, step_tokens=8192,
        tensor_parallel=1,
    )  # fmt: skip
    assert to_gib(peak) == pytest.approx(measured, rel=0.01)
