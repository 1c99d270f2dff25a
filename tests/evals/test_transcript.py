"""README's questions and answers are what the program says."""

from __future__ import annotations

from pathlib import Path

from assistant import Assistant
from assistant.settings import Settings
from evals.transcript import BLOCK, README, fill


def test_readme_says_what_the_program_says(tmp_path: Path) -> None:
    text = README.read_text(encoding="utf-8")
    assert len(BLOCK.findall(text)) >= 2
    assert fill(text, Assistant(settings=Settings(data_dir=tmp_path))) == text


def test_a_stale_answer_is_noticed(tmp_path: Path) -> None:
    text = "<!-- ask: gn6i-c4g1.xlarge 多少钱一小时？ -->\n\n> 1 元\n\n<!-- end -->"
    filled = fill(text, Assistant(settings=Settings(data_dir=tmp_path, embedder="none")))
    assert filled != text and "11.63" in filled
