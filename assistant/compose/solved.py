"""The largest value of a quantity that fits on the cards and types that the user named."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from knowledge import facts
from tools.solved import Solved

from . import words
from .draft import Voice
from .machine_view import MachineView

MAX_PLACES = 4


def solved_lines(view: MachineView, solved: Sequence[Solved]) -> Iterator[str]:
    """One paragraph: the first place in full, the others of the same name by their value."""
    if solved:
        yield _solved(view, solved[0]) + _rest(view, solved[1:MAX_PLACES])


def _rest(view: MachineView, solved: Sequence[Solved]) -> str:
    """The largest values on more cards of the same name, in one sentence."""
    comma = "，" if view.language == "zh" else ", "
    cards = [f"{words.cards(facts.gpus()[s.gpu_id], s.gpus, view.language)} {s.value:,}" for s in solved if s.value and not s.blocked]
    text = _voice(view)("solved_rest", values=comma.join(cards)) if cards else ""
    return text if view.language == "zh" or not text else f" {text}"


def _solved(view: MachineView, solved: Solved) -> str:
    gpu = facts.gpus()[solved.gpu_id]
    cards = words.cards(gpu, solved.gpus, view.language)
    voice = _voice(view)
    said = {
        "label": f"`{solved.instance_type}`" if solved.instance_type else cards,
        "cards": cards,
        "quantity": voice(f"quantity_{solved.quantity}"),
        "value": f"{solved.value:,}",
        "required": words.gib(solved.required_gib or 0.0),
        "limit": words.gib(solved.limit_gib),
        "mark": view.evidence.mark(gpu.source_ids[:1]),
        "reason": solved.blocked or "",
    }
    if solved.blocked:
        return view.voice("check_blocked", **said)
    rate = "" if solved.tokens_per_s is None else words.plain(solved.tokens_per_s)
    if solved.value == 0:
        return voice("solved_too_slow" if rate else "solved_none", rate=rate, **said)
    capped = "solved_all" if solved.quantity == "context" else "solved_capped"
    line = voice(capped if solved.capped else "solved", **said)
    if rate:
        line += ("" if view.language == "zh" else " ") + voice("solved_speed", rate=rate)
    machine = solved.next_machine
    if machine is None or solved.wished is None:
        return line
    wished = voice("solved_next", wished=f"{solved.wished:,}", instance=machine.instance_type, cards=view.cards(machine))
    return line + ("" if view.language == "zh" else " ") + wished


def _voice(view: MachineView) -> Voice:
    return Voice("job", view.language)
