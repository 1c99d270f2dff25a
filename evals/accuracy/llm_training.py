"""Published memory of training language models, held against `size train`.

A row that ran out of memory, or ran on a card that it names, also gives `fits`: the peak as nvidia-smi shows it against
all that the card has, since a trainer has no share of its own to keep free.
"""

from __future__ import annotations

from knowledge.errors import InputError
from knowledge.rows import Gpu
from tools.cards import resolve_card
from tools.training.estimate import band_group, measured_band
from tools.training.peak import training_sum
from tools.units import to_gib
from tools.usable import usable_gib

from .rows import Measure, Refusal, Row, gib_of, row_id, text
from .training_rows import TrainingRow, figure, measured_gib, read_row


def predict(row: Row) -> list[Measure] | Refusal:
    """The measures of a row, or why it cannot be predicted."""
    try:
        read = read_row(row)
        return _measures(row, read)
    except InputError as error:
        return Refusal(row_id(row), str(error))


def _measures(row: Row, read: TrainingRow) -> list[Measure]:
    predicted = to_gib(training_sum(read.job, read.layout, metric=read.metric).total)
    groups, found = _groups(read), []
    printed = figure(row)
    if printed is not None:
        band = measured_band(read.job, read.layout)
        gib = gib_of(printed, text(row, "unit") or "GB", source=text(row, "source_url") or "")
        found.append(
            Measure(
                row_id(row), "peak", measured_gib(row, read.layout, gib), predicted,
                predicted * (1 + band.low_pct / 100), predicted * (1 + band.high_pct / 100), groups, read.note,
            )
        )  # fmt: skip
    card, outcome = _card(text(row, "gpu") or ""), (text(row, "outcome") or "").casefold()
    if card is not None and (printed is not None or "oom" in outcome):
        shown = to_gib(training_sum(read.job, read.layout).total)
        ran, fits = float("oom" not in outcome), float(shown <= usable_gib(card))
        found.append(Measure(row_id(row), "fits", ran, fits, groups=groups, note=f"{shown:.1f} GiB on {card.gpu_id}"))
    if not found:
        raise InputError("missing: peak_mem")
    return found


def _groups(read: TrainingRow) -> dict[str, str]:
    kind = "experts" if read.job.model.moe else "multimodal" if read.job.model.vision_params else "dense"
    return {
        "method": "full" if not read.job.adapter else read.job.method if read.job.method in ("lora", "qlora") else "other adapters",
        "framework": read.job.framework,
        "layout": read.layout.scheme,
        "architecture": kind,
        "band": band_group(read.job, read.layout),
        "model": read.job.model.id,
    }


def _card(name: str) -> Gpu | None:
    """The one card that a row names ("A100-SXM4-40GB"); None where the name leaves the memory open."""
    cards = resolve_card(name.replace("-SXM4-", " ").replace("80G", "80GB").replace("GBB", "GB"))
    return cards[0] if len(cards) == 1 else None
