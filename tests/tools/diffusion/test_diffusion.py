from __future__ import annotations

from dataclasses import replace

import pytest

from knowledge.errors import InputError
from knowledge.facts import gpus, sources
from knowledge.other_facts import diffusion_encoders, diffusion_models
from tools.diffusion.ask import DiffusionRequest, diffusion_ask, make_job
from tools.diffusion.demand import DiffusionDemand, diffusion_estimate
from tools.diffusion.job import DiffusionJob
from tools.jobs.size import size_job
from tools.phrases import Language
from tools.units import GB, GIB

LANGUAGES: tuple[Language, ...] = ("zh", "en")


def job(model: str, **settings: object) -> DiffusionJob:
    made = make_job(DiffusionRequest(model), language="en")
    return replace(made, **settings)  # type: ignore[arg-type]


def needed(asked: DiffusionJob, gpus: int = 1) -> float:
    """GiB of the allocator: without the CUDA context."""
    estimate = diffusion_estimate(asked, gpus=gpus)
    return estimate.per_gpu_gib.best - estimate.parts["engine"]


# Peaks that were published and not used to fit: FLUX.1-dev at 1024 × 1024 (hf-flux-quantization); and the resident weights.
@pytest.mark.parametrize(
    ("settings", "gib", "tolerance"),
    [
        ({}, 36.166, 0.05),
        ({"offload": "model"}, 23.271, 0.03),
        ({"precision": "int8", "text_precision": "int8"}, 21.482, 0.08),
        ({"precision": "int8", "text_precision": "int8", "offload": "model"}, 12.189, 0.08),
        ({"precision": "q8_0", "offload": "model"}, 12.965, 0.08),
    ],
)
def test_flux_peaks(settings: dict[str, object], gib: float, tolerance: float) -> None:
    assert needed(job("FLUX.1-dev", **settings)) == pytest.approx(gib, rel=tolerance)


# Peaks of the publishers (wan2-1-efficiency, wan2-2-efficiency, hunyuanvideo-readme, consisid-docs), GB of one card.
VIDEO = {"program": "official", "height": 720, "width": 1280}
PEAKS = [
    ("Wan2.1-T2V-14B", {**VIDEO, "precision": "fp32", "offload": "model"}, 1, 69.1),
    ("Wan2.1-T2V-14B", {**VIDEO, "precision": "fp32", "shard": "fsdp+ulysses"}, 2, 53.2),
    ("Wan2.1-T2V-14B", {**VIDEO, "precision": "fp32", "shard": "fsdp+ulysses"}, 8, 29.2),
    ("Wan2.1-I2V-14B", {**VIDEO, "precision": "fp32", "offload": "model"}, 1, 76.7),
    ("Wan2.2-T2V-A14B", {**VIDEO, "offload": "model"}, 1, 59.8),
    ("Wan2.2-T2V-A14B", {**VIDEO, "precision": "fp32", "offload": "none", "shard": "fsdp+ulysses"}, 8, 37.0),
    ("Wan2.2-TI2V-5B", {"program": "official", "offload": "model", "text_encoder": "cpu"}, 1, 22.9),
    ("HunyuanVideo", {**VIDEO, "offload": "model", "vae_tiling": True}, 1, 60.0),
    ("ConsisID", {}, 1, 37.0),
    ("ConsisID", {"offload": "sequential"}, 1, 16.0),
    ("ConsisID", {"offload": "sequential", "vae_tiling": True}, 1, 5.0),
]


@pytest.mark.parametrize(("model", "settings", "cards", "gb"), PEAKS)
def test_video_peaks(model: str, settings: dict[str, object], cards: int, gb: float) -> None:
    assert needed(job(model, **settings), cards) * GIB / GB == pytest.approx(gb, rel=0.10)


# LoRA training of SimpleTuner with everything cached (simpletuner-measured), GiB.
@pytest.mark.parametrize(
    ("model", "settings", "gib"),
    [
        ("Qwen-Image", {"height": 1024, "width": 1024, "lora_rank": 8, "optimizer": "lion_bf16"}, 41.0),
        ("Qwen-Image", {"height": 1024, "width": 1024, "precision": "int8", "kernel": "int8-sdnq", "checkpointing": False}, 63.5),
        ("Lumina-Image-2.0", {"height": 512, "width": 512, "batch": 2, "checkpointing": False}, 15.97),
        ("PixArt", {"height": 1024, "width": 1024, "batch": 3}, 5.6),
        ("SD 1.5", {"checkpointing": False}, 2.85),
        ("SD 1.5", {}, 1.95),
        ("Wan2.1-T2V-14B", {"height": 384, "width": 608, "frames": 81, "parameter_offload": True}, 16.25),
    ],
)
def test_training_peaks(model: str, settings: dict[str, object], gib: float) -> None:
    made = job(model, **{"training": True, "offload": "none", **settings})
    assert needed(made) == pytest.approx(gib, rel=0.15)


