"""`xuanka refresh`: asks the cloud for types, stock and prices and writes a new dated catalog. `list` shows the catalogs there
are, `rollback` goes back to the one before."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .options import Json, Lang
from .refresh_request import make_request
from .speech import choose_language, say

if TYPE_CHECKING:
    from pydantic import SecretStr

    from assistant.settings import Settings
    from knowledge.aliyun.cloud import Cloud
    from knowledge.refresh.changes import Change
    from knowledge.refresh.request import RefreshRequest, Step
    from knowledge.refresh.worker import Progress, RefreshReport
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
    with _failure_said(folder, language), _progress(language) as on_progress:
        cloud = _open_cloud(settings, language)
        report = run(cloud, request, folder=folder, known=known_types(request.families), on_progress=on_progress, fresh=fresh)
    changes = find_changes(before, report.snapshot, report.previous)
    _show(report, changes, language, as_json=as_json)


def _open_cloud(settings: Settings, language: Language) -> Cloud:
    """The cloud with the keys of the settings. Raises SettingsError naming the variables where there are none."""
    from importlib.util import find_spec

    from knowledge.aliyun.account import open_cloud
    from knowledge.aliyun.cloud import CloudOptions, Credentials
    from knowledge.errors import SettingsError

    credentials = Credentials(
        access_key_id=_secret(settings.aliyun_access_key_id),
        access_key_secret=_secret(settings.aliyun_access_key_secret),
        security_token=_secret(settings.aliyun_security_token),
        ram_role=settings.aliyun_use_ram_role,
    )
    if not credentials.complete:
        raise SettingsError(say("refresh.no_keys", language))
    if find_spec("alibabacloud_ecs20140526") is None:
        raise SettingsError(say("refresh.no_sdk", language))
    options = CloudOptions(
        endpoint=settings.aliyun_endpoint,
        billing_endpoint=settings.aliyun_billing_endpoint,
        calls_per_second=settings.aliyun_calls_per_second,
        site=settings.site,
    )
    return open_cloud(credentials, options=options)


def _secret(value: SecretStr | None) -> str:
    return value.get_secret_value() if value else ""


@contextmanager
def _failure_said(folder: Path, language: Language) -> Iterator[None]:
    """Says with every failure that the old catalog stays, and of which day it is."""
    from knowledge import facts
    from knowledge.errors import CloudError, RefreshBusy, RefreshFailed, XuankaError

    active = facts.active_snapshot()
    date = active.manifest.as_of if active else facts.CATALOG_READ_ON
    try:
        yield
    except RefreshBusy:
        raise RefreshBusy(say("refresh.busy", language, folder=folder)) from None
    except RefreshFailed as error:
        code = "refresh.empty" if error.code == "nothing" and not error.cause else f"refresh.{error.code}"
        reason = _clause(error.cause.said(language)) if error.cause else ""
        cause = _clause(say(code, language, reason=reason, kept=error.kept))
        raise XuankaError(say("refresh.failed", language, cause=cause, date=date)) from None
    except CloudError as error:
        raise XuankaError(say("refresh.failed", language, cause=_clause(error.said(language)), date=date)) from None
    except KeyboardInterrupt:
        raise XuankaError(say("refresh.interrupted", language, date=date)) from None


def _clause(sentence: str) -> str:
    """A sentence as a part of another."""
    return sentence.strip().rstrip(".。")


@contextmanager
def _progress(language: Language) -> Iterator[Progress | None]:
    """A progress bar on standard error where that is a terminal; None elsewhere."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress as Bar

    with Bar(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(say("refresh.running", language), total=None)

        def on_progress(done: int, total: int, step: Step) -> None:
            what = say(f"refresh.step.{step.kind}", language)
            bar.update(task, completed=done, total=total, description=" ".join(part for part in (what, step.region, step.name) if part))

        yield on_progress


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
