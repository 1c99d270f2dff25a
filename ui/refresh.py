"""`xuanka refresh`: asks the cloud for types, stock and prices and writes a new dated catalog. `list` shows the catalogs there
are, `rollback` goes back to the one before."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .options import Json, Lang
from .refresh_request import make_request
from .refresh_run import failure_said, open_cloud, progress
from .speech import choose_language, say

if TYPE_CHECKING:
    from assistant.settings import Settings
    from knowledge.refresh.changes import Change
    from knowledge.refresh.request import RefreshRequest
    from knowledge.refresh.worker import RefreshReport
    from tools.phrases import Language

app = typer.Typer(invoke_without_command=True, help="Fetch types, stock and prices from Alibaba Cloud; list or roll back catalogs.")

Regions = Annotated[list[str] | None, typer.Option("--region", help="Region, id or name; may be repeated. Default: the settings'.")]
Families = Annotated[list[str] | None, typer.Option("--family", help="Family, e.g. gn7i; may be repeated. Default: all GPU families on offer.")]
Whats = Annotated[
    list[str] | None,
    typer.Option("--what", help="types, stock, prices, month, year, spot, plans; may be repeated. Default: types, stock, prices."),
]


@app.callback()
def refresh(
    ctx: typer.Context,
    region: Regions = None,
    family: Families = None,
    what: Whats = None,
    monthly: Annotated[bool, typer.Option("--monthly", help="Also list prices by the month.")] = False,
    yearly: Annotated[bool, typer.Option("--yearly", help="Also list prices by the year.")] = False,
    spot: Annotated[bool, typer.Option("--spot", help="Also spot quotes and how often spot instances are taken back.")] = False,
    bulk: Annotated[bool, typer.Option("--bulk", help="Hourly prices from the price list: fewer calls, needs billing rights.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be asked for.")] = False,
    fresh: Annotated[bool, typer.Option("--fresh", help="Do not go on with a refresh that was cut short.")] = False,
    policy: Annotated[bool, typer.Option("--policy", help="Print the RAM policy with the rights that this refresh needs.")] = False,
    lang: Lang = None,
    as_json: Json = False,
) -> None:
    """Fetch types, stock and prices from Alibaba Cloud and write a new dated catalog; the old one stays if that fails."""
    if ctx.invoked_subcommand:
        return
    from assistant.settings import read_settings

    language = choose_language(lang)
    settings = read_settings()
    asked = [*(what or ()), *(name for name, yes in (("month", monthly), ("year", yearly), ("spot", spot)) if yes)]
    request = make_request(settings, region or [], family or [], asked, bulk=bulk, language=language, whole=not what)
    if policy:
        _print_policy(request)
    elif dry_run:
        _print_plan(request, settings.aliyun_calls_per_second, language, as_json=as_json)
    else:
        _refresh(settings, request, language, fresh=fresh, as_json=as_json)


@app.command("list")
def list_all(lang: Lang = None, as_json: Json = False) -> None:
    """List the refreshed catalogs and which one is used."""
    from assistant.catalog_in_use import snapshot_folder
    from assistant.settings import read_settings
    from knowledge.facts import CATALOG_READ_ON
    from knowledge.refresh.shelf import last_failure

    from .refresh_blocks import list_blocks
    from .screen import show, show_json

    folder = snapshot_folder(read_settings().data_dir)
    rows, failure = _snapshots(folder), last_failure(folder)
    if as_json:
        used = next((row["name"] for row in rows if row["used"]), None)
        show_json({"folder": str(folder), "used": used, "shipped": CATALOG_READ_ON, "snapshots": rows, "last_failure": failure})
        return
    show(list_blocks(rows, failure, choose_language(lang), shipped=CATALOG_READ_ON))


@app.command("rollback")
def rollback(lang: Lang = None, as_json: Json = False) -> None:
    """Go back to the catalog before the one in use."""
    from assistant.catalog_in_use import snapshot_folder
    from assistant.settings import read_settings
    from knowledge.errors import InputError
    from knowledge.facts import CATALOG_READ_ON
    from knowledge.refresh.shelf import go_back, used_snapshot

    from .blocks import Lines
    from .screen import show, show_json

    language = choose_language(lang)
    folder = snapshot_folder(read_settings().data_dir)
    if used_snapshot(folder) is None:
        raise InputError(say("refresh.nothing_to_roll_back", language, date=CATALOG_READ_ON))
    left, used = go_back(folder)
    if as_json:
        show_json({"left": left.name, "used": used.name if used else None})
        return
    now = used.name if used else say("refresh.shipped_name", language, date=CATALOG_READ_ON)
    show([Lines([say("refresh.rolled_back", language, left=left.name, used=now)])])


def _refresh(settings: Settings, request: RefreshRequest, language: Language, *, fresh: bool, as_json: bool) -> None:
    from assistant.catalog_in_use import snapshot_folder
    from knowledge import facts
    from knowledge.refresh.changes import Known, find_changes
    from knowledge.refresh.plan import known_types
    from knowledge.refresh.worker import refresh as run

    folder = snapshot_folder(settings.data_dir)
    facts.use_snapshots(folder)
    before = Known(facts.instances(), facts.price_rows(), facts.spot_rows())
    with failure_said(folder, language), progress(language) as on_progress:
        cloud = open_cloud(settings, language)
        report = run(cloud, request, folder=folder, known=known_types(request.families), on_progress=on_progress, fresh=fresh)
    changes = find_changes(before, report.snapshot, report.previous)
    _show(report, changes, language, as_json=as_json)


def _print_policy(request: RefreshRequest) -> None:
    from knowledge.refresh.policy import ram_policy

    from .screen import show_json

    show_json(ram_policy(request))


def _print_plan(request: RefreshRequest, pace: float, language: Language, *, as_json: bool) -> None:
    """What would be asked for, without a key and without a call."""
    from knowledge.refresh.plan import count_calls, known_types, make_plan, minutes

    from .blocks import Lines, Markdown
    from .refresh_blocks import some
    from .screen import show, show_json

    steps = make_plan(request, known_types(request.families))
    calls = count_calls(steps)
    plan = {**asdict(request), "steps": len(steps), "calls": calls, "minutes": minutes(calls, pace)}
    if as_json:
        show_json(plan)
        return
    counted: dict[str, int] = {}
    for step in steps:
        counted[step.kind] = counted.get(step.kind, 0) + step.calls
    lines = [say("refresh.plan_line", language, kind=say(f"refresh.step.{kind}", language), calls=count) for kind, count in counted.items()]
    named = {"regions": some(request.regions, language), "families": some(request.families, language)}
    show([
        Markdown(say("refresh.plan", language, **named, calls=f"{calls:,}", minutes=minutes(calls, pace))),
        Lines([f"· {line}" for line in lines]),
    ])  # fmt: skip


def _show(report: RefreshReport, changes: tuple[Change, ...], language: Language, *, as_json: bool) -> None:
    from .screen import show, show_json

    if not as_json:
        from .refresh_blocks import report_blocks

        show(report_blocks(report, changes, language))
        return
    from knowledge.snapshots import read_snapshot

    manifest = asdict(read_snapshot(report.path).manifest)
    show_json({
        "written": True,
        "path": str(report.path),
        **{name: manifest[name] for name in ("taken_at", "site", "regions", "families", "whole_families", "rows")},
        "steps": report.steps,
        "resumed": report.resumed,
        "dropped": report.dropped,
        "not_taken": report.not_taken,
        "unlisted": list(report.unlisted),
        "left_out": [asdict(item) for item in report.left_out],
        "carried": [asdict(item) for item in report.carried],
        "changes": [_plain(change) for change in changes],
        "removed": list(report.removed),
    })  # fmt: skip


def _plain(change: Change) -> dict[str, Any]:
    percent = None if change.percent is None else str(change.percent)
    return {**asdict(change), "percent": percent}


def _snapshots(folder: Path) -> list[dict[str, Any]]:
    """Each snapshot with what its manifest says, newest first."""
    from knowledge.errors import DataError
    from knowledge.snapshots import SnapshotFiles, list_snapshots

    rows: list[dict[str, Any]] = []
    for path in list_snapshots(folder):
        try:
            manifest = SnapshotFiles(path).manifest
        except DataError as error:
            rows.append({"name": path.name, "readable": False, "used": False, "reason": str(error)})
            continue
        told = {name: getattr(manifest, name) for name in ("taken_at", "site", "regions", "families", "rows", "left_out")}
        used = not any(row["used"] for row in rows)
        rows.append({"name": path.name, "readable": True, "used": used, **told})
    return rows
