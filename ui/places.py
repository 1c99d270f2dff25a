"""What the options of several commands name: places to run on, and a config.json."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from .options import read_text, shortened
from .speech import say

if TYPE_CHECKING:
    from tools.phrases import Language

MAX_CARDS = 999
_COUNT_FIRST = re.compile(r"(?P<count>\d+)\s*[x×*张块]\s*(?P<name>\D.*)")
_COUNT_LAST = re.compile(r"(?P<name>.+?)\s*[x×*]\s*(?P<count>\d+)")


def places(name: str, language: Language) -> list[str]:
    """What `--on` names, as `check_cards` takes it: ids of cards (with `xN`), a family or a type.

    Raises UnknownInstance with the nearest names for what the catalog does not know, InputError for a count of
    cards beyond reason.
    """
    from knowledge.errors import InputError
    from tools.catalog import exists, resolve_card

    from .names import unknown_name

    plain = unicodedata.normalize("NFKC", name).strip()
    counted = _COUNT_FIRST.fullmatch(plain) or _COUNT_LAST.fullmatch(plain)
    if counted:
        gpus = resolve_card(counted["name"])
        count = counted["count"].lstrip("0")
        if gpus and (not count or len(count) > len(str(MAX_CARDS))):
            raise InputError(say("size.cards_out_of_range", language, given=shortened(name), limit=MAX_CARDS))
        if gpus:
            return [f"{gpu.gpu_id}x{count}" for gpu in gpus]
    gpus = resolve_card(plain)
    if gpus:
        return [gpu.gpu_id for gpu in gpus]
    check = exists(plain)
    if check.known and check.kind in ("family", "instance"):
        return [check.name]
    raise unknown_name(check, language)


def config_text(name: str, language: Language) -> str:
    """The config.json. Raises InputError, naming the file, when there is nothing in it."""
    from knowledge.errors import InputError

    text = read_text(name, language)
    if not text.strip():
        raise InputError(say("file.empty", language, name=say("file.stdin", language) if name == "-" else name))
    return text
