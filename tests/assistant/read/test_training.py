"""Questions about training language models: method, settings, roles of numbers, Chinese and English side by side."""

from typing import Any

import pytest

from assistant.read.normalise import normalise
from assistant.read.read import read_question
from assistant.read.switches import find_switches, offload_of

M = "Qwen2.5-7B"


@pytest.mark.parametrize(
    "text",
    [
        "微调 {m}", "精调 {m}", "训练 {m} 用什么卡", "继续预训练 {m}", "增量预训练 {m}", "对 {m} 做 SFT", "全参 {m}", "全参数微调 {m}", "{m} QLoRA", "{m} 做 DPO", "{m} 跑 GRPO",
        "强化学习训练 {m}", "PPO 训练 {m}", "指令微调 {m}", "{m} rank 64 batch 4 要多少显存", "{m} ZeRO-3 梯度累积 8", "{m} 8-bit Adam", "在 A10 上用 LLaMA-Factory 精调 {m}",
        "fine-tune {m}", "finetuning {m}", "train {m}", "pretrain {m}", "continued pretraining of {m}", "full SFT of {m}", "{m} with QLoRA", "DPO on {m}", "GRPO for {m}", "RLHF {m}",
        "{m}, LoRA r=16, cutoff 4096", "instruction tuning of {m}", "{m} with FSDP and gradient accumulation 4", "freeze tuning {m}", "DoRA {m}",
    ],
)  # fmt: skip
def test_the_job_is_training(text: str) -> None:
    reading = read_question(text.format(m=M))
    assert (reading.job, reading.missing) == ("llm_training", [])


@pytest.mark.parametrize(
    "text",
    [
        "部署微调好的 {m}", "推理训练好的 {m}", "部署 {m}，挂 8 个 LoRA", "{m} 8 并发 32k", "serve the fine-tuned model {m}", "serve {m} with 20 LoRA adapters", "deploy a pretrained model {m}", "run {m} on A10",
        "{m} 推理 batch 8", "vllm serve {m} --enforce-eager",
    ],
)  # fmt: skip
def test_the_job_is_serving(text: str) -> None:
    reading = read_question(text.format(m=M))
    assert (reading.job, reading.method) == ("llm_inference", None)


