"""Xuanka's Python API.

    from assistant import Assistant, ask

    answer = ask("Qwen2.5-72B bf16，32K 上下文，8 并发，选什么实例？")
    print(answer.text, answer.recommendations[0].instance_type)

The names are loaded when they are first used, so that the command line may use parts of this package in
the time of a small tool.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .answer import Answer, Call, Caution, Citation
    from .assistant import Assistant, ask

__all__ = ["Answer", "Assistant", "Call", "Caution", "Citation", "ask"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module("assistant.assistant" if name in ("Assistant", "ask") else "assistant.answer"), name)
