"""Whether a question is asked in Chinese or in English; mixed ones go by their function words."""

from __future__ import annotations

import re
from functools import cache
from typing import Literal

from .lexicon import read_table

_FEW = 2  # English function words that make a sentence English although it names Chinese terms


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    table = read_table("language")
    return (
        re.compile("[\u3400-\u4dbf\u4e00-\u9fff]"),
        re.compile("|".join(sorted(table["zh"], key=len, reverse=True))),
        re.compile(rf"(?<![a-z0-9])(?:{'|'.join(table['en'])})(?![a-z0-9])"),
    )


def find_language(text: str) -> Literal["zh", "en"]:
    """zh for "Qwen2.5-72B 32k 8并发 用什么卡", en for "What is 抢占式?". A text without words of either is en."""
    hanzi, chinese, english = _patterns()
    characters = len(hanzi.findall(text))
    if not characters:
        return "en"
    said_zh, said_en = len(chinese.findall(text)), len(english.findall(text.lower()))
    if said_zh and characters * 4 >= said_en:
        return "zh"
    return "en" if said_en >= _FEW else "zh"
