"""From a request to the job, the machines, the changes and the command; in both languages."""

from __future__ import annotations

import re
from dataclasses import fields, replace
from typing import Protocol

import pytest

from knowledge.errors import InputError
from knowledge.facts import error_bands, gpus, sources
from knowledge.rows import Gpu
from knowledge.training_facts import (
    memory_metrics,
    training_constant_rows,
    training_frameworks,
    training_methods,
    training_optimizers,
)
from tools.jobs.size import size_job
from tools.phrases import Language, read_phrases
from tools.training.ask import TrainRequest, train_ask
from tools.training.demand import TrainingDemand
from tools.training.estimate import estimate_training
from tools.training.job import PHRASES, Layout, TrainingJob

A10, A100, T4, V100 = (gpus()[name] for name in ("nvidia-a10", "nvidia-a100-80gb", "nvidia-t4", "nvidia-v100-16gb"))
class Sourced(Protocol):
    """A row of a fact table."""

    @property
    def source_ids(self) -> tuple[str, ...]: ...


QWEN = TrainRequest(model="Qwen2.5-7B-Instruct")


def _demand(request: TrainRequest, language: Language = "en") -> TrainingDemand:
    demand = train_ask(request, language=language).demand
    assert isinstance(demand, TrainingDemand)
    return demand


@pytest.mark.parametrize("language", ["zh", "en"])
def test_what_was_not_said_is_said(language: Language) -> None:
    ask = train_ask(QWEN, language=language)
    assert ask.settings["method"] == "lora"
    assert (ask.settings["seq"], ask.settings["micro_batch"], ask.settings["lora_rank"]) == (2048, 1, 8)
    text = " ".join(ask.assumed)
    assert ("没说训练方法" in text) if language == "zh" else ("No method was given" in text)
    said = train_ask(replace(QWEN, method="lora", seq=4096, micro_batch=2, optimizer="adamw", checkpointing="full", lora_rank=16))
    assert said.assumed == ()


@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize("objective", ["sft", "dpo", "kto", "ppo", "grpo", "rm", "orpo", "pretrain", "classify"])
@pytest.mark.parametrize("method", ["lora", "qlora", "full", "freeze", "llamapro", "dora", "prefix"])
def test_every_job_is_worded_in_both_languages(language: Language, objective: str, method: str) -> None:
    """No sentence is missing, none keeps a brace, Chinese ones hold Chinese and English ones none."""
    estimate = _demand(replace(QWEN, method=method, objective=objective), language).estimates(A100, 8)[0]
    for sentence in estimate.assumptions:
        assert "{" not in sentence
        assert bool(re.search(r"[一-鿿]", sentence)) is (language == "zh")
    assert estimate.command
    assert sum(estimate.parts.values()) == pytest.approx(estimate.per_gpu_gib.best)
    assert estimate.per_gpu_gib.low < estimate.per_gpu_gib.best < estimate.per_gpu_gib.high


def test_plainest_way_that_fits() -> None:
    """One card; copies where a copy fits; then ZeRO-2; then ZeRO-3."""
    small, large = _demand(QWEN), _demand(replace(QWEN, method="full"))
    layouts = [small.layout_on(A100, 1), small.layout_on(A100, 8), large.layout_on(A100, 4), _demand(replace(QWEN, model="Qwen2.5-32B-Instruct", method="full")).layout_on(A100, 8)]
    assert [layout.scheme for layout in layouts if layout] == ["single", "ddp", "zero2", "zero3"]
    assert _demand(replace(QWEN, method="qlora", model="Qwen2.5-72B-Instruct")).layout_on(A10, 8) == Layout("fsdp", 8)


def test_what_the_user_fixed_stays() -> None:
    assert _demand(replace(QWEN, zero=3)).layout_on(A100, 8) == Layout("zero3", 8)
    assert _demand(replace(QWEN, tensor_parallel=4)).layout_on(A100, 8) == Layout("megatron", 8, tensor=4)
    assert _demand(replace(QWEN, tensor_parallel=4)).layout_on(A100, 2) is None
    assert _demand(replace(QWEN, gpus=4)).layout_on(A100, 2) is None


