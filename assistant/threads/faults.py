"""What may go wrong with kept conversations, as one sentence in both languages."""

from __future__ import annotations

from collections.abc import Mapping

from knowledge.errors import InputError, SettingsError, XuankaError
from tools.phrases import Language, read_phrases, say

MAX_NAME = 200
LANGUAGES: tuple[Language, ...] = ("zh", "en")


class StoreFailed(Exception):
    """The store cannot be read or written now. `cause` is fit to be shown; it holds no password. Never leaves Threads."""

    def __init__(self, cause: OSError) -> None:
        super().__init__(str(cause))
        self.cause = cause


def check_name(name: str) -> None:
    """InputError for a name that is empty or too long."""
    if not name.strip() or len(name) > MAX_NAME or "\x00" in name:
        raise InputError(said("name", most=MAX_NAME, length=len(name.strip())))


def unreadable(name: str) -> InputError:
    """The thread is there and makes no sense."""
    return InputError(said("unreadable", name=name if name.isprintable() else ascii(name)))


def refused(error: StoreFailed) -> XuankaError:
    """The store does not answer."""
    return SettingsError(said("refused", cause=error.cause.strerror or str(error.cause)))


def said(code: str, **arguments: object) -> str:
    """A sentence in Chinese and in English: who reads an error may be of either language. An argument may be a dict of both too."""
    table = read_phrases("assistant.threads", "faults.toml")
    return " / ".join(say(table, code, language, **_in(arguments, language)) for language in LANGUAGES)


def _in(arguments: Mapping[str, object], language: Language) -> dict[str, object]:
    return {name: value[language] if isinstance(value, Mapping) else value for name, value in arguments.items()}
