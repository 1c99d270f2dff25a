"""The process that traces: `python -m tools.trace.worker`, one JSON task on stdin, one JSON answer on stdout.

Task: {"request": {fields of TraceRequest}, "language": "zh" | "en", "seconds": …, "memory_gib": …}; the limits may be absent.
Answer: {"result": {fields of TraceResult}} or {"error": "one sentence"}.
"""

from __future__ import annotations

import json
import os
import sys
from typing import IO, Any

from knowledge.errors import InputError, XuankaError
from tools.phrases import Language, say
from tools.units import GIB

from .front import require_torch, trace
from .request import TraceRequest, check_request, phrase_table


def main(out: IO[str]) -> None:
    task = json.loads(sys.stdin.read())
    language: Language = "zh" if task.get("language") == "zh" else "en"
    try:
        _limit(task.get("seconds"), task.get("memory_gib"))
        request = TraceRequest.from_json(task["request"])
        answer: dict[str, Any] = {"result": _trace(request, language).as_json()}
    except XuankaError as error:
        answer = {"error": str(error)}
    except MemoryError:
        answer = {"error": say(phrase_table(), "out_of_memory", language, gib=task.get("memory_gib", "?"))}
    out.write(json.dumps(answer, ensure_ascii=False))
    out.flush()


def _trace(request: TraceRequest, language: Language) -> Any:
    check_request(request, language=language)
    require_torch(language=language)
    if not request.module:
        return trace(request, language=language)
    from .own import trace_module

    return trace_module(request, language=language)


def _limit(seconds: float | None, memory_gib: float | None) -> None:
    """Limits of processor time and address space, where the system knows them."""
    try:
        import resource
    except ImportError:
        return
    if seconds is not None:
        resource.setrlimit(resource.RLIMIT_CPU, (max(1, int(seconds)), max(1, int(seconds)) + 2))
    if memory_gib is not None:
        size = int(memory_gib * GIB)
        resource.setrlimit(resource.RLIMIT_AS, (size, size))


def own_output() -> IO[str]:
    """The real stdout, for the answer alone: what the user's code prints, its children and its exit handlers, goes nowhere."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)
    return out


if __name__ == "__main__":
    answer_to = own_output()
    try:
        main(answer_to)
    except (ValueError, KeyError, InputError) as problem:
        answer_to.write(json.dumps({"error": f"{type(problem).__name__}: {problem}"}))
        answer_to.flush()
