"""What a command shows, before it is known whether to a terminal or a pipe: Markdown, tables, memory bars, notes."""

from __future__ import annotations

from dataclasses import dataclass, field

from .bars import Bar


@dataclass(frozen=True)
class Markdown:
    """A paragraph, list or table of the Markdown that answers use."""

    text: str


@dataclass(frozen=True)
class Title:
    """A heading over what follows."""

    text: str


@dataclass(frozen=True)
class Lines:
    """Plain lines, `dim` for what is only by the way."""

    lines: list[str]
    dim: bool = False


@dataclass(frozen=True)
class Table:
    """Cells as text; `right` are the columns of figures."""

    head: list[str]
    rows: list[list[str]]
    right: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Bars:
    """Memory per card, one bar each, on one scale."""

    bars: list[Bar]
    names: dict[str, str] = field(default_factory=dict)  # part → word of the legend
    limit: str = ""  # what the limit mark means


Block = Markdown | Title | Lines | Table | Bars
