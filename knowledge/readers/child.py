"""Has files parsed by a worker process, one after the other; a worker that dies or takes too long costs one file its reading."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import Any

from .kinds import Kind
from .limits import ReadLimits, ReadText, Unreadable
from .parse import FORMS

WORKER = "knowledge.readers.worker"


class Parser:
    """Starts its worker at the first file and ends it on leaving. One thread at a time."""

    def __init__(self, limits: ReadLimits) -> None:
        self.limits = limits
        self._worker: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Parser:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.end()

    def parse(self, data: bytes, kind: Kind) -> ReadText:
        """The text of `data`. Raises Unreadable: for what the worker says, or because it ran out of time or died."""
        worker = self._started()
        answers: list[bytes] = []
        talk = threading.Thread(target=self._talk, args=(worker, data, kind, answers), daemon=True)
        talk.start()
        talk.join(self.limits.seconds)
        form = FORMS.get(kind, kind)
        if talk.is_alive():
            self.end()
            raise Unreadable("out_of_time", form=form, limit=f"{self.limits.seconds:g}")
        try:
            found: dict[str, Any] = json.loads(answers[0])
        except (IndexError, ValueError) as error:
            self.end()
            raise Unreadable("failed", form=form, reason="the reader ended") from error
        if found.get("code") in ("out_of_memory", "failed"):
            self.end()  # a worker after such a fall is not to be trusted with the next file
        if "code" in found:
            raise Unreadable(found["code"], **found["details"])
        return ReadText(**found)

    def end(self) -> None:
        """Ends the worker and whatever it started."""
        worker, self._worker = self._worker, None
        if worker is None:
            return
        try:
            os.killpg(worker.pid, signal.SIGKILL)
        except (AttributeError, OSError):  # no process groups here, or all are gone
            worker.kill()
        worker.wait()
        for pipe in (worker.stdin, worker.stdout):
            if pipe:
                with contextlib.suppress(OSError):
                    pipe.close()

    def _started(self) -> subprocess.Popen[bytes]:
        """`-P`: files of the folder one stands in must not take the place of Python's own modules."""
        if self._worker is None or self._worker.poll() is not None:
            self.end()
            root = str(Path(__file__).resolve().parents[2])
            paths = os.pathsep.join([root, *filter(None, [os.environ.get("PYTHONPATH")])])
            self._worker = subprocess.Popen(
                [sys.executable, "-P", "-m", WORKER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                env=os.environ | {"PYTHONPATH": paths}, start_new_session=True,
            )  # fmt: skip
        return self._worker

    def _talk(self, worker: subprocess.Popen[bytes], data: bytes, kind: Kind, answers: list[bytes]) -> None:
        """Sends a task and waits for its answer; ends by itself when the worker is ended."""
        task = {"kind": kind, "bytes": len(data), "limits": asdict(self.limits)}
        assert worker.stdin and worker.stdout
        with contextlib.suppress(OSError, ValueError):
            worker.stdin.write(json.dumps(task).encode("ascii") + b"\n")
            worker.stdin.write(data)
            worker.stdin.flush()
            answers.append(worker.stdout.readline())