@pytest.mark.parametrize(
    ("changes", "zh", "en"),
    [
        ({"seq": 0}, "序列长度", "A sequence has between"),
        ({"seq": -5}, "序列长度", "A sequence has between"),
        ({"seq": 10**12}, "序列长度", "A sequence has between"),
        ({"micro_batch": 0}, "micro batch", "micro-batch"),
        ({"lora_rank": 10**12}, "秩", "rank is between"),
        ({"method": "magic"}, "不认识训练方法", "no training method"),
        ({"optimizer": "hope"}, "不认识优化器", "no optimizer"),
        ({"tensor_parallel": 3}, "不能整除", "does not divide"),
        ({"pipeline_parallel": 1000}, "流水线并行", "Pipeline parallelism"),
        ({"zero": 7}, "ZeRO 阶段", "ZeRO has the stages"),
        ({"zero": 2, "tensor_parallel": 4}, "只能选一种", "choose one"),
        ({"gpus": -1}, "卡数", "number of cards"),
        ({"objective": "win"}, "不能是", "cannot be"),
        ({"model": "SDXL"}, "不是语言模型", "no language model"),
        ({"model": ""}, "二选一", "either a model"),
    ],
)  # fmt: skip
def test_one_sentence_for_what_cannot_be_asked(changes: dict[str, object], zh: str, en: str) -> None:
    request = replace(QWEN, **changes)  # type: ignore[arg-type]
    for language, words in (("zh", zh), ("en", en)):
        with pytest.raises(InputError, match=re.escape(words)):
            train_ask(request, language=language)  # type: ignore[arg-type]


def test_older_cards() -> None:
    plain, pure = _demand(QWEN), _demand(replace(QWEN, method="full", precision="bf16"))
    assert plain.blocked(T4) is None
    assert {"no_bf16_use_fp16", "flash_needs_ampere"} <= set(plain.cautions(V100, 1))
    assert pure.blocked(V100) == "pure_bf16_needs_ampere"
    assert _demand(replace(QWEN, method="lora_8bit")).blocked(V100) == "int8_needs_turing"
    assert plain.blocked(gpus()["amd-s7150"]) == "not_cuda"
    assert plain.blocked(gpus()["nvidia-m40-12gb"]) == "compute_capability"
    assert "no_nvlink" in _demand(replace(QWEN, method="full")).cautions(A10, 8)


def test_changes_come_in_order_of_cost() -> None:
    codes = [change.code for change in train_ask(replace(QWEN, method="full", checkpointing="none", micro_batch=4)).changes]
    assert codes == [
        "fused_loss", "checkpointing", "half_batch", "adamw_8bit", "bf16", "half_seq", "lora", "offload_optimizer", "offload_params",
    ]  # fmt: skip


def test_one_change_makes_it_fit_the_next_smaller_card() -> None:
    sizing = size_job(train_ask(replace(QWEN, on=("nvidia-a10",))))
    check = sizing.checks[0]
    assert not check.fits
    assert any("cross entropy" in change for change in check.fits_with)
    assert sizing.advice.recommendations


@pytest.mark.parametrize("quantity", ["context", "batch", "lora-rank"])
def test_solving_for_one(quantity: str) -> None:
    ask = train_ask(replace(QWEN, on=("nvidia-a100-80gbx1",)))
    solved = size_job(ask, solve=quantity).solved[0]
    solvable = next(item for item in ask.solve if item.quantity == quantity)
    limit = solved.limit_gib
    assert solved.value > 0
    assert solvable.demand_of(solved.value).estimates(A100, 1)[0].per_gpu_gib.best <= limit
    assert solvable.demand_of(solved.value + solvable.step).estimates(A100, 1)[0].per_gpu_gib.best > limit


