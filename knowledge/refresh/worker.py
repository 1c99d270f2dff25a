"""The worker: takes the steps of a refresh one after the other, keeps each in the journal, and writes the snapshot at the end.

    keys refused               ends at once: no other call can succeed
    an action not allowed      its kind of step is left out, the rest goes on
    a region not known         its steps are left out
    anything else              the step is tried once more at the end; five failures in a row end the refresh
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from knowledge.errors import CloudError, RefreshFailed, XuankaError
from knowledge.snapshots import write_snapshot

from .ask import ask
from .assemble import (
    Carried,
    assemble,
    fetched_tables,
    previous_snapshot,
    site_of,
    sold_by_charge,
    types_by_family,
    with_other_families,
)
from .journal import Dropped, Journal, open_journal
from .plan import Sold, TypesByFamily, first_steps, make_plan
from .request import RefreshRequest, Step
from .shelf import forget_failure, note_failure, remove_old

if TYPE_CHECKING:
    from knowledge.aliyun.cloud import Cloud
    from knowledge.snapshot_rows import Snapshot

FAILURES_IN_A_ROW = 5
Clock = Callable[[], datetime]
Progress = Callable[[int, int, Step], None]
"""Called after each step: steps done, steps in all, the step."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Steps that were not answered for one reason: their kind, their region (empty: in all), and what the cloud said."""

    kind: str
    region: str
    reason: str  # kind of the CloudError
    sentence: str
    zh: str
    steps: int


@dataclass(frozen=True, slots=True)
class RefreshReport:
    """A refresh that was written. `resumed`: steps taken over from one that was cut short; `dropped`: why one was not;
    `unlisted`: families of which no type is listed; `not_taken`: rows of answers that made no sense."""

    request: RefreshRequest
    path: Path
    snapshot: Snapshot
    previous: Snapshot | None
    steps: int
    resumed: int
    dropped: Dropped
    unlisted: tuple[str, ...]
    not_taken: int
    left_out: tuple[LeftOut, ...]
    carried: tuple[Carried, ...]
    removed: tuple[str, ...]


def refresh(
    cloud: Cloud,
    request: RefreshRequest,
    *,
    folder: Path,
    known: TypesByFamily,
    clock: Clock = lambda: datetime.now(UTC),
    on_progress: Progress | None = None,
    fresh: bool = False,
) -> RefreshReport:
    """Fetches what the request names and writes it as a new snapshot under `folder`. `known` are the types to price where
    none are listed.

    Raises RefreshBusy, RefreshFailed, or CloudError when the keys are refused; the snapshots of before then stay as they are.
    """
    with open_journal(folder, request, now=clock(), fresh=fresh) as journal:
        run = _Run(cloud, request, journal, clock, on_progress)
        try:
            _fetch(run, known)
            report = _write(run, folder, known)
        except XuankaError as error:
            note_failure(folder, at=clock(), error=error)
            raise
        journal.remove()
        forget_failure(folder)
        return replace(report, removed=remove_old(folder))


@dataclass
class _Run:
    cloud: Cloud
    request: RefreshRequest
    journal: Journal
    clock: Clock
    on_progress: Progress | None
    taken: set[str] = field(default_factory=set)
    failed: dict[Step, CloudError] = field(default_factory=dict)
    in_a_row: int = 0

    def take(self, steps: Iterable[Step], *, of: int) -> None:
        """Takes the steps that are not done yet. `of`: how many there are in all, for the progress."""
        for step in steps:
            if step.key in self.taken:
                continue
            self.taken.add(step.key)
            if step.key not in self.journal.done:
                self._take(step)
            if self.on_progress:
                self.on_progress(len(self.taken), max(of, len(self.taken)), step)

    def try_again(self) -> None:
        """Once more what failed for a reason that may pass."""
        again = [step for step, error in self.failed.items() if error.kind not in _STANDING]
        for step in again:
            self._take(step)

    def refused(self, kind: str) -> bool:
        """Whether steps of this kind are not allowed."""
        return any(step.kind == kind and error.kind == "permission" for step, error in self.failed.items())

    def _take(self, step: Step) -> None:
        if standing := self._standing(step):
            self.failed[step] = standing
            return
        try:
            rows = ask(self.cloud, step, self.request, now=self.clock())
        except CloudError as error:
            self._note(step, error)
        else:
            self.journal.add(step, rows)
            self.failed.pop(step, None)
            self.in_a_row = 0

    def _note(self, step: Step, error: CloudError) -> None:
        if error.kind == "credentials":
            raise error
        self.failed[step] = error
        if error.kind in _STANDING:
            return
        self.in_a_row += 1
        if self.in_a_row >= FAILURES_IN_A_ROW:
            kept = len(self.journal.done)
            message = f"{self.in_a_row} calls in a row failed, the last one so: {error} The {kept} steps that are done are kept; run the refresh again to go on"
            raise RefreshFailed(message, code="gave_up", cause=error, kept=kept) from error

    def _standing(self, step: Step) -> CloudError | None:
        """What was said of an earlier step and holds for this one too."""
        for other, error in self.failed.items():
            same_kind = error.kind == "permission" and other.kind == step.kind
            if same_kind or (error.kind == "region" and other.region == step.region):
                return error
        return None


