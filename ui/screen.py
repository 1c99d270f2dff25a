"""Where commands print: a terminal gets rich output, a pipe plain text, `--json` JSON."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import sys
from collections.abc import Iterable
from pathlib import Path
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


def os_sentence(error: OSError) -> str:
    """What the system refused, for which path, and the way out, in the language of the locale."""
    from .speech import locale_language, say

    path, reason = str(error.filename or ""), error.strerror or str(error)
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        code = "error.full"
    elif path and Path(path).parent.is_relative_to(Path(__file__).parents[1]) and not Path(path).is_relative_to(Path.cwd()):
        code = "error.own_file"
    else:
        code = "error.path" if path else "error.system"
    return say(code, locale_language(), path=path or say("error.output", locale_language()), reason=reason)


def drop_output() -> None:
    """Sends what is still to be written to standard output nowhere."""
    with contextlib.suppress(OSError, ValueError):  # a stream without a file, as in tests
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
