"""Time per token and per prompt against published tables, and what must hold whatever the constants are."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import pytest

from knowledge.facts import error_bands, gpus
from knowledge.speed_facts import efficiencies
from tools.lookup import look_up_model
from tools.serving import serving_sum
from tools.serving_job import ServingJob
from tools.speed.efficiency import arch_of, choose_efficiency
from tools.speed.lanes import Lane, job_lane
from tools.speed.loads import make_loads
from tools.speed.roofline import peak_of, prompt_s, step_s
from tools.speed.speed import serving_speed

A100, H20 = "nvidia-a100-80gb", "nvidia-h20-96gb"
HERE = Path(__file__).parent

PUBLISHED = (  # Qwen2.5 speed benchmark: vLLM 0.6.3 on A100 80GB, one stream, answers of 2048 tokens
    ("Qwen2.5-3B-Instruct", "bf16", 1, 1, 127.61),
    ("Qwen2.5-7B-Instruct", "bf16", 1, 1, 84.28),
    ("Qwen2.5-7B-Instruct", "bf16", 1, 30720, 70.33),
    ("Qwen2.5-7B-Instruct", "awq", 1, 1, 148.10),
    ("Qwen2.5-7B-Instruct", "gptq", 1, 14336, 129.35),
    ("Qwen2.5-14B-Instruct", "bf16", 1, 1, 46.30),
    ("Qwen2.5-14B-Instruct", "bf16", 1, 63488, 26.85),
    ("Qwen2.5-32B-Instruct", "bf16", 1, 6144, 21.05),
    ("Qwen2.5-32B-Instruct", "awq", 1, 30720, 33.75),
    ("Qwen2.5-72B-Instruct", "bf16", 2, 1, 18.19),
    ("Qwen2.5-72B-Instruct", "bf16", 4, 14336, 30.10),
    ("Qwen2.5-72B-Instruct", "gptq", 2, 30720, 30.98),
)


def make_job(model: str, precision: str = "bf16", *, context: int = 4096, users: int = 1, cache: str = "bf16") -> ServingJob:
    return ServingJob(look_up_model(model).model, precision, cache, context=context, concurrency=users)


def make_lane(model: str, precision: str, gpu_id: str, tensor_parallel: int = 1, *, cache: str = "bf16") -> Lane:
    return job_lane(make_job(model, precision, cache=cache), gpus()[gpu_id], tensor_parallel=tensor_parallel)


@pytest.mark.parametrize(("model", "precision", "tensor_parallel", "prompt", "published"), PUBLISHED)
def test_one_stream_is_as_published(model: str, precision: str, tensor_parallel: int, prompt: int, published: float) -> None:
    times = make_lane(model, precision, A100, tensor_parallel).times(1, prompt, 2048)
    assert times.tokens_per_s == pytest.approx(published, rel=0.10)


def read_rows(name: str) -> list[dict[str, str]]:
    with (HERE / name).open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def measured_over_computed(row: dict[str, str]) -> float:
    """Of a row of tensorrt.csv. Throughput is per card; with FP8 weights the page's commands keep the cache in FP8 too."""
    cards, prompt = int(row["tensor_parallel"]), int(row["input"])
    cache = "fp8" if row["precision"] == "fp8" else "bf16"
    lane = make_lane(row["model"], row["precision"], row["gpu_id"], cards, cache=cache)
    if row["what"] == "first_token_ms":
        return float(row["published"]) / 1e3 / lane.times(1, prompt, 1).prompt_s
    times = lane.times(int(row["batch"]), prompt, int(row["output"]))
    return float(row["published"]) * cards / times.tokens_per_s


