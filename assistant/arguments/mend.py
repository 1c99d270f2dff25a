"""The call as it should be: contradictions put right, and values that agree written as the rules write them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from assistant.evidence import Correction
from assistant.read.reading import Reading

from .find import Contradiction, told_subjects, told_values
from .places import spot_of
from .rules import rules_of
from .same import SUBJECTS, agrees, is_exact
from .subjects import likeness
from .wanted import Wanted


def mended(tool: str, args: Mapping[str, Any], found: Iterable[Contradiction], reading: Reading, *, region: str) -> dict[str, Any]:
    """The arguments with which the call is made."""
    wanted, made = Wanted(tool, reading, region), dict(args)
    for one in found:
        made.pop(one.argument, None)
        if one.used is not None:
            made[one.argument] = one.used
    for name, rule in rules_of(tool).items():
        if name in made and rule.kind not in SUBJECTS:
            made[name] = _as_told(rule.kind, made[name], told_values(name, rule, wanted, reading), made)
    if reading.config_json and not reading.models and "config_json" in made:
        made.pop("model", None)  # the file is the model; chat models must name one
    return made


def _as_told(kind: str, given: Any, values: list[Any], call: Mapping[str, Any]) -> Any:
    """A value that agrees with what the user told, as the rules write it: both models then sum the same."""
    if kind == "places":
        return _counted(given, values, call)
    alike = [value for value in values if agrees(kind, given, value, call=call)]
    return given if not alike or any(is_exact(kind, given, value) for value in alike) else alike[0]


def _counted(given: Any, values: list[Any], call: Mapping[str, Any]) -> Any:
    """Cards with the number of them that was told, where the call tells it in another argument."""
    asked = [one for value in values for one in (value if isinstance(value, list) else [value])]
    if not isinstance(given, list) or not any(spot_of(str(one)).count and not spot_of(str(one)).instance for one in asked):
        return given
    places = [next((one for one in asked if agrees("places", [name], one, call=call) and not spot_of(str(name)).instance), name) for name in given]
    return list(dict.fromkeys(places))


def corrections_of(found: Iterable[Contradiction]) -> list[Correction]:
    """What is kept on the finding."""
    return [Correction(argument=one.argument, given=one.given, used=one.used) for one in found]


def examples_in(tool: str, args: Mapping[str, Any], reading: Reading) -> list[Correction]:
    """Subjects that only stand for what the user named: Qwen2.5-7B for "a 7B model"."""
    found = []
    for name, rule in rules_of(tool).items():
        given = args.get(name)
        if rule.kind in SUBJECTS and isinstance(given, str) and given:
            kinds = {likeness(rule.kind, given, str(value)) for value in told_subjects(rule, reading)}
            if "example" in kinds and "same" not in kinds:
                found.append(Correction(argument=name, given=given, used=given))
    return found
