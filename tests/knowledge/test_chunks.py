from hypothesis import given
from hypothesis import strategies as st

from knowledge.chunks import Passage, document_passages, guide_passages, language_of
from knowledge.documents import parse_guide
from knowledge.judged import JudgedStatement

LINES = st.sampled_from(["# gn7i", "## A10 有 24 GB", "#", "```", "- 8 张 A10，", "gn7v 搭载 A100。", "", "\u3000", "一句话。" * 150, "x" * 1000])
TEXTS = st.one_of(st.text(max_size=500), st.lists(LINES, max_size=20).map("\n".join))


def stated(text: str, start: int, end: int) -> JudgedStatement:
    return JudgedStatement(start, end, text[start:end], "gn7i", "wrong", "不对", "wrong")


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


@given(TEXTS, st.data())
def test_every_statement_stands_with_the_passages_it_overlaps(text: str, data: st.DataObject) -> None:
    place = st.integers(0, len(text))
    spans = data.draw(st.lists(st.tuples(place, place).map(sorted).map(tuple), max_size=8))
    statements = [stated(text, start, end) for start, end in spans]
    passages = document_passages(text, document_id="d", title="t", lang="zh", statements=statements)
    for passage in passages:
        assert text[passage.start :].startswith(passage.text)
        inside = {item for item in statements if item.start < passage.start + len(passage.text) and item.end > passage.start and item.text}
        assert inside <= set(passage.statements)
        assert list(passage.statements) == sorted(passage.statements, key=lambda item: (item.start, item.end))
    kept = {item for passage in passages for item in passage.statements}
    assert {item for item in statements if item.text.strip()} <= kept
    assert all(item.text for item in kept)


def test_a_statement_in_a_heading_stands_with_the_first_passage_below_it() -> None:
    text = "# gn7v 搭载 A100\n\n" + "一句话。" * 300 + "\n## gn8i\n尾。\n## gn9x"
    statements = [stated(text, text.index(name), text.index(name) + 4) for name in ("gn7v", "gn8i", "gn9x")]
    passages = document_passages(text, document_id="d", title="t", lang="zh", statements=statements)
    assert [[item.text for item in passage.statements] for passage in passages] == [["gn7v"], *[[]] * (len(passages) - 3), ["gn8i"], ["gn9x"]]


def test_a_statement_across_a_cut_stands_in_both_passages_with_its_own_offsets() -> None:
    text = "云" * 600
    statement = stated(text, 380, 420)
    first, second = document_passages(text, document_id="d", title="t", lang="zh", statements=[statement])
    assert first.statements == second.statements == (statement,)
    assert (first.start, second.start) == (0, 400)


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
