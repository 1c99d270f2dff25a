"""The front door: `trace(TraceRequest(...))` → TraceResult. Importing it needs no torch; tracing does."""

from __future__ import annotations

from importlib.util import find_spec

from knowledge.errors import InputError
from tools.phrases import Language, say

from .networks import find_network
from .request import TraceRequest, TraceResult, check_request, phrase_table


def trace(request: TraceRequest, *, language: Language = "en") -> TraceResult:
    """Traces a named network in this process, a user's module in a process of its own with limits.

    InputError with one sentence when torch is missing, the request is out of range, the network is unknown or the module
    cannot be traced.
    """
    check_request(request, language=language)
    if request.module:
        from .limits import run_worker

        return run_worker(request, language=language)
    network = find_network(request.network, language=language)
    require_torch(language=language)
    from .named import trace_network

    return trace_network(network, request, language=language)


def has_torch() -> bool:
    """Whether tracing is possible here."""
    return find_spec("torch") is not None


def require_torch(*, language: Language = "en") -> None:
    if not has_torch():
        raise InputError(say(phrase_table(), "no_torch", language))
