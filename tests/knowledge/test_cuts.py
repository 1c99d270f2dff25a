import re

from hypothesis import given
from hypothesis import strategies as st

from knowledge.cuts import MAX_WIDTH, cut, pieces_of, split_text, width

TEXTS = st.text(alphabet=st.sampled_from(list("显存云盘。！？，ab c.\n；A1\t")), max_size=3000)
MARKDOWN = st.lists(
    st.sampled_from(
        ["# gn7i", "## A10 有 24 GB", "### ", "#", "  ## 缩进  ", "```", "- 8 张 A10。", "", " ", "一句话。" * 150, "text\r", "### x ###", "\u3000"]
    ),
    max_size=30,
).map("\n".join)
"""Headings above headings, headings with nothing below, fences that never close, long paragraphs."""


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


@given(TEXTS, st.integers(0, 40), st.integers(0, 40))
def test_a_stretch_is_cut_as_slices_of_the_whole(text: str, skipped: int, left: int) -> None:
    start, end = min(skipped, len(text)), max(min(skipped, len(text)), len(text) - left)
    assert [text[one:other] for one, other in cut(text, start, end)] == split_text(text[start:end])


@given(st.one_of(MARKDOWN, st.text(max_size=600)))
def test_every_character_stands_in_one_piece_or_right_above_it(text: str) -> None:
    held = [0] * len(text)
    for piece in pieces_of(text):
        assert piece.lead <= piece.start < piece.end
        for place in range(piece.lead, piece.end):
            held[place] += 1
    assert all(count == 1 if not character.isspace() else count <= 1 for count, character in zip(held, text, strict=True))


def test_headings_with_nothing_below_are_pieces_unless_a_heading_stands_under_them() -> None:
    text = "# A\n## B\n\n## C\nc\n### D\n## E ##\n"
    assert [(piece.path, text[piece.start : piece.end]) for piece in pieces_of(text)] == [
        (("A", "B"), "## B"),
        (("A", "C"), "c"),
        (("A", "C", "D"), "### D"),
        (("A", "E"), "## E ##"),
    ]
    assert [piece.lead for piece in pieces_of(text)] == [0, text.index("## C"), text.index("### D"), text.index("## E")]


def test_long_headings_and_empty_lines_take_no_longer_than_text() -> None:
    """Each of these took seconds when the time grew with the square of the length."""
    for text in ("# " + "#" * 60_000 + "x" + "#" * 60_000, "\n" * 120_000, "# x" + " #" * 60_000 + "y", "`" * 120_000):
        assert sum(piece.end - piece.lead for piece in pieces_of(text)) <= len(text)
