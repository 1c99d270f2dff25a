"""What is wished of an answer: cheaper, faster, safer, the defaults, an explanation, or why something was not chosen."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import cast, get_args

from .lexicon import Hit, read_table
from .reading import Wish

LONGEST = 60
"""Characters up to which a wish is of the answer, not a part of a description."""
TERSE = 24
"""Characters up to which "不知道" answers a question instead of opening one ("不知道用什么卡…")."""


_WHY = re.compile(r"(?:那|但|可是|but |and |so )?(?:这是)?(?:为什么|为啥|为何|why|how come|how so)(?:呢|啊| is that| so)?\W{0,3}")
"""Nothing but "why?", said of the answer before."""


def find_wish(text: str, hits: Iterable[Hit]) -> Wish | None:
    """The wish of a short text; None where two things are compared ("A10 和 T4 哪个更便宜")."""
    hits = tuple(hits)
    if _WHY.fullmatch(text.strip().lower()):
        return "explain"
    found = {hit.name for hit in hits if hit.table == "wishes"}
    compares = any(hit.table == "cues" and hit.name == "compare" for hit in hits)
    if len(text) > LONGEST or (compares and not found & {"explain", "why_not"}):
        return None
    if len(text) > TERSE:
        found.discard("defaults")
    first = next((name for name in read_table("wishes") if name in found), None)
    return cast(Wish, first) if first in get_args(Wish) else None
