"""The map in AGENTS.md names every module, and nothing that is not there."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("assistant", "knowledge", "tools", "ui", "evals")
LINE = re.compile(r"^(?P<path>[\w./-]+) +— (?P<what>\S.*)$")


def read_map() -> dict[str, str]:
    """Path → what it is, from the first fenced block of AGENTS.md."""
    block = (ROOT / "AGENTS.md").read_text(encoding="utf-8").split("```")[1]
    lines = [line for line in block.splitlines() if line.strip() and line != "text"]
    found = [LINE.match(line) for line in lines]
    broken = [line for line, match in zip(lines, found, strict=True) if not match]
    assert not broken, f"not of the form `path — what it is`: {broken}"
    paths = [match["path"] for match in found if match]
    assert max(Counter(paths).values()) == 1
    return {match["path"]: match["what"] for match in found if match}


@pytest.mark.parametrize("package", PACKAGES)
def test_every_module_is_in_the_map(package: str) -> None:
    files = {path.relative_to(ROOT).as_posix() for path in (ROOT / package).rglob("*.py")}
    # an __init__.py is told by the line of its folder
    expected = {name for name in files if not name.endswith("/__init__.py")}
    folders = {f"{Path(name).parent.as_posix()}/" for name in files}
    assert sorted((expected | folders) - read_map().keys()) == []


def test_every_folder_of_data_is_in_the_map() -> None:
    data = {
        f"{path.parent.relative_to(ROOT).as_posix()}/"
        for package in PACKAGES
        for path in (ROOT / package).rglob("*")
        if path.is_file() and path.suffix in {".csv", ".jsonl", ".toml", ".md", ".npz"}
    }
    assert sorted(data - read_map().keys()) == []


def test_every_path_of_the_map_exists() -> None:
    wrong = [
        path
        for path in read_map()
        if not ((ROOT / path).is_dir() if path.endswith("/") else (ROOT / path).is_file())
    ]
    assert wrong == []
