"""Engines beside vLLM, versions of vLLM, and what is held besides the model: against published figures where there are any."""

from __future__ import annotations

import json
import shlex
from dataclasses import replace
from typing import Any

import pytest

from knowledge.errors import InputError
from knowledge.facts import gpus, models
from tools.commands import needs_more_share
from tools.engines.llamacpp import llamacpp_budget
from tools.engines.transformers import generate_version, peak_bytes, version_of_date
from tools.serving import ServingJob, blocked, cautions, estimate_serving, serving_sum
from tools.serving_extras import adapter_bytes, guess_bytes
from tools.serving_job import canonical_engine, check_job
from tools.units import GIB, MIB
from tools.weights import routed_expert_params, weights_bytes_per_gpu


def job(model: str, dtype: str, **more: Any) -> ServingJob:
    return ServingJob(model=models()[model], weight_dtype=dtype, **more)


def generated(model: str, dtype: str, prompt: int, *, version: str, devices: int = 1, **more: Any) -> float:
    """Peak of generate() with 2,048 new tokens, GiB."""
    asked = job(model, dtype, engine="transformers", engine_version=version, prompt=prompt, context=prompt + 2048,
                **{"concurrency": 1, **more})  # fmt: skip
    return peak_bytes(asked, devices=devices) / GIB


@pytest.mark.parametrize(
    ("model", "dtype", "prompt", "version", "devices", "published"),
    [
        # https://github.com/QwenLM/Qwen3, docs/source/benchmark: Qwen1.5, Qwen2 and Qwen2.5 on A100 80 GB
        ("Qwen1.5-1.8B-Chat", "bf16", 1, "4.38", 1, 4.60),
        ("Qwen1.5-1.8B-Chat", "bf16", 30720, "4.38", 1, 35.67),
        ("Qwen1.5-7B-Chat", "bf16", 30720, "4.38", 1, 62.29),
        ("Qwen1.5-14B-Chat", "bf16", 14336, "4.38", 1, 57.05),
        ("Qwen1.5-72B-Chat", "bf16", 6144, "4.38", 3, 174.66),
        ("Qwen1.5-0.5B-Chat", "gptq", 1, "4.38", 1, 1.03),
        ("Qwen2-0.5B-Instruct", "bf16", 1, "4.38.2", 1, 1.17),
        ("Qwen2-0.5B-Instruct", "awq", 6144, "4.38.2", 1, 5.92),
        ("Qwen2-7B-Instruct", "bf16", 30720, "4.38.2", 1, 42.62),
        ("Qwen2-72B-Instruct", "awq", 14336, "4.38.2", 1, 57.30),
        ("Qwen2.5-7B-Instruct", "bf16", 30720, "4.46.0", 1, 19.97),
        ("Qwen2.5-32B-Instruct", "bf16", 30720, "4.46.0", 1, 74.47),
        ("Qwen2.5-1.5B-Instruct", "awq", 1, "4.46.0", 1, 1.51),
        ("Qwen2.5-3B-Instruct", "awq", 1, "4.46.0", 1, 2.50),
        ("Qwen2.5-72B-Instruct", "bf16", 30720, "4.46.0", 3, 164.79),
        ("Qwen2.5-72B-Instruct", "awq", 30720, "4.46.0", 2, 61.64),
        # docs/source/getting_started/speed_benchmark.md: Qwen3 on H20
        ("Qwen3-0.6B", "bf16", 30720, "4.51.3", 1, 4755 / 1024),
        ("Qwen3-1.7B", "fp8", 30720, "4.51.3", 1, 6151 / 1024),
    ],
)
def test_published_peaks_of_generate(model: str, dtype: str, prompt: int, version: str, devices: int, published: float) -> None:
    assert generated(model, dtype, prompt, version=version, devices=devices) == pytest.approx(published, rel=0.035)


