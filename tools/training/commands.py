"""The command that an estimate assumes: ms-swift (`swift sft`, `swift pt`, `swift rlhf`, `megatron sft`), version 4.

Flags: https://swift.readthedocs.io/en/latest/Instruction/Command-line-parameters.html
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from knowledge.rows import Gpu

from .activations import loss_of
from .job import Layout, TrainingJob

DATASET = "YOUR_DATASET.jsonl"
RLHF = {"dpo": "dpo", "orpo": "orpo", "kto": "kto", "rm": "rm", "ppo": "ppo", "grpo": "grpo"}
ALPHA = 4
"""lora_alpha is four times the rank, as in the trainer's own default (8 and 32)."""


def train_command(job: TrainingJob, layout: Layout, gpu: Gpu, *, machines: int = 1) -> str:
    """One line to paste, the data set's name to be filled in."""
    words = [*_program(job, layout), *_model_words(job, gpu), *_method_words(job, gpu), *_size_words(job, layout)]
    kernels = _megatron_kernels(job, gpu) if layout.scheme == "megatron" else _kernel_words(job, gpu)
    words += [*kernels, *_parallel_words(layout), *_objective_words(job)]
    return _environment(layout, machines) + shlex.join(words)


def _environment(layout: Layout, machines: int) -> str:
    if layout.gpus == 1 or layout.scheme == "device_map":
        return ""
    nodes = f"NNODES={machines} NODE_RANK=0 MASTER_ADDR=ADDRESS_OF_THE_FIRST " if machines > 1 else ""
    return f"{nodes}NPROC_PER_NODE={layout.gpus // machines} "


def _program(job: TrainingJob, layout: Layout) -> list[str]:
    program = "megatron" if layout.scheme == "megatron" else "swift"
    if job.objective in RLHF:
        return [program, "rlhf", "--rlhf_type", RLHF[job.objective]]
    return [program, "pt" if job.objective == "pretrain" else "sft"]


def _model_words(job: TrainingJob, gpu: Gpu) -> list[str]:
    name = job.model.hf_id or "./" + (job.model.id or "model").replace(" ", "-")
    suffix = {"gptq": "-GPTQ-Int4", "awq": "-AWQ"}.get(job.base, "") if job.adapter else ""
    half = "float16" if gpu.bf16 is False else "bfloat16"
    in_place = not job.adapter and job.precision != "bf16"
    words = ["--model", name + suffix, "--dataset", DATASET, "--torch_dtype", "float32" if in_place else half]
    if in_place and job.precision == "mixed":
        words += ["--fp16" if half == "float16" else "--bf16", "true"]
    return words


def _method_words(job: TrainingJob, gpu: Gpu) -> list[str]:
    words = shlex.split(job.method_row.trainer_flags)
    if gpu.bf16 is False:
        words = ["float16" if word == "bfloat16" else word for word in words]
    if job.base in ("gptq", "awq"):  # the checkpoint itself is quantised
        words = ["--tuner_type", "lora"]
    if job.method == "freeze":
        words += ["--freeze_parameters_ratio", f"{max(0.0, 1 - 2 / (job.model.layers or 2)):.2f}"]
    if job.adapter and job.method_row.targets:
        words += ["--lora_rank", str(job.lora_rank), "--lora_alpha", str(ALPHA * job.lora_rank)]
        words += ["--target_modules", *(job.lora_targets or job.method_row.targets).replace(",", " ").split()]
    if job.train_vision:
        words += ["--freeze_vit", "false"]
    return words


def _size_words(job: TrainingJob, layout: Layout) -> list[str]:
    if layout.scheme == "megatron":
        total = job.micro_batch * job.accumulation * layout.data_parallel
        words = ["--micro_batch_size", str(job.micro_batch), "--global_batch_size", str(total)]
    else:
        words = ["--per_device_train_batch_size", str(job.micro_batch), "--gradient_accumulation_steps", str(job.accumulation)]
    return [*words, "--max_length", str(job.seq), *(["--packing", "true"] if job.packing else [])]


def _kernel_words(job: TrainingJob, gpu: Gpu) -> Iterator[str]:
    flash = "flash_attn" if (gpu.compute_capability or 0) >= 8 else "sdpa"
    yield from ("--attn_impl", flash if job.flash_attention else "eager")
    if job.checkpointing == "none":
        yield from ("--gradient_checkpointing", "false")
    if loss_of(job) == "fused":
        yield from ("--use_liger_kernel", "true")
    if job.optimizer.startswith("galore"):
        yield from ("--use_galore", "true")
    elif job.optimizer != "adamw":
        yield from ("--optim", job.optimizer_row.trainer_flag)


def _megatron_kernels(job: TrainingJob, gpu: Gpu) -> Iterator[str]:
    """Megatron's own names (https://swift.readthedocs.io/en/latest/Megatron-SWIFT/Command-line-parameters.html)."""
    flash = (gpu.compute_capability or 0) >= 8 and job.flash_attention
    yield from ("--attention_backend", "flash" if flash else "unfused", "--cross_entropy_loss_fusion", "true")
    if job.checkpointing == "full":
        yield from ("--recompute_granularity", "full", "--recompute_method", "uniform", "--recompute_num_layers", "1")
    else:
        yield from ("--recompute_granularity", job.checkpointing)
    yield from ("--finetune", "true", "--save_safetensors", "true")


def _parallel_words(layout: Layout) -> Iterator[str]:
    if layout.deepspeed:
        yield from ("--deepspeed", layout.scheme + ("_offload" if layout.offload != "none" else ""))
    elif layout.scheme == "fsdp":
        yield from ("--fsdp", "fsdp2")
    if layout.sequence > 1:
        yield from ("--sequence_parallel_size", str(layout.sequence))
    if layout.scheme == "megatron":
        yield from ("--tensor_model_parallel_size", str(layout.tensor), "--sequence_parallel", "true")
        yield from ("--pipeline_model_parallel_size", str(layout.pipeline))
        yield from ("--expert_model_parallel_size", str(layout.expert))
        if layout.offload != "none":
            yield from ("--optimizer_cpu_offload", "true")


def _objective_words(job: TrainingJob) -> Iterator[str]:
    if job.objective == "classify":
        yield from ("--task_type", "seq_cls", "--num_labels", "2")
    if job.objective == "grpo":
        mode = "server" if job.rollout == "server" else "colocate"
        yield from ("--reward_funcs", "accuracy", "--num_generations", str(job.generations), "--use_vllm", "true")
        yield from ("--vllm_mode", mode)
        if job.rollout == "sleep":
            yield from ("--sleep_level", "1")
