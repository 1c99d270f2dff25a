"""ChatOllama that keeps its key to itself. Imports langchain_ollama: load it late."""

from __future__ import annotations

from typing import Any

from langchain_ollama import ChatOllama
from pydantic import Field


class OllamaChat(ChatOllama):
    """A proxy before Ollama may ask for a key or a password; they stand in headers and address, which a repr would show."""

    base_url: str | None = Field(default=None, repr=False)
    client_kwargs: dict[str, Any] | None = Field(default_factory=dict, repr=False)
