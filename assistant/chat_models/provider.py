"""Providers of chat models: the table providers.toml, and which of them a `provider:name` means."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from .refused import ModelRefused

OFFLINE = "offline"
MOST_CHARS = 200
_NAME = re.compile(r"[\w.\-/:@+]+")
_QWEN = re.compile(r"^(qwen|qwq|qvq)", re.IGNORECASE)


@dataclass(frozen=True)
class Provider:
    """One row of the table; its comment says what each field is."""

    name: str
    speaks: Literal["openai", "ollama", "langchain"]
    package: str
    aliases: tuple[str, ...] = ()
    base_url: str = ""
    base_url_from: str = ""
    regions: Mapping[str, str] = field(default_factory=dict)
    path: str = ""
    key_from: str = ""
    key: Literal["needed", "optional"] = "optional"
    hosts: tuple[str, ...] = ()
    max_tokens: str = "max_tokens"
    stream: bool = False
    reasoning_back: bool = False
    switch: Mapping[str, Any] = field(default_factory=dict)
    plain: str = ""
    effort: str = ""
    takes: tuple[str, ...] = ()
    context: int = 32768
    extra: str = ""
    example: str = ""

    @property
    def install(self) -> str:
        """What pip installs to have it."""
        return f"'xuanka[{self.extra}]'" if self.extra else self.package.replace("_", "-")

    def thinking(self, wish: Literal["auto", "on", "off"], model: str) -> dict[str, Any]:
        """What is sent to turn thinking on or off; empty where the provider, or the model, knows no such switch."""
        if self.effort and not re.search(self.effort, model):
            return {}
        chosen = self.switch.get("default", "") if wish == "auto" else wish
        return dict(self.switch.get(chosen, {}))


@dataclass(frozen=True)
class Named:
    """A chat model by name: who serves it, and what it is called there."""

    provider: Provider
    model: str

    @property
    def llm(self) -> str:
        """`provider:name`, as messages show it."""
        return f"{self.provider.name}:{self.model}"


@cache
def providers() -> dict[str, Provider]:
    """The table, by name."""
    rows: dict[str, dict[str, Any]] = tomllib.loads(files("assistant").joinpath("chat_models", "providers.toml").read_text(encoding="utf-8"))
    return {name: _provider_of(name, row) for name, row in rows.items()}


def _provider_of(name: str, row: dict[str, Any]) -> Provider:
    fields: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in row.items()}
    return Provider(name=name, **fields)


def find_model(llm: str) -> Named:
    """The model that `provider:name` means; the name may hold further colons and slashes. Raises ModelRefused."""
    text = " ".join(unicodedata.normalize("NFKC", llm).split()).strip("'\"`“”‘’")
    if not text:
        raise ModelRefused("empty")
    given, colon, model = (part.strip() for part in text.partition(":"))
    if not colon:
        raise ModelRefused("no_provider", llm=text[:MOST_CHARS], example=_example_for(text))
    if not given and not model:
        raise ModelRefused("empty")
    if not given:
        raise ModelRefused("no_provider", llm=model[:MOST_CHARS], example=_example_for(model))
    provider = _provider(given)
    if provider is None:
        raise ModelRefused("unknown_provider", provider=given[:40], nearest=nearest_providers(given))
    if not _NAME.fullmatch(model) or len(model) > MOST_CHARS:
        raise ModelRefused("no_model", provider=provider.name, example=f"{provider.name}:{provider.example or 'NAME'}")
    return Named(provider, model)


def provider_of_host(host: str) -> Provider | None:
    """Whose address it is, by the table."""
    for provider in providers().values():
        if any(host == end or host.endswith(f".{end}") for end in provider.hosts):
            return provider
    return None


def nearest_providers(given: str) -> str:
    """Names like the one that was given, to be offered."""
    from rapidfuzz import process

    names = [name for name in providers() if name != "compatible"]
    found = [name for name, score, _ in process.extract(given.lower(), names, limit=3) if score >= 60]
    return ", ".join(found or ["openai", "dashscope", "ollama"])


def _provider(given: str) -> Provider | None:
    name = given.lower().replace(" ", "")
    for provider in providers().values():
        if name in (provider.name, provider.name.replace("_", "-"), *provider.aliases) and provider.name != "compatible":
            return provider
    return None


def _example_for(name: str) -> str:
    """A full name for a bare one: what is served by whom is mostly told by its beginning."""
    bare = name[:60].replace(" ", "")
    if found := _provider(bare):
        return f"{found.name}:{found.example or 'NAME'}"
    if "/" in bare:
        return f"vllm:{bare}"
    if _QWEN.match(bare):
        return f"dashscope:{bare}"
    starts = {"deepseek": "deepseek", "claude": "anthropic", "gemini": "google_genai", "gpt": "openai", "mistral": "mistralai"}
    found_start = next((provider for start, provider in starts.items() if bare.lower().startswith(start)), "openai")
    return f"{found_start}:{bare}"