@pytest.mark.parametrize("text", ["想训练一个大模型，用什么卡", "I want to fine-tune an LLM with LoRA, which instance?"])
def test_training_without_a_model_misses_it(text: str) -> None:
    reading = read_question(text)
    assert (reading.job, reading.missing) == ("llm_training", ["model"])


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("LoRA 秩 128 alpha 256 微调 {m}", {"lora_rank": 128}), ("LoRA {m}, rank 128, alpha 256", {"lora_rank": 128}),
        ("lora_r=8 lora_alpha=16 {m}", {"lora_rank": 8}), ("{m} LoRA r = 16", {"lora_rank": 16}), ("rank 改成 64，{m} LoRA", {"lora_rank": 64}), ("{m}, LoRA rank of 32", {"lora_rank": 32}),
        ("梯度累积 4 微调 {m}", {"accumulate": 4, "batch": None}), ("fine-tune {m}, gradient accumulation 4", {"accumulate": 4, "batch": None}),
        ("累积步数 16，bs=2，{m} LoRA", {"accumulate": 16, "batch": 2}), ("{m} LoRA bs 2 gradient_accumulation_steps=16", {"accumulate": 16, "batch": 2}),
        ("batch 4 gradient accumulation 8, full {m}", {"accumulate": 8, "batch": 4}), ("batch 4 梯度累积 8 全参 {m}", {"accumulate": 8, "batch": 4}),
        ("总 batch 64，micro batch 2，全参 {m}", {"global_batch": 64, "batch": 2}), ("full {m}, global batch 64, micro batch 2", {"global_batch": 64, "batch": 2}),
        ("全参 {m} 每卡 batch 4", {"batch": 4}), ("全参 {m} batch 16 分到 8 卡", {"global_batch": 16, "batch": None}), ("full {m}, batch 16 across 8 GPUs", {"global_batch": 16, "batch": None}), ("batch size 每张卡 4 全参 {m}", {"batch": 4}), ("full {m}, per_device_train_batch_size 4", {"batch": 4}), ("full {m} batch size 4 per GPU", {"batch": 4}),
        ("{m} LoRA cutoff 32768", {"context": 32_768}), ("cutoff_len=32768 {m} LoRA", {"context": 32_768}), ("{m} LoRA seq len 4k", {"context": 4096}), ("{m} LoRA seq_length 2048", {"context": 2048}),
        ("序列长度 4096 微调 {m}", {"context": 4096}), ("截断长度 2000 微调 {m}", {"context": 2000}), ("{m} LoRA with 4k sequences", {"context": 4096, "concurrency": None}), ("3.2万 token 微调 {m}", {"context": 32_000}), ("fine-tune {m}, seq 512", {"context": 512}),
        ("每个 prompt 8 个回答 GRPO {m}", {"generations": 8, "objective": "grpo"}), ("GRPO {m}, num_generations 8", {"generations": 8, "objective": "grpo"}),
        ("GRPO {m} max_prompt_length 1024 max_completion_length 2048", {"input_tokens": 1024, "output_tokens": 2048, "context": 3072}),
        ("tp=4 pp=2 dp=2 训练 {m}", {"tensor_parallel": 4, "pipeline_parallel": 2, "data_parallel": 2}), ("train {m} with TP4 PP2 DP2", {"tensor_parallel": 4, "pipeline_parallel": 2, "data_parallel": 2}),
        ("Ｌｏｒａ ｒａｎｋ ６４ 微调 {m} ｂａｔｃｈ ８", {"lora_rank": 64, "batch": 8}), ("二十四G 显存 QLoRA {m}", {"card_memory_gb": 24.0, "method": "qlora"}),
        ("我有两张 3090，微调 {m}", {"owned": True, "gpus": 2}), ("I have two 3090s, fine-tune {m}", {"owned": True, "gpus": 2}), ("gn7i 上微调 {m}", {"owned": False}), ("fine-tune {m} on a gn7i", {"owned": False}),
        ("家里的 3090，64G 内存，微调 {m}", {"owned": True, "ram_gib": 64.0}), ("fine-tune {m} on my own server with a 3090 and 64 GB RAM", {"owned": True, "ram_gib": 64.0}),
    ],
)  # fmt: skip
def test_numbers_have_one_role(text: str, fields: dict[str, Any]) -> None:
    reading = read_question(text.format(m=M))
    assert {name: getattr(reading, name) for name in fields} == fields
    assert reading.absurd == []


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("8-bit Adam", {"optimizer": "adamw_8bit"}), ("8 位 Adam", {"optimizer": "adamw_8bit"}), ("adamw_bnb_8bit", {"optimizer": "adamw_8bit"}), ("paged_adamw_8bit", {"optimizer": "paged_adamw_8bit"}),
        ("AdamW", {"optimizer": "adamw"}), ("adafactor", {"optimizer": "adafactor"}), ("Lion 优化器", {"optimizer": "lion"}), ("SGD", {"optimizer": "sgd"}), ("GaLore", {"optimizer": "galore"}), ("Adam", {"optimizer": "adam"}),
        ("不开梯度检查点", {"checkpointing": "none"}), ("gradient checkpointing off", {"checkpointing": "none"}), ("关掉检查点", {"checkpointing": "none"}), ("without gradient checkpointing", {"checkpointing": "none"}),
        ("把梯度检查点关掉", {"checkpointing": "none"}), ("--gradient_checkpointing false", {"checkpointing": "none"}), ("开梯度检查点", {"checkpointing": "full"}), ("with gradient checkpointing", {"checkpointing": "full"}),
        ("重计算", {"checkpointing": "full"}), ("activation recomputation", {"checkpointing": "full"}), ("选择性重计算", {"checkpointing": "selective"}), ("selective activation checkpointing", {"checkpointing": "selective"}),
        ("每 500 步存一个检查点", {"checkpointing": None}), ("save a checkpoint every hour", {"checkpointing": None}),
        ("ZeRO-3", {"sharding": "zero3"}), ("zero3", {"sharding": "zero3"}), ("deepspeed stage 2", {"sharding": "zero2"}), ("ZeRO stage 1", {"sharding": "zero1"}), ("FSDP", {"sharding": "fsdp"}), ("DDP", {"sharding": "ddp"}), ("stage 2 of the course", {"sharding": None}),
        ("flash attention 2", {"flash_attention": True}), ("不用 flash-attn", {"flash_attention": False}), ("without flash attention", {"flash_attention": False}), ("eager attention", {"flash_attention": False}),
        ("packing", {"packing": True}), ("样本打包", {"packing": True}), ("packing=false", {"packing": False}), ("不做 packing", {"packing": False}), ("开不开 packing", {"packing": True}), ("要不要开梯度检查点", {"checkpointing": "full"}),
        ("liger kernel", {"cross_entropy": "fused"}), ("融合交叉熵", {"cross_entropy": "fused"}), ("分块交叉熵", {"cross_entropy": "chunked"}), ("chunked cross entropy", {"cross_entropy": "chunked"}),
        ("混合精度", {"amp": True}), ("AMP", {"amp": True}), ("不用 AMP", {"amp": False}), ("without mixed precision", {"amp": False}), ("--enforce-eager", {"enforce_eager": True}), ("关掉 CUDA graph", {"enforce_eager": True}), ("CUDA graphs off", {"enforce_eager": True}),
        ("SFT", {"objective": "sft"}), ("DPO", {"objective": "dpo"}), ("GRPO", {"objective": "grpo"}), ("RLHF", {"objective": "ppo"}), ("继续预训练", {"objective": "pretrain"}), ("pretrain from scratch", {"objective": "pretrain"}),
        ("预训练模型", {"objective": None}), ("a pretrained model", {"objective": None}), ("先 SFT 再 DPO", {"objective": "dpo"}), ("专家并行", {"expert_parallel": True}), ("enable expert parallel", {"expert_parallel": True}),
    ],
)  # fmt: skip
def test_settings_in_words(text: str, fields: dict[str, Any]) -> None:
    switches = find_switches(normalise(text))
    assert {name: getattr(switches, name) for name in fields} == fields