def test_weights_are_those_of_the_files() -> None:
    parts = diffusion_estimate(job("FLUX.1-dev")).parts
    assert parts["weights"] * GIB / GB == pytest.approx(23.8, rel=0.01)  # flux1-dev.safetensors, 23.8 GB
    assert parts["text_encoder"] * GIB / GB == pytest.approx(9.78, rel=0.01)  # t5xxl_fp16 9.79 GB and clip_l 0.25 GB


def test_parts_sum_and_sources_are_known() -> None:
    for row in diffusion_models().values():
        estimate = diffusion_estimate(job(row.id))
        assert sum(estimate.parts.values()) == pytest.approx(estimate.per_gpu_gib.best)
        assert set(estimate.source_ids) <= set(sources())
        assert set(row.text_encoders) <= set(diffusion_encoders())
        assert estimate.command and estimate.basis == "formula" and estimate.error_band


def test_what_saves_memory_saves_memory() -> None:
    plain = job("Wan2.1-T2V-14B", height=720, width=1280)
    saving = [
        replace(plain, offload="model"), replace(plain, offload="group"), replace(plain, precision="fp8", text_precision="fp8"),
        replace(plain, vae_tiling=True), replace(plain, text_encoder="cpu"), replace(plain, swapped_blocks=20),
    ]  # fmt: skip
    assert all(needed(less) < needed(plain) for less in saving)
    assert needed(replace(plain, shard="fsdp+ulysses"), 4) < needed(plain)
    assert needed(replace(plain, batch=2)) > needed(plain)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_whole_sizing(language: Language) -> None:
    ask = diffusion_ask(DiffusionRequest("FLUX.1-dev", on=("nvidia-a10x1",)), language=language)
    sizing = size_job(ask, solve="batch", language=language)
    assert sizing.job == "diffusion_inference" and sizing.advice.recommendations
    assert [change.code for change in sizing.changes][:3] == ["tiling", "model_offload", "text_cpu"]
    assert not sizing.checks[0].fits and sizing.checks[0].fits_with
    assert sizing.solved[0].value == 0
    said = [*sizing.assumed, *sizing.cautions, *sizing.estimate.assumptions, *(change.what for change in sizing.changes)]
    assert said and all("{" not in line for line in said)
    assert all(("\u4e00" <= line[0] <= "\u9fff" or any("\u4e00" <= c <= "\u9fff" for c in line)) == (language == "zh") for line in said)
    assert "from_pretrained" in (sizing.estimate.command or "")


def test_solving_for_frames_and_batch() -> None:
    ask = diffusion_ask(DiffusionRequest("Wan2.1-T2V-14B", size=(832, 480), precision="fp8", offload="model", on=("nvidia-a10x1",)))
    (solved,) = size_job(ask, solve="frames").solved
    assert solved.value > 0 and solved.required_gib is not None and solved.required_gib <= solved.limit_gib
    ask = diffusion_ask(DiffusionRequest("SD 1.5", on=("nvidia-t4x1",)))
    assert size_job(ask, solve="batch").solved[0].value > 1


def test_experts_that_take_turns_are_moved_away_and_full_training_is_sharded() -> None:
    assert make_job(DiffusionRequest("Wan2.2-T2V-A14B"), language="en").offload == "model"
    full = make_job(DiffusionRequest("Wan2.1-T2V-14B", size=(608, 384), training=True, method="full"), language="en")
    assert full.shard == "fsdp" and needed(full, 8) < needed(full, 2) / 2


def test_cards_that_cannot_or_that_bite() -> None:
    demand = DiffusionDemand(job("FLUX.1-dev", precision="fp8", text_precision="fp8"))
    assert demand.blocked(gpus()["amd-s7150"]) == "not_cuda"
    assert demand.blocked(gpus()["nvidia-p4"]) == "compute_capability"
    assert demand.blocked(gpus()["nvidia-t4"]) is None
    assert {"no_bf16", "fp8_storage_only"} <= set(demand.cautions(gpus()["nvidia-t4"], 1))
    assert "fp8_storage_only" not in demand.cautions(gpus()["nvidia-l20"], 1)
    ask = diffusion_ask(DiffusionRequest("FLUX.1-dev", offload="group", on=("nvidia-t4x1",)), language="zh")
    assert size_job(ask, language="zh").checks[0].cautions


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"size": (0, 1024)}, "64"), ({"size": (10**12, 64)}, "8,192"), ({"frames": -1, "model": "wan2.1"}, "2,000"),
        ({"batch": 0}, "256"), ({"lora_rank": 10**9}, "4,096"), ({"offload": "half"}, "sequential"), ({"optimizer": "magic"}, "adamw"),
        ({"swapped_blocks": 57}, "56"),
    ],
)  # fmt: skip
def test_absurd_input_gets_one_sentence(settings: dict[str, object], words: str) -> None:
    for language in LANGUAGES:
        with pytest.raises(InputError) as caught:
            diffusion_ask(DiffusionRequest(**{"model": "FLUX.1-dev", **settings}), language=language)  # type: ignore[arg-type]
        assert words in str(caught.value) and "\n" not in str(caught.value)


