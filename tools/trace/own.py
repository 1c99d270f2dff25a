"""Traces a user's own nn.Module. Runs inside the worker process only: the file is executed."""

from __future__ import annotations

import importlib.util
import sys
from dataclasses import replace
from pathlib import Path
from types import MethodType, ModuleType
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.utils._pytree import tree_leaves

from knowledge.errors import InputError
from tools.phrases import Language, say

from .build import freeze, recompute
from .named import notes_of
from .request import TraceRequest, TraceResult, phrase_table
from .step import trace_step

LONGEST_REASON = 200
NO_MEMORY = "can't allocate memory"
"""Words of PyTorch's error when its CPU allocator meets the limit."""
READS_VALUES = ("meta tensors", "meta tensor", "_local_scalar_dense", "data-dependent", "aten::nonzero", "Cannot copy out of meta", "item()")
"""Words of PyTorch's errors when a value is asked of a tensor without data."""


def trace_module(request: TraceRequest, *, language: Language = "en") -> TraceResult:
    """Builds the module from its factory, brings it to the meta device and traces it on one batch of images."""
    model = build_module(request.module, language=language)
    if request.checkpointing:
        for block in _repeated(model):
            recompute(block)
    if request.frozen_stages and hasattr(model, "backbone") and hasattr(model.backbone, "stages"):
        freeze(model, request.frozen_stages)
    has_loss = callable(getattr(model, "loss", None))
    run = _run(model, request, has_loss=has_loss, language=language)
    try:
        result = trace_step(model, inputs=lambda: _inputs(request), run=run, request=request, name=request.module)
    except InputError:
        raise
    except MemoryError:
        raise
    except Exception as error:
        raise InputError(_sentence(error, request, language)) from error
    notes = notes_of(request) + (("loss_of_module",) if request.training and not has_loss else ())
    return replace(result, notes=notes)


def build_module(target: str, *, language: Language = "en") -> nn.Module:
    """The module that `file.py:factory` makes, on the meta device. Built there if it can be, else built and moved."""
    path, _, name = target.rpartition(":")
    factory = getattr(_load(path, language), name, None)
    if not callable(factory):
        raise InputError(say(phrase_table(), "factory_missing", language, path=path, factory=name))
    model = _call(factory, name, language)
    if not isinstance(model, nn.Module):
        raise InputError(say(phrase_table(), "not_a_module", language, factory=name, kind=type(model).__name__))
    for part in model.modules():
        if isinstance(part, nn.SyncBatchNorm):  # its own forward asks for a GPU and other processes
            part.forward = MethodType(nn.modules.batchnorm._BatchNorm.forward, part)
    return model.to("meta")


def _load(path: str, language: Language) -> ModuleType:
    spec = importlib.util.spec_from_file_location("traced_module", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["traced_module"] = module
    sys.path.insert(0, str(Path(path).resolve().parent))
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        raise InputError(say(phrase_table(), "module_import", language, path=path, reason=_short(error))) from error
    return module


def _call(factory: Any, name: str, language: Language) -> Any:
    try:
        with torch.device("meta"):
            return factory()
    except (Exception, SystemExit):
        pass
    try:
        return factory()
    except MemoryError:
        raise
    except (Exception, SystemExit) as error:
        if NO_MEMORY in str(error):
            raise MemoryError from error
        raise InputError(say(phrase_table(), "constructor", language, factory=name, reason=_short(error))) from error


def _repeated(model: nn.Module) -> list[nn.Module]:
    """The members of the outermost lists and sequences of modules: what a network repeats."""
    found: list[nn.Module] = []
    for child in model.children():
        if isinstance(child, (nn.ModuleList, nn.Sequential)):
            found += list(child)
        else:
            found += _repeated(child)
    return found


def _inputs(request: TraceRequest) -> tuple[Tensor]:
    return (torch.empty(request.batch, request.channels, request.height, request.width, device="meta"),)


def _run(model: nn.Module, request: TraceRequest, *, has_loss: bool, language: Language) -> Any:
    def labels(image: Tensor) -> Tensor:
        return torch.empty((image.shape[0], *image.shape[2:]), dtype=torch.long, device="meta")

    def run(module: nn.Module, image: Tensor) -> Any:
        if not request.training:
            return module(image)
        if has_loss:
            return module.loss(image, labels(image))
        return _loss_of(module(image), language)

    return run


def _loss_of(output: Any, language: Language) -> Tensor:
    """A loss for outputs without one: cross entropy per pixel or per image, else the mean of everything."""
    leaves = [leaf for leaf in tree_leaves(output) if isinstance(leaf, Tensor) and leaf.requires_grad]
    if not leaves:
        raise InputError(say(phrase_table(), "no_loss", language))
    total = None
    for leaf in leaves:
        if leaf.dim() in (2, 4) and leaf.shape[1] > 1:
            shape = (leaf.shape[0], *leaf.shape[2:])
            value = F.cross_entropy(leaf, torch.empty(shape, dtype=torch.long, device="meta"))
        else:
            value = leaf.float().mean()
        total = value if total is None else total + value
    assert total is not None
    return total


def _sentence(error: Exception, request: TraceRequest, language: Language) -> str:
    reason = _short(error)
    if "more than 1 value per channel" in reason:
        return say(phrase_table(), "single_value", language)
    if isinstance(error, NotImplementedError) or any(word in str(error) for word in READS_VALUES):
        return say(phrase_table(), "needs_data", language, reason=reason)
    return say(
        phrase_table(), "forward", language, batch=request.batch, channels=request.channels, height=request.height,
        width=request.width, reason=reason,
    )  # fmt: skip


def _short(error: BaseException) -> str:
    """The first line of an error, without its full stop."""
    text = str(error).strip().partition("\n")[0][:LONGEST_REASON].rstrip(" .")
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