_STANDING = ("permission", "region")
"""Kinds of errors that hold for all steps alike."""


def _fetch(run: _Run, known: TypesByFamily) -> None:
    """Types first, then the stock of their families, then the prices of what they name."""
    expected = len(make_plan(run.request, known))
    run.take([step for step in first_steps(run.request) if step.kind == "types"], of=expected)
    run.try_again()
    run.request = with_other_families(run.request, run.journal.done)
    run.take(first_steps(run.request), of=expected)
    run.try_again()
    types, sold = _found(run, known)
    plan = make_plan(run.request, types, sold)
    run.take(plan, of=len(plan))
    if run.request.bulk and run.refused("bulk"):  # prices type by type need rights of another kind
        plan = make_plan(replace(run.request, bulk=False), types, sold)
        run.take(plan, of=len(plan) + 1)
    run.try_again()


def _found(run: _Run, known: TypesByFamily) -> tuple[TypesByFamily, Sold]:
    done = run.journal.done
    types = types_by_family(run.request, fetched_tables(done)["types.csv"])
    merged = {family: types.get(family) or set(known.get(family, ())) for family in run.request.families}
    return merged, sold_by_charge(done)


def _write(run: _Run, folder: Path, known: TypesByFamily) -> RefreshReport:
    if not any(fetched_tables(run.journal.done).values()):
        run.journal.remove()  # empty answers are no start to go on from
        raise _nothing(run)
    site = site_of(run.request, run.journal.done)
    previous = previous_snapshot(folder, site)
    left_out = _left_out(run.failed)
    snapshot, carried = assemble(
        replace(run.request, site=site),
        run.journal.done,
        taken_at=run.clock(),
        previous=previous,
        known=known,
        left_out=tuple(_in_words(item) for item in left_out),
    )
    path = write_snapshot(folder, snapshot)
    return RefreshReport(
        request=run.request,
        path=path,
        snapshot=snapshot,
        previous=previous,
        steps=len(run.journal.done),
        resumed=run.journal.resumed,
        dropped=run.journal.dropped,
        unlisted=_unlisted(run),
        not_taken=sum(getattr(run.cloud, "dropped", {}).values()),
        left_out=left_out,
        carried=carried,
        removed=(),
    )


def _unlisted(run: _Run) -> tuple[str, ...]:
    rows = fetched_tables(run.journal.done)["types.csv"]
    listed = types_by_family(run.request, rows)
    return tuple(family for family in run.request.families if rows and family not in listed)


def _nothing(run: _Run) -> RefreshFailed:
    cause = next(iter(run.failed.values()), None)
    return RefreshFailed(f"nothing was fetched: {cause or 'all answers were empty'}", code="nothing", cause=cause)


def _left_out(failed: dict[Step, CloudError]) -> tuple[LeftOut, ...]:
    """One line for each reason, not one for each step."""
    grouped: dict[tuple[str, str, str], list[CloudError]] = {}
    for step, error in failed.items():
        kind = "" if error.kind == "region" else step.kind
        region = "" if error.kind == "permission" else step.region
        grouped.setdefault((kind, region, error.kind), []).append(error)
    return tuple(
        LeftOut(kind, region, reason, str(errors[0]), errors[0].zh, len(errors)) for (kind, region, reason), errors in grouped.items()
    )


def _in_words(item: LeftOut) -> str:
    what = f"{item.kind or 'all'} in {item.region or 'all regions'}"
    return f"{what}: {item.steps} steps not answered ({item.reason}): {item.sentence}"
