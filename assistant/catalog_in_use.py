"""Puts the newest refresh of the catalog and the site of the settings in use: at the start of each question and command."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from knowledge.facts import use_snapshots
from tools.site import use_site

SNAPSHOTS = "snapshots"


def snapshot_folder(data_dir: Path) -> Path:
    """Where refreshed catalogs are kept."""
    return data_dir / SNAPSHOTS


def use_catalog(data_dir: Path, site: Literal["cn", "intl"]) -> None:
    """Cheap to call again: one look at a folder. A refresh made meanwhile counts from now on."""
    use_snapshots(snapshot_folder(data_dir))
    use_site(site)
