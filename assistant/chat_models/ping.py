"""Asks a chat model one line, with one tiny tool, and tells what of it works. Bounded in time."""

from __future__ import annotations

import threading
import time
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from tools.phrases import Language, read_phrases, say

from .chat_model import Endpoint, find_endpoint, open_chat_model
from .failure import ModelFailure, failure_of, say_failure
from .provider import find_model
from .reasoning import raw_text, without_reasoning
from .spoken import spoken_text, tool_calls_in_text

if TYPE_CHECKING:
    from langchain_core.language_models.chat_models import BaseChatModel
    from langchain_core.messages import AIMessage

    from assistant.settings import Settings

T = TypeVar("T")
LIMIT_S = 12.0
LIST_S = 2.0
SLOW_S = 5.0
LEFT_FOR_MORE_S = 2.0
"""What must be left of the time for a second question."""
NEEDED_CONTEXT = 12_000
"""Tokens of the instructions and the tools (about 6,000), of what three tools find, and of an answer."""
MOST_NEAREST = 3
FATAL = ("no_call",)
"""Notes with which Xuanka cannot work with the model."""
TOOL = {
    "type": "function",
    "function": {
        "name": "look_up_card",
        "description": "Looks up the memory of a GPU card.",
        "parameters": {"type": "object", "properties": {"card": {"type": "string", "description": "Name of the card"}}, "required": ["card"]},
    },
}
NAME = "look_up_card"
LINE = "Call the tool look_up_card for the card A10. Do not answer from memory."


@dataclass(frozen=True)
class Ping:
    """How a model answered one line. `failure` is set when it did not; `notes`: codes of ping.toml; `nearest`: names like an unknown one."""

    llm: str
    seconds: float
    failure: ModelFailure | None = None
    notes: tuple[str, ...] = ()
    nearest: tuple[str, ...] = ()
    provider: str = ""
    """Whose rules its server follows: of `openai:` at another address not OpenAI's."""
    context: int = 0
    """Tokens that the server takes at most; 0 if it does not say."""

    @property
    def works(self) -> bool:
        """Whether questions can be answered with it."""
        return self.failure is None and not any(note in FATAL for note in self.notes)


def ping(llm: str, *, settings: Settings, seconds: float = LIMIT_S) -> Ping:
    """One line to the model, within `seconds`. Raises ModelRefused when it cannot even be opened."""
    endpoint = find_endpoint(llm, settings=settings)
    model = open_chat_model(llm, settings=settings.model_copy(update={"llm_timeout_s": min(seconds, settings.llm_timeout_s)}))
    name = find_model(llm).llm
    deadline = time.monotonic() + seconds
    started = time.monotonic()
    try:
        reply = _within(seconds, lambda: _ask(model))
    except Exception as error:  # whatever a client raises
        failure = ModelFailure("timeout") if isinstance(error, TimeoutError) else failure_of(error)
        nearest = _nearest(endpoint, model) if failure.kind == "model_not_found" else ()
        return Ping(name, _since(started), failure, nearest=nearest, provider=endpoint.provider.name)
    took = _since(started)
    if not reply.tool_calls and not raw_text(reply).strip():
        return Ping(name, took, ModelFailure("empty"))
    context = _context(endpoint, model, settings)
    notes = [*_notes_of(reply), *(["small_context"] if 0 < context < NEEDED_CONTEXT else []), *(["slow"] if took > SLOW_S else [])]
    if not endpoint.provider.stream and deadline - time.monotonic() > LEFT_FOR_MORE_S and not _streams(model, deadline):
        notes.append("stream_broken")
    return Ping(name, took, notes=tuple(notes), context=context)


def say_ping(found: Ping, language: Language) -> tuple[str, str]:
    """What was found, and what to do about it (empty if nothing is to be done)."""
    table = read_phrases("assistant", "chat_models/ping.toml")
    if found.failure is not None:
        names = ", ".join(found.nearest)
        way = say(table, "way.nearest", language, names=names) if names else say(table, "way.settings", language)
        return say_failure(found.failure, llm=found.llm, language=language, provider=found.provider), way
    seconds = f"{max(found.seconds, 0.1):.1f}"
    head = say(table, "answered" if "no_call" in found.notes else "ok", language, llm=found.llm, seconds=seconds)
    notes = [say(table, note, language, context=f"{found.context:,}", needed=f"{NEEDED_CONTEXT:,}") for note in found.notes]
    ways = [say(table, f"way.{note}", language) for note in found.notes]
    joint = "；" if language == "zh" else "; "
    return joint.join([head, *notes]), joint.join(ways)


