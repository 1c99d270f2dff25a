"""The few settings that every command needs, read in the time of a small tool: the names, defaults and limits of `Settings`.

Loading `Settings` costs a quarter of a sizing command. A `.env`, or a value that is not plainly right, is left to it.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast

if TYPE_CHECKING:
    from .settings import Settings

REGION, SITE, STALE_AFTER_DAYS = "cn-hangzhou", "cn", 30
"""Defaults of `Settings`; a test holds them to it."""


@dataclass(frozen=True, slots=True)
class QuickSettings:
    """What every command needs to know."""

    region: str
    site: Literal["cn", "intl"]
    stale_after_days: int
    data_dir: Path


def quick_settings() -> QuickSettings:
    """Settings of the environment. Raises SettingsError naming the variable."""
    given = {name.upper(): value for name, value in os.environ.items() if name.upper().startswith("XUANKA_")}
    site, days = given.get("XUANKA_SITE", SITE), given.get("XUANKA_STALE_AFTER_DAYS", str(STALE_AFTER_DAYS))
    plain = site in ("cn", "intl") and days.isascii() and days.isdecimal() and len(days) < 5
    if Path(".env").exists() or not plain:
        from .settings import read_settings

        return of(read_settings())
    folder = given.get("XUANKA_DATA_DIR")
    return QuickSettings(
        region=given.get("XUANKA_REGION", REGION),
        site=cast("Literal['cn', 'intl']", site),
        stale_after_days=int(days),
        data_dir=_user_folder() if folder is None else Path(folder),
    )


def of(settings: Settings) -> QuickSettings:
    """The same, of settings that were read whole."""
    return QuickSettings(settings.region, settings.site, settings.stale_after_days, settings.data_dir)


def _user_folder() -> Path:
    from platformdirs import user_data_path

    return user_data_path("xuanka", appauthor=False)