def test_comfyui_swaps_blocks_by_itself_but_not_most_of_them() -> None:
    """Compute Nest runs Wan2.2 Fun-Control 14B in fp8 on 20 GB, 24 GB recommended."""
    ask = diffusion_ask(DiffusionRequest("Wan2.2-T2V-A14B", size=(832, 480), program="comfyui", precision="fp8"), language="zh")
    t4, a10, l20 = (ask.demand.estimates(gpus()[name], 1)[0] for name in ("nvidia-t4", "nvidia-a10", "nvidia-l20"))
    assert t4.per_gpu_gib.best < 0.9 * 15 < l20.per_gpu_gib.best
    assert any("层放在内存" in line for line in t4.assumptions) and not any("层放在内存" in line for line in l20.assumptions)
    assert "comfyui_swaps" in ask.demand.cautions(gpus()["nvidia-t4"], 1) and a10.per_gpu_gib.best < 19.9
    large = diffusion_ask(DiffusionRequest("Qwen-Image", program="comfyui", precision="bf16"))
    assert large.demand.estimates(gpus()["nvidia-t4"], 1)[0].per_gpu_gib.best > 15


def test_comfyui_says_from_where_it_starts() -> None:
    ask = diffusion_ask(DiffusionRequest("FLUX.1-dev", program="comfyui", precision="fp8"), language="zh")
    assert any("ComfyUI" in line for line in ask.cautions)
    assert needed(make_job(DiffusionRequest("FLUX.1-dev", program="comfyui", precision="fp8"), language="en")) < 14


def test_words_of_methods_optimizers_and_offload() -> None:
    def made(**asked: object) -> DiffusionJob:
        return make_job(DiffusionRequest("FLUX.1-dev", training=True, **asked), language="en")  # type: ignore[arg-type]

    assert (made(method="QLoRA").method, made(method="qlora").precision, made(method="qlora").kernel) == ("lora", "nf4", "nf4")
    assert made(method="dreambooth").method == "full" and made(method="LoKr").method == "lora"
    assert made(optimizer="paged_adamw_8bit").optimizer == made(optimizer="AdamW8bit").optimizer == "adamw8bit"
    assert made(offload="params").parameter_offload and made(offload="params").offload == "none"
    with pytest.raises(InputError, match="lora, full"):
        made(method="magic")
    several = make_job(DiffusionRequest("Wan2.2-T2V-A14B", gpus=8), language="en")
    assert (several.shard, several.offload) == ("fsdp+ulysses", "none")
    assert make_job(DiffusionRequest("SDXL", offload="cpu"), language="en").offload == "model"


# SimpleTuner's sweep on an H100 (SEGMENTED_CHECKPOINTING.md), GiB of the allocator, by general constants: (model, size, batch, rank, checkpointing).
@pytest.mark.parametrize(
    ("model", "side", "batch", "rank", "checkpointing", "precision", "gib"),
    [
        ("SD 3.5 Medium", 1024, 3, 128, True, "bf16", 7.67),
        ("SD 3.5 Medium", 1024, 3, 128, False, "bf16", 34.59),
        ("SDXL", 1024, 1, 16, False, "bf16", 13.03),
        ("SDXL", 1024, 1, 16, True, "bf16", 6.53),
        ("HiDream", 512, 1, 128, True, "bf16", 33.57),
        ("Cosmos Predict2 2B", 512, 1, 16, False, "bf16", 8.05),
        ("LongCat Image", 512, 1, 16, True, "bf16", 12.38),
    ],
)
def test_training_by_general_constants(
    model: str, side: int, batch: int, rank: int, checkpointing: bool, precision: str, gib: float
) -> None:
    asked = make_job(
        DiffusionRequest(model, size=(side, side), batch=batch, lora_rank=rank, training=True, checkpointing=checkpointing, precision=precision),
        language="en",
    )
    assert needed(asked) == pytest.approx(gib, rel=0.20)


@pytest.mark.parametrize("model", sorted(diffusion_models()))
@pytest.mark.parametrize("method", ["lora", "full"])
def test_training_commands_name_a_program_that_exists(model: str, method: str) -> None:
    command = diffusion_estimate(make_job(DiffusionRequest(model, training=True, method=method), language="en")).command or ""
    assert command == "" or "simpletuner train" in command or "train_dreambooth" in command or "train_text_to_image_sdxl.py" in command or "train_cogvideox_lora.py" in command
    assert " train.py" not in command
