"""Runs the worker for a user's module: a process of its own with limits of time and memory, because it runs foreign code."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import IO

from knowledge.errors import InputError
from tools.phrases import Language, say

from .request import TraceRequest, TraceResult, phrase_table

SECONDS = 120
"""Processor and wall time of one trace; the largest networks here take 3 seconds, a constructor may be slow."""
MEMORY_GIB = 16
"""Address space. Meta tensors take none; a constructor that makes real weights takes their size."""
LONGEST_REASON = 300
LONGEST_TAIL = 4_000


def run_worker(
    request: TraceRequest, *, seconds: float = SECONDS, memory_gib: float = MEMORY_GIB, language: Language = "en"
) -> TraceResult:
    """Traces `request.module` in a process of its own. InputError with the worker's sentence when it cannot be traced.

    `-P`: files of the folder one stands in (`random.py`, `imp.py`) must not take the place of Python's own modules.
    """
    _check_form(request.module, language)
    task = {"request": request.as_json(), "language": language, "seconds": seconds, "memory_gib": memory_gib}
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as errors:
        done, answer = _run(json.dumps(task), errors, seconds, language)
        return _read_answer(answer, done, _tail(errors), seconds, memory_gib, language)


def _run(task: str, errors: IO[str], seconds: float, language: Language) -> tuple[int, str]:
    """Exit code and output of the worker. Whatever it started ends with it, and cannot keep us waiting: what the user's code
    prints goes elsewhere (worker.py), its errors into a file.

    `-P`: files of the folder one stands in (`random.py`, `imp.py`) must not take the place of Python's own modules.
    """
    root = str(Path(__file__).resolve().parents[2])
    paths = os.pathsep.join([root, *filter(None, [os.environ.get("PYTHONPATH")])])
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "tools.trace.worker"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True,
        encoding="utf-8", env=os.environ | {"PYTHONPATH": paths}, start_new_session=True,
    )  # fmt: skip
    try:
        answer, _ = process.communicate(task, timeout=seconds + 5)
    except subprocess.TimeoutExpired as error:
        raise InputError(say(phrase_table(), "out_of_time", language, seconds=f"{seconds:g}")) from error
    finally:
        _end(process)
    return process.returncode, answer


def _end(process: subprocess.Popen[str]) -> None:
    """Ends the worker's own session, what it started included."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (AttributeError, OSError):  # no process groups here, or all are gone
        process.kill()
    process.wait()


def _tail(errors: IO[str]) -> str:
    errors.seek(0, os.SEEK_END)
    errors.seek(max(0, errors.tell() - LONGEST_TAIL))
    return errors.read()


def _check_form(module: str, language: Language) -> None:
    """The file is looked for here, so that a slip costs no process."""
    path, colon, factory = module.rpartition(":")
    if not colon or not path.endswith(".py") or not factory.isidentifier():
        raise InputError(say(phrase_table(), "module_form", language, module=repr(module[:80])))
    if not Path(path).is_file():
        raise InputError(say(phrase_table(), "module_missing", language, path=path[:200]))


def _read_answer(
    answer: str, code: int, errors: str, seconds: float, memory_gib: float, language: Language
) -> TraceResult:
    try:
        found = json.loads(answer)
        if "error" in found:
            raise InputError(str(found["error"]))
        return TraceResult.from_json(found["result"])
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(_reason(code, errors, seconds, memory_gib, language)) from error


def _reason(code: int, errors: str, seconds: float, memory_gib: float, language: Language) -> str:
    table = phrase_table()
    if code in (-24, -9, 152):  # SIGXCPU; SIGKILL after the hard limit
        return say(table, "out_of_time", language, seconds=f"{seconds:g}")
    if "MemoryError" in errors or "bad_alloc" in errors:
        return say(table, "out_of_memory", language, gib=f"{memory_gib:g}")
    tail = errors.strip().rpartition("\n")[2][:LONGEST_REASON] or f"code {code}"
    return say(table, "worker_failed", language, reason=tail)
