"""The refreshed catalog for commands that read tables, and one line on standard error when the catalog is old."""

from __future__ import annotations

from collections.abc import Sequence

from .speech import choose_language

COMMANDS = ("instances", "price", "size", "check", "docs")
"""Those that read the tables themselves; questions go through the Assistant, which does the same."""
AGED = ("instances", "price", "size", "check")
"""Those whose output is figures of the catalog."""


def use_refreshed(command: str | None) -> None:
    """Puts the newest refresh and the site of the settings in use before a command."""
    if command not in COMMANDS:
        return
    from assistant.catalog_in_use import use_catalog
    from assistant.quick_settings import quick_settings

    settings = quick_settings()
    use_catalog(settings.data_dir, settings.site)


def say_age(command: str | None, arguments: Sequence[str]) -> None:
    """After a command: that the catalog is older than the settings allow."""
    if command not in AGED:
        return
    from datetime import date

    from assistant.quick_settings import quick_settings
    from tools.freshness import staleness

    from .screen import complain

    given = next((after for name, after in zip(arguments, arguments[1:], strict=False) if name == "--lang"), None)
    language = choose_language("zh" if given == "zh" else "en" if given == "en" else None, " ".join(map(_words, arguments)))
    sentence = staleness(date.today(), quick_settings().stale_after_days, language=language)
    if sentence:
        complain(sentence)


def _words(argument: str) -> str:
    """What is written in an argument: letters of other scripts than Latin; the rest is options and names."""
    return "".join(character for character in argument if ord(character) > 0x2FFF)
