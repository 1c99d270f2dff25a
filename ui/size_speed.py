"""Blocks that show speed: of one way of serving, and the machines for a wished speed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from tools.phrases import Language, read_phrases
from tools.phrases import say as say_from
from tools.speed.efficiency import PHRASES
from tools.speed.need_results import SpeedAnswer, SpeedMachines
from tools.speed.results import Speed, TokenPrice
from tools.speed.sentences import (
    bound_sentence,
    figure,
    pick_sentence,
    price_sentence,
    slow_lines,
    speed_sentence,
    wish_sentence,
)

from .blocks import Block, Lines, Markdown, Table
from .figures import cards, money, source_lines
from .speech import say

if TYPE_CHECKING:
    from tools.variants import LlmRequest

SHOWN = 6
COLUMNS = ("type", "cards", "copies", "users", "user", "first", "hourly", "million")


def show_machines(request: LlmRequest, language: Language, *, as_json: bool, **wish: float | None) -> None:
    """Prints the machines that keep the wished speed (`SpeedNeed`), the named places only where some are named."""
    from tools.places import named_wish
    from tools.speed.copies import SpeedNeed
    from tools.speed.size import size_speed

    from .screen import show, show_json

    need = SpeedNeed(
        concurrency=request.concurrency, input_tokens=request.input_tokens, output_tokens=request.output_tokens, **wish
    )
    answer = size_speed(replace(request, wish=named_wish(request.wish, request.on)), need, language=language)
    if as_json:
        show_json(answer)
    else:
        show(need_blocks(answer, language))


def speed_blocks(speed: Speed, price: TokenPrice | None, language: Language) -> Iterator[Block]:
    """Speed of one copy, what bounds it, the price of its tokens, and what the figures rest on."""
    lines = [speed_sentence(speed, language), bound_sentence(speed, language)]
    if price is not None:
        lines.append(price_sentence(price, language))
    yield Markdown("\n".join(f"- {line}" for line in lines))
    yield Lines(speed.assumptions, dim=True)


def need_blocks(answer: SpeedAnswer, language: Language) -> Iterator[Block]:
    """Machines for a wished speed, from the pick to the sources."""
    head = [wish_sentence(answer, language), pick_sentence(answer, language)]
    first = answer.machines[0] if answer.machines else None
    if first is not None:
        head.append(speed_sentence(first.speed, language))
        if first.token_price is not None:
            head.append(price_sentence(first.token_price, language))
    yield Markdown("\n\n".join(head))
    if answer.machines:
        yield machine_table(answer.machines[:SHOWN], language)
    slow = list(slow_lines(answer, language))
    if slow:
        yield Markdown("\n".join(f"- {line}" for line in slow))
    assumed = [*answer.assumptions, *(first.speed.assumptions if first else [])]
    yield Markdown("\n".join([f"**{say('assumptions', language)}**", "", *(f"- {line}" for line in assumed)]))
    yield Lines(source_lines(answer.source_ids, language), dim=True)


def machine_table(rows: list[SpeedMachines], language: Language) -> Table:
    """One line a type: how many, in how many copies, what a user sees, what it costs."""
    table = read_phrases("tools", PHRASES)
    head = [say_from(table, f"column.{name}", language) for name in COLUMNS]
    return Table(head, [_cells(row, language) for row in rows], right=frozenset(range(3, len(COLUMNS))))


def _cells(row: SpeedMachines, language: Language) -> list[str]:
    user, first = row.speed.tokens_per_s_per_user, row.speed.first_token_s
    named = row.instance_type if row.instances == 1 else f"{row.instances} × {row.instance_type}"
    return [
        named,
        cards(row.gpu_id, row.gpu_count, language),
        f"{row.copies} × {row.tensor_parallel}",
        str(row.concurrency_per_copy),
        f"{figure(user.low)}–{figure(user.high)}",
        f"{figure(first.low)}–{figure(first.high)}",
        money(row.hourly) if row.hourly is not None else "–",
        f"{figure(row.token_price.answer.low)}–{figure(row.token_price.answer.high)}" if row.token_price else "–",
    ]
