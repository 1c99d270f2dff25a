"""Sentences on a call that contradicts the question: for the chat model that made it, and for the user whose question it was."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from assistant.evidence import Correction, Finding
from knowledge.errors import XuankaError
from knowledge.facts import gpus, regions
from tools.cards import card_label
from tools.lookup import look_up_model
from tools.phrases import Language, say
from tools.weights import canonical_precision

from .find import Contradiction
from .places import spot_of
from .same import region_of

MOST_GIVEN = 40
"""Characters of what a model gave that are repeated to it."""
PLACES = ("on", "gpu_ids", "name", "names")
"""Arguments that may name cards by their id."""
_NAME = re.compile(r"[A-Za-z0-9.\-+/_]{1,40}")


def tell(tool: str, found: Sequence[Contradiction], call: Mapping[str, Any], language: Language, *, asks: Iterable[str] = ()) -> str:
    """One sentence for each contradiction, and the call as it should be. `asks`: arguments that only the user can give."""
    only_user = set(asks)
    lines = [_told(one, language, ask=one.argument in only_user) for one in found]
    head = _say("told", "head", language, tool=tool)
    if only_user:
        return "\n".join([head, *lines])
    return "\n".join([head, *lines, _say("told", "tail", language, tool=tool, call=json.dumps(call, ensure_ascii=False))])


def tell_again(tool: str, language: Language) -> str:
    """That a corrected call is one that was made already."""
    return _say("told", "again", language, tool=tool)


def tell_changes(corrections: Iterable[Correction], language: Language) -> str:
    """The line before the result of a corrected call: what was used, never what was given."""
    changes = [
        _say("told", "to_default", language, argument=one.argument) if one.used is None else f"{one.argument} = {_value(one.used, language)}"
        for one in corrections
    ]
    return _say("told", "content", language, changes=("；" if language == "zh" else "; ").join(changes))


def say_corrections(findings: Iterable[Finding], language: Language) -> list[str]:
    """What the user is told of the calls that were corrected, each sentence once. Failed calls computed nothing."""
    said = [_said(one, language) for finding in findings if not finding.error for one in finding.corrections]
    return list(dict.fromkeys(_spaced(one) if language == "zh" else one for one in said))


def _spaced(text: str) -> str:
    """A space between Chinese and Latin, none within Chinese."""
    text = re.sub(r"(?<=[\u4e00-\u9fff]) +(?=[\u4e00-\u9fff])", "", text)
    return re.sub(r"(?<=[\u4e00-\u9fff])(?=[A-Za-z0-9])|(?<=[A-Za-z0-9])(?=[\u4e00-\u9fff])", " ", text)


def _told(one: Contradiction, language: Language, *, ask: bool) -> str:
    code: str = "ask" if ask else "kept" if one.kept else one.code
    if one.code == "differs" and one.used is None:
        code = "limit"
    because = ""
    if one.other and code in ("differs", "unsaid"):
        because = _say("because", "other", language, given=_given(one.given, language), other=one.other)
    elif one.slip and code == "differs":
        because = _say("because", one.slip, language)
    return _say(
        "told", code, language, argument=one.argument, given=_given(one.given, language), used=_value(one.used, language), because=because, other=one.other
    )


def _said(one: Correction, language: Language) -> str:
    if one.argument == "text":
        return _say("user", "words", language)
    label, used = _label(one.argument, language), _with_unit(one.argument, one.used, language)
    if one.given == one.used:
        return _say("user", "kept", language, label=label, used=used)
    if one.given is None:
        return _say("user", "omitted", language, label=label, used=used)
    shown = _is_shown(one.given)
    given = _with_unit(one.argument, one.given, language) if shown else ""
    code = "differs" if one.used is not None else "unsaid"
    hidden = {"differs": "hidden", "unsaid": "unsaid_hidden"}[code]
    return _say("user", code if shown else hidden, language, label=label, given=given, used=used)


def _is_shown(given: Any) -> bool:
    """Whether a value that a chat model gave may be told to a user: numbers, and names that our tables have. Anything else might be any text."""
    if isinstance(given, list):
        return all(_is_shown(one) for one in given)
    return not isinstance(given, str) or (bool(_NAME.fullmatch(given)) and _is_known(given))


def _is_known(name: str) -> bool:
    spot = spot_of(name)
    if spot.instance or spot.family or spot.cards or region_of(name) != name.strip().lower():
        return True
    for look_up in (look_up_model, canonical_precision):
        try:
            look_up(name)
        except XuankaError:
            continue
        return True
    return name in regions() or name in _CHOICES


_CHOICES = frozenset({
    "lora", "qlora", "dora", "full", "freeze", "sft", "dpo", "grpo", "pretrain", "vllm", "sglang", "transformers", "llama.cpp", "ollama", "adamw", "sgd",
    "adam", "lion", "galore", "adafactor", "zero1", "zero2", "zero3", "fsdp", "ddp", "payg", "month", "spot", "CNY", "USD", "cn", "intl", "none", "selective",
})  # fmt: skip
"""Words of choices, which are told as they are."""


def _given(value: Any, language: Language) -> str:
    text = re.sub(r"\s+", " ", _value(value, language))
    return text if len(text) <= MOST_GIVEN else text[: MOST_GIVEN - 1] + "…"


def _with_unit(argument: str, value: Any, language: Language) -> str:
    unit = "" if isinstance(value, (str, bool)) or value is None else _labels().get(argument, {}).get(f"unit_{language}", "")
    if isinstance(value, list) and len(value) == 2 and argument in ("crop", "resolution"):
        return f"{value[0]} × {value[1]}{unit}"
    if argument in PLACES:
        return ("、" if language == "zh" else ", ").join(_place(str(one), language) for one in (value if isinstance(value, list) else [value]))
    figure = f"{value:,}" if language == "en" and isinstance(value, (int, float)) and not isinstance(value, bool) else _value(value, language)
    return f"{figure}{unit}"


def _place(name: str, language: Language) -> str:
    """A card as people call it, with its count; types and families as they are."""
    spot = spot_of(name)
    cards = [] if spot.instance or spot.family else sorted(spot.cards)
    if len(cards) != 1:
        return name
    return (f"{spot.count} × " if spot.count else "") + card_label(gpus()[cards[0]], language)


def _value(value: Any, language: Language) -> str:
    if isinstance(value, bool):
        return _say("yes", "true" if value else "false", language)
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, (list, tuple)):
        return ("、" if language == "zh" else ", ").join(_value(one, language) for one in value)
    return "" if value is None else str(value)


def _label(argument: str, language: Language) -> str:
    return _labels().get(argument, {}).get(language, argument)


@cache
def _labels() -> dict[str, dict[str, str]]:
    return tomllib.loads(files(__package__).joinpath("labels.toml").read_text(encoding="utf-8"))


@cache
def _phrases() -> dict[str, dict[str, dict[str, str]]]:
    return tomllib.loads(files(__package__).joinpath("words.toml").read_text(encoding="utf-8"))


def _say(table: str, code: str, language: Language, **arguments: object) -> str:
    return say(_phrases()[table], code, language, **arguments)
