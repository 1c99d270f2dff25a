import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.tables import read_data
from knowledge.words import normalise, tokens


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("显存不够", {"显存", "存不", "不够", "@vram"}),
        ("ecs.gn7i-c8g1.2xlarge", {"ecs.gn7i-c8g1.2xlarge", "gn7i-c8g1.2xlarge", "gn7i", "c8g1", "2xlarge"}),
        ("24 GB", {"24gb"}),
        ("２４ ＧＢ", {"24gb"}),
        ("PyTorch 2.1", {"pytorch", "2.1"}),
        ("C++", {"c++"}),
        ("disks", {"disk", "@disk"}),
        ("Qwen2.5-72B", {"qwen2.5-72b", "72b"}),
        ("卡", {"卡", "@card"}),
    ],
)
def test_words_of_a_text(text: str, wanted: set[str]) -> None:
    assert wanted <= set(tokens(text))


@pytest.mark.parametrize(
    ("left", "right", "mark"),
    [
        ("爆显存了", "out of memory", "@oom"),
        ("爆显存了", "VRAM", "@vram"),
        ("显卡内存", "GPU  memory", "@vram"),
        ("抢占式", "preemptible", "@spot"),
        ("竞价实例", "Spot", "@spot"),
        ("云盘", "disks", "@disk"),
        ("多机", "multi-node", "@multi_node"),
        ("驱动", "drivers", "@driver"),
        ("包年包月", "subscription", "@subscription"),
        ("并发", "QPS", "@concurrency"),
    ],
)
def test_words_of_one_meaning_share_a_mark(left: str, right: str, mark: str) -> None:
    assert mark in tokens(left)
    assert mark in tokens(right)


@pytest.mark.parametrize(
    ("text", "mark"), [("spotless", "@spot"), ("respot", "@spot"), ("amplify", "@amp"), ("discard", "@card")]
)
def test_a_word_inside_a_word_has_no_meaning(text: str, mark: str) -> None:
    assert mark not in tokens(text)


def test_no_word_stands_in_two_lines_of_the_table() -> None:
    table = tomllib.loads(read_data("synonyms.toml"))
    words = [normalise(word) for line in table["concepts"].values() for word in line]
    assert sorted({word for word in words if words.count(word) > 1}) == []
    assert {c for cs in table["implied"].values() for c in cs} <= set(table["concepts"])


@given(st.text(max_size=300))
def test_any_text_can_be_cut(text: str) -> None:
    assert all(word and not word.isspace() for word in tokens(text))


@given(st.text(alphabet="显存云盘驱动abc 12", max_size=60))
def test_width_and_case_make_no_difference(text: str) -> None:
    wide = "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text.upper())
    assert tokens(wide) == tokens(text)
