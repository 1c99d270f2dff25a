"""Which share of a card's peak a training run reaches: the published range that is nearest, and how it was widened."""

from __future__ import annotations

from dataclasses import dataclass

from knowledge.cost_facts import TrainingShare, training_shares
from knowledge.rows import Gpu


@dataclass(frozen=True)
class Share:
    """`low` and `high` shares of the dense 16-bit peak, recomputation counted. `row` is the range that they rest on, `borrowed`
    what widened it for another card, `slower` the kinds of runs that may fall below it."""

    low: float
    high: float
    row: TrainingShare
    sources: tuple[str, ...]
    borrowed: TrainingShare | None = None
    slower: tuple[TrainingShare, ...] = ()


def share_of(gpu: Gpu, *, quantised: bool, tokens: int, sharded: bool, moe: bool) -> Share:
    """The range for a card at that many tokens of one forward pass.

    Rows of the card itself come first; else those of the card with most rows, the low end widened. An adapter whose base is
    sharded, and a mixture of experts, may fall as low as the runs that were published of them.
    """
    kind = "quantised" if quantised else "float"
    row, own = _nearest(kind, gpu.gpu_id, tokens)
    other = None if own else _row("other_card", tokens)
    low = row.low * (other.low if other else 1)
    slow = [_row(kind, tokens) for kind, holds in (("sharded", sharded), ("moe", moe)) if holds]
    used = [row, *([other] if other else []), *slow]
    sources = tuple(dict.fromkeys(name for one in used for name in one.source_ids))
    return Share(min([low, *(one.low for one in slow)]), row.high, row, sources, borrowed=other, slower=tuple(slow))


def _nearest(kind: str, gpu_id: str, tokens: int) -> tuple[TrainingShare, bool]:
    """The row of a kind for a card, and whether it is the card's own."""
    rows = [row for row in training_shares() if row.kind == kind and row.from_tokens <= tokens]
    own = [row for row in rows if gpu_id in row.gpu_ids]
    chosen = own or [row for row in rows if row.gpu_ids == rows[0].gpu_ids]
    return max(chosen, key=lambda row: row.from_tokens), bool(own)


def _row(kind: str, tokens: int) -> TrainingShare:
    rows = [row for row in training_shares() if row.kind == kind and row.from_tokens <= tokens]
    return max(rows, key=lambda row: row.from_tokens)
