"""Every test runs with a clean environment, an empty data folder of its own, and no network."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

LOCAL = {None, "", "localhost", "127.0.0.1", "::1", b"localhost", b"127.0.0.1", b"::1"}
OF_PROVIDERS = ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_API_BASE", "DASHSCOPE_API_KEY", "DEEPSEEK_API_KEY", "SILICONFLOW_API_KEY", "OLLAMA_HOST")
"""Variables of providers of chat models that the settings read too."""
SWITCHED_OFF = {
    "HF_HUB_OFFLINE": "1",
    "GRADIO_ANALYTICS_ENABLED": "False",
    "LANGSMITH_TRACING": "false",
    "ANONYMIZED_TELEMETRY": "False",
    "XUANKA_STALE_AFTER_DAYS": "0",  # no test depends on today's date; staleness is tested by dates that are given
}


class NetworkBlocked(RuntimeError):
    """Not an OSError: libraries retry those, and the test would only be slow."""


def pytest_configure() -> None:
    # An audit hook sees every connect and look-up of the process, C extensions of Python included.
    sys.addaudithook(_refuse_network)


@pytest.fixture(scope="session", autouse=True)
def data_folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Iterator[Path]]:
    """New empty folders, one after the other. The first is for fixtures of wider scope than one test."""
    # not mktemp for each: it lists all folders made before
    folders = _numbered(tmp_path_factory.mktemp("data"))
    with pytest.MonkeyPatch.context() as patch:
        _clean(patch, next(folders))
        yield folders
    _forget_settings()


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch, data_folders: Iterator[Path]) -> None:
    """No XUANKA_ variable but the data folder, which is new and empty, and the switch of staleness; the shipped catalog."""
    _clean(monkeypatch, next(data_folders))
    if module := sys.modules.get("knowledge.active"):
        module.use_snapshots(None)
    if module := sys.modules.get("tools.site"):
        module.use_site("cn")


def _numbered(parent: Path) -> Iterator[Path]:
    for number in count():
        folder = parent / str(number)
        folder.mkdir()
        yield folder


def _clean(patch: pytest.MonkeyPatch, data: Path) -> None:
    for name in [name for name in os.environ if name.upper().startswith("XUANKA_") or name in OF_PROVIDERS]:
        patch.delenv(name)
    for name, value in SWITCHED_OFF.items():
        patch.setenv(name, value)
    patch.setenv("XUANKA_DATA_DIR", str(data))
    _forget_settings()


def _forget_settings() -> None:
    """Settings are read once a process; only if they were read already is there something to forget."""
    if module := sys.modules.get("assistant.settings"):
        module.read_settings.cache_clear()


def _refuse_network(event: str, args: tuple[Any, ...]) -> None:
    if event in {"socket.connect", "socket.sendto", "socket.sendmsg"}:
        address = args[1]
        host = address[0] if isinstance(address, tuple) else None  # a path: a unix socket
    elif event in {"socket.getaddrinfo", "socket.gethostbyname"}:
        host = args[0]
    else:
        return
    if host not in LOCAL:
        raise NetworkBlocked(f"a test asked for {host!r}: tests speak to this machine alone")
