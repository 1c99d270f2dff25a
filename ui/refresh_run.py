"""What a refresh runs with: the cloud behind the keys of the settings, a progress bar, and words for its failures."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from .speech import say

if TYPE_CHECKING:
    from pydantic import SecretStr

    from assistant.settings import Settings
    from knowledge.aliyun.cloud import Cloud
    from knowledge.errors import RefreshFailed
    from knowledge.refresh.request import Step
    from knowledge.refresh.worker import Progress
    from tools.phrases import Language


def open_cloud(settings: Settings, language: Language) -> Cloud:
    """The cloud with the keys of the settings. Raises SettingsError naming the variables where there are none."""
    from importlib.util import find_spec

    from knowledge.aliyun import account
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
    for name in ("access_key_id", "access_key_secret", "security_token"):
        if not re.fullmatch(r"[\x21-\x7e]*", getattr(credentials, name).strip()):
            raise SettingsError(say("refresh.bad_key", language, name=f"XUANKA_ALIYUN_{name.upper()}"))
    if find_spec("alibabacloud_ecs20140526") is None:
        raise SettingsError(say("refresh.no_sdk", language))
    options = CloudOptions(
        endpoint=settings.aliyun_endpoint,
        billing_endpoint=settings.aliyun_billing_endpoint,
        calls_per_second=settings.aliyun_calls_per_second,
        site=settings.site,
    )
    return account.open_cloud(credentials, options=options)


def _secret(value: SecretStr | None) -> str:
    return value.get_secret_value() if value else ""


@contextmanager
def failure_said(folder: Path, language: Language) -> Iterator[None]:
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
        raise XuankaError(say("refresh.failed", language, cause=_cause(error, language), date=date)) from None
    except CloudError as error:
        raise XuankaError(say("refresh.failed", language, cause=_clause(error.said(language)), date=date)) from None
    except KeyboardInterrupt:
        raise XuankaError(say("refresh.interrupted", language, date=date)) from None


def _cause(error: RefreshFailed, language: Language) -> str:
    """What the cloud said, and whether anything is kept of it."""
    if error.cause is None:
        return _clause(say("refresh.empty", language))
    code = "refresh.gave_up_at_once" if error.code == "gave_up" and not error.kept else f"refresh.{error.code}"
    return say(code, language, reason=_clause(error.cause.said(language)), kept=error.kept)


def _clause(sentence: str) -> str:
    """A sentence as a part of another."""
    return sentence.strip().rstrip(".。")


@contextmanager
def progress(language: Language) -> Iterator[Progress | None]:
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