@pytest.mark.parametrize(
    ("text", "job", "offload"),
    [
        ("ZeRO-3 offload", "llm_training", "params"), ("zero3 卸载到 CPU", "llm_training", "params"), ("ZeRO-2 CPU offload", "llm_training", "optimizer"), ("优化器放 CPU", "llm_training", "optimizer"), ("optimizer offload", "llm_training", "optimizer"),
        ("param offload", "llm_training", "params"), ("cpu offload", "diffusion_inference", "model"), ("sequential cpu offload", "diffusion_inference", "sequential"), ("cpu offload", "llm_inference", None), ("no offload", "llm_training", None), ("没有卸载", "llm_training", None),
    ],
)  # fmt: skip
def test_what_is_offloaded(text: str, job: str, offload: str | None) -> None:
    assert offload_of(find_switches(normalise(text)), job) == offload


@pytest.mark.parametrize(
    ("text", "dtype"), [("{m} QLoRA paged_adamw_8bit", None), ("8-bit Adam 全参 {m}", None), ("{m} int8 LoRA", "int8"), ("bf16 全参 {m}，8 位优化器", "bf16"), ("full {m} in bf16 with an 8-bit optimizer", "bf16")]
)
def test_the_bits_of_an_optimizer_are_not_those_of_the_weights(text: str, dtype: str | None) -> None:
    assert read_question(text.format(m=M)).weight_dtype == dtype


@pytest.mark.parametrize(
    ("text", "method", "objective"),
    [
        ("{m} GRPO LoRA", "lora", "grpo"), ("LoRA 做 DPO，{m}", "lora", "dpo"), ("全参 PPO {m}", "full", "ppo"), ("QLoRA SFT of {m}", "qlora", "sft"), ("DoRA {m}", "dora", None), ("冻结微调 {m}", "freeze", None),
        ("继续预训练 {m}", None, "pretrain"), ("{m} RLHF", None, "ppo"), ("4bit LoRA {m}", "qlora", None), ("LoRA on AWQ {m}", "qlora", None),
    ],
)  # fmt: skip
def test_method_and_objective_are_two_things(text: str, method: str | None, objective: str | None) -> None:
    reading = read_question(text.format(m=M))
    assert (reading.method, reading.objective) == (method, objective)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("batch 0 微调 {m}", "zero_quantity"), ("LoRA rank -8 {m}", "negative_quantity"), ("LoRA rank 负 8 {m}", "negative_quantity"), ("LoRA rank 0 {m}", "zero_quantity"), ("rank 10^9 LoRA {m}", "huge_rank"),
        ("batch 10^12 微调 {m}", "huge_batch"), ("梯度累积 0 微调 {m}", "zero_quantity"), ("gradient accumulation -4, LoRA {m}", "negative_quantity"), ("pp=0 训练 {m}", "zero_quantity"),
    ],
)  # fmt: skip
def test_absurd_settings(text: str, code: str) -> None:
    assert [fault.partition(":")[0] for fault in read_question(text.format(m=M)).absurd] == [code]


@pytest.mark.parametrize("text", ["rank 0 OOM，{m} LoRA", "{m} LoRA: OOM on rank 0 at step 0", "class 0 的精度低，{m} 微调"])
def test_zeros_that_count_nothing(text: str) -> None:
    reading = read_question(text.format(m=M))
    assert (reading.lora_rank, reading.absurd) == (None, [])
