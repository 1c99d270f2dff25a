"""What an answer on a job says beside its sum: the need in one sentence, what was not worked out, the user's own card."""

from __future__ import annotations

from collections.abc import Iterator

from assistant.filters import asks_duration, asks_rate
from assistant.read.reading import NameMention, Reading
from tools.usable import UNSEEN_SHARE

from . import words
from .job_view import JobView

SHARE = 0.9
"""Share of the usable memory that a job may take, as in every check of these answers."""
TIMED = ("llm_training", "vision_training", "diffusion_training")


def amounts(view: JobView) -> str:
    """The need in one sentence, first, where the question is about amounts of memory."""
    ram = view.sizing.settings.get("ram_gib")
    if view.sizing.checks or view.sizing.solved or not ("memory" in view.topics or (isinstance(ram, int) and "cpu" in view.topics)):
        return ""
    estimate = view.sizing.estimate
    need = estimate.per_gpu_gib
    figures = {"subject": view.title(), "need": words.gib(need.best), "gpus": estimate.gpus, "least": words.gib(need.low), "most": words.gib(need.high)}
    if isinstance(ram, int):
        return view.said("amounts_ram", ram=f"{ram:,}", **figures)
    return view.said("amounts", **figures)


def own_memory(view: JobView, reading: Reading) -> str:
    """Whether the main memory that the user has holds what lives there."""
    needed = view.sizing.settings.get("ram_gib")
    if not isinstance(needed, int) or reading.ram_gib is None:
        return ""
    return view.said("ram_holds" if needed <= reading.ram_gib else "ram_misses", ram=words.plain(reading.ram_gib), needed=f"{needed:,}")


def not_worked_out(view: JobView, reading: Reading) -> str:
    """That no rate or duration is summed for this kind of job, where one was asked for."""
    if view.sizing.job in TIMED and asks_duration(reading):
        return view.said("no_duration")
    if view.sizing.job not in TIMED and (asks_rate(reading) or asks_duration(reading)):
        return view.said("no_rate")
    return ""


def own_cards(view: JobView, reading: Reading) -> Iterator[str]:
    """Cards that no table has, and bare sizes that no card on sale has: held against the memory that was said."""
    if view.sizing.checks:
        return
    for card in [card for card in reading.cards if not card.known]:
        typed = card.model_copy(update={"text": _as_typed(card.text, reading)})
        yield _against(view, typed) if card.memory_gb else view.said("card_unknown", card=typed.text)
    if reading.card_memory_gb and not reading.cards:
        yield _against(view, NameMention(text=view.said("card_of", memory=words.plain(reading.card_memory_gb)), name="", known=False, memory_gb=reading.card_memory_gb))


def _as_typed(name: str, reading: Reading) -> str:
    """A name with the capitals that it was typed with."""
    at = reading.normal.lower().find(name)
    return reading.normal[at : at + len(name)] if at >= 0 else name


def _against(view: JobView, card: NameMention) -> str:
    """One card against the sum: by the share of printed gigabytes that cards without a log are taken to have."""
    estimate = view.sizing.estimate
    limit = view.derive((card.memory_gb or 0.0) * UNSEEN_SHARE * SHARE)
    count = card.count or 1
    view.derive(100 * UNSEEN_SHARE)
    need = estimate.per_gpu_gib
    figures = {"card": card.text, "need": words.gib(need.best), "limit": words.gib(limit), "gpus": estimate.gpus, "share": f"{UNSEEN_SHARE:.0%}", "utilization": f"{SHARE:g}"}
    if estimate.gpus != count:
        return view.said("card_other_count", **figures)
    return view.said("card_holds" if need.best <= limit else "card_misses", **figures)


def not_to_be_had(view: JobView, reading: Reading) -> str:
    """That a card named is in no type of the catalog; nothing of cards that the user owns."""
    if reading.owned:
        return ""
    lacking = [check for check in view.sizing.checks if not check.in_catalog and not check.nearest_counts]
    labels = dict.fromkeys(view.cards_of(check.gpu_id, 1).removeprefix("1 × ") for check in lacking)
    return view.said("not_in_catalog", cards=words.and_list(list(labels), view.language)) if labels else ""
