"""The faces' own words (`words.toml`) and the language in which a command speaks."""

from __future__ import annotations

import locale
import os
import re

from tools.phrases import Language, read_phrases
from tools.phrases import say as say_from

_HAN = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")


def say(code: str, language: Language, **arguments: object) -> str:
    """The face's phrase of `code`. A missing code is a bug (KeyError)."""
    return say_from(read_phrases("ui", "words.toml"), code, language, **arguments)


def known(code: str) -> bool:
    """Whether the table has a phrase of that code."""
    return code in read_phrases("ui", "words.toml")


def choose_language(given: Language | None, text: str = "") -> Language:
    """`given`, else Chinese for a text with Chinese characters and English for other text, else the locale's."""
    if given:
        return given
    if text.strip():
        return "zh" if _HAN.search(text) else "en"
    return locale_language()


def locale_language() -> Language:
    """Chinese under a Chinese locale, else English."""
    names = [os.environ.get(name) for name in ("LC_ALL", "LC_MESSAGES", "LANG")]
    first = next((name for name in names if name), None) or locale.getlocale()[0] or ""
    return "zh" if first.lower().startswith(("zh", "chinese")) else "en"
