"""ChatOllama that keeps its key to itself. Imports langchain_ollama: load it late."""

from __future__ import annotations

import weakref
from typing import Any, Self

from langchain_ollama import ChatOllama
from pydantic import Field, model_validator


class OllamaChat(ChatOllama):
    """A proxy before Ollama may ask for a key or a password; they stand in headers and address, which a repr would show."""

    base_url: str | None = Field(default=None, repr=False)
    client_kwargs: dict[str, Any] | None = Field(default_factory=dict, repr=False)

    @model_validator(mode="after")
    def close_in_the_end(self) -> Self:
        """Connections close when nobody holds the client any more; ollama leaves them open."""
        weakref.finalize(self._client, self._client._client.close)
        return self
