"""What a scripted server is asked and what it says: the same for the OpenAI and the Ollama way of speaking."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from tools.phrases import read_phrases

Json = dict[str, Any]
MODEL = "stub-model"


@dataclass(frozen=True)
class Use:
    """One call of a tool that a model asks for. `arguments` as text goes out as it is, broken or not."""

    name: str
    arguments: Json | str = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The arguments as JSON."""
        return self.arguments if isinstance(self.arguments, str) else json.dumps(self.arguments, ensure_ascii=False)


@dataclass(frozen=True)
class Reply:
    """A well-formed reply. `gate` is waited for before it is sent; `pause_s` parts the pieces of a stream."""

    text: str | None = ""
    uses: tuple[Use, ...] = ()
    reasoning: str = ""
    finish: str = ""
    tokens: tuple[int, int] = (100, 20)
    delay_s: float = 0.0
    pause_s: float = 0.0
    done: bool = True
    gate: threading.Event | None = None

    def after(self, seconds: float) -> Reply:
        """The same, later."""
        return replace(self, delay_s=seconds)

    @property
    def finish_reason(self) -> str:
        """Why the model ended."""
        return self.finish or ("tool_calls" if self.uses else "stop")


@dataclass(frozen=True)
class Fault:
    """Bytes as they are. `cut` closes the connection after that many of them, `bytes_per_s` lets them drip."""

    status: int = 200
    body: bytes | str | Json = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    content_type: str = "application/json"
    delay_s: float = 0.0
    cut: int | None = None
    bytes_per_s: int = 0

    @property
    def data(self) -> bytes:
        """The body on the wire."""
        if isinstance(self.body, bytes):
            return self.body
        return (self.body if isinstance(self.body, str) else json.dumps(self.body, ensure_ascii=False)).encode()


@dataclass(frozen=True)
class Asked:
    """One request: `number` counts all requests of a server from 0."""

    number: int
    path: str
    headers: Mapping[str, str]
    body: Json

    @property
    def messages(self) -> list[Json]:
        """The messages as the server sees them."""
        return list(self.body.get("messages", ()))

    @property
    def system(self) -> str:
        """The system prompt."""
        return "\n".join(str(m["content"]) for m in self.messages if m["role"] == "system")

    @property
    def questions(self) -> list[str]:
        """What was said to the model as the user, the guard's words among it."""
        return [str(m["content"]) for m in self.messages if m["role"] == "user"]

    @property
    def turn(self) -> list[Json]:
        """The messages after the user's last question; what the check told the model is among them."""
        asked = [i for i, m in enumerate(self.messages) if m["role"] == "user" and not is_guard(str(m["content"]))]
        return self.messages[asked[-1] + 1 :] if asked else []

    @property
    def question(self) -> str:
        """The user's last question."""
        return next((q for q in reversed(self.questions) if not is_guard(q)), "")

    @property
    def results(self) -> list[str]:
        """The texts of this turn's tool results, in order."""
        return [str(m["content"]) for m in self.turn if m["role"] == "tool"]

    @property
    def found(self) -> str:
        """All of them."""
        return "\n".join(self.results)

    @property
    def is_told(self) -> bool:
        """Whether the check sent a draft of this turn back."""
        return any(m["role"] == "user" for m in self.turn)

    @property
    def tools(self) -> list[str]:
        """Names of the tools that the model may call."""
        return [str(t["function"]["name"]) for t in self.body.get("tools") or ()]


def is_guard(text: str) -> bool:
    """Whether a message in the user's place comes from the check: by the beginning of its sentence in either language."""
    return text.startswith(_openings())


@cache
def _openings() -> tuple[str, ...]:
    table = read_phrases("assistant", "turn/draft_check.toml")
    return tuple(sentence.split("{")[0].strip() for phrase in table.values() for sentence in (phrase["zh"], phrase["en"]))


Said = Reply | Fault
Script = Callable[[Asked], Said]
