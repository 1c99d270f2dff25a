"""One width, one dash, one script; numbers in words of both languages."""

import pytest

from assistant.read.normalise import (
    MAX_READ,
    kilobytes_as_k,
    normalise,
    parse_chinese,
    parse_number,
    scale_of,
    tokens_of,
)


@pytest.mark.parametrize(
    ("typed", "normal"),
    [
        ("Ｑｗｅｎ２．５－７Ｂ", "Qwen2.5-7B"),
        ("Ａ１０　２４ＧＢ", "A10 24GB"),
        ("（８并发）？", "(8并发)?"),
        ("10¹² 参数", "10^12 参数"),
        ("Qwen2.5‑72B", "Qwen2.5-72B"),
        ("1024×1024", "1024×1024"),
        ("4–8 users", "4-8 users"),
        ("需要多大顯存？", "需要多大显存?"),
        ("並發 8 個用戶", "并发 8 个用户"),
        ("a\u200bb\ufeff", "ab"),
        ("  two   spaces  ", "two spaces"),
        ("㎇", "GB"),
        ("bf16，8，128并发", "bf16, 8, 128并发"),
        ("8,192 tokens", "8,192 tokens"),
        ("4〜8 用户", "4~8 用户"),
        ("4～8 users", "4~8 users"),
    ],
)
def test_normal_form(typed: str, normal: str) -> None:
    assert normalise(typed) == normal


def test_long_text_keeps_beginning_and_end() -> None:
    normal = normalise("开头" + "x" * 50_000 + "结尾?")
    assert len(normal) <= MAX_READ
    assert normal.startswith("开头")
    assert normal.endswith("结尾?")


@pytest.mark.parametrize(
    ("words", "value"),
    [
        ("二十四", 24), ("两", 2), ("三千", 3000), ("一万二", 12_000), ("一百二", 120), ("十", 10), ("十五", 15),
        ("三千五", 3500), ("二百零五", 205), ("一亿", 1e8), ("三万二千", 32_000), ("二〇二六", 2026), ("双", 2), ("半", 0.5),
        ("三点二", 3.2), ("十二点五", 12.5), ("一点零五", 1.05),
    ],
)  # fmt: skip
def test_chinese_numerals(words: str, value: float) -> None:
    assert parse_chinese(words) == value


@pytest.mark.parametrize("words", ["", "千问", "几", "abc", "点", "三点", "点二", "三点十"])
def test_not_a_numeral(words: str) -> None:
    assert parse_chinese(words) is None


@pytest.mark.parametrize(
    ("typed", "value"),
    [("1,024", 1024), ("3.2", 3.2), ("1e12", 1e12), ("10^12", 1e12), ("10**3", 1000), ("four", 4), ("twenty", 20), ("四", 4)],
)
def test_numbers(typed: str, value: float) -> None:
    assert parse_number(typed) == value


@pytest.mark.parametrize("typed", ["", "x", "1^x", "^", "9" * 400, "10^99999"])
def test_odd_numbers_stay_finite(typed: str) -> None:
    value = parse_number(typed)
    assert value is None or 0 <= value < float("inf")


@pytest.mark.parametrize(
    ("scale", "factor"), [("k", 1e3), ("K", 1e3), ("万", 1e4), ("w", 1e4), ("亿", 1e8), ("million", 1e6), ("", 1)]
)
def test_scales(scale: str, factor: float) -> None:
    assert scale_of(scale) == factor


@pytest.mark.parametrize(
    ("value", "scale", "tokens"),
    [(32, "K", 32_768), (128, "k", 131_072), (1, "M", 1_048_576), (50, "k", 50_000), (3.2, "万", 32_000), (8192, "", 8192)],
)
def test_k_of_tokens(value: float, scale: str, tokens: float) -> None:
    assert tokens_of(value, scale) == tokens


@pytest.mark.parametrize(
    ("text", "read"),
    [("32kb context", "32k context"), ("上下文 32 kb", "上下文 32 k"), ("32kib 的上下文", "32k 的上下文"), ("a 32kb file", "a 32kb file")],
)
def test_kilobytes_of_a_context_are_thousands(text: str, read: str) -> None:
    assert kilobytes_as_k(text, []) == read
