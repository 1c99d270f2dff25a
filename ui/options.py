"""Options that several commands share, and how their values are read."""

from __future__ import annotations

import math
import os
import re
import unicodedata
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Annotated, Literal

import typer

Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
Lang = Annotated[
    Literal["zh", "en"] | None, typer.Option("--lang", help="Language of the output; default: the question's or the locale's.")
]
Region = Annotated[
    str | None, typer.Option("--region", help="Region whose prices count: id or name, e.g. cn-hangzhou, 上海.")
]

MAX_FILE_BYTES = 5_000_000
_FIGURE = re.compile(r"[¥￥$]?\s*(?P<value>\d+(?:,\d{3})*(?:\.\d+)?|\.\d+)\s*(?P<unit>[a-z元/小时]*)")


def default_region(given: str | None) -> str:
    """Id of the region asked for, else of the setting. Raises InputError for an unknown one."""
    from tools.prices import DEFAULT_REGION, region_id

    if given is not None:
        return region_id(given)
    # Reading the settings costs a quarter of a sizing command; without any there is nothing to read.
    if "XUANKA_REGION" not in os.environ and not Path(".env").exists():
        return DEFAULT_REGION
    from assistant.settings import read_settings

    return region_id(read_settings().region)


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
        raise typer.BadParameter(f"{text!r} is not a figure such as 24 or 24{units[-1]}")
    try:
        value = Decimal(match["value"].replace(",", ""))
    except InvalidOperation:
        raise typer.BadParameter(f"{text!r} is not a figure") from None
    if not 0 < value < 10**9 or not math.isfinite(value):
        raise typer.BadParameter(f"{text!r} is out of range")
    return value


def token_count(text: str) -> int:
    """32768, 32k, 128K, 1M, 3.2万, 两千, ３２ｋ → tokens; K is 1,024 where people mean it (32K), else 1,000."""
    plain = unicodedata.normalize("NFKC", text).strip().lower()
    if plain.isdecimal():
        return int(plain[:18])
    from assistant.read.normalise import tokens_of
    from assistant.read.numbers import find_numbers

    numbers = list(find_numbers(re.sub(r"\s?(?:tokens?|tok)$", "", plain)))
    whole = len(numbers) == 1 and numbers[0].end - numbers[0].start >= len(plain.split("tok")[0].strip())
    if not whole or numbers[0].negative:
        raise typer.BadParameter(f"{text!r} is not a number of tokens such as 32768, 32k or 3.2万")
    return round(tokens_of(numbers[0].value, numbers[0].scale))


def read_text(name: str) -> str:
    """Text of a file in UTF-8 or GB 18030. Raises InputError for a folder, a binary or a file over the limit."""
    from knowledge.errors import InputError

    path = Path(name)
    try:
        size = path.stat().st_size
        data = path.read_bytes() if size <= MAX_FILE_BYTES else b""
    except OSError as error:
        raise InputError(f"{name}: cannot be read ({error.strerror or error}).") from None
    if size > MAX_FILE_BYTES:
        raise InputError(f"{name} has {size:,} bytes, over the limit of {MAX_FILE_BYTES:,}; give a smaller file.")
    if b"\x00" in data[:8192]:
        raise InputError(f"{name} is not a text file; give plain text or Markdown.")
    for encoding in ("utf-8-sig", "gb18030"):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    raise InputError(f"{name} is neither UTF-8 nor GB 18030; save it as UTF-8.")
