"""Runs the worker for a user's module: a process of its own with limits of time and memory, because it runs foreign code."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from knowledge.errors import InputError
from tools.phrases import Language, say

from .request import TraceRequest, TraceResult, phrase_table

SECONDS = 120
"""Processor and wall time of one trace; the largest networks here take 3 seconds, a constructor may be slow."""
MEMORY_GIB = 16
"""Address space. Meta tensors take none; a constructor that makes real weights takes their size."""
LONGEST_REASON = 300


def run_worker(
    request: TraceRequest, *, seconds: float = SECONDS, memory_gib: float = MEMORY_GIB, language: Language = "en"
) -> TraceResult:
    """Traces `request.module` in a process of its own. InputError with the worker's sentence when it cannot be traced."""
    _check_form(request.module, language)
    task = {"request": request.as_json(), "language": language, "seconds": seconds, "memory_gib": memory_gib}
    root = str(Path(__file__).resolve().parents[2])
    paths = os.pathsep.join([root, *filter(None, [os.environ.get("PYTHONPATH")])])
    try:
        done = subprocess.run(
            [sys.executable, "-m", "tools.trace.worker"], input=json.dumps(task), capture_output=True, text=True,
            encoding="utf-8", timeout=seconds + 5, env=os.environ | {"PYTHONPATH": paths}, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired as error:
        raise InputError(say(phrase_table(), "out_of_time", language, seconds=f"{seconds:g}")) from error
    return _read_answer(done, seconds, memory_gib, language)


def _check_form(module: str, language: Language) -> None:
    """The file is looked for here, so that a slip costs no process."""
    path, colon, factory = module.rpartition(":")
    if not colon or not path.endswith(".py") or not factory.isidentifier():
        raise InputError(say(phrase_table(), "module_form", language, module=repr(module[:80])))
    if not Path(path).is_file():
        raise InputError(say(phrase_table(), "module_missing", language, path=path[:200]))


def _read_answer(
    done: subprocess.CompletedProcess[str], seconds: float, memory_gib: float, language: Language
) -> TraceResult:
    """The last line of the output is the answer; whatever the user's code prints stands before it."""
    last = done.stdout.rstrip().rpartition("\n")[2]
    try:
        answer = json.loads(last)
        if "error" in answer:
            raise InputError(str(answer["error"]))
        return TraceResult.from_json(answer["result"])
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(_reason(done, seconds, memory_gib, language)) from error


def _reason(done: subprocess.CompletedProcess[str], seconds: float, memory_gib: float, language: Language) -> str:
    table = phrase_table()
    if done.returncode in (-24, -9, 152):  # SIGXCPU; SIGKILL after the hard limit
        return say(table, "out_of_time", language, seconds=f"{seconds:g}")
    if "MemoryError" in done.stderr or "bad_alloc" in done.stderr:
        return say(table, "out_of_memory", language, gib=f"{memory_gib:g}")
    tail = done.stderr.strip().rpartition("\n")[2][:LONGEST_REASON] or f"code {done.returncode}"
    return say(table, "worker_failed", language, reason=tail)
