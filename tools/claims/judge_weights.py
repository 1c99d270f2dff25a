"""Statements that plain arithmetic decides: parameters x bits against the memory of cards."""

from __future__ import annotations

from collections.abc import Iterator

from tools.results import Verdict

from .cues import cue
from .finding import Finding, Voice, figure
from .mentions import Mention
from .names import cards, memory_of
from .sentences import Clause

GIB = 2**30
USABLE = 0.94
"""Share of the printed memory that is usable where nvidia-smi's figure is unknown."""

BITS = (4, 8, 16, 32)
ROUGH = 0.07
REAL_BITS = {4: 4.55}
"""Bits per parameter of real 4-bit checkpoints: scales and 16-bit embeddings are in them."""


def weights_gib(params_b: float, bits: int) -> float:
    """GiB of the weights of `params_b` billion parameters in `bits` bit."""
    return params_b * 1e9 * REAL_BITS.get(bits, bits) / 8 / GIB


def judge_weights(clause: Clause, voice: Voice) -> Iterator[Finding]:
    """One model size against cards ("70B 16 bit fits one 80 GB card"), or against a size ("7B fp16 needs 14 GB")."""
    params = [item for item in clause.inherited("params") if 0.1 <= item.amount <= 4000]
    if len({item.amount for item in params}) != 1 or cue("weights", "trains").search(
        clause.sentence.text
    ):
        return
    held = _cards(clause)
    if held is not None and cue("weights", "fits").search(clause.text):
        yield from _fits(clause, params[0].amount, held, voice)
    elif (
        clause.of("memory", "need")
        and not clause.of("card", "family", "type")
        and clause.of("params")
    ):
        yield from _size(clause, params[0].amount, voice)


def _bits(clause: Clause, *, own: bool = False) -> int | None:
    """The precision of the clause, else (unless `own`) of the sentence; None when none is said, 0 when several are."""
    for text in (clause.text, "" if own else clause.sentence.text):
        found = [bits for bits in BITS if cue("weights", f"bits_{bits}").search(text)]
        if found:
            return found[0] if len(found) == 1 else 0
    return None


def _cards(clause: Clause) -> tuple[int, float, float] | None:
    """(count, GB each, GiB usable each) of the cards a clause speaks of; the largest size where several are meant."""
    count = int(next((item.amount for item in _counts(clause) if item.amount >= 1), 1))
    named, sized = clause.inherited("card"), clause.of("memory")
    if len({item.value for item in named}) == 1 and cards()[named[0].value].gpu_ids:
        rows = cards()[named[0].value].rows()
        row = next(
            (row for row in rows for item in sized if item.amount == row.memory_gb),
            max(rows, key=lambda row: row.memory_gb),
        )
        return (
            count,
            row.memory_gb,
            (row.usable_mib / 1024 if row.usable_mib else USABLE * row.memory_gb * 1e9 / GIB),
        )
    if not named and len(sized) == 1 and cue("weights", "cards").search(clause.text):
        return count, sized[0].amount, sized[0].amount * 0.99
    families = clause.of("family")
    if not named and len(families) == 1 and memory_of(families[0].value) and clause.of("count"):
        each = max(memory_of(families[0].value))
        return count, each, each * 0.96
    return None


def _counts(clause: Clause) -> list[Mention]:
    """The count of the cards: of the clause that names them."""
    return clause.of("count") or ([] if clause.of("card") else clause.inherited("count"))


def _denied(clause: Clause) -> bool:
    return clause.denied or cue("weights", "denies").search(clause.text) is not None


def _fits(
    clause: Clause, params: float, held: tuple[int, float, float], voice: Voice
) -> Iterator[Finding]:
    count, each, usable = held
    room, bits = count * usable, _bits(clause)
    said = not _denied(clause)
    must = cue("weights", "must").search(clause.text) is not None
    if bits == 0:
        return
    if bits is not None:
        need = weights_gib(params, bits)
        verdict = _verdict(need, room, said, count)
        fact = voice.say(
            "weights",
            params=figure(params),
            bits=bits,
            gib=figure(need),
            count=count,
            each=figure(each),
            room=figure(room),
        )
    else:
        verdict = _verdict_open(params, room, said, must, count)
        sizes = {f"b{size}": figure(weights_gib(params, size)) for size in (16, 8, 4)}
        fact = voice.say(
            "weights_open",
            params=figure(params),
            count=count,
            each=figure(each),
            room=figure(room),
            **sizes,
        )
    if verdict is not None:
        yield Finding(clause.start, clause.end, f"{figure(params)}B", verdict, fact, ("derived",))


def _easy(need: float, room: float, count: int) -> bool:
    """Weights with some room for KV cache and about 2 GiB per card for the engine stay below the usual 90 %."""
    return 1.05 * need + 2 * count <= 0.9 * room


def _verdict(need: float, room: float, said: bool, count: int) -> Verdict | None:
    if need > room:
        return "wrong" if said else "true"
    if _easy(need, room, count):
        return "true" if said else "cannot_judge"
    return "cannot_judge"


def _verdict_open(
    params: float, room: float, said: bool, must: bool, count: int
) -> Verdict | None:
    """No precision said: 16 bit is what people mean, 4 bit what may save it."""
    full, least = weights_gib(params, 16), weights_gib(params, 4)
    if must:
        return "cannot_judge" if full <= room else "wrong" if said else "true"
    if least > room:
        return "wrong" if said else "true"
    if full > room:
        return "partly"
    return "true" if said and _easy(full, room, count) else "cannot_judge"


def _size(clause: Clause, params: float, voice: Voice) -> Iterator[Finding]:
    """ "70B in FP16 needs 140 GB": less than the weights is wrong, the weights are right, more is left alone."""
    bits, sized = _bits(clause, own=True), clause.of("memory", "need")
    if (
        not bits
        or len(sized) != 1
        or not cue("weights", "needs").search(clause.text)
        or clause.denied
    ):
        return
    need, said = weights_gib(params, bits), sized[0].amount
    whole = need * GIB / 1e9
    if said < need * (1 - ROUGH):
        verdict: Verdict = "wrong"
    elif said <= whole * (1 + ROUGH):
        verdict = "true"
    else:
        return
    fact = voice.say(
        "weights_size", params=figure(params), bits=bits, gib=figure(need), gb=figure(whole)
    )
    yield Finding(clause.start, clause.end, f"{figure(params)}B", verdict, fact, ("derived",))
