"""One assistant for all tests of answers: the shipped knowledge, searched by words and the shipped vectors."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from assistant import Assistant
from assistant.settings import Settings


@pytest.fixture(scope="session")
def assistant(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Assistant]:
    folder: Path = tmp_path_factory.mktemp("xuanka")
    yield Assistant(settings=Settings(data_dir=folder))
