"""What is judged wrong is not repeated as true, unless to reject it."""

from __future__ import annotations

import pytest

from assistant.check.claims import bad_claims

from .given import found


@pytest.mark.parametrize(
    "text",
    [
        "A10 支持 FP8，可以直接跑。",
        "The T4 supports bf16 natively.",
        "A10 其实支持 FP8",
        "gn7i has NVLink between its cards.",
        "选 gn7i（A10，支持 NVLink）",
        "包年包月可以随时全额退款。",
        "系统盘用 ESSD PL4。",
    ],
)
def test_a_wrong_statement_is_found(text: str) -> None:
    problems = found(bad_claims, text)
    assert [p.code for p in problems] == ["claim"]
    assert problems[0].reason


@pytest.mark.parametrize(
    "text",
    [
        "A10 不支持 FP8，L20 支持。",
        "gn7i 没有 NVLink。",
        "The H20 supports FP8 and has NVLink.",
        "文档说 A10 支持 FP8，其实不支持。",
        "“A10 支持 FP8”是错误的。",
        "A10 支持 FP8。这是错的。",
        "~~A10 支持 FP8~~",
        "以下说法有误：\n- A10 支持 FP8\n- V100 支持 BF16",
        "The guide says the A10 supports FP8, but it does not.",
        "Wrong: the A10 supports FP8.",
        "| A10 支持 FP8 | ✗ |",
        "包年包月不能随时全额退款。",
        "L20 的显存是 A10 的 2 倍，还支持 FP8。",
    ],
)
def test_a_true_or_a_rejected_statement_passes(text: str) -> None:
    assert not found(bad_claims, text)
