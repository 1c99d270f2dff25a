"""The error tree. Users see one sentence that names the cause and the way out; bugs crash.

    XuankaError               base: the message is fit to be shown to a user
    ├── InputError            what the user gave cannot be used (negative, absurd, unreadable, too long)
    │   ├── UnknownModel      no such model; `.nearest` holds close names
    │   └── UnknownInstance   not in the catalog of its date; `.nearest` holds close names
    ├── DataError             a shipped or added table is broken; names file and line
    ├── SettingsError         a setting is missing or cannot be used
    ├── KnowledgeUnavailable  the store or the embedder cannot be opened
    ├── CloudError            the cloud's interface refused, failed or did not answer; `.kind` tells which
    ├── RefreshBusy           another refresh is running
    └── RefreshFailed         a refresh ended without a new snapshot; `.code` tells why
"""

from __future__ import annotations

from typing import Literal


class XuankaError(Exception):
    """Base of all errors whose message may be shown to a user."""


class InputError(XuankaError):
    """What the user gave cannot be used; the message names the limit."""


class UnknownModel(InputError):
    """No model of that name in the table, and no size in the name."""

    def __init__(self, message: str, *, nearest: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.nearest = nearest


class UnknownInstance(InputError):
    """Not in the catalog of its date."""

    def __init__(self, message: str, *, nearest: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.nearest = nearest


class DataError(XuankaError):
    """A table is broken; the message names file and line."""


class SettingsError(XuankaError):
    """A setting is missing or cannot be used; the message names the variable."""


class KnowledgeUnavailable(XuankaError):
    """The store or the embedder cannot be opened; search falls back to words."""


CloudErrorKind = Literal["credentials", "permission", "throttled", "unavailable", "bad_answer", "timeout", "region"]


class CloudError(XuankaError):
    """The cloud's interface refused, failed or did not answer. `sentence` is English, `zh` says the same in Chinese. Neither
    holds a key, a token, a signature or anything else of the cloud's own text but error code and request id."""

    def __init__(self, kind: CloudErrorKind, sentence: str, *, zh: str = "") -> None:
        super().__init__(sentence)
        self.kind = kind
        self.sentence = sentence
        self.zh = zh or sentence

    def said(self, language: Literal["zh", "en"]) -> str:
        """The sentence in one of the two languages."""
        return self.zh if language == "zh" else self.sentence


class RefreshBusy(XuankaError):
    """Another refresh is running on the same folder."""


class RefreshFailed(XuankaError):
    """A refresh ended without a new snapshot; the one of before stays. `code`: `gave_up` after failures in a row, `nothing`
    when no call brought a row. `cause`: what the cloud said. `kept`: finished steps, which the next refresh does not ask for
    again."""

    def __init__(
        self, message: str, *, code: Literal["gave_up", "nothing"], cause: CloudError | None = None, kept: int = 0
    ) -> None:
        super().__init__(message)
        self.code, self.cause, self.kept = code, cause, kept
