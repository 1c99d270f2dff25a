"""The rates of a run, and the goals that it must reach."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from statistics import quantiles

from pydantic import BaseModel

from .run import TIMED, Judged

CATCH, ALARMS = 0.99, 0.01
"""The least share of spoilt answers, and of bad drafts, that is caught, and the most false alarms on good ones."""
FLOOR_CATCH, FLOOR_ALARMS = 0.94, 0.02
"""What a change may not fall below, on the small sample that the tests take. The goals above are not all reached yet: see README."""
CHARACTERS = 4000


class Tally(BaseModel):
    """Drafts of one group. `right`: passed when good, caught when not; `apart`: changes that left the answer true."""

    cases: int
    right: int
    wrong: int
    unanswered: int = 0
    apart: int = 0


class Failure(BaseModel):
    """A draft that was judged wrongly: why, and its text or the line that was spoilt."""

    id: str
    reasons: list[str]
    text: str


class Timing(BaseModel):
    """CPU milliseconds of the check for 4,000 characters, over good answers long enough to tell."""

    p50: float
    p95: float
    n: int


class Report(BaseModel):
    """The JSON of `eval run --suite check`. A case is one judged draft; `catch` and `alarms` are shares."""

    suite: str = "check"
    llm: str = "offline"
    cases: int
    right: int
    wrong: int
    unanswered: int = 0
    by: dict[str, dict[str, Tally]]
    catch: float
    bad_found: float
    alarms: float
    alarm_codes: dict[str, int]
    goals: dict[str, float] = {"catch": CATCH, "alarms": ALARMS}
    ms: Timing | None
    failures: list[Failure]

    @property
    def reaches_goals(self) -> bool:
        """Whether all rates are what they must be."""
        return self.catch >= CATCH and self.bad_found >= CATCH and self.alarms <= ALARMS


def report(judged: Sequence[Judged]) -> Report:
    """The run in figures."""
    counted = [one for one in judged if not one.apart]
    good = [one for one in counted if one.kind == "good"]
    return Report(
        cases=len(counted),
        right=sum(one.right for one in counted),
        wrong=sum(not one.right for one in counted),
        by={
            "language": _tallies(judged, lambda one: one.lang),
            "category": _tallies(judged, lambda one: one.category),
            "behaviour": _tallies(judged, lambda one: "accept" if one.kind == "good" else "reject"),
            "source": _tallies(judged, lambda one: one.source),
            "kind": _tallies(judged, lambda one: one.kind),
        },
        catch=_share([one for one in counted if one.change]),
        bad_found=_share([one for one in counted if one.kind == "bad"]),
        alarms=1 - _share(good),
        alarm_codes=dict(Counter(found.partition(":")[0] for one in good for found in one.found).most_common()),
        ms=_timing(good),
        failures=[failure_of(one) for one in counted if not one.right],
    )


def failure_of(one: Judged) -> Failure:
    """What went wrong with a draft, in words for people who mend the check."""
    if one.change:
        said = f"not caught: {one.change.old} → {one.change.new or '∅'}"
        return Failure(id=f"{one.id}/{one.kind}", reasons=[said, *one.found], text=one.text)
    if one.kind == "bad":
        seen = ", ".join(one.found) or "nothing"
        return Failure(id=one.id, reasons=[f"not caught: wanted {' or '.join(one.wanted)}, found {seen}"], text=one.text)
    return Failure(id=one.id, reasons=[f"false alarm: {found}" for found in one.found], text=one.text)


def _tallies(judged: Iterable[Judged], key: Callable[[Judged], str]) -> dict[str, Tally]:
    groups: dict[str, list[Judged]] = {}
    for one in judged:
        groups.setdefault(key(one), []).append(one)
    return {name: _tally(group) for name, group in groups.items()}


def _tally(group: Sequence[Judged]) -> Tally:
    counted = [one for one in group if not one.apart]
    right = sum(one.right for one in counted)
    return Tally(cases=len(counted), right=right, wrong=len(counted) - right, apart=len(group) - len(counted))


def _share(group: Sequence[Judged]) -> float:
    """Of a group without members 1: nothing was judged wrongly."""
    return sum(one.right for one in group) / len(group) if group else 1.0


def _timing(good: Iterable[Judged]) -> Timing | None:
    times = sorted(one.ms * CHARACTERS / one.characters for one in good if one.characters >= TIMED)
    if len(times) < 2:
        return None
    cuts = quantiles(times, n=20)
    return Timing(p50=round(cuts[9], 2), p95=round(cuts[-1], 2), n=len(times))
