"""From a network's name to the module on the meta device, with heads frozen, losses and checkpoints as asked."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

from knowledge.errors import InputError
from tools.phrases import Language, say

from .attentive import ATTENTIVE
from .backbones import Plan
from .convolutional import CONVOLUTIONAL
from .cuda_like import recomputing
from .networks import Network, backbones, methods
from .others import OTHERS
from .request import TraceRequest, phrase_table

BUILDERS = CONVOLUTIONAL | ATTENTIVE | OTHERS


def build_network(network: Network, request: TraceRequest, *, language: Language = "en") -> nn.Module:
    """The network on the meta device. InputError when the method is not made for the backbone."""
    plan = Plan(network, request)
    try:
        with torch.device("meta"):
            model = BUILDERS[network.method](plan)
    except (KeyError, TypeError, ValueError) as error:
        method, backbone = methods()[network.method]["title"], backbones()[network.backbone]["title"]
        raise InputError(say(phrase_table(), "not_together", language, method=method, backbone=backbone)) from error
    set_losses(model, str(request.options.get("losses", "")))
    if request.frozen_stages:
        freeze(model, request.frozen_stages)
    if request.checkpointing:
        for block in model.backbone.blocks():
            recompute(block)
    return model


def set_losses(model: nn.Module, terms: str) -> None:
    """Other losses of the decode head than its own: names of losses.py joined by "+"."""
    if terms:
        model.heads[0].terms = tuple(terms.split("+"))


def freeze(model: nn.Module, stages: int) -> None:
    """The stem and the first `stages` stages of the backbone are not trained, as `frozen_stages` does."""
    for stage in model.backbone.stages()[: stages + 1]:
        stage.requires_grad_(False)


def recompute(block: nn.Module) -> None:
    """Runs the block again in the backward pass in place of keeping its activations."""
    forward = block.forward

    def again(*args: Any, **kwargs: Any) -> Any:
        return checkpoint(forward, *args, use_reentrant=False, preserve_rng_state=False, context_fn=recomputing, **kwargs)

    block.forward = again