def test_batches_of_the_first_qwen_with_and_without_a_cache_in_8_bits() -> None:
    """README of Qwen-7B: 1,024 new tokens, batch 16: 31.7 GB, with the cache in int8 22.3 GB; 64 run out of 80 GB."""
    common = {"engine": "transformers", "engine_version": "4.35", "prompt": 0, "context": 1024}
    full = peak_bytes(job("Qwen-7B-Chat", "bf16", concurrency=16, **common)) / GIB
    half = peak_bytes(job("Qwen-7B-Chat", "bf16", kv_dtype="int8", concurrency=16, **common)) / GIB
    assert full == pytest.approx(31.7, rel=0.03)
    assert half == pytest.approx(22.3, rel=0.03)
    assert peak_bytes(job("Qwen-7B-Chat", "bf16", concurrency=64, **common)) / GIB + 0.5 > 79.1


@pytest.mark.parametrize(
    ("version", "group"),
    [("4.38.2", "<4.45"), ("4.44", "<4.45"), ("4.45.0", "4.45-4.50"), ("4.51.3", "4.51"), ("4.57", ">=4.52"), ("", ">=4.52")],
)
def test_versions_of_transformers(version: str, group: str) -> None:
    assert generate_version(version).group == group


def test_a_page_s_date_stands_for_the_version_it_does_not_print() -> None:
    assert generate_version(version_of_date("2024-05-28")).group == "<4.45"
    assert generate_version(version_of_date("2025-02-01")).group == "4.45-4.50"


def test_compute_buffer_of_llama_cpp() -> None:
    """Its log for Llama-3-8B: "CUDA0 compute buffer size = 258.50 MiB"."""
    budget = llamacpp_budget(job("Meta-Llama-3-8B-Instruct", "q4_k_m", engine="llama.cpp"))
    assert budget.activation / MIB == pytest.approx(258.5, abs=0.01)


def test_gguf_of_a_published_file_and_an_f16_cache() -> None:
    account = serving_sum(
        job("Llama-3.1-8B-Instruct", "q4_k_m", engine="llama.cpp", context=8192, concurrency=1), gpus()["nvidia-a10"],
        tensor_parallel=1,
    )  # fmt: skip
    assert account.weights_bytes / GIB == pytest.approx(4.58, abs=0.01)  # size of the file
    assert account.kv_bytes_per_gpu == GIB  # "KV self size = 1024.00 MiB"
    quantised = serving_sum(
        job("Llama-3.1-8B-Instruct", "q4_k_m", engine="ollama", kv_dtype="q8_0", context=8192, concurrency=1),
        gpus()["nvidia-a10"], tensor_parallel=1,
    )  # fmt: skip
    assert quantised.kv_bytes_per_gpu / MIB == pytest.approx(544, abs=0.1)  # 34 bytes for 32 elements


def test_pool_of_sglang() -> None:
    """Log of Qwen3-235B in FP8 on four H100, mem_fraction_static 0.93: K 8.23 GB + V 8.23 GB, 367,404 tokens."""
    asked = job("Qwen3-235B-A22B", "fp8", engine="sglang", gpu_memory_utilization=0.93, concurrency=1)
    account = serving_sum(asked, gpus()["nvidia-h100-80gb"], tensor_parallel=4)
    assert account.pool_tokens == pytest.approx(367_404, rel=0.03)
    assert account.outside_bytes > 0


def test_cuda_graphs_count_inside_from_0_21_on_and_never_when_eager() -> None:
    """vLLM 0.21: "CUDA graph memory profiling is enabled (default since v0.21.0)"."""
    def on_a10(**more: Any) -> Any:
        return serving_sum(job("Qwen3-8B", "bf16", concurrency=1, **more), gpus()["nvidia-a10"], tensor_parallel=1)

    old, new, eager = on_a10(engine_version="0.19"), on_a10(engine_version="0.22"), on_a10(engine_version="0.22", enforce_eager=True)
    assert (old.graph_bytes, old.outside_bytes) == (0, GIB)
    assert (new.graph_bytes, new.outside_bytes) == (GIB, 0)
    assert (eager.graph_bytes, eager.outside_bytes) == (0, 0)
    assert old.pool_bytes_per_gpu - new.pool_bytes_per_gpu == pytest.approx(GIB)
    assert eager.pool_bytes_per_gpu == old.pool_bytes_per_gpu


