"""Traces a named network."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import torch
from torch import nn

from knowledge.errors import InputError
from tools.phrases import Language, say

from .build import build_network
from .networks import Network
from .request import TraceRequest, TraceResult, phrase_table
from .step import trace_step


def trace_network(network: Network, request: TraceRequest, *, language: Language = "en") -> TraceResult:
    model = build_network(network, request, language=language)
    try:
        result = trace_step(
            model, inputs=lambda: images_and_labels(request, per_image=not hasattr(model, "heads")), run=_run(model, request),
            request=request, name=network.title,
        )  # fmt: skip
    except ValueError as error:
        if "more than 1 value per channel" not in str(error):
            raise
        raise InputError(say(phrase_table(), "single_value", language)) from error
    return replace(result, notes=notes_of(request))


def images_and_labels(request: TraceRequest, *, per_image: bool) -> tuple[torch.Tensor, torch.Tensor]:
    """A batch of images, and class labels per image or per pixel."""
    image = torch.empty(request.batch, request.channels, request.height, request.width, device="meta")
    shape = (request.batch,) if per_image else (request.batch, request.height, request.width)
    return image, torch.empty(shape, dtype=torch.long, device="meta")


def _run(model: nn.Module, request: TraceRequest) -> Any:
    return (lambda m, image, labels: m.loss(image, labels)) if request.training else (lambda m, image, _: m(image))


def notes_of(request: TraceRequest) -> tuple[str, ...]:
    """Codes of the sentences that belong beside the figure."""
    return tuple(code for code, holds in (("old_torch", request.old_torch), ("workspace", request.workspace)) if holds)