def _ask(model: BaseChatModel) -> AIMessage:
    from langchain_core.messages import HumanMessage

    reply: Any = model.bind_tools([TOOL]).invoke([HumanMessage(LINE)])
    return reply  # type: ignore[no-any-return]


def _notes_of(reply: AIMessage) -> list[str]:
    text = raw_text(reply)
    notes = ["reasoning"] if without_reasoning(text) != text.strip() else []
    if reply.tool_calls:
        return notes
    return ["calls_as_text" if tool_calls_in_text(reply, {NAME}) else "no_call", *notes]


def _streams(model: BaseChatModel, deadline: float) -> bool:
    """Whether a reply can be had piece by piece; a slow one has no verdict."""
    from langchain_core.messages import AIMessage, HumanMessage

    asked = model.model_copy(update={"streaming": True}) if hasattr(model, "streaming") else model

    def ask() -> str:
        pieces = [raw_text(piece) for piece in asked.stream([HumanMessage("Say OK.")]) if isinstance(piece, AIMessage)]
        return "".join(pieces)

    try:
        said = _within(deadline - time.monotonic(), ask)
    except TimeoutError:
        return True
    except Exception as error:
        return failure_of(error).kind in ("timeout", "rate_limited")
    return bool(said.strip() or spoken_text(AIMessage(said)))


def _nearest(endpoint: Endpoint, model: BaseChatModel) -> tuple[str, ...]:
    """Names on the server that are like the one that it does not know."""
    from rapidfuzz import process

    try:
        names = list(_within(LIST_S, lambda: _served(endpoint, model)))
    except Exception:  # a server without a list says nothing about names
        return ()
    return tuple(name for name, _, _ in process.extract(endpoint.named.model, names, limit=MOST_NEAREST))


def _context(endpoint: Endpoint, model: BaseChatModel, settings: Settings) -> int:
    """Tokens that one conversation may have on the server; 0 if it does not say."""
    try:
        served = _within(LIST_S, lambda: _served(endpoint, model)).get(endpoint.named.model, 0)
        if endpoint.provider.speaks == "ollama":
            own = _within(LIST_S, lambda: _context_of_ollama(endpoint))
            return min(filter(None, (own, settings.llm_num_ctx)))
    except Exception:  # a server that does not say is no failure
        return settings.llm_num_ctx if endpoint.provider.speaks == "ollama" else 0
    return served


def _served(endpoint: Endpoint, model: Any) -> dict[str, int]:
    """Models of the server, each with its context where the server says it (vLLM, SGLang do)."""
    if endpoint.provider.speaks == "ollama":
        return {str(one.model): 0 for one in _ollama(endpoint).list().models}
    if endpoint.provider.speaks == "openai":
        listed = model.root_client.with_options(timeout=LIST_S, max_retries=0).models.list()
        return {one.id: int(getattr(one, "max_model_len", None) or 0) for one in listed.data}
    return {}


def _context_of_ollama(endpoint: Endpoint) -> int:
    """What the model itself can hold."""
    shown = _ollama(endpoint).show(endpoint.named.model).modelinfo or {}
    return next((int(value) for key, value in shown.items() if key.endswith(".context_length")), 0)


def _ollama(endpoint: Endpoint) -> Any:
    from ollama import Client

    headers = {"Authorization": f"Bearer {endpoint.key.get_secret_value()}"} if endpoint.key else {}
    client = Client(host=endpoint.base_url, timeout=LIST_S, headers=headers)
    weakref.finalize(client, client._client.close)  # it leaves its connections open
    return client


def _since(started: float) -> float:
    return round(time.monotonic() - started, 2)


def _within(seconds: float, work: Callable[[], T]) -> T:
    """The result of work in a thread that is not waited for longer. Raises TimeoutError, or what the work raises."""
    done: list[T] = []
    failed: list[BaseException] = []

    def run() -> None:
        try:
            done.append(work())
        except BaseException as error:  # handed over
            failed.append(error)

    thread = threading.Thread(target=run, daemon=True, name="xuanka-ping")
    thread.start()
    thread.join(max(0.0, seconds))
    if failed:
        raise failed[0]
    if not done:
        raise TimeoutError
    return done[0]
