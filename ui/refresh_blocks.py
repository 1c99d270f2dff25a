"""A refresh as blocks: what was fetched, what was left out, what changed; and the snapshots there are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from .blocks import Block, Lines, Markdown, Table, Title
from .figures import money
from .speech import say

if TYPE_CHECKING:
    from knowledge.refresh.changes import Change, ChangeKind
    from knowledge.refresh.worker import LeftOut, RefreshReport
    from tools.phrases import Language

MOST = 20
"""Changes of one kind that are shown; `--json` has all."""
COUNTED: tuple[ChangeKind, ...] = ("priced",)
"""Kinds of changes that are only counted: a first refresh has thousands."""


def report_blocks(report: RefreshReport, changes: Sequence[Change], language: Language) -> Iterator[Block]:
    """What a reader wants to know first: what changed; then what is missing, and what the snapshot holds."""
    manifest, snapshot = report.snapshot.manifest, report.snapshot
    counts = {"types": snapshot.types, "offered": snapshot.offered, "prices": snapshot.prices, "spot": snapshot.spot}
    held = {name: len(rows) for name, rows in counts.items()}
    yield Markdown(say("refresh.written", language, date=manifest.as_of, regions=some(manifest.regions, language), **held))
    yield from change_blocks(changes, language)
    missing = [_left_out(item, language) for item in report.left_out]
    if missing:
        yield Title(say("refresh.left_out", language))
        yield Lines([f"· {line}" for line in missing])
    yield Lines(list(_notes(report, language)), dim=True)


def change_blocks(changes: Sequence[Change], language: Language) -> Iterator[Block]:
    """One table a kind, in the order of the changes; those that are only counted at the end."""
    counts = Counter(change.kind for change in changes)
    if not counts.keys() - set(COUNTED):
        yield Markdown(say("refresh.no_change", language))
    for kind, count in counts.items():
        if kind in COUNTED:
            continue
        yield Title(say(f"refresh.kind.{kind}", language, count=count))
        yield _table([change for change in changes if change.kind == kind][:MOST], language)
        if count > MOST:
            yield Lines([say("refresh.more", language, count=count - MOST)], dim=True)
    counted = [say(f"refresh.kind.{kind}", language, count=counts[kind]) for kind in COUNTED if counts[kind]]
    if counted:
        yield Lines(counted, dim=True)


def list_blocks(rows: Sequence[dict[str, Any]], failure: dict[str, str] | None, language: Language, *, shipped: str) -> Iterator[Block]:
    """The snapshots, newest first, and how the last try failed if it did."""
    if rows:
        codes = ("used", "taken", "regions", "types", "prices", "left_out")
        body = [_snapshot_row(row, language) for row in rows]
        yield Table([say(f"refresh.col.{code}", language) for code in codes], body, right=frozenset({3, 4}))
    if not any(row["used"] for row in rows):
        yield Markdown(say("refresh.shipped_used", language, date=shipped))
    if failure:
        yield Lines([say("refresh.last_failure", language, at=failure.get("at", "?"), sentence=failure.get("zh" if language == "zh" else "sentence", ""))], dim=True)


def _table(changes: Sequence[Change], language: Language) -> Table:
    """Only the columns that say something for this kind."""
    cells = [_cells(change, language) for change in changes]
    shown = [code for code in _COLUMNS if any(row[code] for row in cells)]
    right = frozenset(number for number, code in enumerate(shown) if code in ("old", "new", "percent"))
    return Table([say(f"refresh.col.{code}", language) for code in shown], [[row[code] for code in shown] for row in cells], right)


_COLUMNS = ("type", "region", "subject", "old", "new", "percent", "as_of")


def _cells(change: Change, language: Language) -> dict[str, str]:
    return {
        "type": change.instance_type,
        "region": change.region,
        "subject": _subject(change, language),
        "old": _amount(change.old, change.unit, language),
        "new": _amount(change.new, change.unit, language),
        "percent": "" if change.percent is None else f"{change.percent:+.1f}%",
        "as_of": change.old_as_of,
    }


def _subject(change: Change, language: Language) -> str:
    """The figure of a specification, else the way of paying."""
    if not change.subject:
        return ""
    if change.kind == "specs":
        return say(f"refresh.spec.{change.subject}", language)
    return say("refresh.subscription" if change.subject == "subscription" else f"billing.{change.subject}", language)


def _amount(text: str, unit: str, language: Language) -> str:
    """Amounts with their unit; anything else as it is."""
    if not unit or not text:
        return text
    currency, per = unit.split("/")
    amounts = "–".join(money(Decimal(part)) for part in text.split("–"))
    return f"{amounts} {say(f'currency.{currency}', language)}/{say(f'per.{per}', language)}"


def _left_out(item: LeftOut, language: Language) -> str:
    kind = say(f"refresh.step.{item.kind}", language) if item.kind else say("refresh.all_kinds", language)
    where = item.region or say("refresh.all_regions", language)
    return say("refresh.left_out_line", language, kind=kind, where=where, steps=item.steps, sentence=item.zh if language == "zh" else item.sentence)


def _notes(report: RefreshReport, language: Language) -> Iterator[str]:
    if report.resumed:
        yield say("refresh.resumed", language, steps=report.resumed)
    if report.dropped:
        yield say(f"refresh.dropped.{report.dropped}", language)
    for item in report.carried:
        yield say("refresh.carried", language, rows=item.rows, what=say(f"refresh.table.{item.table}", language), date=item.as_of)
    if report.snapshot.manifest.site != report.request.site:
        yield say("refresh.other_site", language, site=say(f"refresh.site.{report.snapshot.manifest.site}", language))
    if report.not_taken:
        yield say("refresh.not_taken", language, count=report.not_taken)
    if report.unlisted:
        yield say("refresh.unlisted", language, families=", ".join(report.unlisted))
    yield say("refresh.where", language, path=report.path)


def _snapshot_row(row: dict[str, Any], language: Language) -> list[str]:
    if not row["readable"]:
        return ["", row["name"], say("refresh.unreadable", language), "", "", ""]
    mark = "✓" if row["used"] else ""
    counts = row["rows"]
    missing = str(len(row["left_out"]) or "")
    return [mark, row["taken_at"], some(row["regions"], language), str(counts["types.csv"]), str(counts["prices.csv"]), missing]


def some(names: Sequence[str], language: Language) -> str:
    """The first three, and how many there are."""
    comma = "、" if language == "zh" else ", "
    shown = comma.join(names[:3])
    return shown if len(names) <= 3 else say("refresh.and_more", language, shown=shown, count=len(names))
