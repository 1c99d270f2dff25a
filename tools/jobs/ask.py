"""What a job kind hands over to be sized: its demand on cards, what may be changed, what may be solved for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from tools.demand import Demand, Wish
from tools.results import Job

Setting = str | int | float | bool | None


@dataclass(frozen=True)
class ChangedDemand:
    """One single change of the job. `code` is stable, `what` says it in the language of the answer."""

    code: str
    what: str
    demand: Demand


@dataclass(frozen=True)
class Solvable:
    """A quantity whose largest value may be asked for; memory never falls when it grows.

    `low`, `high` and `step` bound the search (multiples of `step`), `wished` is what the user asked, if anything.
    """

    quantity: str
    demand_of: Callable[[int], Demand]
    low: int
    high: int
    step: int = 1
    wished: int | None = None


@dataclass(frozen=True)
class JobAsk:
    """One job to be sized.

    `settings` are what was understood or assumed, by name; `assumed` and `cautions` are sentences. `changes` stand in
    the order of what they cost the user, the cheapest first. `on` names gpu ids, `GPUxN`, families or types.
    """

    job: Job
    subject: str
    demand: Demand
    phrase_table: str
    settings: dict[str, Setting] = field(default_factory=dict)
    assumed: tuple[str, ...] = ()
    cautions: tuple[str, ...] = ()
    changes: tuple[ChangedDemand, ...] = ()
    solve: tuple[Solvable, ...] = ()
    wish: Wish = Wish()
    on: tuple[str, ...] = ()
    source_ids: tuple[str, ...] = ()