def test_old_vllm_profiles_the_whole_prompt() -> None:
    """Logs of 0.6 on an RTX 3090: 31,232 tokens at max_model_len 20,000; refused at 29,000 with 23,648."""
    card = replace(gpus()["nvidia-rtx-3090"], usable_mib=round((23.58 + 0.2) * 1024))
    runs, refused = (
        serving_sum(job("Llama-3.1-8B-Instruct", "bf16", engine_version="0.6.3", context=tokens, concurrency=1), card,
                    tensor_parallel=1)
        for tokens in (20_000, 29_000)
    )  # fmt: skip
    assert runs.pool_tokens == pytest.approx(31_232, rel=0.03)
    assert refused.pool_tokens == pytest.approx(23_648, rel=0.06)
    assert runs.fits and not refused.fits


def test_the_command_leaves_room_for_graphs_where_newer_versions_would_refuse() -> None:
    asked = job("DeepSeek-V3", "fp8", context=32768, concurrency=1)
    account = serving_sum(asked, gpus()["nvidia-h20-96gb"], tensor_parallel=8)
    assert needs_more_share(asked, account) == pytest.approx(0.92)
    estimate = estimate_serving(asked, gpus()["nvidia-h20-96gb"], tensor_parallel=8)
    assert "--gpu-memory-utilization 0.92" in (estimate.command or "")
    roomy = estimate_serving(job("Qwen3-8B", "bf16"), gpus()["nvidia-h20-96gb"], tensor_parallel=1)
    assert "--gpu-memory-utilization" not in (roomy.command or "")


@pytest.mark.parametrize(
    ("dtype", "gpu", "flag"),
    [("bf16", "nvidia-a10", "fp8_e5m2"), ("awq", "nvidia-a100-80gb", "fp8_e5m2"), ("bf16", "nvidia-l20", "fp8"),
     ("fp8", "nvidia-a10", "fp8")],
)  # fmt: skip
def test_type_of_an_fp8_cache_by_card(dtype: str, gpu: str, flag: str) -> None:
    asked = job("Qwen3-8B", dtype, kv_dtype="fp8", weight_only=True)
    words = shlex.split(estimate_serving(asked, gpus()[gpu], tensor_parallel=1).command or "")
    assert words[words.index("--kv-cache-dtype") + 1] == flag


@pytest.mark.parametrize(
    ("dtype", "gpu", "more", "code"),
    [
        ("q4_k_m", "nvidia-p4", {"engine": "llama.cpp"}, None),
        ("q4_k_m", "nvidia-m40-12gb", {"engine": "ollama"}, None),
        ("bf16", "nvidia-p4", {}, "compute_capability"),
        ("bf16", "nvidia-v100-32gb", {"engine": "sglang"}, "sglang_needs_turing"),
        ("bf16", "nvidia-v100-32gb", {}, None),
        ("bf16", "nvidia-t4", {"engine": "sglang"}, None),
        ("q4_k_m", "amd-s7150", {"engine": "llama.cpp"}, "not_cuda"),
    ],
)
def test_what_a_card_cannot_do_depends_on_the_engine(dtype: str, gpu: str, more: dict[str, Any], code: str | None) -> None:
    assert blocked(job("Qwen3-8B", dtype, **more), gpus()[gpu]) == code


def test_llama_cpp_knows_no_bf16_trouble_and_only_vllm_refuses_long_contexts() -> None:
    old = job("Qwen3-8B", "q4_k_m", engine="llama.cpp", context=200_000)
    assert set(cautions(old, gpus()["nvidia-t4"], 1)) == {"context_beyond_model"}
    assert "context_refused" not in cautions(job("Qwen3-8B", "bf16", engine="sglang", context=200_000), gpus()["nvidia-a10"], 1)


def test_an_int8_cache_has_a_scale_for_each_token_and_head() -> None:
    """2 · 4 B per head and token beside 2 · 128 elements."""
    one, half = (
        serving_sum(job("Qwen3-8B", "bf16", kv_dtype=kind), gpus()["nvidia-a10"], tensor_parallel=1).kv_bytes_per_token
        for kind in ("int8", "fp8")
    )
    assert one - half == 36 * 8 * 2 * 4


