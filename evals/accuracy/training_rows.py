"""Reads a row of llm_training.jsonl into the job and the cut that `size train` would be asked."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import cast

from knowledge.errors import InputError
from knowledge.rows import Model
from knowledge.training_facts import memory_metrics
from tools.lookup import look_up_model
from tools.training.job import (
    PAIRED,
    Checkpointing,
    Layout,
    Objective,
    Precision,
    Scheme,
    TrainingJob,
    framework_name,
    method_name,
    optimizer_name,
)

from .rows import Row, flag, need, number, text, whole

OBJECTIVES: dict[str, Objective] = {
    "dpo": "dpo", "kto": "kto", "ppo": "ppo", "grpo": "grpo", "rm": "rm", "reward": "rm", "simpo": "orpo", "orpo": "orpo",
    "cpo": "orpo",
}  # fmt: skip
"""`rlhf_type` by objective; what takes pairs and no reference model counts as orpo."""

OTHER_ADAPTER = "vera"
"""Stands for adapters of a stated size that the table does not know."""

CHECKPOINTED = ("ms-swift", "torchtune", "megatron")
"""Trainers whose own default is to checkpoint activations, where a row does not say."""

FSDP_CHECKPOINTS = ("litgpt", "ms-swift")
"""Trainers whose FSDP settings checkpoint activations whatever the flag of that name says (litgpt's rows note it)."""

SHARDED: tuple[tuple[str, Scheme], ...] = (
    ("zero-3", "zero3"), ("zero3", "zero3"), ("zero-2", "zero2"), ("zero2", "zero2"), ("zero-1", "zero1"),
    ("zero1", "zero1"), ("fsdp", "fsdp"), ("device_map", "ddp"), ("ddp", "ddp"), ("single", "single"),
)  # fmt: skip

LADDER = (
    ("pack", "packing"), ("compile", "compile"), ("chunked", "chunked"), ("activation checkpointing", "checkpointing"),
    ("optimizer step in backward", "in_backward"), ("activation offloading", "offload"), ("8-bit", "8bit"),
    ("lora", "adapter"),
)  # fmt: skip
"""torchtune's table adds one option a row and prints only the last ("cumulative: + compile")."""

SINGLE_RECIPE = "paged_adamw_8bit"
"""torchtune's recipe of full training on one card: bitsandbytes' paged 8-bit AdamW, stepping in the backward pass."""
LEVERS = "memory levers on the 24 gb rows"
"""Words of torchtune's README: its rows of one card checkpoint activations only on cards of 24 GB."""
SMALL_CARDS = ("4090", "3090", "24gb", "24 gb", "a10")

CAPPED = ("ms-swift", "megatron")
"""Example scripts whose `max_length` only cuts what is longer; without packing the data decides."""
LONGEST, USUAL, USUAL_PAIR = 2048, 350, 1100
"""Tokens of the longest text of a run of such scripts, and of a usual one; fitted on rows with several texts at once."""

QWEN_SCRIPTS: dict[str, Scheme] = {"gptq": "zero2", "full": "zero3"}
"""The scripts of the Qwen project run these under DeepSpeed even on one card (finetune_qlora_single_gpu.sh, finetune_ds.sh)."""

ONE_CARD_BYTES = 80e9
"""A row that says "DDP/device_map" had the layers divided over its cards where one copy is larger than a card."""


@dataclass(frozen=True)
class TrainingRow:
    """A row as the sums take it; `metric` is how its figure was taken, `note` what was assumed of its data."""

    job: TrainingJob
    layout: Layout
    metric: str
    note: str = ""


def read_row(row: Row) -> TrainingRow:
    """The job of a row. Raises InputError naming the missing field, or the model that is not known."""
    need(row, "model", "method")
    model = _model(str(row["model"]))
    framework = framework_name(_framework(text(row, "framework") or ""))
    need(row, "micro_batch", "seq_len")
    if re.search("rerank|embed", model.id, re.I):
        raise InputError("missing: number of texts per query of contrastive training")
    if flag(row, "packing") is False and framework not in CAPPED:
        raise InputError("missing: length of the texts (packing is off, and seq_len only cuts them)")
    opts = (text(row, "other_opts") or "").casefold()
    job = TrainingJob(
        model=model,
        method=_method(row, opts),
        seq=whole(row, "seq_len") or 0,
        micro_batch=whole(row, "micro_batch") or 0,
        optimizer=_optimizer(row, opts),
        checkpointing=_checkpointing(row, framework, opts),
        loss="fused" if "cut_cross_entropy" in opts else None,
        flash_attention=flag(row, "flash_attention") is not False,
        packing=bool(flag(row, "packing")),
        objective=_objective(opts),
        lora_rank=whole(row, "lora_rank") or 8,
        lora_targets=text(row, "lora_targets"),
        trainable=whole(row, "trainable_params"),
        base_precision=_base(row),
        train_vision="freeze_vit=false" in opts,
        framework=framework,
    )
    layout = _layout(row, job, opts)
    job = replace(job, accumulation=_accumulation(row, opts, job, layout))
    capped = _with_options(job, row, opts)
    job = _real_lengths(capped, layout, opts)
    note = "" if job == capped else f"texts of {job.seq} tokens on average assumed, max_length {capped.seq} only cuts them"
    return TrainingRow(job, layout, _metric(row), note)


def _model(name: str) -> Model:
    match = look_up_model(name)
    if match.how == "typical":
        raise InputError(f"model not in the table: {name}")
    return match.model


def _framework(name: str) -> str:
    plain = name.casefold()
    for part in ("megatron", "ms-swift", "torchtune", "litgpt", "axolotl", "llama-factory", "unsloth", "galore"):
        if part in plain:
            return part
    return "hf"


def _real_lengths(job: TrainingJob, layout: Layout, opts: str) -> TrainingJob:
    """The job at the lengths of its data, where the row gives only the length at which texts are cut."""
    if job.framework not in CAPPED or job.packing or job.seq < 1:
        return job
    sequences = job.micro_batch * (2 if job.objective in PAIRED else 1)
    limit = job.seq if layout.sequence > 1 else LONGEST  # cut over cards because the texts are long
    longest, usual = min(job.seq, limit), min(job.seq, USUAL_PAIR if job.objective in PAIRED else USUAL)
    free = "padding_free=true" in opts or (job.framework == "megatron" and "padding_free=false" not in opts)
    total = longest + (sequences - 1) * usual if free else sequences * longest
    return replace(job, seq=max(1, round(total / sequences)))


def _method(row: Row, opts: str) -> str:
    written = str(row["method"]).casefold()
    if written in ("lora", "qlora") and "use_dora=true" in opts:
        return "dora"
    if "dora" in opts and "experiment lora" in opts and written == "lora":
        return "dora"
    plain = re.sub(r"\s*\((?!gptq|sft|emb).*\)| on nf4 base| on 4-bit base| \+ gradient checkpointing|,? (?:rank|r) ?=? ?\d+$", "", written)
    try:
        return method_name(plain)
    except InputError:
        if whole(row, "trainable_params") is None:
            raise
        return OTHER_ADAPTER  # its size is stated, and what a small adapter keeps differs little


def _base(row: Row) -> str | None:
    said = f"{row['method']} {text(row, 'precision') or ''}".casefold()
    for word, precision in (("nf4-dq", "nf4_dq"), ("gptq", "gptq"), ("awq", "awq"), ("nf4", "nf4"), ("8-bit base", "int8")):
        if word in said:
            return precision
    return "awq" if "awq" in str(row["model"]).casefold() else None


def _recipe_of_one_card(row: Row) -> bool:
    """Whether torchtune's recipe for one card trains all weights, and the row names no optimizer of its own."""
    plain = (text(row, "framework") or "").strip().casefold() == "torchtune" and (whole(row, "num_gpus") or 1) == 1
    return plain and str(row["method"]).casefold().startswith("full") and text(row, "optimizer") is None


def _optimizer(row: Row, opts: str) -> str:
    if _recipe_of_one_card(row) and "cumulative" not in opts:
        return SINGLE_RECIPE
    named = re.search(r"\boptimizer=(\w+)", opts)
    said = named[1] if named else (text(row, "optimizer") or "adamw").casefold()
    if "galore" in f"{said} {opts}":
        return "galore_8bit" if "8-bit" in said else "galore"
    return "adamw" if said in ("lora-fa", "none") else optimizer_name(said)


def _checkpointing(row: Row, framework: str, opts: str) -> Checkpointing:
    if "recompute_granularity=selective" in opts:
        return "selective"
    if "recompute_granularity=full" in opts:
        return "full"
    if "FSDP" in (text(row, "parallelism") or "") and framework in FSDP_CHECKPOINTS:
        return "full"
    said = flag(row, "gradient_checkpointing")
    if said is None and LEVERS in opts and (whole(row, "num_gpus") or 1) == 1:
        said = any(card in (text(row, "gpu") or "").casefold() for card in SMALL_CARDS)
    if said is None and framework not in CHECKPOINTED:
        raise InputError("missing: gradient_checkpointing")
    return "none" if said is False else "full"


def _objective(opts: str) -> Objective:
    found = re.search(r"rlhf_type=(\w+)", opts)
    if found:
        if found[1] not in OBJECTIVES:
            raise InputError(f"objective not known: {found[1]}")
        return OBJECTIVES[found[1]]
    return "sft"


def _layout(row: Row, job: TrainingJob, opts: str) -> Layout:
    said = (text(row, "parallelism") or "").casefold()
    cut = {name: int(count) for name, count in re.findall(r"(tensor|pipeline|expert|sequence)=(\d+)", said)}
    offload = "optimizer" if "optimizer_cpu_offload=true" in opts else "none"
    if "cpu offload" in said or "offload_params" in opts:
        offload = "params"
    fraction = re.search(r"optimizer_offload_fraction=(\d*\.?\d+)", opts)
    share = float(fraction[1]) if fraction else 1.0
    gpus = whole(row, "num_gpus")
    if cut and job.framework == "megatron":
        least = max(cut.get("tensor", 1) * cut.get("pipeline", 1), cut.get("expert", 1))
        return Layout("megatron", max(gpus or 1, least), offload=offload, offload_share=share, **cut)  # type: ignore[arg-type]
    scheme = next((scheme for word, scheme in SHARDED if word in said), None)
    if scheme is None and not cut:
        raise InputError(f"parallelism not understood: {said or 'missing'}")
    if scheme not in (None, "single") and gpus is None:
        raise InputError("missing: num_gpus")
    if "device_map" in said:
        if 2 * job.model.params_total <= ONE_CARD_BYTES:
            raise InputError("parallelism does not say whether copies (DDP) or layers (device_map) are spread")
        scheme = "device_map"
    if scheme in ("zero2", "zero3", "fsdp") and gpus == 1:
        raise InputError(f"num_gpus: {said} shards over several cards, and the row says one")
    if scheme == "single" and "qwen finetune" in (text(row, "framework") or "").casefold():
        scheme = QWEN_SCRIPTS.get(job.base if job.adapter else job.method, "single")
    return Layout(scheme or "ddp", gpus or 1, sequence=cut.get("sequence", 1), offload=offload)  # type: ignore[arg-type]


def _accumulation(row: Row, opts: str, job: TrainingJob, layout: Layout) -> int:
    given = whole(row, "grad_accum")
    total = re.search(r"global_batch_size=(\d+)", opts)
    if given is None and total:
        return max(1, int(total[1]) // (job.micro_batch * layout.data_parallel))
    return given or 1


def _with_options(job: TrainingJob, row: Row, opts: str) -> TrainingJob:
    """Options that a row names beside its fields."""
    job = replace(job, precision=_precision(row, job))
    if "use_liger_kernel=true" in opts:
        job = replace(job, loss="fused", fused_layers=True)
    if "activation_offloading" in opts:
        job = replace(job, offload_activations=True)
    if "cumulative" in opts:
        return _ladder(job, opts)
    if job.optimizer == SINGLE_RECIPE and text(row, "optimizer") is None:
        job = replace(job, step_in_backward=True)
    return replace(job, fused_layers=True) if "torch.compile" in opts else job


def _precision(row: Row, job: TrainingJob) -> Precision:
    said = (text(row, "precision") or "").casefold()
    if "fp32" in said.split() or "float32" in said.split():
        return "fp32"
    return cast(Precision, job.framework_row.single_precision)


def _ladder(job: TrainingJob, opts: str) -> TrainingJob:
    """The options of torchtune's table up to the one a row names; its adapter rows leave out the two of full training."""
    last = max((place for place, (word, _) in enumerate(LADDER) if word in opts.split("without")[0]), default=-1)
    if job.adapter:
        last = len(LADDER) - 1
    on = {option for place, (_, option) in enumerate(LADDER) if place <= last}
    if job.adapter:
        on -= {"in_backward", "8bit"}
    return replace(
        job,
        loss="chunked" if "chunked" in on else "compiled" if "compile" in on else "eager",
        fused_layers="compile" in on,
        step_in_backward="in_backward" in on,
        offload_activations="offload" in on,
    )


def _metric(row: Row) -> str:
    said = (text(row, "metric") or "").casefold()
    return next((known.metric for known in memory_metrics() if any(word in said for word in known.words)), "device")


def measured_gib(row: Row, layout: Layout, gib: float) -> float:
    """The figure of one card."""
    whole_run = "total" in (text(row, "scope") or "").casefold()
    return gib / layout.gpus if whole_run else gib


def figure(row: Row) -> float | None:
    """The row's memory figure in its own unit."""
    return number(row, "peak_mem")
