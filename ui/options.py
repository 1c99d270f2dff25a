"""Options that several commands share, and how their values are read."""

from __future__ import annotations

import math
import re
import sys
import unicodedata
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from .speech import locale_language, say

if TYPE_CHECKING:
    from tools.phrases import Language

Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
Lang = Annotated[
    Literal["zh", "en"] | None, typer.Option("--lang", help="Language of the output; default: the question's or the locale's.")
]
Region = Annotated[
    str | None, typer.Option("--region", help="Region whose prices count: id or name, e.g. cn-hangzhou, 上海.")
]

MAX_FILE_BYTES = 5_000_000
LEAST = Decimal("0.001")
MAX_DIGITS = 9
"""Digits of a number of tokens; what is longer is refused as typed, before arithmetic rounds it."""
_FIGURE = re.compile(r"[¥￥$]?\s*(?P<value>\d+(?:,\d{3})*(?:\.\d+)?|\.\d+)\s*(?P<unit>[a-z元/小时]*)")


def default_region(given: str | None) -> str:
    """Id of the region asked for, else of the setting. Raises InputError for an unknown one."""
    from assistant.quick_settings import quick_settings
    from tools.prices import region_id

    return region_id(quick_settings().region if given is None else given)


def gigabytes(text: str) -> float:
    """24, 24GB, 24 GiB, ２４G → 24; whole figures stay whole, as they are said again in messages."""
    value = float(_figure(text, units=("", "g", "gb", "gib")))
    return int(value) if value.is_integer() else value


def money(text: str) -> Decimal:
    """50, ¥50, 50元, 50 CNY → 50."""
    return _figure(text, units=("", "元", "cny", "rmb", "元/小时", "cny/h", "/h"))


def _figure(text: str, *, units: tuple[str, ...]) -> Decimal:
    plain = unicodedata.normalize("NFKC", text).strip().lower()
    match = _FIGURE.fullmatch(plain)
    if match is None or match["unit"] not in units:
        raise typer.BadParameter(f"{shortened(text)!r} is not a figure such as 24 or 24{units[-1]}")
    try:
        value = Decimal(match["value"].replace(",", ""))
    except InvalidOperation:
        raise typer.BadParameter(f"{shortened(text)!r} is not a figure") from None
    if not math.isfinite(value) or not LEAST <= value < 10**9:
        raise typer.BadParameter(f"{shortened(text)!r} is out of range ({LEAST} to 999,999,999)")
    return value


def shortened(text: str) -> str:
    """What was typed, cut for a message where it is long."""
    return text if len(text) <= 40 else f"{text[:39]}…"


def token_count(text: str) -> int:
    """32768, 32k, 128K, 1M, 3.2万, 两千, ３２ｋ → tokens; K is 1,024 where people mean it (32K), else 1,000."""
    plain = unicodedata.normalize("NFKC", text).strip().lower()
    figures = re.findall(r"(?<![.\d])0*(\d+)", plain.replace(",", ""))
    if max(map(len, figures), default=0) > MAX_DIGITS:
        from knowledge.errors import InputError
        from tools.serving_job import MAX_CONTEXT

        raise InputError(say("figure.too_long", locale_language(), figure=shortened(text), limit=f"{MAX_CONTEXT:,}"))
    if plain.isdecimal():
        return int(plain)
    from assistant.read.normalise import tokens_of
    from assistant.read.numbers import find_numbers

    numbers = list(find_numbers(re.sub(r"\s?(?:tokens?|tok)$", "", plain)))
    whole = len(numbers) == 1 and numbers[0].end - numbers[0].start >= len(plain.split("tok")[0].strip())
    if not whole or numbers[0].negative:
        raise typer.BadParameter(f"{shortened(text)!r} is not a number of tokens such as 32768, 32k or 3.2万")
    return round(tokens_of(numbers[0].value, numbers[0].scale))


def read_text(name: str, language: Language) -> str:
    """Text of a file, or of standard input for `-`. Raises InputError, naming the file, for what is no text.

    Pipes and devices (`<(…)`, /dev/stdin) are read as far as a file may be long.
    """
    from knowledge.errors import InputError

    if name == "-":
        return _decoded(_standard_input(), say("file.stdin", language), language)
    try:
        with Path(name).expanduser().open("rb") as file:
            data = file.read(MAX_FILE_BYTES + 1)
    except IsADirectoryError:
        raise InputError(say("file.folder", language, name=name)) from None
    except FileNotFoundError:
        raise InputError(say("file.missing", language, name=name[:200])) from None
    except (OSError, RuntimeError) as error:  # RuntimeError: ~ of somebody who is not known
        raise InputError(say("file.refused", language, name=name, reason=getattr(error, "strerror", None) or error)) from None
    return _decoded(data, name, language)


def _standard_input() -> bytes:
    return sys.stdin.buffer.read(MAX_FILE_BYTES + 1)


def _decoded(data: bytes, name: str, language: Language) -> str:
    """As readers of documents decode it: UTF-8, UTF-16 with its mark, or GB 18030; nothing else is a text here."""
    from knowledge.errors import InputError
    from knowledge.readers.encoding import decode

    if len(data) > MAX_FILE_BYTES:
        raise InputError(say("file.too_large", language, name=name, limit=f"{MAX_FILE_BYTES:,}"))
    text = decode(data)
    if text is None:
        raise InputError(say("file.binary", language, name=name))
    return text
