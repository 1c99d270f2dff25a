"""Any text at all: no crash, and every offset points at the text that is quoted."""

from __future__ import annotations

import cProfile
import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from knowledge import facts
from tools.claims.check import check_claims
from tools.claims.normal import normalise
from tools.claims.rules import rules

PIECES = [
    "gn7i", "gn7v", "ecs.gn7i-c8g1.2xlarge", "A10", "A100", "Ａ１０", "40GB", "80 GB", "FP8", "NVLink", "RDMA", "PL4", "70B", "8 张",
    "90%", "抢占式", "不", "没有", "支持", "搭载", "，", "。", "?", " is ", " not ", " has ", "(", ")", "\n", "  • ", "# ", "|", "显存", "1,000", "㎇", "ﬁ", "\u200b",
]  # fmt: skip
MIXED = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=6)), max_size=40).map("".join)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(text=MIXED)
def test_offsets_are_valid(text: str) -> None:
    report = check_claims(text, language="zh")
    for item in report.statements:
        assert 0 <= item.start < item.end <= len(text)
        assert text[item.start : item.end] == item.text
        assert item.fact
    assert sum(report.counts.values()) == len(report.statements)


@given(text=st.text(max_size=80))
def test_every_normal_character_has_a_place(text: str) -> None:
    normal = normalise(text)
    assert len(normal.origin) == len(normal.text) + 1
    assert list(normal.origin) == sorted(normal.origin)
    assert normal.back(0, len(normal.text))[1] <= len(text)


@pytest.mark.parametrize(
    "piece", ["gn7i ", "A10,", "1,000,", "(", "没有", "is not a ", "显存不足 batch "]
)
def test_repetition_ends(piece: str) -> None:
    """Ten thousand characters of one piece: ends at all (a pattern without bounds would not)."""
    assert check_claims((piece * 10_000)[:10_000], language="en").counts is not None


def test_rules_are_whole() -> None:
    known = facts.sources()
    for rule in rules():
        assert re.search("[\u4e00-\u9fff]", rule.fact_zh) and not re.search(
            "[\u4e00-\u9fff]", rule.fact_en
        )
        assert rule.source_ids and set(rule.source_ids) <= set(known), rule.id
    assert len({rule.id for rule in rules()}) == len(rules())


def test_sources_of_statements_are_known() -> None:
    text = "gn7v、gn11 有 NVLink；gn7i 有 NVLink；A10 40GB 支持 FP8；PL9；阿里云有 H100 实例；抢占式省 20%。"
    for item in check_claims(text, language="zh").statements:
        assert set(item.source_ids) <= set(facts.sources()), item.subject


REPEATED = [
    "gn7i ", "gn8i、", "A10,", "A10 24GB ", "ecs.gn7i-c8g1.2xlarge 8 vCPU 9.5 元/小时 ", "((a", "[A10(", "“A10”", "错误：\n- A10\n", "有人说 A10 ", "勘误 A10 ", "https://a.b/",
    "{#a10", "](a10", "isn't A10 ", "1,000,", "显存不足 batch ", "| gn7i | A10 | 24 GB |\n", "2024 年 ", "not the A10, ", "if ", "FP8 and ",
]  # fmt: skip


@pytest.mark.parametrize("piece", REPEATED)
@pytest.mark.parametrize("joint", ["", "，"])
def test_the_work_grows_with_the_length_and_no_faster(piece: str, joint: str) -> None:
    """Calls are counted, not seconds: a busy machine changes nothing."""
    short, long = (_calls((piece + joint) * times) for times in (400, 1600))
    assert long < 5.5 * short + 2000


def _calls(text: str) -> int:
    check_claims(text[:500], language="zh")
    profile = cProfile.Profile()
    profile.enable()
    check_claims(text, language="zh")
    profile.disable()
    return sum(row.callcount for row in profile.getstats())


@pytest.mark.parametrize("text", ["ecs.g7se.large（1 张 A10 24 GB）支持 FP8", "ecs.g7se.large (1 x A10, 24 GB) supports FP8"])
def test_a_card_said_of_a_type_without_one_is_judged(text: str) -> None:
    assert "wrong" in check_claims(text, language="en").counts
