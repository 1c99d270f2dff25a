"""What is asked by a question that leans on the one before."""

from __future__ import annotations

from collections.abc import Sequence

from .asks import asked_in_thread
from .lexicon import Hit
from .reading import COSTS, Intent, Reading
from .replies import SUBJECT, asks_fit_there, asks_money_only, asks_sum, asks_why_there, is_bare

_OWN: tuple[Intent, ...] = ("greeting", "out_of_scope", "hostile")


def intents_in_thread(reading: Reading, previous: Reading, hits: Sequence[Hit], own: set[str]) -> list[Intent]:
    """A price, a comparison or a claim asked anew stays first; a bare wish is what was asked before."""
    cues = {hit.name for hit in hits if hit.table == "cues"}
    if any(getattr(previous, name) for name in SUBJECT) and asks_why_there(reading):
        return ["sizing"]
    return asked_in_thread(reading, previous, cues, own) or _of_the_rest(reading, previous, hits, own, cues)


def _of_the_rest(reading: Reading, previous: Reading, hits: Sequence[Hit], own: set[str], cues: set[str]) -> list[Intent]:
    """What is asked by a question that is not about costs or orders."""
    before = [intent for intent in previous.intents if intent not in (*_OWN, *COSTS)]
    sized = any(getattr(previous, name) for name in SUBJECT)
    first = _first(reading, cues, sized=sized)
    if not sized and own & set(SUBJECT) and reading.job and before[:1] in (["guidance"], ["sizing"]) and is_bare(reading, hits):
        return ["sizing"]  # the name of what was to be run all along
    if sized and (asks_fit_there(reading, cues) or reading.solve):
        return ["sizing"]
    if asks_money_only(reading, cues) and before[:1] != ["comparison"]:
        if not sized or "price" in (*cues, *before[:1]) or own & {"hours", "months"} or asks_sum(reading):
            return ["price"]
        return ["price", "sizing"] if "billing" in own else before
    if sized and before[:1] == ["price"] and own & {*_SIZING_FIELDS, "weight_dtype"}:
        return ["sizing"]
    bare = is_bare(reading, hits)
    if bare and first == "catalog" and before[:1] == ["guidance"]:
        return [first, *before]
    if before and (bare or first in _OWN or (reading.wish and first in ("guidance", "catalog", "price", "sizing"))):
        return before
    if first == "catalog" and not {"spec", "list", "exist", "size"} & cues:
        return before or [first]
    asks_anew = first in ("price", "comparison", "claim_check") or (first == "sizing" and bool(own & _SIZING_FIELDS))
    if first == "guidance" and "why" not in cues and not {"how", "suit", "save"} & cues and before:
        return before
    chosen = [first, *before] if asks_anew or {"fit", "need"} & cues and first == "sizing" else [*before, first]
    return list(dict.fromkeys(i for i in chosen if i not in ("out_of_scope", "greeting"))) or ["guidance"]


def _first(reading: Reading, cues: set[str], *, sized: bool) -> Intent:
    """What the question asks first by itself; what may be spent for a sum before is a wish of that sum."""
    if sized and reading.asks == ["within"]:
        return "guidance"
    priced = "price" in cues and "save" not in cues and reading.intents[0] not in COSTS
    return "price" if priced else reading.intents[0]


_SIZING_FIELDS = {"context", "concurrency", *SUBJECT}
