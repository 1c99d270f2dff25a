"""What a text only reports as wrong is no statement of it; what it puts in its place is."""

from __future__ import annotations

import pytest

from tools.claims.check import check_claims
from tools.claims.normal import HIDDEN, hide_reported

REPORTED = [
    "有误：A10 有 40GB 显存。",
    "错误：gn7i 搭载 A10。",
    "有误：“A10 有 40GB 显存”，应为 24 GB。",
    "错误：gn7i 搭载 A30，实际是 A10",
    "# gn7e\n错误：gn7i 搭载 A30，应该是 A10",
    "误区一：A10 支持 FP8",
    "以下说法是错误的：A10 有 40GB。",
    "**有误：** gn7v 是规格族",
    "错误：ecs.gn7e-c16g1.4xlarge 每小时 10 元",
    "错误：抢占式实例永远不会被回收",
    "“A10 有 40GB 显存”不对。",
    "“gn7v”和“gn8i”都有误",
    "Wrong: the A10 has 40 GB.",
    'Wrong: "gn7i carries the A30".',
    "Myth: the A10 supports FP8.",
    "Incorrect: gn7i has NVLink; gn7i carries the A30.",
    '"A10 comes with 40 GB and FP8" is wrong.',
    "Wrong:\n\n- A10 has 40 GB\n- gn7i has NVLink",
]


@pytest.mark.parametrize("text", REPORTED)
def test_what_is_called_wrong_is_no_statement(text: str) -> None:
    assert check_claims(text, language="en").statements == []


@pytest.mark.parametrize(
    ("text", "stated", "verdict"),
    [
        ("有误：“A10 有 40GB 显存”。A10 的显存是 24 GB。", "A10 的显存是 24 GB", "true"),
        ("错误：A10 有 40GB；正确：A10 有 48GB", "A10 有 48GB", "wrong"),
        ("文档有误：A10 有 40GB → A10 有 24GB", "A10 有 24GB", "true"),
        ("错误：\n- A10 有 40GB\n\n正确：\n- A10 有 24GB", "A10 有 24GB", "true"),
        ('"A10 comes with 40 GB" is wrong. A10 has 24 GB.', "A10 has 24 GB", "true"),
        ("Wrong: A10 has 40 GB. Correct: A10 has 24 GB.", "A10 has 24 GB", "true"),
        ("Wrong: the A10 has 40 GB, actually the A10 has 32 GB.", "A10 has 32 GB", "wrong"),
    ],
)
def test_the_correcting_part_is_judged(text: str, stated: str, verdict: str) -> None:
    (statement,) = check_claims(text, language="en").statements
    assert (statement.text, statement.verdict) == (stated, verdict)
    assert text[statement.start : statement.end] == stated


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("不对：A10 的显存是 24 GB。", "true"),
        ("不对：A10 的显存是 40 GB。", "wrong"),
        ("这是错误的：A10 只有 24GB", "true"),
        ("That's wrong: the A10 has 24 GB.", "true"),
        ("No, that is not right: the A10 has 40 GB.", "wrong"),
        ("错误：A10 有 40GB 吗？", "wrong"),
        ("“A10 有 40GB 显存”，对吗？", "wrong"),
    ],
)
def test_an_answer_or_a_question_is_judged(text: str, verdict: str) -> None:
    assert {item.verdict for item in check_claims(text, language="zh").statements} == {verdict}


def test_it_of_a_hidden_sentence_is_not_what_was_named_before() -> None:
    text = 'gn7e carries the A100. Wrong: "gn7i carries the A30". It carries the A10.'
    judged = check_claims(text, language="en").statements
    assert [(item.subject, item.verdict) for item in judged] == [("gn7e A100", "true")]


def test_hidden_text_keeps_its_length_and_lines() -> None:
    text = "错误:\n- a10 有 40gb\n\nwrong: x. y"
    hidden = hide_reported(text)
    assert len(hidden) == len(text)
    assert hidden.count("\n") == text.count("\n")
    assert hidden.endswith(f"{HIDDEN}. y") and "40gb" not in hidden
