"""Sentences of both languages, kept in TOML files: `[code]` with `zh = "…{arg}…"` and `en = "…"`."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Literal

Language = Literal["zh", "en"]


@cache
def read_phrases(package: str, name: str) -> dict[str, dict[str, str]]:
    """The phrase table `name` (TOML) of a package, e.g. `read_phrases("tools", "phrases/advise.toml")`."""
    text = files(package).joinpath(*name.split("/")).read_text(encoding="utf-8")
    return tomllib.loads(text)


def say(table: dict[str, dict[str, str]], code: str, language: Language, **arguments: object) -> str:
    """The phrase of `code` in `language` with its arguments filled in. A missing code is a bug (KeyError)."""
    return table[code][language].format(**arguments)
