"""The tool that tells of which day the catalog and the prices are, and how to refresh them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import date
from typing import Literal

from knowledge import facts
from tools.freshness import CatalogInUse, catalog_in_use
from tools.results import Result

from .evidence import SourceRef
from .tool_arguments import Lang


class Dates(Result):
    """The first and the last day of one kind of figure, and how many there are."""

    kind: Literal["payg", "month", "spot"]
    first: str
    last: str
    count: int


class CatalogState(Result):
    """The catalog in use and the days of its prices."""

    in_use: CatalogInUse
    dates: list[Dates]


def make_state_tool(today: Callable[[], date]) -> Callable[..., tuple[CatalogState, list[SourceRef]]]:
    """The tool, over a clock."""

    def catalog_state(language: Lang = "zh") -> tuple[CatalogState, list[SourceRef]]:
        """Of which day catalog and prices are."""
        state = catalog_in_use(today(), language=language)
        refs = [SourceRef(source_id=s, excerpt=state.sentence) for s in state.source_ids]
        return CatalogState(in_use=state, dates=list(_dates())), refs

    return catalog_state


def _dates() -> Iterable[Dates]:
    days: dict[Literal["payg", "month", "spot"], list[str]] = {
        "payg": [row.as_of for row in facts.price_rows() if row.billing == "payg"],
        "month": [row.as_of for row in facts.price_rows() if row.billing == "month"],
        "spot": [row.as_of for row in facts.spot_rows()],
    }
    return (Dates(kind=kind, first=min(found), last=max(found), count=len(found)) for kind, found in days.items() if found)
