"""Where commands print: a terminal gets rich output, a pipe plain text, `--json` JSON."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pydantic import BaseModel

    from .blocks import Block


def show(blocks: Iterable[Block]) -> None:
    """Prints blocks for whoever reads standard output."""
    if not sys.stdout.isatty():
        from .plain import plain

        sys.stdout.write(plain(blocks))
        return
    from rich.console import Console

    from .terminal import draw_blocks

    draw_blocks(blocks, Console(file=sys.stdout, highlight=False))


def show_json(value: BaseModel | dict[str, Any]) -> None:
    """Prints one JSON object, indented, characters of all scripts as they are."""
    plain_value = value if isinstance(value, dict) else value.model_dump(mode="json", by_alias=True)
    print(json.dumps(plain_value, ensure_ascii=False, indent=2))


def complain(sentence: str) -> None:
    """One line on standard error."""
    print(" ".join(sentence.split()), file=sys.stderr)


def use_utf8() -> None:
    """UTF-8 on all three streams, whatever the locale or the Windows code page."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(encoding="utf-8", errors="replace")
