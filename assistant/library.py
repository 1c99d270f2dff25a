"""Opens the knowledge library that the settings describe."""

from __future__ import annotations

from typing import TYPE_CHECKING

from knowledge.search import Library

if TYPE_CHECKING:
    from .settings import Settings


def open_library(settings: Settings) -> Library:
    """The library in the data folder. Reads nothing yet; vectors are opened at the first search."""
    key = settings.embedding_api_key
    return Library.open(
        settings.data_dir / "index",
        embedder=settings.embedder,
        threads=settings.threads,
        base_url=settings.embedding_base_url,
        api_key=key.get_secret_value() if key else None,
    )
