"""`xuanka doctor`: is this installation whole? One line a check, with the way out. Exit code 2 when one fails."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Literal

import typer

from knowledge.errors import XuankaError

from .options import Json, Lang
from .speech import choose_language, say

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
    findings = list(examine())
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


def examine() -> Iterator[Finding]:
    """All checks in order; one that breaks down is a failure of its own and does not stop the rest."""
    checks: dict[str, Callable[[], Finding]] = {
        "python": _python,
        "libraries": _libraries,
        "names": _names,
        "tables": _tables,
        "settings": _settings,
        "llm": _llm,
        "index": _index,
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
        f"{len(facts.gpus())} cards, {len(facts.models())} models; read {facts.CATALOG_READ_ON}"
    )
    return Finding("tables", "ok", detail)


def _settings() -> Finding:
    import tempfile

    from assistant.settings import read_settings

    settings = read_settings()
    folder = settings.data_dir
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        way = "set XUANKA_DATA_DIR to a folder that can be written"
        return Finding("settings", "warn", f"{folder} cannot be written ({error.strerror}); search goes by words", way)
    return Finding("settings", "ok", f"region {settings.region}, data in {folder}")


def _llm() -> Finding:
    from importlib.util import find_spec

    from assistant.settings import read_settings

    name = read_settings().llm
    if name == "offline":
        return Finding("llm", "ok", "offline (rules; no key, no network)")
    provider, _, model = name.partition(":")
    if not model:
        return Finding("llm", "fail", f"{name!r} is not provider:name", "set XUANKA_LLM to offline or e.g. openai:qwen-plus")
    package = f"langchain_{provider}".replace("-", "_")
    if find_spec(package) is None:
        return Finding("llm", "fail", f"{name}: package {package} is missing", f"pip install {package.replace('_', '-')}")
    return Finding("llm", "ok", name)


def _index() -> Finding:
    from assistant.library import open_library
    from assistant.settings import read_settings

    settings = read_settings()
    status = open_library(settings).status()
    detail = f"{status.passages} passages, embedder {status.embedder}"
    if status.vectors:
        return Finding("index", "ok", f"{detail}, {status.folder}")
    if settings.embedder == "none":
        return Finding("index", "ok", f"{status.passages} passages, searched by words as set")
    way = "run `xuanka docs rebuild`, or set XUANKA_EMBEDDER=none to search by words"
    return Finding("index", "warn", f"{detail}; no vectors: {status.reason}", way)
