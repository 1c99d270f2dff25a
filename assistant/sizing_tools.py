"""The tools that size any job but serving a language model: their arguments, and the requests made of them.

The parts of `tools` that sum a job are imported when it is first asked for: most conversations are about one kind.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from tools.cpu.results import CpuSizing
from tools.jobs.results import JobSizing

from .evidence import SourceRef
from .serving_tools import size_speed_tool
from .tool_arguments import (
    LISTED,
    Budget,
    Config,
    Context,
    Dtype,
    Gpus,
    Lang,
    Model,
    Monthly,
    Places,
    Region,
    Users,
    one_of,
    wish_of,
)
from .tool_sources import cpu_sources, job_sources

if TYPE_CHECKING:
    from tools.jobs.ask import JobAsk

Sources = list[SourceRef]


def size_train_tool(
    model: Model = "",
    method: Annotated[str | None, one_of("full", "freeze", "lora", "qlora", "dora")] = None,
    objective: Annotated[str | None, one_of("sft", "pretrain", "dpo", "grpo")] = None,
    seq: Annotated[int | None, Field(description="tokens per sequence")] = None,
    micro_batch: Annotated[int | None, Field(description="sequences per card and step")] = None,
    gpus: Gpus = None,
    on: Places = [],  # noqa: B006
    region: Region = "cn-hangzhou",
    max_hourly: Budget = None,
    max_monthly: Monthly = None,
    lora_rank: int | None = None,
    optimizer: Annotated[str | None, one_of("adamw", "adamw_8bit", "paged_adamw_8bit", "adafactor", "lion", "sgd", "galore")] = None,
    precision: Annotated[str | None, one_of("bf16", "fp16", "fp32", note="empty: mixed")] = None,
    checkpointing: Annotated[str | None, one_of("none", "selective", "full")] = None,
    sharding: Annotated[str | None, one_of("ddp", "zero1", "zero2", "zero3", "fsdp")] = None,
    offload: Annotated[str | None, one_of("optimizer", "params")] = None,
    solve: Annotated[str | None, one_of("context", "batch", "lora-rank", note="find the largest")] = None,
    accumulate: int | None = None,
    generations: Annotated[int | None, Field(description="GRPO: answers per prompt")] = None,
    packing: bool | None = None,
    flash_attention: bool | None = None,
    cross_entropy: Annotated[str | None, one_of("eager", "chunked", "fused")] = None,
    tensor_parallel: int | None = None,
    pipeline_parallel: int | None = None,
    config_json: Config = None,
    language: Lang = "zh",
) -> tuple[JobSizing, Sources]:
    """Sizes the training of a language model."""
    from tools.training.ask import TrainRequest, train_ask

    request = TrainRequest(
        model=model, config_json=config_json, method=method, objective=objective, seq=seq, micro_batch=micro_batch,
        accumulation=accumulate, optimizer=optimizer, precision=precision, checkpointing=checkpointing,
        parallel=sharding, offload=offload, lora_rank=lora_rank, packing=bool(packing),
        flash_attention=flash_attention is not False, cross_entropy=cross_entropy, tensor_parallel=tensor_parallel,
        pipeline_parallel=pipeline_parallel, generations=generations, gpus=gpus, on=tuple(on), wish=wish_of(region, max_hourly, language, max_monthly=max_monthly),
    )  # fmt: skip
    return _sized(train_ask(request, language=language), solve, language)


def size_vision_tool(
    arch: Annotated[str, Field(description="SegFormer-B5, DeepLabV3+ R-101")] = "",
    task: Annotated[str | None, one_of("segmentation", "detection", "classification")] = None,
    inference: Annotated[bool, Field(description="serving, not training")] = False,
    crop: Annotated[list[int] | None, Field(description="[height, width] pixels")] = None,
    batch: Annotated[int | None, Field(description="per card; without gpus: in all")] = None,
    gpus: Gpus = None,
    on: Places = [],  # noqa: B006
    region: Region = "cn-hangzhou",
    max_hourly: Budget = None,
    max_monthly: Monthly = None,
    precision: Annotated[str | None, one_of("fp32", "amp")] = None,
    classes: int | None = None,
    optimizer: Annotated[str | None, one_of("sgd", "adam", "adamw")] = None,
    checkpointing: bool | None = None,
    accumulate: int | None = None,
    solve: Annotated[str | None, one_of("batch", "crop", note="find the largest")] = None,
    language: Lang = "zh",
) -> tuple[JobSizing, Sources]:
    """Sizes the training or serving of a vision network."""
    from tools.vision.ask import vision_ask
    from tools.vision.request import VisionRequest

    request = VisionRequest(
        arch=arch, task=task, training=not inference, crop=_pair(crop), batch=batch, classes=classes,
        precision=precision, optimizer=optimizer, checkpointing=bool(checkpointing), accumulate=accumulate, gpus=gpus,
        on=tuple(on), wish=wish_of(region, max_hourly, language, max_monthly=max_monthly),
    )  # fmt: skip
    return _sized(vision_ask(request, language=language), solve, language)


def size_encoder_tool(
    model: Annotated[str, Field(description="bert-base, bge-m3, Qwen3-Embedding-8B")] = "",
    dtype: Dtype = None,
    batch: Annotated[int | None, Field(description="texts at once")] = None,
    seq: Annotated[int | None, Field(description="tokens per text")] = None,
    training: bool = False,
    method: Annotated[str | None, one_of("full", "lora")] = None,
    on: Places = [],  # noqa: B006
    region: Region = "cn-hangzhou",
    max_hourly: Budget = None,
    max_monthly: Monthly = None,
    solve: Annotated[str | None, one_of("batch", "context", note="find the largest")] = None,
    language: Lang = "zh",
) -> tuple[JobSizing, Sources]:
    """Sizes an encoder, embedding model or reranker."""
    from tools.encoders.demand import EncoderRequest, encoder_ask

    request = EncoderRequest(
        model, tokens=seq, batch=batch, precision=dtype, training=training, method=method, on=tuple(on),
        wish=wish_of(region, max_hourly, language, max_monthly=max_monthly),
    )  # fmt: skip
    return _sized(encoder_ask(request, language=language), solve, language)


def size_diffusion_tool(
    model: Annotated[str, Field(description="SDXL, FLUX.1-dev, Qwen-Image, Wan2.2-T2V-A14B")] = "",
    training: bool = False,
    method: Annotated[str | None, one_of("lora", "full")] = None,
    resolution: Annotated[list[int] | None, Field(description="[width, height] pixels")] = None,
    frames: int | None = None,
    batch: Annotated[int | None, Field(description="pictures at once")] = None,
    dtype: Dtype = None,
    gpus: Gpus = None,
    on: Places = [],  # noqa: B006
    region: Region = "cn-hangzhou",
    max_hourly: Budget = None,
    max_monthly: Monthly = None,
    offload: Annotated[str | None, one_of("model", "group", "sequential")] = None,
    lora_rank: int | None = None,
    optimizer: str | None = None,
    checkpointing: bool | None = None,
    solve: Annotated[str | None, one_of("batch", "frames", "crop", "lora-rank", note="find the largest")] = None,
    language: Lang = "zh",
) -> tuple[JobSizing, Sources]:
    """Sizes generating or training images and videos."""
    from tools.diffusion.ask import DiffusionRequest, diffusion_ask

    request = DiffusionRequest(
        model, size=_pair(resolution), frames=frames, batch=batch, precision=dtype, offload=offload, training=training,
        method=method, lora_rank=lora_rank, optimizer=optimizer, checkpointing=checkpointing is not False, gpus=gpus, on=tuple(on),
        wish=wish_of(region, max_hourly, language, max_monthly=max_monthly),
    )  # fmt: skip
    return _sized(diffusion_ask(request, language=language), solve, language)


def size_asr_tool(
    model: Annotated[str, Field(description="whisper-large-v3, paraformer, SenseVoice")] = "",
    dtype: Dtype = None,
    batch: Annotated[int | None, Field(description="recordings at once")] = None,
    beam: int | None = None,
    on: Places = [],  # noqa: B006
    region: Region = "cn-hangzhou",
    max_hourly: Budget = None,
    max_monthly: Monthly = None,
    solve: Annotated[str | None, one_of("batch", note="find the largest")] = None,
    language: Lang = "zh",
) -> tuple[JobSizing, Sources]:
    """Sizes speech recognition."""
    from tools.speech.demand import SpeechRequest, asr_ask

    request = SpeechRequest(
        model, precision=dtype, batch=batch, beams=beam, on=tuple(on), wish=wish_of(region, max_hourly, language, max_monthly=max_monthly)
    )
    return _sized(asr_ask(request, language=language), solve, language)


def size_cpu_tool(
    model: Model = "",
    dtype: Dtype = None,
    context: Context = None,
    concurrency: Users = None,
    families: Annotated[list[str], LISTED, Field(description="CPU families the user names")] = [],  # noqa: B006
    language: Lang = "zh",
) -> tuple[CpuSizing, Sources]:
    """Sizes inference on a CPU: main memory and families."""
    from tools.cpu.size import CpuRequest, size_cpu

    request = CpuRequest(model, precision=dtype, context=context, concurrency=concurrency, families=tuple(families))
    sizing = size_cpu(request, language=language)
    return sizing, list(cpu_sources(sizing))


def size_hybrid_tool(
    model: Model = "",
    dtype: Dtype = None,
    context: Context = None,
    concurrency: Users = None,
    on: Places = [],  # noqa: B006
    region: Region = "cn-hangzhou",
    max_hourly: Budget = None,
    max_monthly: Monthly = None,
    engine: Annotated[str | None, one_of("ktransformers", "llama.cpp")] = None,
    solve: Annotated[str | None, one_of("context", note="find the largest")] = None,
    language: Lang = "zh",
) -> tuple[JobSizing, Sources]:
    """Sizes a mixture of experts whose experts stay in main memory."""
    from tools.cpu.hybrid import HybridRequest, hybrid_ask

    request = HybridRequest(
        model, precision=dtype, context=context, concurrency=concurrency, engine=engine, on=tuple(on),
        wish=wish_of(region, max_hourly, language, max_monthly=max_monthly),
    )  # fmt: skip
    return _sized(hybrid_ask(request, language=language), solve, language)


def _pair(sides: list[int] | None) -> tuple[int, int] | None:
    """Height and width; one side is a square."""
    return (sides[0], sides[-1]) if sides else None


def _sized(ask: JobAsk, solve: str | None, language: Literal["zh", "en"]) -> tuple[JobSizing, Sources]:
    from tools.jobs.size import size_job

    sizing = size_job(ask, solve=solve, language=language)
    return sizing, list(job_sources(sizing))


JOB_TOOLS: dict[str, Callable[..., tuple[Any, Sources]]] = {
    "size_speed": size_speed_tool,
    "size_train": size_train_tool,
    "size_vision": size_vision_tool,
    "size_encoder": size_encoder_tool,
    "size_diffusion": size_diffusion_tool,
    "size_asr": size_asr_tool,
    "size_hybrid": size_hybrid_tool,
    "size_cpu": size_cpu_tool,
}
"""Tools for all jobs but serving a language model; what a chat model is told of them stands in prompts/tools.toml."""
