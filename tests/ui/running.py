"""Runs the command: in this process, or as a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from typer.testing import CliRunner, Result

from ui.cli import app

ROOT = Path(__file__).resolve().parents[2]


def run(*arguments: str, stdin: str | None = None) -> Result:
    """The command with these arguments; a bug is raised, not swallowed."""
    return CliRunner().invoke(app, list(arguments), input=stdin, catch_exceptions=False)


def run_json(*arguments: str, exit_code: int = 0, stdin: str | None = None) -> Any:
    """What the command prints with `--json`."""
    result = run(*arguments, "--json", stdin=stdin)
    assert result.exit_code == exit_code, result.output
    return json.loads(result.stdout)


def run_process(
    *arguments: str, stdin: str | bytes = b"", **environment: str
) -> subprocess.CompletedProcess[bytes]:
    """The command as users start it."""
    return subprocess.run(
        [sys.executable, "-m", "ui.cli", *arguments],
        input=stdin.encode() if isinstance(stdin, str) else stdin,
        capture_output=True,
        cwd=ROOT,
        env={**os.environ, **environment},
        timeout=120,
        check=False,
    )


def is_one_sentence(text: str) -> bool:
    """One line that says something, and no traceback."""
    return len(text.strip().splitlines()) == 1 and "Traceback" not in text
