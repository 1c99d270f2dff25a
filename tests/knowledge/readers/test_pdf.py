from __future__ import annotations

import pytest

from knowledge.readers.limits import ReadLimits, ReadText, Unreadable
from tests.knowledge.readers.making import column, pdf_of

pytest.importorskip("pypdfium2")

SENTENCE = "A10 有 24 GB 显存，不支持 FP8。"


def read(data: bytes, **limits: int) -> ReadText:
    from knowledge.readers.pdf import read_pdf

    return read_pdf(data, ReadLimits(**limits))


@pytest.mark.parametrize(("encoding", "codec"), [("UniGB-UTF16-H", "utf-16-be"), ("UniGB-UCS2-H", "utf-16-be"), ("GBK-EUC-H", "gbk")])
def test_chinese_fonts_without_a_map_to_text(encoding: str, codec: str) -> None:
    assert read(pdf_of([column([SENTENCE])], encoding=encoding, codec=codec)).text == SENTENCE


def test_character_ids_without_a_map_to_text() -> None:
    """Identity-H: only the collection Adobe-GB1 tells which character an id stands for. 1 to 95 are those of ASCII."""
    data = pdf_of([column(["".join(chr(ord(letter) - 31) for letter in "A10 24 GB")])], encoding="Identity-H")
    assert read(data).text == "A10 24 GB"


def test_title_and_date_of_the_file() -> None:
    info = "/Title (GPU guide) /CreationDate (D:20260719110024+08'00')"
    assert read(pdf_of([column([SENTENCE])], info=info)) == ReadText(SENTENCE, "GPU guide", "2026-07-19")
    assert read(pdf_of([column([SENTENCE])], info="/Title (Microsoft Word - a.doc)")).title == ""


def test_lines_become_paragraphs_and_larger_ones_headings() -> None:
    lines = [*column(["选型说明"], size=22, top=800), *column(["显存决定能不能跑，带宽决定跑得多快，价格最后再比", "较；A10 有 24 GB。", "• 卡", "• 盘"], top=740)]
    assert read(pdf_of([lines])).text == "# 选型说明\n\n显存决定能不能跑，带宽决定跑得多快，价格最后再比较；A10 有 24 GB。\n\n- 卡\n- 盘"


def test_two_columns_are_read_one_after_the_other() -> None:
    left = [f"左栏第{number}行说显存和带宽怎样影响速度" for number in "一二三四五六"]
    right = [f"右栏第{number}行说价格和计费的几种办法" for number in "一二三四五六"]
    mixed = [line for pair in zip(column(left, x=60, size=11), column(right, x=310, size=11), strict=True) for line in pair]
    text = read(pdf_of([mixed])).text
    assert text.index("左栏第六行") < text.index("右栏第一行")


def test_rows_of_a_table_stay_together() -> None:
    rows = [("规格族", "卡", "显存"), ("gn7i", "A10", "24 GB"), ("gn6i", "T4", "16 GB"), ("gn6v", "V100", "16 GB"), ("gn7e", "A100", "80 GB"), ("gn8is", "L20", "48 GB")]
    lines = [(70.0 + 160 * at, 700.0 - 20 * number, 12.0, cell) for number, row in enumerate(rows) for at, cell in enumerate(row)]
    assert "| gn6i | T4 | 16 GB |\n| gn6v | V100 | 16 GB |" in read(pdf_of([lines])).text


def test_running_headers_footers_and_page_numbers_go_and_figures_stay() -> None:
    pages = [
        [(72.0, 810.0, 9.0, "某某公司内部资料"), *column([f"第 {number} 章的正文，卡数是 {number} 张。"]), (290.0, 30.0, 9.0, f"- {number} -")]
        for number in range(1, 5)
    ]
    text = read(pdf_of(pages)).text
    assert "内部资料" not in text and "- 2 -" not in text
    assert [f"卡数是 {number} 张" in text for number in range(1, 5)] == [True] * 4


def test_a_running_line_with_a_figure_stays_once() -> None:
    pages = [[(72.0, 810.0, 9.0, "A10 有 24 GB 显存"), *column([f"正文{number}。"])] for number in "甲乙丙丁"]
    assert read(pdf_of(pages)).text.count("24 GB") == 1


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (pdf_of([[]]), "scanned"),
        (pdf_of([column([SENTENCE])])[:200], "broken"),
        (b"%PDF-1.7\nnothing", "broken"),
        (pdf_of([column([SENTENCE])], trailer=" /Encrypt << /Filter /Standard /V 1 /R 2 /O (12345678901234567890123456789012) /U (12345678901234567890123456789012) /P -4 >>"), "encrypted"),
        (pdf_of([column(["\ue000\ue001\ue002\ue003 text"])]), "unmapped_fonts"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_told_apart(data: bytes, code: str) -> None:
    with pytest.raises(Unreadable) as caught:
        read(data)
    assert caught.value.code == code


@pytest.mark.parametrize(("limit", "code"), [({"pages": 3}, "too_many_pages"), ({"characters": 30}, "too_many_characters")])
def test_limits(limit: dict[str, int], code: str) -> None:
    with pytest.raises(Unreadable) as caught:
        read(pdf_of([column([SENTENCE])] * 4), **limit)
    assert caught.value.code == code
