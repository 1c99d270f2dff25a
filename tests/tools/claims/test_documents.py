"""Headings, bullets and tables: what a line says of the families above it."""

from __future__ import annotations

import pytest

from tools.claims.check import check_claims

GUIDE_ZH = """推荐机型

A. 主力（gn7i / gn7s 系列）

  • 硬件：搭载 NVIDIA A10 或 L4。
    • A10 (24GB/32GB)：性价比高，支持 FP8，显存比 T4 大。

B. 高端（gn7e）

  • 配备 A100 (80GB)，支持 NVLink。
  • 存储用 ESSD PL3 或 PL4。

注意：单卡 16GB 显存不够，不要盲目加 batch。
"""
GUIDE_EN = """# Which instance

## Main choice (gn7i / gn7s)

- Hardware: equipped with the NVIDIA A10 or L4.
  - A10 (24GB/32GB): good value, supports FP8, has more memory than the T4.

## High end (gn7e)

- Carries the A100 (80GB), with NVLink.
- Storage: ESSD PL3 or PL4.

When memory is short, do not simply raise the batch size.
"""


@pytest.mark.parametrize(("guide", "language"), [(GUIDE_ZH, "zh"), (GUIDE_EN, "en")])
def test_a_guide_is_judged_line_by_line(guide: str, language: str) -> None:
    report = check_claims(guide, language="zh" if language == "zh" else "en")
    found = {(item.subject, item.verdict) for item in report.statements}
    assert ("gn7i A10", "true") in found
    assert ("A10 32 GB", "wrong") in found
    assert ("A10 FP8", "wrong") in found
    assert ("A10 T4", "true") in found
    assert ("gn7e A100", "true") in found
    assert ("ESSD PL4", "wrong") in found
    assert ("batch size", "true") in found
    assert all(verdict != "wrong" for subject, verdict in found if subject.startswith("gn7e"))


def test_a_table_row_is_judged_by_itself() -> None:
    table = "| 场景 | 规格族 | 卡 |\n|---|---|---|\n| 推理 | gn6i | T4 |\n| 训练 | gn7i | V100 |"
    found = {
        (item.subject, item.verdict) for item in check_claims(table, language="zh").statements
    }
    assert found == {("gn6i T4", "true"), ("gn7i V100", "wrong")}


def test_a_pronoun_goes_on_with_the_families_before() -> None:
    for text in ("gn7i 是主力规格族。它搭载 H100。", "Take gn7i. It carries the H100."):
        verdicts = [item.verdict for item in check_claims(text, language="en").statements]
        assert "wrong" in verdicts


def test_statements_come_in_order_of_their_place() -> None:
    starts = [item.start for item in check_claims(GUIDE_ZH, language="zh").statements]
    assert starts == sorted(starts)
