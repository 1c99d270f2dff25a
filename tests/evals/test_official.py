"""Statements of Alibaba Cloud held against our sums: places, verdicts, and the smaller card that must not do."""

from __future__ import annotations

import pytest

from evals.accuracy.official import predict, utilization_of
from evals.accuracy.official_places import pai_cards, place_of, smaller_place
from evals.accuracy.rows import Measure, Refusal, Row
from knowledge import facts
from knowledge.errors import InputError


def statement(**fields: object) -> Row:
    return {
        "id": "x", "workload": "llm_inference", "model": "Qwen2.5-7B-Instruct", "method": None, "precision": "bf16", "instance_types": [],
        "gpu": "A10", "gpu_count": 1, "nodes": 1, "gpu_mem_gb_each": 24, "level": "minimum", "verdict": "ok", "use_in_tests": True,
        "context_tokens": None, "note": None, "load": None, "arith": {"weights_gib": 14.2, "usable_gib": 22.0}, **fields,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("gpu", "memory", "types", "expected"),
    [
        ("A10 (24 GB class)", 24, [], "nvidia-a10"),
        ("GU120", 96, [], "nvidia-h20-96gb"),
        ("GU30 (A10-class 24 GB)", 24, ["ml.gu7i.c16m60.1-gu30"], "nvidia-a10"),
        ("L20 (GN8IS, ACS)", 48, [], "nvidia-l20"),
        ("48 GB card", 48, [], "nvidia-l20"),
        ("V100/P100/T4", 16, [], "nvidia-t4"),
        ("V100/A100 (measured peak 19.8 GB a card)", 24, [], "nvidia-a10"),
        ("V100 32 GB", 32, [], "nvidia-v100-32gb"),
        ("T4 / V100 / A10 / A100 80G", 16, ["ecs.gn6i-c4g1.xlarge", "ecs.gn7i-c8g1.2xlarge"], "nvidia-t4"),
        ("fc.gpu.ada.1 (48 GB)", 48, [], "nvidia-l20"),
        ("L20N (48 GB)", 48, ["ecs.ebmgn9g.64xlarge"], "nvidia-rtx-pro-5000-48gb"),
    ],
)
def test_cards_that_a_page_names(gpu: str, memory: float, types: list[str], expected: str) -> None:
    place = place_of(statement(gpu=gpu, gpu_mem_gb_each=memory, instance_types=types, gpu_count=2, nodes=2))
    assert (place.gpu.gpu_id, place.gpus) == (expected, 4)


def test_a_slice_has_the_memory_that_the_page_gives() -> None:
    gpu = place_of(statement(gpu="fc.gpu.ampere.1 (A10)", gpu_mem_gb_each=17)).gpu
    assert (gpu.gpu_id, gpu.memory_gb, gpu.usable_mib) == ("nvidia-a10", 17, None)


def test_code_names_are_cards_of_the_table() -> None:
    for card in pai_cards():
        assert card.gpu_id in facts.gpus()
        assert card.basis in ("stated", "inferred")
        assert card.memory_gb in (None, facts.gpus()[card.gpu_id].memory_gb)


def test_no_card_and_no_count() -> None:
    for fields in ({"gpu_count": None}, {"gpu": "a card", "gpu_mem_gb_each": None}):
        with pytest.raises(InputError, match="gpu_count|a card"):
            place_of(statement(**fields))


@pytest.mark.parametrize(("weights", "expected"), [(1.0, None), (15.0, "nvidia-t4"), (27.5, "nvidia-a10"), (61.0, "nvidia-l20")])
def test_smaller_card_that_weights_alone_rule_out(weights: float, expected: str | None) -> None:
    place = place_of(statement(gpu="GU120", gpu_mem_gb_each=96))
    smaller = smaller_place(place, weights)
    assert (smaller.gpu.gpu_id if smaller else None) == expected


def measures(**fields: object) -> dict[str, Measure]:
    found = predict(statement(**fields))
    assert not isinstance(found, Refusal)
    return {measure.id: measure for measure in found}


def test_what_runs_fits_and_the_smaller_card_does_not() -> None:
    found = measures(model="Qwen3-14B", gpu="48 GB card", gpu_mem_gb_each=48, arith={"weights_gib": 27.6, "usable_gib": 44.5})
    assert [(m.measured, m.predicted) for m in (found["x"], found["x/smaller"])] == [(1, 1), (0, 0)]
    assert "28.6 GiB per GPU, limit 40.3" in found["x"].note
    assert "27.6 GiB of weights" in found["x"].note


def test_a_wrong_statement_is_judged_wrong() -> None:
    """Llama-2-13B in fp16 on one 24 GB card: 24.3 GiB of weights."""
    found = measures(model="Llama-2-13b-chat", precision="fp16", verdict="impossible", arith=None)
    assert (found["x"].measured, found["x"].predicted) == (0, 0)


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"use_in_tests": False}, "use_in_tests is false"),
        ({"verdict": "marginal"}, "verdict marginal"),
        ({"verdict": None}, "verdict not stated"),
    ],
)
def test_rows_left_out_are_counted(fields: dict[str, object], reason: str) -> None:
    found = predict(statement(**fields))
    assert isinstance(found, Refusal)
    assert reason in found.reason


def refused(**fields: object) -> str:
    """The reason, whether returned or raised: the run treats both alike."""
    try:
        found = predict(statement(**fields))
    except InputError as error:
        return str(error)
    assert isinstance(found, Refusal)
    return found.reason


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"model": "A program of ours"}, "A program of ours"),
        ({"model": None}, "missing: model"),
        ({"workload": "other"}, "workload other"),
        ({"workload": "llm_finetune"}, "missing: method"),
        ({"workload": "llm_finetune", "method": "conversion"}, "converting a checkpoint"),
        ({"workload": "llm_finetune", "method": "by magic"}, "by magic"),
        ({"workload": "diffusion", "model": "A painter"}, "A painter"),
        ({"workload": "vision_train", "model": "A detector of ours"}, "A detector of ours"),
        ({"workload": "asr_tts", "model": "An ear"}, "An ear"),
        ({"workload": "embedding", "model": "A vector"}, "A vector"),
    ],
)
def test_unknown_is_refused_by_name(fields: dict[str, object], words: str) -> None:
    found = refused(**fields)
    assert words in found


@pytest.mark.parametrize(
    ("note", "expected"),
    [(None, 0.90), ("TP 2, --gpu-memory-utilization 0.98", 0.98), ("gpu_memory_utilization=0.95", 0.95), ("98 % used", 0.90)],
)
def test_utilization_of_the_page(note: str | None, expected: float) -> None:
    assert utilization_of(statement(note=note)) == expected


@pytest.mark.parametrize(
    ("fields", "ours"),
    [
        ({"workload": "llm_finetune", "method": "LoRA SFT"}, "method lora, base bf16, seq 1024, micro_batch 1"),
        ({"workload": "llm_finetune", "method": "QLoRA", "precision": "int4 base"}, "method qlora"),
        ({"workload": "diffusion", "model": "Stable Diffusion WebUI (SD1.5)", "precision": "fp16"}, "width 512, height 512, precision fp16"),
    ],
)
def test_jobs_besides_serving(fields: dict[str, object], ours: str) -> None:
    found = measures(arith=None, **fields)["x"]
    assert ours in found.note
    assert (found.measured, found.predicted) == (1, 1)
