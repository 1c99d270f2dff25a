import re

from hypothesis import given
from hypothesis import strategies as st

from knowledge.chunks import (
    MAX_WIDTH,
    Passage,
    document_passages,
    guide_passages,
    language_of,
    split_text,
    width,
)
from knowledge.documents import parse_guide

TEXTS = st.text(alphabet=st.sampled_from(list("显存云盘。！？，ab c.\n；A1\t")), max_size=3000)


def test_long_text_is_cut_at_sentence_ends_in_both_languages() -> None:
    for sentence in ("显存不够时先减小每卡批量，再用梯度累积补回来。", "Make the batch smaller first, then accumulate. "):
        pieces = split_text(sentence * 60)
        assert len(pieces) > 1
        assert all(piece.rstrip().endswith(("。", ".")) for piece in pieces)
        assert all(width(piece) <= MAX_WIDTH for piece in pieces)


def test_chinese_pieces_hold_about_400_characters_and_latin_ones_900() -> None:
    assert len(split_text("云" * 2000)[0]) == 400
    assert len(split_text("a" * 2000)[0]) == 900


def test_a_decimal_point_is_no_sentence_end() -> None:
    pieces = split_text("The card shows 22.07 GiB of memory. " * 60, max_width=100)
    assert not [piece for piece in pieces if piece.startswith("07")]


@given(TEXTS)
def test_splitting_loses_nothing_and_keeps_the_limit(text: str) -> None:
    pieces = split_text(text)
    assert re.sub(r"\s", "", "".join(pieces)) == re.sub(r"\s", "", text)
    assert all(piece.strip() and width(piece) <= MAX_WIDTH for piece in pieces)


def test_questions_stand_with_the_first_piece_of_a_section_only() -> None:
    guide = parse_guide(
        "---\nid: long\ntitle: T\nlang: zh\norigin: o\npublished:\ntrust: blog\ntopics: [disk]\n---\n"
        "## 很长 {#long}\n> sources: o\n> asked_as: 多长？ | 有多长\n> point: 很长。\n\n" + "一句话。" * 300,
        name="long.md",
    )
    passages = guide_passages(guide)
    assert [p.passage_id for p in passages] == [f"guide:long#long:zh:{n}" for n in range(len(passages))]
    assert len(passages) > 1
    assert [bool(p.asked_as) for p in passages] == [True] + [False] * (len(passages) - 1)
    assert {p.key for p in passages} == {"guide:long#long"}
    assert {p.point for p in passages} == {"很长。"}


def test_a_document_is_cut_by_heading() -> None:
    text = "Preface.\n# A\nfirst\n## B\nsecond\n```\n# not a heading\n```\n# C\nthird\n"
    found = document_passages(text, document_id="d1", title="Doc", lang="en")
    assert [p.heading_path for p in found] == [("Doc",), ("Doc", "A"), ("Doc", "A", "B"), ("Doc", "C")]
    assert "# not a heading" in found[2].text
    assert {p.source_ids for p in found} == {("d1",)}
    assert len({p.key for p in found}) == len(found)


@given(st.text(max_size=500))
def test_any_document_gives_passages_with_ids_of_their_own(text: str) -> None:
    found = document_passages(text, document_id="d", title="t", lang="zh")
    assert len({p.passage_id for p in found}) == len(found)
    assert all(p.text.strip() for p in found)


def test_twins_share_a_key() -> None:
    ids = {"guide": "guide:disks#pl:zh:0", "family": "family:gn7i:zh", "model": "model:Qwen2.5:72B:zh"}
    keys = {"guide": "guide:disks#pl", "family": "family:gn7i", "model": "model:Qwen2.5:72B"}
    for kind, passage_id in ids.items():
        passage = Passage(passage_id, kind, "zh", "t", ("t",), "text")
        assert passage.key == keys[kind]


def test_language_is_read_from_the_text() -> None:
    assert language_of("用 vLLM 部署 Qwen2.5-72B-Instruct 要几张卡？") == "zh"
    assert language_of("What does 显存 mean in the Aliyun console, please tell me") == "en"
    assert language_of("123") == "en"