def test_adapters_are_laid_out_for_every_linear_layer() -> None:
    """Rank 16 of Llama-3.1-8B: 41.9 M elements over q, k, v, o, gate, up and down (PEFT prints the same)."""
    model = models()["Llama-3.1-8B-Instruct"]
    h, kv, inner = 4096, 1024, 14336
    elements = 32 * 16 * ((h + h) + 2 * (h + kv) + (h + h) + 3 * (h + inner))
    assert elements == 41_943_040
    one = job("Llama-3.1-8B-Instruct", "bf16", lora_adapters=1, lora_rank=16)
    assert adapter_bytes(one, tensor_parallel=1) == 2 * elements
    four = replace(one, lora_adapters=4)
    assert adapter_bytes(four, tensor_parallel=1) == 4 * adapter_bytes(one, tensor_parallel=1)
    assert 0.5 < adapter_bytes(four, tensor_parallel=2) / adapter_bytes(four, tensor_parallel=1) < 0.75  # one side whole
    account = serving_sum(replace(four, model=model), gpus()["nvidia-a10"], tensor_parallel=1)
    plain = serving_sum(replace(four, lora_adapters=0), gpus()["nvidia-a10"], tensor_parallel=1)
    assert account.required_bytes_per_gpu - plain.required_bytes_per_gpu == account.adapter_bytes


def test_a_draft_model_has_weights_and_a_cache_of_its_own() -> None:
    plain = serving_sum(job("Qwen3-8B", "bf16"), gpus()["nvidia-a100-80gb"], tensor_parallel=1)
    drafted = serving_sum(job("Qwen3-8B", "bf16", draft=models()["Qwen3-0.6B"]), gpus()["nvidia-a100-80gb"], tensor_parallel=1)
    assert drafted.guess_bytes / GIB == pytest.approx(1.11, abs=0.01)
    assert drafted.kv_bytes_per_token - plain.kv_bytes_per_token == 28 * 8 * 128 * 2 * 2


def test_the_prediction_layer_of_deepseek_v3() -> None:
    """Its card: 671B main model and 14B of MTP module, 1.9B of which are the shared embedding and head."""
    asked = job("DeepSeek-V3", "fp8", mtp=True)
    assert guess_bytes(asked, tensor_parallel=1) / 1e9 == pytest.approx(14 - 1.9, rel=0.1)
    account = serving_sum(asked, gpus()["nvidia-h20-96gb"], tensor_parallel=8)
    assert account.kv_bytes_per_token == 70_272 * 62 // 61


def test_a_shared_prefix_is_held_once() -> None:
    each = serving_sum(job("Qwen3-8B", "bf16", context=8192, concurrency=8), gpus()["nvidia-a100-80gb"], tensor_parallel=1)
    shared = serving_sum(
        job("Qwen3-8B", "bf16", context=8192, concurrency=8, shared_prefix=4096), gpus()["nvidia-a100-80gb"], tensor_parallel=1
    )
    assert shared.kv_bytes_per_gpu * 16 == each.kv_bytes_per_gpu * 9  # 8 halves and one
    assert shared.max_sequences > each.max_sequences
    filled = job("Qwen3-8B", "bf16", context=shared.longest_context, concurrency=8, shared_prefix=4096)
    assert serving_sum(filled, gpus()["nvidia-a100-80gb"], tensor_parallel=1).fits


def test_data_parallel_divides_experts_and_repeats_the_rest() -> None:
    model = models()["Qwen3-235B-A22B"]
    one, two = (weights_bytes_per_gpu(model, "bf16", tensor_parallel=4, data_parallel=n) for n in (1, 2))
    assert one - two == pytest.approx(2 * routed_expert_params(model) / 8, rel=1e-6)
    asked = job("Qwen3-235B-A22B", "bf16", concurrency=9, data_parallel=2, expert_parallel=True)
    account = serving_sum(asked, gpus()["nvidia-h20-96gb"], tensor_parallel=4)
    assert account.concurrency == 5  # of the fuller rank
    estimate = estimate_serving(asked, gpus()["nvidia-h20-96gb"], tensor_parallel=4)
    assert estimate.gpus == 8
    assert "--data-parallel-size 2 --enable-expert-parallel" in (estimate.command or "")


