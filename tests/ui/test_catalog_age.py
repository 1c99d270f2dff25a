"""Commands over a refreshed catalog: it is used, and an old one is said in one line on standard error."""

from __future__ import annotations

import json
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from assistant.catalog_in_use import snapshot_folder
from assistant.settings import read_settings
from knowledge.snapshots import write_snapshot
from tests.knowledge.snapshot_samples import A10, price, snapshot

from .running import run

NAME = A10.instance_type
COMMANDS = [
    ["instances", "show", NAME],
    ["instances", "find", "--gpu", "A10"],
    ["price", NAME],
    ["price", NAME, "--json"],
    ["size", "llm", "--model", "Qwen2.5-7B"],
    ["check", "gn7i has A10."],
]


@pytest.fixture
def folder() -> Path:
    return snapshot_folder(read_settings().data_dir)


def taken(folder: Path, moment: str = "2020-01-01T00:00:00Z") -> None:
    new = replace(A10, instance_type="ecs.gn7i-c77g1.2xlarge", vcpu=77)
    write_snapshot(folder, snapshot(moment, types=(A10, new), prices=(price(amount=Decimal("8.88")),)))


@pytest.mark.parametrize("arguments", COMMANDS)
def test_an_old_catalog_is_said_once(folder: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str]) -> None:
    taken(folder)
    monkeypatch.setenv("XUANKA_STALE_AFTER_DAYS", "30")
    for language, words in (("zh", "最近一次更新"), ("en", "last refreshed")):
        done = run(*arguments, "--lang", language)
        assert done.exit_code in (0, 1)
        assert len(done.stderr.splitlines()) == 1
        assert words in done.stderr
        assert "2020-01-01" in done.stderr
        assert words not in done.stdout
        if "--json" in arguments:
            json.loads(done.stdout)
    monkeypatch.setenv("XUANKA_STALE_AFTER_DAYS", "0")
    assert run(*arguments).stderr == ""


def test_the_refresh_is_used(folder: Path) -> None:
    assert run("instances", "show", "ecs.gn7i-c77g1.2xlarge").exit_code == 2
    taken(folder, "2026-12-05T00:00:00Z")
    shown = run("instances", "show", "ecs.gn7i-c77g1.2xlarge", "--lang", "en")
    assert shown.exit_code == 0
    assert "2026-12-05" in shown.stdout
    assert "8.88" in run("price", NAME).stdout


def test_a_card_that_is_not_known_is_one_sentence(folder: Path) -> None:
    odd = replace(A10, instance_type="ecs.gn77z.large", family="gn77z", gpu_spec="NVIDIA Q9")
    write_snapshot(folder, snapshot(types=(odd,)))
    for language in ("zh", "en"):
        done = run("instances", "show", odd.instance_type, "--lang", language)
        assert done.exit_code == 2
        assert "NVIDIA Q9" in done.stderr
        assert "2026-12-05" in done.stderr
        assert len(done.stderr.splitlines()) == 1


def catalog_line(language: str) -> str:
    report = json.loads(run("doctor", "--json", "--lang", language).stdout)
    found = next(item for item in report["checks"] if item["check"] == "catalog")
    return f"{found['state']}: {found['detail']} {found['way_out']}"


def test_doctor_tells_which_catalog_is_in_use(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "2026-11-30" in catalog_line("en")
    taken(folder, "2026-12-05T00:00:00Z")
    for language in ("zh", "en"):
        line = catalog_line(language)
        assert line.startswith("ok")
        assert "2026-12-05" in line
        assert "cn-hangzhou" in line
    (folder / "last_failure.json").write_text(json.dumps({"at": "2026-12-06T00:00:00Z", "sentence": "Throttled."}), encoding="utf-8")
    line = catalog_line("en")
    assert line.startswith("warn")
    assert "Throttled." in line
    assert "xuanka refresh" in line


def test_doctor_names_a_broken_snapshot(folder: Path) -> None:
    taken(folder, "2026-12-05T00:00:00Z")
    taken(folder, "2026-12-06T00:00:00Z")
    table = folder / "2026-12-06T00-00-00Z" / "prices.csv"
    table.write_text("x", encoding="utf-8")
    line = catalog_line("en")
    assert line.startswith("warn")
    assert "2026-12-05" in line
    assert "prices.csv" in line


def test_an_old_catalog_is_a_warning_of_doctor(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    taken(folder)
    monkeypatch.setenv("XUANKA_STALE_AFTER_DAYS", "30")
    read_settings.cache_clear()
    assert catalog_line("zh").startswith("warn")


def test_a_setting_that_cannot_be_used_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XUANKA_STALE_AFTER_DAYS", "soon")
    done = run("price", NAME)
    assert done.exit_code == 2
    assert "XUANKA_STALE_AFTER_DAYS" in done.stderr
    assert json.loads(run("doctor", "--json").stdout)["ok"] is False, "doctor survives what it examines"
