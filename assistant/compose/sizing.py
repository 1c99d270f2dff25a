"""Composes the answer to "what does this model need, and which instance": the pick, the sum, the choices."""

from __future__ import annotations

from collections.abc import Iterator

from assistant.evidence import Evidence, Finding
from assistant.read.reading import Reading
from tools.sizing import DEFAULT_CONCURRENCY
from tools.speed.sentences import bound_sentence, price_sentence, speed_sentence

from . import words
from .draft import Draft, paragraphs
from .ordering import ordering
from .sizing_budget import other_money, within_month
from .sizing_cards import card_lines
from .sizing_cautions import cautions
from .sizing_choices import other_billing, others, savings
from .sizing_pick import headline, room, table, tight, watch
from .sizing_view import View
from .sizing_wishes import wished
from .solved import solved_lines

MAX_MISSES = 2
"""Closest misses that stand among the recommendations when nothing fits."""


def compose_sizing(reading: Reading, evidence: Evidence, finding: Finding) -> Draft:
    """The answer to a serving question from one `size_llm` finding."""
    view = View(reading, evidence, finding)
    assumptions = list(_assumptions(view))
    text = paragraphs(
        _speed(view) if view.speed_first else "",
        *wished(view),
        *solved_lines(view, view.sizing.solved),
        *(card_lines(view) if not view.sizing.solved else ()),
        _amounts(view),
        other_money(view, reading),
        headline(view),
        within_month(view),
        table(view),
        tight(view),
        watch(view),
        room(view),
        others(view),
        *(savings(view) if view.wish != "cheaper" else ()),
        other_billing(view),
        "" if view.speed_first else _speed(view),
        _command(view),
        ordering(view, reading, evidence),
        _closing(view, assumptions),
    )
    return Draft(
        kind="sizing",
        text=text,
        assumptions=assumptions,
        cautions=list(cautions(view)),
        estimate=view.sizing.estimate,
        recommendations=view.picks or view.sizing.advice.near_misses[:MAX_MISSES],
        derived=view.derived,
    )


def _amounts(view: View) -> str:
    """Weights and KV cache in one sentence, first, where the question is about amounts of memory."""
    sizing, totals = view.sizing, view.sizing.totals
    if "memory" not in view.topics or sizing.checks:
        return ""
    return view.voice(
        "amounts",
        model=sizing.model.model_id,
        dtype=sizing.weight_dtype,
        weights=words.gib(totals.weights_gib),
        gb=words.gib(totals.weights_gb),
        per_token=words.plain(round(totals.kv_kib_per_token, 1)),
        each=words.gib(totals.kv_gib_per_sequence),
        context=words.tokens(sizing.context),
        users=sizing.shown_users,
        kv=words.gib(totals.kv_gib),
        mark=view.evidence.mark(sizing.model.source_ids),
    )


def _assumptions(view: View) -> Iterator[str]:
    sizing, model = view.sizing, view.sizing.model
    figures = {
        "context": words.tokens(sizing.context),
        "users": sizing.shown_users,
        "default": DEFAULT_CONCURRENCY,
        "dtype": sizing.weight_dtype,
        "model": model.model_id,
        "others": words.and_list(model.alternatives[:3], view.language),
        "size": words.plain(round(model.params_billion, 1)),
    }
    for code in sizing.assumed:
        yield view.voice(f"assume_{code}", **figures)
    if view.gguf_engine:
        yield view.voice("assume_gguf", engine=view.gguf_engine, **figures)
    yield view.voice(
        "assume_engine",
        utilization=f"{view.utilization:g}",
        kv_dtype=sizing.kv_dtype,
        users=sizing.shown_users,
        context=words.tokens(sizing.context),
    )


def _speed(view: View) -> str:
    """Speed of the shown copy and the price of its tokens, where the question is about speed."""
    speed, price = view.sizing.speed, view.sizing.token_price
    if "speed" not in view.topics and not view.speed_first:
        return ""
    if speed is None:
        return view.voice("speed_unknown")
    lines = [speed_sentence(speed, view.language), bound_sentence(speed, view.language)]
    cost = [price_sentence(price, view.language)] if price else []
    lines = [*cost, *lines] if view.token_price else [*lines, *cost]
    mark = view.evidence.mark(speed.source_ids)
    return paragraphs(("" if view.language == "zh" else " ").join(lines) + mark, view.voice("speed_basis", basis=speed.assumptions[0]))


def _command(view: View) -> str:
    if not view.picks or not view.sizing.estimate.command:
        return ""
    return view.voice(
        "command",
        command=view.sizing.estimate.command,
        weights=f"{view.sizing.totals.weights_gib:,.0f}",
        disk=f"{view.sizing.totals.disk_gib:,.0f}",
    )


def _closing(view: View, assumptions: list[str]) -> str:
    priced = any(pick.price is not None for pick in view.picks)
    items = ("；" if view.language == "zh" else "; ").join(assumptions)
    return view.voice("assumptions", items=items, last=view.voice("last_priced" if priced else "last_unpriced"))
