from __future__ import annotations

import pytest

from knowledge.readers.dates import date_near_top, find_date
from knowledge.readers.encoding import declared_charset, decode

TEXT = "显存 24 GB，A10 不支持 FP8；阿里云的 gn7i 搭载 A10。"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "gb18030", "gbk", "gb2312"])
def test_chinese_encodings_are_told_apart(encoding: str) -> None:
    assert decode(TEXT.encode(encoding)) == TEXT


@pytest.mark.parametrize(
    "data",
    [
        "Größe café naïve über façade déjà vu".encode("latin-1"),
        "これは日本語のテキストです。".encode("shift_jis"),
        "顯示卡記憶體大小與價格的說明".encode("big5"),
        TEXT.encode("utf-16-le"),  # without its mark
        b"\x00\x01\x02text",
        bytes(range(1, 32)) * 9,
    ],
)
def test_what_is_in_no_known_encoding_is_not_guessed(data: bytes) -> None:
    assert decode(data) is None


@pytest.mark.parametrize(
    ("declared", "encoding", "text"),
    [("gb2312", "gb18030", TEXT), ("Big5", "big5", "顯示卡記憶體"), ("iso-8859-1", "cp1252", "Größe – “café”"), ("no-such", "utf-8", TEXT), ("utf-16", "utf-8", TEXT), ("base64", "utf-8", TEXT)],
)  # fmt: skip
def test_what_a_page_declares_is_heard_where_it_can_be(declared: str, encoding: str, text: str) -> None:
    assert decode(text.encode(encoding), declared=declared) == text


@pytest.mark.parametrize(
    ("head", "charset"),
    [
        (b'<meta charset="gb2312">', "gb2312"),
        (b"<META http-equiv=Content-Type content='text/html; charset=GBK'>", "GBK"),
        (b'<?xml version="1.0" encoding="utf-8"?>', "utf-8"),
        (b"<p>charset=gbk</p>", ""),
    ],
)
def test_the_declared_charset(head: bytes, charset: str) -> None:
    assert declared_charset(head) == charset


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("2026-07-19 11:00:24", "2026-07-19"), ("2026年7月19日", "2026-07-19"), ("2026/7/9", "2026-07-09"), ("2026.07", "2026-07"),
        ("Jul 19, 2026", "2026-07-19"), ("19th July 2026", "2026-07-19"), ("D:20260719110024+08'00'", "2026-07-19"),
        ("2026-07-19T11:00:24+08:00", "2026-07-19"), ("2026-13-45", ""), ("版本 2.2026.1", ""), ("gn7i 有 2026 台", ""), ("", ""),
    ],
)  # fmt: skip
def test_dates_as_documents_write_them(text: str, date: str) -> None:
    assert find_date(text) == date


@pytest.mark.parametrize(
    ("line", "date"),
    [
        ("2026-07-19 11:00:24 分类：云知识", "2026-07-19"),
        ("作者：小王 发布时间：2026年7月19日", "2026-07-19"),
        ("Last updated: 19 July 2026", "2026-07-19"),
        ("我们在 2026-07-19 测了 A10。", ""),
        ("自 2026 年 7 月起涨价。", ""),
    ],
)
def test_only_a_date_line_near_the_top_dates_a_document(line: str, date: str) -> None:
    assert date_near_top(f"标题\n\n{line}\n\n正文") == date
    assert date_near_top("标题\n" + "正文\n" * 20 + line) == ""