@pytest.mark.parametrize(
    ("request_", "gpu", "count", "words"),
    [
        (QWEN, A100, 1, ["swift sft --model Qwen/Qwen2.5-7B-Instruct", "--tuner_type lora --lora_rank 8", "bfloat16", "--attn_impl flash_attn"]),
        (replace(QWEN, method="full"), A100, 8, ["NPROC_PER_NODE=8 swift sft", "--tuner_type full", "--deepspeed zero2"]),
        (replace(QWEN, method="full", precision="bf16"), A100, 1, ["--torch_dtype bfloat16"]),
        (replace(QWEN, method="qlora"), T4, 1, ["--quant_method bnb --quant_bits 4 --bnb_4bit_compute_dtype float16", "--attn_impl sdpa"]),
        (replace(QWEN, objective="dpo"), A100, 1, ["swift rlhf --rlhf_type dpo"]),
        (replace(QWEN, objective="grpo", rollout="sleep"), A100, 1, ["--rlhf_type grpo", "--num_generations 8", "--sleep_level 1"]),
        (replace(QWEN, method="预训练"), A100, 8, ["swift pt ", "--tuner_type full"]),
        (replace(QWEN, tensor_parallel=4, method="full"), A100, 8, ["megatron sft", "--tensor_model_parallel_size 4", "--global_batch_size 16"]),
        (replace(QWEN, method="full", offload="optimizer"), A100, 8, ["--deepspeed zero2_offload"]),
        (replace(QWEN, cross_entropy="fused", packing=True), A100, 1, ["--use_liger_kernel true", "--packing true"]),
        (replace(QWEN, method="full", optimizer="8bit adam"), A100, 8, ["--optim adamw_bnb_8bit"]),
        (replace(QWEN, parallel="fsdp"), A100, 2, ["--fsdp fsdp2"]),
    ],
)  # fmt: skip
def test_commands(request_: TrainRequest, gpu: object, count: int, words: list[str]) -> None:
    command = _demand(request_).estimates(gpu, count)[0].command or ""  # type: ignore[arg-type]
    assert all(word in command for word in words), command


def test_quantised_checkpoint_is_trained_as_it_is() -> None:
    ask = train_ask(replace(QWEN, model="Qwen2.5-7B-Instruct-AWQ", method="lora"))
    assert (ask.settings["method"], ask.settings["base"]) == ("qlora", "awq")
    command = _demand(replace(QWEN, model="Qwen2.5-7B-Instruct-AWQ")).estimates(A10, 1)[0].command or ""
    assert "Qwen/Qwen2.5-7B-Instruct-AWQ" in command
    assert "--quant_bits" not in command


def test_several_machines_know_their_number() -> None:
    estimate = _demand(replace(QWEN, model="Qwen2.5-72B-Instruct", method="full")).estimates(A100, 32)[0]
    assert (estimate.command or "").startswith("NNODES=4 NODE_RANK=0 MASTER_ADDR=ADDRESS_OF_THE_FIRST NPROC_PER_NODE=8 ")


def test_offloading_asks_for_main_memory() -> None:
    plain, offloaded = _demand(replace(QWEN, method="full")), _demand(replace(QWEN, method="full", offload="optimizer"))
    assert plain.resident_gib == 0
    assert offloaded.resident_gib > 10 * plain.host_memory_gib
    assert any("main memory" in sentence for sentence in offloaded.estimates(A100, 1)[0].assumptions)


def test_cautions_of_the_request() -> None:
    beyond = train_ask(replace(QWEN, seq=1_000_000), language="zh")
    assert any("YaRN" in sentence for sentence in beyond.cautions)
    assert any("typical" in sentence for sentence in train_ask(replace(QWEN, model="9B")).cautions)
    assert any("no effect" in sentence for sentence in train_ask(replace(QWEN, method="full", lora_rank=8)).cautions)


def test_every_code_has_its_sentence_and_every_row_its_sources() -> None:
    table = read_phrases("tools", PHRASES)
    assert all(set(row) == {"zh", "en"} and row["zh"] and row["en"] for row in table.values())
    rows: tuple[Sourced, ...] = (
        *training_methods().values(), *training_optimizers().values(), *training_frameworks().values(),
        *training_constant_rows(), *memory_metrics(),
    )  # fmt: skip
    for row in rows:
        assert row.source_ids, row
        assert set(row.source_ids) <= set(sources()), row
    groups = {f"training_{name}" for name in ("adapter", "quantised", "full", "sharded", "megatron")}
    assert groups <= set(error_bands())


