from collections.abc import Callable
from pathlib import Path

import pytest

from knowledge.chunks import Passage, guide_passages
from knowledge.documents import read_guides
from knowledge.meaning import EmbedderChoice
from knowledge.search import Library

FIXTURES = Path(__file__).parent / "fixtures" / "guides"


@pytest.fixture(scope="session")
def fruit() -> tuple[Passage, ...]:
    """Passages of the fixture guides."""
    return tuple(p for guide in read_guides(FIXTURES) for p in guide_passages(guide))


@pytest.fixture
def library(fruit: tuple[Passage, ...], tmp_path: Path) -> Callable[..., Library]:
    """A library of the fixture guides; words alone unless an embedder is named."""

    def make(embedder: str = "none") -> Library:
        return Library(tmp_path, passages=fruit, embedder=EmbedderChoice(embedder))

    return make
