"""`xuanka doctor`: is this installation whole? One line a check, with the way out. Exit code 2 when one fails."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import typer

from knowledge.errors import XuankaError

from .options import Json, Lang
from .speech import choose_language, say

if TYPE_CHECKING:
    from assistant.settings import Settings
    from knowledge.search import LibraryStatus
    from tools.phrases import Language

PACKAGES = ("assistant", "knowledge", "tools", "ui", "evals")
LIBRARIES = ("chromadb", "langchain", "langgraph", "numpy", "platformdirs", "pydantic", "pydantic_settings", "rapidfuzz", "rich", "typer")
DISTRIBUTION = "xuanka"
OLDEST_PYTHON = (3, 11)
MARKS = {"ok": "✓", "warn": "!", "fail": "✗"}


@dataclass(frozen=True)
class Finding:
    """The result of one check. `way_out` is empty when all is well."""

    check: str
    state: Literal["ok", "warn", "fail"]
    detail: str
    way_out: str = ""


def doctor(lang: Lang = None, as_json: Json = False) -> None:
    """Check the installation."""
    language = choose_language(lang)
    findings = list(examine(language))
    worst = "fail" if any(item.state == "fail" for item in findings) else "ok"
    if as_json:
        from .screen import show_json

        show_json({"ok": worst != "fail", "checks": [asdict(item) for item in findings]})
    else:
        for item in findings:
            print(f"{MARKS[item.state]} {say(f'doctor.{item.state}', language)}  {item.check}: {item.detail}")
            if item.way_out:
                print("    " + say("doctor.way_out", language, way=item.way_out))
    if worst == "fail":
        raise typer.Exit(2)


def examine(language: Language = "en") -> Iterator[Finding]:
    """All checks in order; one that breaks down is a failure of its own and does not stop the rest."""
    checks: dict[str, Callable[[], Finding]] = {
        "python": _python,
        "libraries": _libraries,
        "names": _names,
        "tables": _tables,
        "catalog": partial(_catalog, language),
        "settings": partial(_settings, language),
        "llm": partial(_llm, language),
        "index": partial(_index, language),
    }
    for name, check in checks.items():
        try:
            yield check()
        except XuankaError as error:
            yield Finding(name, "fail", str(error), "correct what the sentence names, then run this again")
        except Exception as error:  # a doctor must survive what it examines
            yield Finding(name, "fail", f"{type(error).__name__}: {error}", "pip install --force-reinstall xuanka")


def _python() -> Finding:
    version = ".".join(map(str, sys.version_info[:3]))
    if sys.version_info[:2] < OLDEST_PYTHON:
        return Finding("python", "fail", version, "install Python 3.11 or later")
    return Finding("python", "ok", f"{version} ({sys.executable})")


def _libraries() -> Finding:
    from importlib.metadata import PackageNotFoundError, version
    from importlib.util import find_spec

    missing = [name for name in LIBRARIES if find_spec(name) is None]
    if missing:
        return Finding("libraries", "fail", f"missing: {', '.join(missing)}", f"pip install {' '.join(missing)}")
    try:
        own = version(DISTRIBUTION)
    except PackageNotFoundError:
        own = "run from its source folder"
    return Finding("libraries", "ok", f"{len(LIBRARIES)} found; {DISTRIBUTION} {own}")


def _names() -> Finding:
    """Whether another distribution has brought a package of one of our names, which would hide ours."""
    from importlib.metadata import packages_distributions

    owners = packages_distributions()
    foreign = {
        name: others for name in PACKAGES if (others := sorted(set(owners.get(name, [])) - {DISTRIBUTION}))
    }
    if foreign:
        listed = "; ".join(f"{name} from {', '.join(others)}" for name, others in foreign.items())
        names = " ".join(sorted({other for others in foreign.values() for other in others}))
        return Finding("names", "fail", f"packages of the same name: {listed}", f"pip uninstall {names}, or use an environment of its own")
    return Finding("names", "ok", ", ".join(PACKAGES))


def _tables() -> Finding:
    from knowledge import facts
    from tools.prices import all_prices

    for load in (facts.sources, facts.regions, facts.models, facts.precisions, facts.claims, facts.billing_facts):
        load()
    priced = sum(bool(all_prices(name)) for name in facts.instances())
    detail = (
        f"{len(facts.instances())} instance types ({priced} with a price), {len(facts.families())} families, "
        f"{len(facts.gpus())} cards, {len(facts.models())} models"
    )
    return Finding("tables", "ok", detail)


def _catalog(language: Language) -> Finding:
    """Which catalog is in use, how old it is, and how the last refresh failed if it did."""
    from datetime import date

    from assistant.catalog_in_use import snapshot_folder, use_catalog
    from assistant.settings import read_settings
    from knowledge.refresh.shelf import last_failure
    from tools.freshness import catalog_in_use, staleness

    settings = read_settings()
    use_catalog(settings.data_dir, settings.site)
    detail = catalog_in_use(date.today(), language=language).sentence
    if broken := _broken_snapshot(snapshot_folder(settings.data_dir)):
        return Finding("catalog", "warn", f"{detail} {broken}", say("way.refresh", language))
    if failure := last_failure(snapshot_folder(settings.data_dir)):
        said = say("doctor.last_failure", language, at=failure.get("at", "?"), sentence=failure.get("sentence", ""))
        return Finding("catalog", "warn", f"{detail} {said}", say("way.refresh", language))
    old = staleness(date.today(), settings.stale_after_days, language=language)
    return Finding("catalog", "warn" if old else "ok", detail, say("way.refresh", language) if old else "")


def _broken_snapshot(folder: Path) -> str:
    """Why the newest snapshot of the folder is not in use; empty if it is, or if there is none."""
    from knowledge.errors import DataError
    from knowledge.snapshots import SnapshotFiles, list_snapshots

    for path in list_snapshots(folder)[:1]:
        try:
            SnapshotFiles(path)
        except DataError as error:
            return str(error)
    return ""


def _settings(language: Language) -> Finding:
    from assistant.settings import read_settings

    settings = read_settings()
    folder = settings.data_dir
    if error := folder_fault(folder):
        detail = f"{folder} cannot be written ({error.strerror}); search goes by words, conversations are not kept"
        return Finding("settings", "warn", detail, way_to_write(folder, error, language))
    return Finding("settings", "ok", f"region {settings.region}, data in {folder}")


def _llm(language: Language) -> Finding:
    from .doctor_llm import examine_llm

    return examine_llm(language)


def _index(language: Language) -> Finding:
    from assistant.library import open_library
    from assistant.settings import read_settings

    settings = read_settings()
    status = open_library(settings).status()
    detail = f"{status.passages} passages, embedder {status.embedder}"
    if status.vectors:
        return Finding("index", "ok", f"{detail}, {status.folder}")
    if settings.embedder == "none":
        return Finding("index", "ok", f"{status.passages} passages, searched by words as set")
    way = way_to_vectors(status, settings, language)
    return Finding("index", "warn", f"{detail}; no vectors: {status.reason}", way)


def way_to_vectors(status: LibraryStatus, settings: Settings, language: Language) -> str:
    """What to do about an index that cannot be opened, by the cause that is found."""
    kind = settings.embedder.partition(":")[0]
    # An embedder that was opened has a longer name than its setting; those of two kinds are the same.
    if status.embedder == settings.embedder and kind not in ("st", "hash"):
        return say("way.embedder", language, embedder=settings.embedder)
    folder = Path(status.folder) / "vectors"
    if error := folder_fault(folder):
        return way_to_write(folder, error, language)
    return say("way.embedder" if kind == "st" else "way.rebuild", language, embedder=settings.embedder)


def folder_fault(folder: Path) -> OSError | None:
    """Why nothing can be written into a folder, which is made if need be; None if it can."""
    import tempfile

    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"x" * 4096)
    except OSError as error:
        return error
    return None


def way_to_write(folder: Path, error: OSError, language: Language) -> str:
    """What to do about a folder that takes no files."""
    import errno

    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return say("way.full", language, folder=folder)
    blocking = next((path for path in [folder, *folder.parents] if _is_no_folder(path)), None)
    if blocking is not None:
        return say("way.file", language, file=blocking)
    return say("way.folder", language, folder=folder)


def _is_no_folder(path: Path) -> bool:
    try:
        return path.exists() and not path.is_dir()
    except OSError:  # in a folder that may not be entered
        return False
