from __future__ import annotations

import pytest

from evals.accuracy.diffusion_rows import diffusion_job
from evals.accuracy.other_models import predict, predict_general
from evals.accuracy.rows import Measure, Refusal, Row

WAN: Row = {
    "id": "w", "kind": "video diffusion inference", "model": "Wan-AI/Wan2.1-T2V-14B", "gpu": "H20 96GB", "num_gpus": 8,
    "dtype": "bfloat16", "quantization": None, "framework": "official repo (FSDP + Ulysses for n>1)", "resolution": "720P",
    "frames": 81, "batch_size": 1, "offload": "FSDP + ulysses", "training": False, "peak_mem": 29.9, "unit": "GB",
    "metric": "peak GPU memory by authors", "outcome": "ok",
}  # fmt: skip
LUMINA: Row = {
    "id": "l", "kind": "diffusion training", "model": "Alpha-VLLM/Lumina-Image-2.0", "gpu": "H100 80GB", "num_gpus": 1,
    "dtype": "bfloat16", "framework": "SimpleTuner", "resolution": "Resolution: 512x512.", "batch_size": 2, "training": True,
    "method": "lora", "optimizer": "adamw_bf16", "lora_rank": 16, "gradient_checkpointing": True, "peak_mem": 6.6, "unit": "GiB",
    "metric": "peak VRAM in training steps", "outcome": "ok",
}  # fmt: skip
PIXART: Row = {
    **LUMINA, "id": "p", "model": "PixArt (example flavour)", "gpu": "L40S 48GB", "quantization": "fp8-torchao", "batch_size": 3,
    "resolution": "Resolution: 1024x1024.", "lora_rank": 128, "gradient_checkpointing": False, "peak_mem": None, "outcome": "OOM",
}  # fmt: skip
TURBO: Row = {
    "id": "a", "kind": "ASR inference", "model": "openai/whisper-turbo", "num_gpus": 1, "framework": "openai/whisper", "training": False,
    "peak_mem": 6, "unit": "GB", "metric": "required VRAM (author, rounded)", "outcome": "ok",
}  # fmt: skip
BGE: Row = {
    "id": "b", "kind": "embedding inference", "model": "BAAI/bge-m3", "dtype": "float16", "framework": "SGLang", "training": False,
    "peak_mem": 1.1, "weights_mem": 1.1, "unit": "GiB", "metric": "weights only (avail mem difference)", "outcome": "ok",
}  # fmt: skip


def measures(row: Row) -> dict[str, Measure]:
    found = predict(row)
    assert not isinstance(found, Refusal), found
    return {measure.quantity: measure for measure in found}


@pytest.mark.parametrize(("row", "tolerance"), [(WAN, 0.1), (LUMINA, 0.15), (TURBO, 0.2)])
def test_peaks(row: Row, tolerance: float) -> None:
    peak = measures(row)["peak"]
    assert peak.predicted == pytest.approx(peak.measured, rel=tolerance)
    assert peak.low is not None and peak.high is not None and peak.low < peak.predicted < peak.high


def test_weights_only_rows_measure_weights_and_nothing_else() -> None:
    found = measures(BGE)
    assert set(found) == {"weights"}
    assert found["weights"].predicted == pytest.approx(1.1, rel=0.05)


def test_fits_is_judged_in_both_directions() -> None:
    assert measures(LUMINA)["fits"].predicted == 1.0
    ran_out = measures(PIXART)
    assert set(ran_out) == {"fits"} and ran_out["fits"].measured == ran_out["fits"].predicted == 0.0


