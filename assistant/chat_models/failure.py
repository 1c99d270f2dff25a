"""Failures of chat models in plain words. Knows errors of every client by name, status and wording, and imports none of them."""

from __future__ import annotations

import json
import re
import tomllib
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from tools.phrases import Language

Kind = Literal[
    "timeout", "over_time", "rate_limited", "quota", "unreachable", "key", "forbidden", "model_not_found", "wrong_url", "context_overflow",
    "max_tokens", "tools_unsupported", "thinking", "bad_request", "server", "broken_off", "garbage", "content_filter", "loop", "refusal", "empty", "unknown",
]  # fmt: skip
MOST_DETAIL = 160
MOST_TEXT = 4000
DEEPEST = 6
"""Errors behind an error that are looked at."""
SILENT: tuple[Kind, ...] = ("key", "loop", "over_time", "content_filter")
"""Kinds whose server text tells nothing more, and may repeat the key or the question."""
_SECRET = re.compile(
    r"(?:(?:bearer|basic)\s+|(?:x-)?(?:api[-_ ]?key|authorization|access[-_ ]?token|secret|password)(?:\s+provided)?\W{1,4}(?:(?:bearer|basic)\s+)?)\S+"
    r"|\b(?:sk|pk|ak|gsk|hf|xai|AIza|LTAI)[-_*]?[A-Za-z0-9_*\-]{6,}"
    r"|//[^\s/@]+@"
    r"|(?=[A-Za-z0-9_\-]*\d)(?=[A-Za-z0-9_\-]*[A-Za-z])[A-Za-z0-9_\-]{32,}",
    re.IGNORECASE,
)
_ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_HTML_TAG = re.compile(r"<[^<>]{0,300}>")


@dataclass(frozen=True)
class ModelFailure:
    """What went wrong with a chat model. `detail`: the server's words, cleaned and short, or nothing; never a key."""

    kind: Kind
    detail: str = ""


def failure_of(error: BaseException) -> ModelFailure:
    """The kind of failure that an exception of any client tells."""
    chain = list(_chain(error))
    status = next((code for code in map(_status, chain) if code), 0)
    classes = " ".join(_class_names(one) for one in chain)
    said = " ".join(_told(one) for one in chain)
    kind: Kind = next((rule["kind"] for rule in _table()["rule"] if _meets(rule, status, classes, said)), "unknown")
    if kind in SILENT:
        return ModelFailure(kind)
    return ModelFailure(kind, _detail(chain, kind))


def say_failure(failure: ModelFailure, *, llm: str, language: Language, provider: str = "") -> str:
    """One sentence with cause and way out. `provider`: whose rules the server follows, if not those of the name."""
    from .provider import find_model
    from .refused import ModelRefused

    name = clean_detail(llm)[:80]
    try:
        named = find_model(llm)
        provider, model = provider or named.provider.name, clean_detail(named.model)[:80]
    except ModelRefused:
        model = name
    table = _table()
    sentence = table.get(f"say.{failure.kind}.{provider}") or table["say"][failure.kind]
    said = table["said"][language].format(detail=failure.detail.rstrip(" .。")) if failure.detail else ""
    return str(sentence[language]).format(llm=name, model=model, said=said)


def clean_detail(text: str) -> str:
    """A server's text, fit to be shown: one line, no key, no markup, no control characters, at most MOST_DETAIL characters."""
    plain = _HTML_TAG.sub(" ", _ANSI.sub("", text[:MOST_TEXT]))
    plain = "".join(" " if unicodedata.category(char).startswith(("C", "Z")) else char for char in plain)
    plain = " ".join(_SECRET.sub("…", plain).split())
    return plain if len(plain) <= MOST_DETAIL else plain[: MOST_DETAIL - 1] + "…"


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads(files("assistant").joinpath("chat_models", "failure.toml").read_text(encoding="utf-8"))


def _chain(error: BaseException) -> Iterator[BaseException]:
    """The error, those in its group, and those that caused it, once each."""
    seen: list[BaseException] = []
    waiting = [error]
    while waiting and len(seen) < DEEPEST:
        one = waiting.pop(0)
        if one in seen:
            continue
        seen.append(one)
        yield one
        inner = [*one.exceptions] if isinstance(one, BaseExceptionGroup) else []
        waiting += [*inner, *filter(None, (one.__cause__, None if one.__suppress_context__ else one.__context__))]


def _status(error: BaseException) -> int:
    """The HTTP status that an error carries; 0 if it carries none."""
    response = getattr(error, "response", None)
    if isinstance(response, dict):  # botocore
        response = response.get("ResponseMetadata", {})
        found: Any = response.get("HTTPStatusCode") if isinstance(response, dict) else None
    else:
        found = getattr(error, "status_code", None) or getattr(response, "status_code", None) or getattr(error, "code", None)
    if isinstance(found, int) and 300 <= found < 600:
        return found
    match = re.match(r"Error code: (\d{3})\b", _shortened(error))
    return int(match[1]) if match else 0


def _class_names(error: BaseException) -> str:
    return " ".join(cls.__name__ for cls in type(error).__mro__[:-2]).lower()


def _told(error: BaseException) -> str:
    """Everything an error says, lower case: message, and the code and type of its body."""
    body = getattr(error, "body", None)
    parts = [f"{type(error).__name__}: " if _is_builtin(error) else "", _shortened(error), _shortened(body) if body else "", str(getattr(error, "code", "") or "")]
    return "".join(f"{part} " if part and not part.endswith(": ") else part for part in parts).lower()


def _is_builtin(error: BaseException) -> bool:
    """Whether the class of an error tells something that a message of that class leaves out: 'NoneType' object has no …"""
    return type(error).__module__ == "builtins"


def _shortened(value: object) -> str:
    try:
        return str(value)[:MOST_TEXT]
    except Exception:  # an error that cannot say what it is
        return ""


def _meets(rule: dict[str, Any], status: int, classes: str, said: str) -> bool:
    if "status" in rule and status not in rule["status"]:
        return False
    if "status_from" in rule and status < rule["status_from"]:
        return False
    where = classes if rule.get("only_class") else f"{classes} {said}"
    if "words" in rule and not any(word in where for word in rule["words"]):
        return False
    return all(any(word in said for word in group) for group in rule.get("said", ()))


def _detail(chain: list[BaseException], kind: Kind) -> str:
    """What the server itself says; of an error of ours or of a library at most its name."""
    for error in chain:
        if said := _server_words(error):
            return clean_detail(said)
    if kind == "unknown":
        return clean_detail(type(chain[0]).__name__)
    return ""


def _server_words(error: BaseException) -> str:
    body: Any = getattr(error, "body", None)
    if body is None and isinstance(said := getattr(error, "error", None), str):  # ollama
        body = said
    if body is None and error.args and isinstance(error.args[0], dict):  # an error in a reply of status 200
        body = error.args[0]
    if isinstance(body, str):
        try:
            body = json.loads(body)
        except (ValueError, RecursionError):
            return "" if "<" in body[:200] else body
    for _ in range(3):
        if not isinstance(body, dict):
            break
        body = next((body[key] for key in ("error", "message", "msg", "detail") if body.get(key)), None)
    return body if isinstance(body, str) else ""
