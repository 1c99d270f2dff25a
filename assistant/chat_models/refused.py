"""A chat model that cannot be opened as the settings have it."""

from __future__ import annotations

from knowledge.errors import SettingsError
from tools.phrases import Language, read_phrases, say


class ModelRefused(SettingsError):
    """The message says it in both languages; `said` in one. Never holds a key."""

    def __init__(self, code: str, **arguments: object) -> None:
        self.code = code
        self._arguments = arguments
        super().__init__(f"{self.said('zh')} / {self.said('en')}")

    def said(self, language: Language) -> str:
        """One sentence with cause and way out."""
        return say(read_phrases("assistant", "chat_models/refused.toml"), self.code, language, **self._arguments)