def test_context_counts_only_where_the_figure_holds_it() -> None:
    bare, whole = measures(LUMINA)["peak"], measures({**LUMINA, "metric": "nvidia-smi peak"})["peak"]
    assert whole.predicted == pytest.approx(bare.predicted + 0.5)


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({**LUMINA, "gradient_checkpointing": None}, "gradient_checkpointing"),
        ({**LUMINA, "method": None}, "method"),
        ({**LUMINA, "resolution": None}, "resolution"),
        ({**LUMINA, "model": "amused table 2 (line 62)"}, "unknown model"),
        ({**LUMINA, "quantization": "int3 magic"}, "unknown quantization"),
        ({**TURBO, "model": "siri"}, "unknown model"),
        ({**BGE, "metric": "peak"}, "seq_len"),
        ({**TURBO, "kind": "poetry"}, "unknown kind"),
        ({**TURBO, "unit": "tokens/s only"}, "not one of memory"),
        ({"id": "x"}, "kind"),
    ],
)
def test_refusals_name_what_is_missing(row: Row, reason: str) -> None:
    found = predict(row)
    assert isinstance(found, Refusal) and reason in found.reason


@pytest.mark.parametrize(
    ("offload", "expected"),
    [
        ("offload_model True, convert_model_dtype, t5_cpu", ("model", "none", "cpu", "bf16")),
        ("offload_model True", ("model", "none", "gpu", "fp32")),
        ("dit_fsdp, t5_fsdp, ulysses 4/8", ("none", "fsdp+ulysses", "gpu", "fp32")),
        ("none/official default", ("model", "none", "gpu", "fp32")),
    ],
)
def test_words_of_offload(offload: str, expected: tuple[str, str, str, str]) -> None:
    job, _ = diffusion_job({**WAN, "offload": offload})
    assert (job.offload, job.shard, job.text_encoder, job.precision) == expected


def test_steps_of_a_ladder_add_up() -> None:
    """ConsisID's table adds one option a line: `+ vae.enable_tiling` holds sequential offload and slicing too."""
    row = {**WAN, "model": "BestWishYsh/ConsisID-preview", "framework": "diffusers", "resolution": "480x720", "frames": 49}
    jobs = [diffusion_job({**row, "offload": said})[0] for said in ("none", "enable_model_cpu_offload", "+ vae.enable_slicing", "+ vae.enable_tiling")]
    assert [job.offload for job in jobs] == ["none", "model", "sequential", "sequential"]
    assert [job.vae_tiling for job in jobs] == [False, False, False, True]


def test_words_of_training() -> None:
    job, _ = diffusion_job({**LUMINA, "model": "CogVideoX-2B T2V", "framework": "CogVideo finetune", "method": "LoRA r128", "lora_rank": None,
                            "resolution": "480x720", "frames": 49, "optimizer": None, "offload": "ZeRO-3 + optimizer and parameter offload"})  # fmt: skip
    assert (job.lora_rank, job.shard, job.optimizer_offload, job.parameter_offload, job.cached) == (128, "zero3", True, True, False)
    job, _ = diffusion_job({**LUMINA, "offload": "fp8_base fp8_scaled, blocks_to_swap 16"})
    assert job.swapped_blocks == 16


def test_general_constants_are_within_a_quarter() -> None:
    """What is said of a model without published peaks; LUMINA and WAN have constants of their own."""
    for row in (WAN, LUMINA):
        found = predict_general(row)
        assert not isinstance(found, Refusal)
        assert found[0].groups["constants"] == "general"
        assert found[0].predicted == pytest.approx(found[0].measured, rel=0.25)


@pytest.mark.parametrize(
    ("example", "written", "size", "frames"),
    [
        ("lumina2.peft-lora", "Resolution: 512x512.", (512, 512), 1),
        ("z-image-turbo.peft-lora", "Resolution: 1024x1024.", (512, 512), 1),
        ("ltxvideo-0.9.5-t2v.peft-lora", "Resolution: 768x512, 49f.", (384, 608), 48),
    ],
)
def test_examples_train_on_what_their_data_files_say(example: str, written: str, size: tuple[int, int], frames: int) -> None:
    """SimpleTuner's page prints the size of validation pictures; its examples' data files give another."""
    model = {"l": "Alpha-VLLM/Lumina-Image-2.0", "z": "Z-Image-Turbo"}.get(example[0], "") if "ltx" not in example else "Lightricks/LTX-Video-0.9.5"
    job, _ = diffusion_job(LUMINA | {"model": model, "resolution": written, "note": f"example {example}; batch from the example's config.json"})
    assert (job.height, job.width) == size and job.frames == frames
