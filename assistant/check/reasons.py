"""What a chat model is told of a figure that nothing proves."""

from __future__ import annotations

from .figures import Figure
from .records import Fact

UNITS = {"memory": (1073741824.0, " GiB"), "time": (3600.0, " hours"), "parameters": (1e9, "B"), "bandwidth": (1e9, " GB/s"), "compute": (1e12, " TFLOPS")}


def reason_of(figure: Figure, equal: Fact | None, near: Fact | None, other: str) -> str:
    """One sentence for a chat model. `equal`: a fact of that value which is of something else; `near`: the fact that comes nearest;
    `other`: what the copied sentence has there."""
    text = figure.quantity.text
    if other:
        return f"{text} is in no tool result; the same sentence of the tools has {other} there."
    if equal is not None:
        return f"{text} is not what the sentence makes it: in the tool results it is {_of(equal)}. Name that beside the figure, or leave it out."
    if near is None:
        return f"{text} is in no tool result: leave it out or use a figure of the tools."
    return f"{text} is in no tool result; {_said(near)}."


def _of(fact: Fact) -> str:
    """What a fact is of, in words."""
    subject = fact.subject
    names = sorted(subject.types or subject.families or subject.gpus)[:2]
    count = f"{min(subject.counts)} × " if subject.counts and not subject.types and names else ""
    called = sorted(fact.labels)[:2] or [fact.said]
    return f"{' and '.join(called).replace('_', ' ')} of {count}{' or '.join(names)}" if names else f"the figure of {' and '.join(called).replace('_', ' ')}"


def _said(fact: Fact) -> str:
    if fact.slack or not fact.dim:
        return f"the tools say {fact.said}"
    factor, unit = UNITS.get(fact.dim, (1.0, f" {fact.dim.removeprefix('money_')}"))
    return f"{fact.said.replace('_', ' ')} is {fact.value / factor:,.5g}{unit}"
