"""The process that parses: `python -m knowledge.readers.worker`. Foreign files meet their libraries here, under limits of time and memory.

Task on stdin: one line of JSON {"kind", "bytes", "limits"}, then that many bytes. Answer on stdout: one line of JSON, the fields of
ReadText or {"code", "details"} of Unreadable. Tasks follow one another until stdin ends.
"""

from __future__ import annotations

import gc
import json
import os
import sys
from dataclasses import asdict
from typing import IO, Any

from .limits import ReadLimits, Unreadable
from .parse import FORMS, parse

SPARE_S = 2


def main(tasks: IO[bytes], answers: IO[bytes]) -> None:
    while line := tasks.readline():
        task = json.loads(line)
        data = tasks.read(task["bytes"])
        answers.write(json.dumps(_answer(task, data)).encode("ascii") + b"\n")
        answers.flush()
        gc.collect()


def _answer(task: dict[str, Any], data: bytes) -> dict[str, Any]:
    limits = ReadLimits(**task["limits"])
    _limit(limits)
    form = FORMS.get(task["kind"], task["kind"])
    try:
        return asdict(parse(data, task["kind"], limits))
    except Unreadable as cause:
        return {"code": cause.code, "details": cause.details}
    except MemoryError:
        return {"code": "out_of_memory", "details": {"form": form, "limit": f"{limits.memory_bytes // 2**20:,}"}}
    except Exception as error:  # whatever a library makes of a broken file: the file is at fault, and the others are still read
        return {"code": "failed", "details": {"form": form, "reason": type(error).__name__}}


def _limit(limits: ReadLimits) -> None:
    """Processor time from now on, address space, and no file written, where the system knows such limits."""
    try:
        import resource
    except ImportError:
        return
    used = resource.getrusage(resource.RUSAGE_SELF)
    seconds = int(used.ru_utime + used.ru_stime + limits.seconds) + SPARE_S
    _set(resource.RLIMIT_CPU, seconds)
    _set(resource.RLIMIT_AS, limits.memory_bytes)
    _set(resource.RLIMIT_FSIZE, 0)
    _set(resource.RLIMIT_CORE, 0)


def _set(kind: int, value: int) -> None:
    """The soft limit, as far as the hard one lets it be; systems that refuse one keep the others."""
    import contextlib
    import resource

    with contextlib.suppress(ValueError, OSError):
        _, hard = resource.getrlimit(kind)
        soft = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(kind, (soft, hard))


def own_output() -> IO[bytes]:
    """The real stdout for the answers alone; what a library prints goes nowhere."""
    out = os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    os.close(nowhere)
    return out


if __name__ == "__main__":
    main(sys.stdin.buffer, own_output())
