"""Kills a refresh at every point at which it touches a file or asks the cloud, and goes on from there: `python killed.py FOLDER`.

Each refresh runs in a process of its own, forked from this one, which has no threads. The audit hook of Python sees each
file that is opened, made, moved or removed; the process ends itself there without a word to anyone (SIGKILL).
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

from knowledge.refresh.worker import refresh
from knowledge.snapshot_rows import Snapshot
from knowledge.snapshots import newest_snapshot
from tests.knowledge.refresh.shop import KNOWN, NOW, REQUEST, Shop

TOUCHES = ("open", "os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.chmod", "os.truncate", "os.scandir", "os.listdir")
OLD, NEW = "8", "9.9"
STEPS = 10


@dataclass
class MortalShop(Shop):
    """A call is a moment to be killed at as well. Calls are counted in a pipe, which outlives the caller."""

    pipe: int = 0

    def _called(self, method: str, region: str, name: str = "") -> None:
        sys.audit("shop.called", method)
        super()._called(method, region, name)
        os.write(self.pipe, b".")


def take(folder: Path, shop: Shop, *, hours: float) -> Snapshot:
    report = refresh(shop, REQUEST, folder=folder, known=KNOWN, clock=lambda: NOW + timedelta(hours=hours))
    return report.snapshot


def die_at(moment: int, folder: Path) -> tuple[bool, int]:
    """Runs a refresh that is killed at its moment-th touch; whether it was, and how many calls it had answers for."""
    ours, theirs = os.pipe()
    child = os.fork()
    if not child:
        left = [moment]

        def count(event: str, args: tuple[Any, ...]) -> None:
            if event == "shop.called" or (event in TOUCHES and str(folder) in str(args[0])):
                left[0] -= 1
                if not left[0]:
                    os.kill(os.getpid(), signal.SIGKILL)

        sys.addaudithook(count)
        take(folder, MortalShop(amount=NEW, pipe=theirs), hours=2)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0, status
    os.close(theirs)
    with os.fdopen(ours, "rb") as pipe:
        return os.WIFSIGNALED(status), len(pipe.read())


def amounts(snapshot: Snapshot | None) -> set[str]:
    assert snapshot is not None, "no snapshot can be read"
    return {str(row.amount) for row in snapshot.prices}


def main(parent: Path) -> int:
    """The number of moments that were tried."""
    undisturbed = take(parent / "undisturbed", Shop(amount=NEW), hours=2)
    moment = 0
    while True:
        moment += 1
        folder = parent / str(moment)
        take(folder, Shop(amount=OLD), hours=0)
        killed, answered = die_at(moment, folder)
        found = amounts(newest_snapshot(folder))
        assert found in ({OLD}, {NEW}), f"moment {moment}"
        second = Shop(amount=NEW)
        report = refresh(second, REQUEST, folder=folder, known=KNOWN, clock=lambda: NOW + timedelta(hours=3))
        assert report.resumed + len(second.calls) == STEPS, f"moment {moment}"
        if found == {OLD}:  # all that was answered is kept, but for a last answer that was not written down yet
            assert report.resumed in (answered, answered - 1), f"moment {moment}: {answered} answers, {report.resumed} kept"
        assert replace(report.snapshot, manifest=undisturbed.manifest) == undisturbed, f"moment {moment}"
        left = {path.name for path in folder.iterdir()} - {".lock", ".work"}
        assert not any(name.startswith(".half") or "failure" in name for name in left), f"moment {moment}: {left}"
        shutil.rmtree(folder)
        if not killed:
            return moment


if __name__ == "__main__":
    sys.stdout.write(f"{main(Path(sys.argv[1]))}\n")
