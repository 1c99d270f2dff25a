"""From what the SDK raises to a CloudError: one sentence in each language, made of our own words, error code and names alone.

Nothing of the server's or the SDK's own text is passed on: it may quote the key id, the string that was signed, or a token.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from knowledge.errors import CloudError

from .rights import RIGHTS

MAX_WAIT_S = 120.0
"""Longest wait that a server may ask for."""
_CODE = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,79}")


@dataclass(frozen=True, slots=True)
class Call:
    """What was asked: names for the sentence."""

    action: str
    region: str = ""


@dataclass(frozen=True, slots=True)
class Fault:
    """A call that failed. `passing`: another try may help; `wait_s`: how long the server asked to wait."""

    error: CloudError
    code: str = ""
    passing: bool = False
    wait_s: float | None = None


def fault(name: str, call: Call, *, code: str = "", wait_s: float | None = None, **names: str) -> Fault:
    """The fault of that name in `faults.toml`."""
    entry = _table()[name]
    words = {
        "action": call.action,
        "region": call.region or "-",
        "code": code or "-",
        "right": RIGHTS.get(call.action, call.action),
        **names,
    }
    error = CloudError(entry["kind"], entry["en"].format(**words), zh=entry["zh"].format(**words))
    return Fault(error, code, entry.get("passing", False), wait_s)


def fault_of_code(
    code: object, call: Call, *, status: object = None, wait_ms: object = None, secrets: Collection[str] = ()
) -> Fault:
    """The fault that an error code stands for; a code that is not known goes by the HTTP status. What is written like no
    code, or holds one of the secrets, is none."""
    written = isinstance(code, str) and _CODE.fullmatch(code) and not any(secret in code for secret in secrets)
    shown = str(code) if written and code != "None" else ""  # the SDK makes a code of what is missing
    wait_s = _wait(wait_ms)
    name = _name_of_code(shown) or _name_of_status(status, wait_s, coded=bool(shown))
    return fault(name, call, code=shown or (f"HTTP {status}" if isinstance(status, int) else ""), wait_s=wait_s)


def fault_of_exception(error: Exception, call: Call, *, secrets: Collection[str] = ()) -> Fault:
    """The fault behind anything that a call of the SDK raises."""
    code = getattr(error, "code", None)
    if code:
        status = getattr(error, "status_code", None)
        return fault_of_code(code, call, status=status, wait_ms=getattr(error, "retry_after", None), secrets=secrets)
    return fault(_name_of_transport(list(_causes(error))), call)


def _name_of_code(code: str) -> str:
    low = code.lower()
    for name, entry in _table().items():
        if low and any(low.startswith(prefix.lower()) for prefix in entry["codes"]):
            return name
    return ""


def _name_of_status(status: object, wait_s: float | None, *, coded: bool) -> str:
    """With a code that is not known, 401 and 403 say nothing: the interface also means "not with this disk" by them."""
    if wait_s is not None or status == 429:
        return "throttled"
    if not isinstance(status, int):
        return "refused"
    if status >= 500:
        return "internal"
    return "refused" if coded else {401: "key", 403: "permission"}.get(status, "refused")


_TRANSPORT = (
    ("no_role", r"credential|metadata|imds|100\.100\.100\.200"),
    ("no_host", r"nameresolution|getaddrinfo|name or service not known|nodename nor servname|failed to resolve"),
    ("timeout", r"timed out|timeouterror|readtimeout|connecttimeout"),
    ("certificate", r"sslerror|\bssl\b|certificate"),
    ("not_json", r"parse the value as json|jsondecodeerror|expecting value|as_map|valueerror|typeerror|attributeerror"),
)
"""Failures without an error code, by what the types and texts of the exceptions say; the first that matches counts."""


def _name_of_transport(causes: list[BaseException]) -> str:
    said = " ".join(f"{type(cause).__name__} {cause}" for cause in causes).lower()
    return next((name for name, pattern in _TRANSPORT if re.search(pattern, said)), "no_connection")


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The exception and what it wraps."""
    seen: BaseException | None = error
    for _ in range(5):
        if seen is None:
            return
        yield seen
        seen = getattr(seen, "inner_exception", None)


def _wait(wait_ms: object) -> float | None:
    if not isinstance(wait_ms, int | float) or isinstance(wait_ms, bool) or not wait_ms >= 0:
        return None
    return min(wait_ms / 1000, MAX_WAIT_S)


@cache
def _table() -> dict[str, dict[str, Any]]:
    return tomllib.loads(files("knowledge.aliyun").joinpath("faults.toml").read_text(encoding="utf-8"))
