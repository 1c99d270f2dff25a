"""The faces' own words (`words.toml`) and the language in which a command speaks."""

from __future__ import annotations

import locale
import os
import re

from tools.phrases import Language, read_phrases
from tools.phrases import say as say_from

_HAN = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")
_LATIN = re.compile(r"(?<![A-Za-z0-9_.-])[A-Za-z]++(?![A-Za-z0-9_.-]*[0-9])")
HAN_LETTERS = 3
"""Latin letters that say as much as one Chinese character."""


def say(code: str, language: Language, **arguments: object) -> str:
    """The face's phrase of `code`. A missing code is a bug (KeyError)."""
    return say_from(read_phrases("ui", "words.toml"), code, language, **arguments)


def choose_language(given: Language | None, text: str = "") -> Language:
    """`given`, else Chinese for a text with Chinese characters and English for other text, else the locale's."""
    if given:
        return given
    if text.strip():
        return "zh" if _HAN.search(text) else "en"
    return locale_language()


def written_language(text: str) -> Language:
    """The language that most of a longer text is in; the locale's for one without letters.

    Letters are counted. Names with a figure in them (A10, Qwen2.5-72B) count for neither language.
    """
    chinese = HAN_LETTERS * len(_HAN.findall(text))
    english = sum(map(len, _LATIN.findall(text)))
    if not chinese and not english:
        return choose_language(None, "")
    return "zh" if chinese >= english else "en"


def locale_language() -> Language:
    """Chinese under a Chinese locale, else English."""
    names = [os.environ.get(name) for name in ("LC_ALL", "LC_MESSAGES", "LANG")]
    first = next((name for name in names if name), None) or locale.getlocale()[0] or ""
    return "zh" if first.lower().startswith(("zh", "chinese")) else "en"
