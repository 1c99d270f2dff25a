"""Commands search by words and speak English unless a test says otherwise."""

from __future__ import annotations

import pytest

LOCALE = ("LC_ALL", "LC_MESSAGES", "NO_COLOR", "FORCE_COLOR")


@pytest.fixture(autouse=True)
def plain_session(clean_environment: None, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in LOCALE:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LANG", "en_US.UTF-8")
    monkeypatch.setenv("XUANKA_EMBEDDER", "none")