def test_pipeline_stages_of_llama_8b_as_logged() -> None:
    """vLLM 0.19 on H100: 7.51 GiB and 1,075,312 tokens in two stages, 4.26 GiB and 2,257,264 tokens in four."""
    card = replace(gpus()["nvidia-h100-80gb"], usable_mib=round((79.19 + 0.2) * 1024))
    asked = job("Llama-3.1-8B-Instruct", "bf16", gpu_memory_utilization=0.95, max_num_seqs=1024, max_num_batched_tokens=8192,
                engine_version="0.19.0")  # fmt: skip
    for stages, weights, tokens in ((2, 7.51, 1_075_312), (4, 4.26, 2_257_264)):
        account = serving_sum(asked, card, tensor_parallel=1, pipeline_parallel=stages)
        assert account.weights_bytes_per_gpu / GIB == pytest.approx(weights, rel=0.01)
        assert account.pool_tokens == pytest.approx(tokens, rel=0.005)


@pytest.mark.parametrize(
    ("more", "zh", "en"),
    [
        ({"engine": "tgi"}, "没有叫 tgi 的推理引擎", "No serving engine is called tgi"),
        ({"data_parallel": 0}, "数据并行须在", "Data parallelism must be between"),
        ({"expert_parallel": True}, "不是 MoE 模型", "is no mixture of experts"),
        ({"lora_adapters": 1001}, "LoRA 适配器须在", "LoRA adapters served at once must be"),
        ({"lora_adapters": 1, "lora_rank": 0}, "LoRA 秩须在", "LoRA rank must be between 1"),
        ({"shared_prefix": 9000}, "共享前缀须在", "shared prefix must be between"),
        ({"mtp": True}, "没有见到 Qwen3-8B 带", "is not known to have layers for"),
        ({"kv_dtype": "q8_0"}, "是 llama.cpp 的 KV 缓存类型", "is a KV cache type of llama.cpp"),
        ({"engine": "ollama", "kv_dtype": "fp8"}, "KV 缓存不能用 fp8", "cannot be kept in fp8"),
        ({"engine": "transformers", "lora_adapters": 2}, "只按 vLLM 和 SGLang 计算", "for vLLM and SGLang only"),
    ],
)
def test_impossible_options_get_one_sentence(more: dict[str, Any], zh: str, en: str) -> None:
    for language, words in (("zh", zh), ("en", en)):
        with pytest.raises(InputError, match=words) as caught:
            check_job(job("Qwen3-8B", "bf16", **more), tensor_parallel=1, language=language)  # type: ignore[arg-type]
        assert "\n" not in str(caught.value)


def test_llama_cpp_loads_gguf_only_and_hybrids_share_no_prefix() -> None:
    with pytest.raises(InputError, match="GGUF files only, not fp8"):
        check_job(job("Qwen3-8B", "fp8", engine="llama.cpp"), tensor_parallel=1)
    with pytest.raises(InputError, match="a prefix cannot be shared"):
        check_job(job("Qwen3.6-27B", "bf16", shared_prefix=100), tensor_parallel=1)


@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize(
    ("dtype", "more", "command"),
    [
        ("bf16", {"engine": "sglang", "kv_dtype": "fp8", "enforce_eager": True},
         "python -m sglang.launch_server --model-path Qwen/Qwen3-8B --tp 1 --context-length 8192 --mem-fraction-static 0.9"
         " --max-running-requests 8 --kv-cache-dtype fp8_e5m2 --disable-cuda-graph"),
        ("q4_k_m", {"engine": "llama.cpp", "kv_dtype": "q8_0", "concurrency": 2},
         "llama-server -m ./Qwen3-8B-Q4_K_M.gguf -c 16384 -np 2 -ngl 999 -fa on -ctk q8_0 -ctv q8_0"),
        ("q4_k_m", {"engine": "ollama", "concurrency": 2},
         "OLLAMA_CONTEXT_LENGTH=8192 OLLAMA_NUM_PARALLEL=2 OLLAMA_FLASH_ATTENTION=1 ollama serve & sleep 3;"
         " echo 'FROM ./Qwen3-8B-Q4_K_M.gguf' > Modelfile; ollama create qwen3-8b-q4_k_m -f Modelfile; ollama run qwen3-8b-q4_k_m"),
    ],
)  # fmt: skip
def test_commands_of_other_engines(dtype: str, more: dict[str, Any], command: str, language: Any) -> None:
    estimate = estimate_serving(job("Qwen3-8B", dtype, **more), gpus()["nvidia-a10"], tensor_parallel=1, language=language)
    assert estimate.command == command
    assert sum(estimate.parts.values()) == pytest.approx(estimate.per_gpu_gib.best)
    assert all("{" not in sentence for sentence in estimate.assumptions)