def test_each_setting_of_a_request_reaches_the_job() -> None:
    """A field that nothing reads would be a promise not kept."""
    plain = estimate_training(TrainingJob(_demand(QWEN).job.model), Layout(), A100)
    for changes in ({"seq": 4096}, {"micro_batch": 4}, {"checkpointing": "none"}, {"optimizer": "sgd"}, {"cross_entropy": "fused"},
                    {"flash_attention": False}, {"lora_rank": 64}, {"lora_targets": "q,v"}, {"objective": "dpo"}, {"precision": "int8"},
                    {"framework": "axolotl"}, {"accumulation": 1}, {"packing": True}):  # fmt: skip
        changed = _demand(replace(QWEN, **changes)).estimates(A100, 1)[0]
        assert changed.model_dump() != plain.model_dump(), changes
    assert {field.name for field in fields(TrainRequest)} >= {"zero", "parallel", "offload", "gpus", "generations"}


@pytest.mark.parametrize(
    ("said", "method", "objective", "optimizer"),
    [
        ({"method": "dpo"}, "lora", "dpo", "adamw"),
        ({"method": "DPO full"}, "full", "dpo", "adamw"),
        ({"method": "simpo"}, "lora", "orpo", "adamw"),
        ({"method": "sft + qlora"}, "qlora", "sft", "adamw"),
        ({"method": "galore"}, "full", "sft", "galore"),
        ({"method": "全参数微调"}, "full", "sft", "adamw"),
        ({"method": "QDoRA", "optimizer": "adamw_torch_8bit"}, "qdora", "sft", "adamw_8bit"),
        ({"method": "bnb 4bit", "optimizer": "PagedAdamW8bit"}, "qlora", "sft", "paged_adamw_8bit"),
    ],
)
def test_objectives_and_optimizers_are_told_from_methods(said: dict[str, str], method: str, objective: str, optimizer: str) -> None:
    settings = train_ask(replace(QWEN, **said)).settings  # type: ignore[arg-type]
    assert (settings["method"], settings["objective"], settings["optimizer"]) == (method, objective, optimizer)


@pytest.mark.parametrize(
    ("said", "word"),
    [
        ({"tensor_parallel": 0}, "0"), ({"tensor_parallel": -1}, "-1"), ({"expert_parallel": 0}, "0"), ({"gpus": 0}, "0"),
        ({"lora_targets": "foo"}, "--lora-targets"), ({"method": "foo"}, "foo"), ({"zero": 5}, "5"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("language", ["zh", "en"])
def test_absurd_settings_get_one_sentence(said: dict[str, object], word: str, language: Language) -> None:
    with pytest.raises(InputError, match=word):
        train_ask(replace(QWEN, **said), language=language)  # type: ignore[arg-type]


def test_long_texts_are_taken_with_a_fused_loss_and_may_be_cut_over_cards() -> None:
    """128k tokens of Qwen2.5-7B fit on one A100 80 GB; of 72B on eight, each sequence cut over them."""
    assert size_job(train_ask(replace(QWEN, seq=131_072))).advice.recommendations[0].gpu_count == 1
    large = size_job(train_ask(TrainRequest(model="Qwen2.5-72B-Instruct", seq=131_072)))
    cut = next(change for change in large.changes if change.code == "sequence_parallel")
    assert cut.gpu_count == 8 and (cut.per_gpu_gib or 99) < 71
    plain = train_ask(replace(QWEN, seq=131_072, cross_entropy="eager"))
    assert not any("fused" in line for line in plain.assumed)


def test_megatron_commands_use_its_own_names() -> None:
    command = _demand(TrainRequest(model="Qwen3-30B-A3B", tensor_parallel=2, expert_parallel=4, gpus=8)).estimates(A100, 8)[0].command or ""
    assert "--attention_backend flash" in command and "--attn_impl" not in command
    assert "--expert_model_parallel_size 4" in command and "--recompute_granularity full" in command


@pytest.mark.parametrize(("card", "code"), [(T4, "packing_needs_ampere"), (V100, "packing_needs_ampere"), (A10, None)])
def test_packing_needs_flash_attention(card: Gpu, code: str | None) -> None:
    assert _demand(replace(QWEN, packing=True)).blocked(card) == code
    assert _demand(QWEN).blocked(card) is None