def test_batches_of_another_engine_are_within_the_printed_band() -> None:
    band = error_bands()["speed_batched"]
    off = [measured_over_computed(row) - 1 for row in read_rows("tensorrt.csv") if row["what"] == "tokens_per_s"]
    inside = [value for value in off if band.low_pct - 1 <= 100 * value <= band.high_pct + 1]
    assert len(inside) >= 0.9 * len(off)
    assert sorted(abs(value) for value in off)[len(off) // 2] < 0.15  # nothing was fitted on them


def test_first_tokens_of_another_engine_are_within_the_printed_band() -> None:
    band = error_bands()["first_token"]
    off = [measured_over_computed(row) - 1 for row in read_rows("tensorrt.csv") if row["what"] == "first_token_ms"]
    assert len(off) == band.n
    assert all(band.low_pct - 1 <= 100 * value <= band.high_pct + 1 for value in off)


def full_load(row: dict[str, str]) -> float:
    """Published over computed tokens of prompts and answers, with as many at once as memory and the scheduler hold."""
    prompt, answer = int(row["input"]), int(row["output"])
    job = make_job(row["model"], row["precision"], context=prompt + answer)
    room = serving_sum(job, gpus()[row["gpu_id"]], tensor_parallel=1).max_sequences
    times = job_lane(job, gpus()[row["gpu_id"]], tensor_parallel=1).times(max(1, min(256, room)), prompt, answer)
    return float(row["published"]) / (times.tokens_per_s * (prompt + answer) / answer)


def test_full_load_of_a_newer_vllm_is_near() -> None:
    rows = [row for row in read_rows("vllm.csv") if row["what"] == "all_tokens_per_s"]
    dense = [full_load(row) - 1 for row in rows if row["model"].startswith("Qwen")]
    assert sorted(abs(value) for value in dense)[len(dense) // 2] < 0.2
    assert all(-0.4 < value < 0.4 for value in dense)
    sparse = [full_load(row) - 1 for row in rows if row["model"].startswith("gpt-oss")]
    assert all(-0.6 < value < 0.1 for value in sparse)  # experts and windows: computed too fast


@pytest.mark.parametrize("row", [row for row in read_rows("vllm.csv") if row["what"] == "token_ms"], ids=lambda row: row["model"])
def test_time_per_token_of_kinds_that_were_not_fitted(row: dict[str, str]) -> None:
    lane = make_lane(row["model"], row["precision"], row["gpu_id"], int(row["tensor_parallel"]))
    assert lane.times(1, int(row["input"]), int(row["output"])).step_s * 1e3 == pytest.approx(float(row["published"]), rel=0.35)


@pytest.mark.parametrize("model", ["Qwen2.5-7B-Instruct", "Qwen3-30B-A3B", "DeepSeek-V2-Lite-Chat", "gpt-oss-20b"])
@pytest.mark.parametrize("gpu_id", [A100, H20, "nvidia-a10", "nvidia-l20"])
def test_more_users_never_give_less_in_all_and_never_more_to_each(model: str, gpu_id: str) -> None:
    lane = make_lane(model, "bf16", gpu_id)
    times = [lane.times(users, 1000, 300) for users in (1, 2, 4, 8, 16, 32, 64, 128, 256)]
    total = [time.tokens_per_s for time in times]
    assert total == sorted(total)
    assert [time.token_s for time in times] == sorted(time.token_s for time in times)


@pytest.mark.parametrize("model", ["Qwen2.5-7B-Instruct", "Qwen3-30B-A3B", "DeepSeek-V3", "gemma-3-27b-it"])
def test_longer_context_is_never_faster(model: str) -> None:
    lane = make_lane(model, "bf16", H20)
    steps = [step_s(lane.loads, lane.peak, lane.choice.row, batch=4, context=context) for context in (0, 100, 4096, 32768, 131072)]
    prompts = [prompt_s(lane.loads, lane.peak, lane.choice.row, tokens=tokens) for tokens in (1, 100, 4096, 32768, 131072)]
    assert steps == sorted(steps)
    assert prompts == sorted(prompts)


def test_experts_read_grow_with_the_batch_up_to_all() -> None:
    loads = make_loads(look_up_model("Qwen3-30B-A3B").model, "bf16")
    assert loads.weight_bytes(1) == pytest.approx(loads.weights + loads.experts * 8 / 128)
    assert loads.weight_bytes(10_000) == pytest.approx(loads.weights + loads.experts)
    assert loads.weight_bytes(8) < 8 * loads.weight_bytes(1)


def test_dense_weights_read_are_all_but_the_input_embedding() -> None:
    model = look_up_model("Qwen2.5-7B-Instruct").model
    embedding = (model.vocab_size or 0) * (model.hidden_size or 0)
    assert make_loads(model, "bf16").weight_bytes(1) == pytest.approx(2 * (model.params_total - embedding), rel=1e-3)
    tied = look_up_model("Qwen2.5-3B-Instruct").model
    assert make_loads(tied, "bf16").weight_bytes(1) == pytest.approx(2 * tied.params_total, rel=1e-3)


def test_latent_cache_is_read_once_a_token_and_not_divided_by_cards() -> None:
    model = look_up_model("DeepSeek-V3").model
    one, eight = (make_loads(model, "fp8", tensor_parallel=size) for size in (1, 8))
    assert one.cache_bytes(1000) == eight.cache_bytes(1000) == 61 * (512 + 64) * 2 * 1000
    assert arch_of(model) == "latent"


def test_without_nvlink_cards_gain_less() -> None:
    job, gpu = make_job("Qwen2.5-72B-Instruct"), gpus()[A100]
    fast, slow = (serving_speed(job, gpu, tensor_parallel=4, nvlink=link) for link in (True, False))
    assert slow.time_per_token_ms.best > fast.time_per_token_ms.best
    assert any("NVLink" in sentence for sentence in slow.assumptions)
    assert not any("NVLink" in sentence for sentence in fast.assumptions)


def test_shares_are_below_the_peak_and_name_their_basis() -> None:
    for row in efficiencies():
        assert 0 < row.weight_share <= 0.95 and 0 < row.cache_share <= 0.95
        assert 0 < row.compute_share <= 0.75 and row.overlap >= 1
        assert row.low_pct < 0 < row.high_pct
        assert (row.n > 0) == (row.basis == "fitted")


def test_a_card_of_unknown_rates_has_no_peak() -> None:
    assert peak_of(gpus()["intel-sg1"], "float", nvlink=False) is None


def test_the_band_is_wider_where_nothing_was_measured() -> None:
    gpu = gpus()
    fitted = serving_speed(make_job("Qwen2.5-7B-Instruct"), gpu[A100], tensor_parallel=1)
    other = serving_speed(make_job("Qwen2.5-7B-Instruct"), gpu["nvidia-a10"], tensor_parallel=1)
    many = serving_speed(make_job("Qwen2.5-7B-Instruct", users=16), gpu[A100], tensor_parallel=1)
    spans = [speed.error_band.high_pct - speed.error_band.low_pct for speed in (fitted, many, other)]
    assert spans == sorted(spans) and len(set(spans)) == 3


def test_the_version_asked_for_is_the_one_taken() -> None:
    model, gpu = look_up_model("Qwen2-7B-Instruct").model, gpus()[A100]
    versions = {version: choose_efficiency(model, "bf16", gpu, version=version).row.from_version for version in ("0.4.2", "0.5", "0.19", None)}
    assert versions == {"0.4.2": "0.4.2", "0.5": "0.4.2", "0.19": "0.6.3", None: "0.6.3"}


def test_contexts_beyond_the_graphs_of_an_old_vllm_start_kernel_by_kernel() -> None:
    """Qwen2-7B GPTQ-Int4 with vLLM 0.4.2: 131.6 tokens/s at 6,144, 97.9 at 14,336 tokens of prompt (Qwen2 speed page)."""
    row = next(r for r in efficiencies() if (r.from_version, r.kind, r.arch) == ("0.4.2", "int4", "dense"))
    peak = peak_of(gpus()[A100], "int4", nvlink=True)
    assert peak is not None
    loads = make_loads(look_up_model("Qwen2-7B-Instruct").model, "gptq")
    graphs = replace(row, graph_tokens=0)
    inside, beyond = (step_s(loads, peak, row, batch=1, context=length) for length in (8000, 8200))
    assert inside == step_s(loads, peak, graphs, batch=1, context=8000)
    assert beyond > step_s(loads, peak, graphs, batch=1, context=8200) * 1.1
    assert 1 / step_s(loads, peak, row, batch=1, context=15360) == pytest.approx(97.9, rel=0.1)


def test_attention_runs_at_the_rate_of_16_bit_whatever_the_weights() -> None:
    fp8, bf16 = (peak_of(gpus()[H20], kind, nvlink=True) for kind in ("fp8", "float"))
    assert fp8 is not None and bf16 is not None
    assert fp8.attention == bf16.attention == bf16.operations < fp8.operations