def test_the_command_carries_adapters_and_guesses() -> None:
    asked = job("Qwen3-8B", "bf16", lora_adapters=4, lora_rank=32, draft=models()["Qwen3-0.6B"], enforce_eager=True)
    words = shlex.split(estimate_serving(asked, gpus()["nvidia-a100-80gb"], tensor_parallel=1).command or "")
    assert words[words.index("--max-loras") + 1] == "4"
    assert words[words.index("--max-lora-rank") + 1] == "32"
    assert json.loads(words[words.index("--speculative-config") + 1])["model"] == "Qwen/Qwen3-0.6B"
    assert "--enforce-eager" in words


def test_generate_takes_the_layers_over_several_cards() -> None:
    one, two = (
        estimate_serving(job("Qwen2.5-72B-Instruct", "bf16", engine="transformers", concurrency=1), gpus()["nvidia-a100-80gb"],
                         tensor_parallel=1, pipeline_parallel=cards, machines=1)
        for cards in (1, 2)
    )  # fmt: skip
    assert two.parts["weights"] == pytest.approx(one.parts["weights"] / 2, rel=0.02)
    assert two.gpus == 2
    compile(shlex.split(two.command or "")[2], "command", "exec")  # what is to be pasted is Python


def command(asked: ServingJob, card: str, tensor_parallel: int = 1) -> str:
    return estimate_serving(asked, gpus()[card], tensor_parallel=tensor_parallel).command or ""


def test_data_parallel_attention_of_sglang_counts_all_cards_as_tensor_parallel() -> None:
    sparse = job("DeepSeek-V3", "fp8", engine="sglang", data_parallel=8, expert_parallel=True)
    assert "--tp 8 --dp-size 8 --enable-dp-attention --ep-size 8" in command(sparse, "nvidia-h20-96gb")
    dense = command(job("Qwen2.5-7B-Instruct", "bf16", engine="sglang", data_parallel=4), "nvidia-a10")
    assert "--tp 1 --dp-size 4" in dense and "dp-attention" not in dense


@pytest.mark.parametrize(("rank", "slots"), [(1, 1), (7, 8), (16, 16), (200, 256), (257, 320), (512, 512)])
def test_vllm_lays_out_slots_of_certain_ranks_only(rank: int, slots: int) -> None:
    served = job("Qwen2.5-7B-Instruct", "bf16", lora_adapters=4, lora_rank=rank)
    assert served.slot_rank == slots
    assert f"--max-lora-rank {slots}" in command(served, "nvidia-a100-80gb")
    assert replace(served, engine="sglang").slot_rank == rank


def test_guesses_before_the_one_configuration_were_flags_of_their_own() -> None:
    old = job("Qwen2.5-7B-Instruct", "bf16", draft=models()["Qwen2.5-0.5B-Instruct"], engine_version="0.6.3")
    assert "--speculative-model Qwen/Qwen2.5-0.5B-Instruct --num-speculative-tokens 5" in command(old, "nvidia-a100-80gb")
    assert "--speculative-config" in command(replace(old, engine_version=""), "nvidia-a100-80gb")


@pytest.mark.parametrize(("typed", "engine"), [("llamacpp", "llama.cpp"), (" vLLM", "vllm"), ("hf", "transformers"), ("tgi", "tgi")])
def test_spellings_of_engines(typed: str, engine: str) -> None:
    assert canonical_engine(typed) == engine
