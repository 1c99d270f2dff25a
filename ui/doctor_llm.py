"""The check of the chat model in `xuanka doctor`: one line, one tool, within some seconds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .doctor import Finding

if TYPE_CHECKING:
    from tools.phrases import Language


def examine_llm(language: Language) -> Finding:
    """Whether the chat model of the settings answers and calls tools. Offline nothing is asked of anybody."""
    from assistant.settings import read_settings

    settings = read_settings()
    if settings.llm == "offline":
        return Finding("llm", "ok", "offline (rules; no key, no network)")
    from assistant.chat_models.ping import ping, say_ping
    from assistant.chat_models.refused import ModelRefused
    from tools.phrases import read_phrases
    from tools.phrases import say as say_from

    try:
        found = ping(settings.llm, settings=settings)
    except ModelRefused as refused:
        way = say_from(read_phrases("assistant", "chat_models/ping.toml"), "way.settings", language)
        return Finding("llm", "fail", refused.said(language), way)
    detail, way = say_ping(found, language)
    return Finding("llm", "fail" if not found.works else "warn" if found.notes else "ok", detail, way)
