"""`xuanka size vision`: the memory of training or running a vision network and the machines it fits on."""

from __future__ import annotations

from typing import Annotated

import typer

from .budget import BudgetOption, wish_for
from .options import Json, Lang, Region
from .speech import choose_language


def vision(
    arch: Annotated[str, typer.Option("--arch", "-a", help="Network: DeepLabV3+ ResNet-101, SegFormer-B5, Faster R-CNN R50, ResNet-50.")] = "",
    module: Annotated[str, typer.Option("--module", help="Your own nn.Module to trace instead: file.py:factory (its code runs).")] = "",
    task: Annotated[str | None, typer.Option("--task", help="segmentation, detection or classification.")] = None,
    crop: Annotated[str | None, typer.Option("--crop", "-c", help="Pixels: 512 or 512x1024 (height x width).")] = None,
    batch: Annotated[
        int | None, typer.Option("--batch", "-b", help="Images: per card with --gpus or --ddp, else of the whole job.")
    ] = None,
    classes: Annotated[int | None, typer.Option("--classes", help="Number of classes.")] = None,
    precision: Annotated[str | None, typer.Option("--precision", "-p", help="fp32, amp (fp16) or bf16.")] = None,
    optimizer: Annotated[str | None, typer.Option("--optimizer", help="sgd, adam, adamw, rmsprop, lion.")] = None,
    training: Annotated[bool, typer.Option("--training/--inference", help="Training (default) or inference.")] = True,
    checkpointing: Annotated[bool, typer.Option("--checkpointing", help="Recompute the backbone's activations.")] = False,
    accumulate: Annotated[int | None, typer.Option("--accumulate", help="Steps of gradient accumulation.")] = None,
    ddp: Annotated[bool, typer.Option("--ddp", help="DistributedDataParallel; the batch is then per card.")] = False,
    trace: Annotated[bool, typer.Option("--trace", help="Trace the step instead of using coefficients (needs torch).")] = False,
    gpus: Annotated[int | None, typer.Option("--gpus", help="Number of cards; the batch is then per card.")] = None,
    on: Annotated[
        list[str] | None, typer.Option("--on", help="Card, count of cards, family or type to check: A10, 4xA10, gn7e (repeatable).")
    ] = None,
    solve: Annotated[str | None, typer.Option("--solve", help="Largest value that fits: batch or crop.")] = None,
    budget: BudgetOption = None,
    region: Region = None,
    lang: Lang = None,
    as_json: Json = False,
) -> None:
    """Size the training or the inference of a vision network."""
    language = choose_language(lang)
    from tools.vision.ask import vision_ask
    from tools.vision.request import VisionRequest, read_crop

    from .jobs import show_job
    from .places import places

    request = VisionRequest(
        arch=arch,
        module=module,
        task=task,
        crop=read_crop(crop, language) if crop else None,
        batch=batch,
        classes=classes,
        precision=precision,
        optimizer=optimizer,
        training=training,
        checkpointing=checkpointing,
        accumulate=accumulate,
        ddp=ddp,
        trace=trace,
        gpus=gpus,
        on=tuple(place for name in on or [] for place in places(name, language)),
        wish=wish_for(region, budget),
    )
    show_job(vision_ask(request, language=language), solve=solve, language=language, as_json=as_json)
