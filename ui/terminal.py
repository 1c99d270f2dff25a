"""Blocks in a terminal, drawn with rich."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from .bars import FREE, LIMIT, OVER, draw
from .blocks import Bars, Block, Lines, Markdown, Table, Title
from .plain import printable

if TYPE_CHECKING:
    from rich.console import Console, JustifyMethod, RenderableType
    from rich.text import Text

COLOURS = ("blue", "cyan", "yellow", "magenta", "green", "white")
"""Colours of the parts of a bar, in their order; repeated when there are more parts."""


def draw_blocks(blocks: Iterable[Block], console: Console) -> None:
    """Prints the blocks, a blank line between two."""
    for number, block in enumerate(blocks):
        if number:
            console.print()
        console.print(_rich(block), soft_wrap=isinstance(block, Lines))


def _rich(block: Block) -> RenderableType:
    from rich.markdown import Markdown as RichMarkdown
    from rich.text import Text

    match block:
        case Markdown():
            return RichMarkdown(printable(block.text), hyperlinks=False)
        case Title():
            return Text(block.text, style="bold")
        case Lines():
            return Text(printable("\n".join(block.lines)), style="dim" if block.dim else "")
        case Table():
            return _table(block)
        case Bars():
            return _bars(block)


def _table(block: Table) -> RenderableType:
    from rich import box
    from rich.table import Table as RichTable
    from rich.text import Text

    table = RichTable(box=box.SIMPLE_HEAD, pad_edge=False)
    for at, name in enumerate(block.head):
        justify: JustifyMethod = "right" if at in block.right else "left"
        table.add_column(Text(printable(name)), justify=justify, overflow="fold", no_wrap=at == 0)
    for row in block.rows:
        table.add_row(*(Text(printable(cell)) for cell in row))
    return table


def _bars(block: Bars) -> RenderableType:
    from rich.console import Group
    from rich.table import Table as RichTable
    from rich.text import Text

    scale = max((bar.usable_gib for bar in block.bars), default=1.0)
    table = RichTable.grid(padding=(0, 2))
    for bar in block.bars:
        drawn = Text(no_wrap=True)
        for segment in draw(bar, scale_gib=scale):
            match segment.kind:
                case "part":
                    drawn.append("█" * segment.cells, style=_colour(segment.part))
                case "free":
                    drawn.append(FREE * segment.cells, style="dim")
                case "limit":
                    drawn.append(LIMIT * segment.cells, style="bold red")
                case _:
                    drawn.append(OVER * segment.cells, style="bold red")
        fits = bar.needed_gib <= bar.limit_gib
        figures = Text(f"{bar.needed_gib:.1f} / {bar.limit_gib:.1f} GiB", style="" if fits else "red")
        table.add_row(Text(printable(bar.label)), drawn, figures)
    return Group(table, _legend(block))


def _legend(block: Bars) -> Text:
    from rich.text import Text

    legend = Text()
    parts = block.bars[0].parts if block.bars else {}
    for at, (name, size) in enumerate(parts.items()):
        legend.append("█ ", style=_colour(at)).append(f"{block.names.get(name, name)} {size:.1f}  ")
    return legend.append(f"{LIMIT} ", style="bold red").append(block.limit)


def _colour(part: int) -> str:
    return COLOURS[part % len(COLOURS)]
