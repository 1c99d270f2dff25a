import json
import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from filelock import FileLock

from knowledge.embed import HashingEmbedder
from knowledge.errors import KnowledgeUnavailable
from knowledge.store import open_store, read_current, stamp_of
from knowledge.vectors import Entry

ENTRIES = [Entry(f"e{n}", n, "passage", f"a{n} b{n} c{n}", "guide") for n in range(30)] + [
    Entry("card", 30, "passage", "card of gn7i", "family")
]


class Renamed(HashingEmbedder):
    name = "other:256"


class Narrow(HashingEmbedder):
    dimension = 64


def _build(folder: Path) -> Path:
    return folder / str(read_current(folder)["build"])


def _nearest(folder: Path, text: str) -> int:
    embedder = HashingEmbedder()
    store = open_store(folder, ENTRIES, embedder)
    return store.search(embedder.queries([text])[0], k=3)[0][0]


def test_a_store_finds_the_nearest_entry(tmp_path: Path) -> None:
    assert _nearest(tmp_path, "a7 b7 c7") == 7
    assert _nearest(tmp_path, "card of gn7i") == 30


def test_kinds_limit_what_is_found(tmp_path: Path) -> None:
    embedder = HashingEmbedder()
    store = open_store(tmp_path, ENTRIES, embedder)
    vector = embedder.queries(["card of gn7i"])[0]
    assert {n for n, _ in store.search(vector, k=50, kinds={"guide"})} == set(range(30))
    assert [n for n, _ in store.search(vector, k=50, kinds={"family"})] == [30]
    assert store.search(vector, k=50, kinds={"gpu", "document"}) == []


def test_cosines_are_exact(tmp_path: Path) -> None:
    embedder = HashingEmbedder()
    store = open_store(tmp_path, ENTRIES, embedder)
    vector = embedder.queries(["a3 b3 more"])[0]
    expected = embedder.passages([entry.text for entry in ENTRIES]) @ vector
    for number, cosine in store.search(vector, k=31):
        assert cosine == pytest.approx(expected[number], abs=0.01)  # int8 on the way


def test_an_unchanged_store_is_opened_not_built(tmp_path: Path) -> None:
    open_store(tmp_path, ENTRIES, HashingEmbedder())
    first = read_current(tmp_path)
    open_store(tmp_path, ENTRIES, HashingEmbedder())
    assert read_current(tmp_path) == first


@pytest.mark.parametrize(
    ("entries", "embedder"),
    [
        ([*ENTRIES[:-1], Entry("card", 30, "passage", "another text", "family")], HashingEmbedder()),
        ([*ENTRIES, Entry("new", 31, "question", "asked?", "guide")], HashingEmbedder()),
        (ENTRIES[:-1], HashingEmbedder()),
        (ENTRIES, Renamed()),
        (ENTRIES, Narrow()),
    ],
    ids=["content", "more", "fewer", "embedder", "dimension"],
)
def test_a_change_builds_anew(
    tmp_path: Path, entries: list[Entry], embedder: HashingEmbedder
) -> None:
    open_store(tmp_path, ENTRIES, HashingEmbedder())
    before = read_current(tmp_path)
    store = open_store(tmp_path, entries, embedder)
    assert read_current(tmp_path)["build"] != before["build"]
    assert store.stamp == stamp_of(entries, embedder) != stamp_of(ENTRIES, HashingEmbedder())
    assert store.search(embedder.queries(["a5 b5 c5"])[0], k=1)[0][0] == 5


def _garbage(build: Path) -> None:
    (build / "chroma.sqlite3").write_bytes(b"garbage" * 999)


def _no_database(build: Path) -> None:
    (build / "chroma.sqlite3").unlink()


def _no_index(build: Path) -> None:
    for folder in build.iterdir():
        if folder.is_dir():
            shutil.rmtree(folder)


def _short_index(build: Path) -> None:
    for file in build.glob("*/data_level0.bin"):
        file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def _gone(build: Path) -> None:
    shutil.rmtree(build)


def _broken_pointer(build: Path) -> None:
    (build.parent / "current.json").write_text("{", encoding="utf-8")


def _hostile_pointer(build: Path) -> None:
    path = build.parent / "current.json"
    current = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**current, "build": "../elsewhere"}), encoding="utf-8")


@pytest.mark.parametrize(
    "break_it",
    [_garbage, _no_database, _no_index, _short_index, _gone, _broken_pointer, _hostile_pointer],
)
def test_a_broken_store_is_built_anew(tmp_path: Path, break_it: Callable[[Path], None]) -> None:
    texts = [f"a{n % 7} b{n % 11} c{n % 13} d{n % 17} e{n}" for n in range(1200)]
    many = [Entry(f"e{n}", n, "passage", text, "guide") for n, text in enumerate(texts)]
    made = tmp_path / "made"
    open_store(made, many, HashingEmbedder())
    copy = tmp_path / "copy"  # Chroma keeps opened databases in memory, so break one it has not seen
    shutil.copytree(made, copy)
    old = _build(copy)
    break_it(old)
    embedder = HashingEmbedder()
    found = open_store(copy, many, embedder).search(embedder.queries([texts[777]])[0], k=3)
    assert [cosine for _, cosine in found[:1]] == [pytest.approx(1, abs=0.001)]
    assert _build(copy) != old


def test_a_held_lock_is_waited_for_and_then_reported(tmp_path: Path) -> None:
    with (
        FileLock(tmp_path / "lock"),
        pytest.raises(KnowledgeUnavailable, match="another process has been building"),
    ):
        open_store(tmp_path, ENTRIES, HashingEmbedder(), lock_timeout_s=0.05)


def test_an_open_store_needs_no_lock(tmp_path: Path) -> None:
    open_store(tmp_path, ENTRIES, HashingEmbedder())
    with FileLock(tmp_path / "lock"):
        open_store(tmp_path, ENTRIES, HashingEmbedder(), lock_timeout_s=0.05)


def test_two_builders_at_once_end_with_one_sound_build(tmp_path: Path) -> None:
    with ThreadPoolExecutor(2) as pool:
        stores = list(
            pool.map(lambda _: open_store(tmp_path, ENTRIES, HashingEmbedder()), range(2))
        )
    assert len(list(tmp_path.glob("build-*"))) == 1
    vector = HashingEmbedder().queries(["a9 b9 c9"])[0]
    assert [store.search(vector, k=1)[0][0] for store in stores] == [9, 9]


def test_a_folder_that_cannot_be_made_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(KnowledgeUnavailable, match="cannot be written"):
        open_store(tmp_path / "file" / "store", ENTRIES, HashingEmbedder())


def test_vectors_embedded_once_are_kept(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    open_store(tmp_path, ENTRIES, HashingEmbedder(), on_progress=lambda *step: seen.append(step))
    assert seen[-1] == (31, 31)
    seen.clear()
    more = [*ENTRIES, Entry("new", 31, "passage", "one more", "guide")]
    open_store(tmp_path, more, HashingEmbedder(), on_progress=lambda *step: seen.append(step))
    assert seen == [(1, 1)]
    seen.clear()
    open_store(
        tmp_path, more, HashingEmbedder(), fresh=True, on_progress=lambda *step: seen.append(step)
    )
    assert seen == []


def test_embedding_dimension_of_hash_is_stable() -> None:
    assert np.allclose(HashingEmbedder().queries(["显存 OOM"]), HashingEmbedder().passages(["显存 OOM"]))
