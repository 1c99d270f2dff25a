"""Whether a question is asked in Chinese or in English; mixed ones go by their function words."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import Literal

from .lexicon import Hit, read_table

_FEW = 2  # English function words that make a sentence English although it names Chinese terms


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    table = read_table("language")  # `neutral`: words of the trade that Chinese questions hold as well
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


NEUTRAL = ("precision", "engines", "networks", "billing", "features", "methods")
"""Tables of words that are the same in both languages, or are an answer by themselves."""


def has_language(text: str, hits: Iterable[Hit], names: Iterable[str]) -> bool:
    """Whether a text says in which language it is: "A10", "7", "8 卡", "vLLM?" do not."""
    hanzi, chinese, english = _patterns()
    if chinese.search(text) or len(hanzi.findall(text)) >= 3:
        return True
    rest = text.lower()
    for hit in hits:
        if hit.table in NEUTRAL:
            rest = rest[: hit.start] + " " * (hit.end - hit.start) + rest[hit.end :]
    for name in names:
        rest = rest.replace(name.lower(), " ")
    if english.search(rest):
        return True
    neutral = frozenset(read_table("language")["neutral"])
    return any(word not in neutral for word in re.findall(r"(?<![a-z0-9])[a-z]{3,}(?![a-z0-9])", rest))


def find_switch(text: str, hits: Iterable[Hit]) -> Literal["zh", "en"] | None:
    """The language that the text orders: "改成英文", "answer in Chinese", or its bare name."""
    for hit in hits:
        if hit.table == "switch":
            return "zh" if hit.name == "zh" else "en"
    bare = re.fullmatch(r"(?:in |请)?(?:(?P<zh>chinese|中文|汉语)|english|英文|英语)(?: version| please|吧|呢|版)?\W{0,3}", text.lower())
    return None if bare is None else "zh" if bare["zh"] else "en"
