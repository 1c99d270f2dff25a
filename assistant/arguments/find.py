"""Finds what in a chat model's call contradicts the reading of the question and its thread.

An argument that the reading tells must be given and be one of the values told. One that it does not tell may be the tool's own
default, or stand in the words of the user (a number with the same meaning, a precision, a name, a region), or come from a result
of this turn; whatever else a model gives, nobody said.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from assistant.read.reading import Reading
from assistant.read.regions import find_regions
from assistant.tool_schema import FILLED_IN

from .names import NAMED, judge_names
from .rules import LANGUAGE, Rule, rules_of
from .said import Said
from .same import (
    NUMBERS,
    SUBJECTS,
    agrees,
    distance,
    is_number,
    precision_of,
    region_of,
    slip_of,
)
from .subjects import likeness, native_precision
from .wanted import Wanted

EMPTY: tuple[Any, ...] = (None, "", [], (), {})
HALVES = ("bf16", "fp16")
"""Precisions of the same size: a model published in one is served in the other where a card lacks it."""
Code = Literal["differs", "omitted", "unsaid", "currency"]


@dataclass(frozen=True, slots=True)
class Contradiction:
    """An argument that is not what the question says. `used` takes its place; None: left to the tool.

    `slip`: the slip of a unit that it may be; `other`: the argument whose value was given here. `kept`: nobody said it, but it
    may stand as an example.
    """

    argument: str
    code: Code
    given: Any
    used: Any = None
    slip: str = ""
    other: str = ""
    kept: bool = False


def contradictions(
    tool: str, args: Mapping[str, Any], reading: Reading, *, said: Said, region: str = "cn-hangzhou", varied: bool = False
) -> list[Contradiction]:
    """What in the arguments is not what the question says, in the order of the table.

    `region`: where prices are taken where nobody names a region. `varied`: the user asks for alternatives, and another call of this
    tool was as asked: then precision, cache, cut, card, context and region may differ.
    """
    rules = rules_of(tool)
    if not rules:
        return []
    wanted = Wanted(tool, reading, region)
    found = [_judged(name, rule, args, wanted, reading, said, region) for name, rule in rules.items() if name != LANGUAGE]
    if args.get(LANGUAGE, reading.language) != reading.language:
        found.append(Contradiction(LANGUAGE, "differs", args[LANGUAGE], reading.language))
    return [one for one in found if one is not None and not (varied and rules[one.argument].vary and one.code != "omitted")]


def _judged(
    name: str, rule: Rule, args: Mapping[str, Any], wanted: Wanted, reading: Reading, said: Said, region: str
) -> Contradiction | None:
    given = args.get(name)
    if rule.kind in NAMED:
        return _of_names(name, rule, given, reading, said)
    values = told_values(name, rule, wanted, reading)
    if given in EMPTY or (rule.kind == "flag" and given is False and not values):
        return _omitted(name, values, wanted, reading, rule)
    if rule.kind == "money" and reading.budget is not None and not values:
        return _of_money(name, given, args, wanted)
    if values:
        accepted = [*values, *_each(rule, reading)]
        if any(agrees(rule.kind, given, value, call=args) for value in accepted):
            return None
        return _differing(name, rule, given, values, wanted, args)
    other = _swapped(name, rule, given, args, wanted)
    if _is_default(name, rule, given, args, wanted, region) or _is_said(rule, given, reading, said, bare=not other):
        return None
    return Contradiction(name, "unsaid", given, given if rule.kept else None, other=other, kept=rule.kept)


def told_values(name: str, rule: Rule, wanted: Wanted, reading: Reading) -> list[Any]:
    """The values that the user told: those of the rules' calls where the reading has what they are made of."""
    if rule.kind in SUBJECTS:
        return told_subjects(rule, reading)
    fields = [getattr(reading, field) for field in rule.fields]
    if all(value in (*EMPTY, False) for value in fields) or (rule.fields == ("job",) and not wanted.is_planned):
        return []
    values = wanted.values(name)
    if rule.kind == "flag":
        return values[:1]
    return values or ([value for value in fields if isinstance(value, (int, float, str))] if rule.kind in ("tokens", "count", "number", "choice", "precision") and len(fields) == 1 else [])


def told_subjects(rule: Rule, reading: Reading) -> list[Any]:
    """The models or networks that are named, as typed, and by the table's name."""
    named: list[Any] = []
    for field in rule.fields:
        value = getattr(reading, field)
        for one in value if isinstance(value, list) else [value]:
            text = one if isinstance(one, str) or one is None else one.text
            if text and not any(likeness(rule.kind, text, other) == "same" for other in named):
                named.append(one.model_id if not isinstance(one, str) and text[:1].isdigit() and one.model_id else text)
        if named:
            break
    return named


def _each(rule: Rule, reading: Reading) -> Iterator[Any]:
    """All values named of the same thing."""
    for field in rule.each:
        value = getattr(reading, field)
        for one in value if isinstance(value, list) else [value]:
            count = getattr(one, "count", one)
            if count is not None:
                yield count


def _omitted(name: str, values: Sequence[Any], wanted: Wanted, reading: Reading, rule: Rule) -> Contradiction | None:
    """An argument that the user told, left out. What models are not asked for, is filled in."""
    left_out = values and values[0] is not False and wanted.is_asked and wanted.is_in_all(name) and name not in FILLED_IN and not rule.implied
    summed = name == "context" and wanted.values("input_tokens") and wanted.values("output_tokens")  # it is their sum
    if not left_out or summed or (rule.kind in SUBJECTS and reading.config_json) or _is_needless(name, rule, values[0], wanted):
        return None
    return Contradiction(name, "omitted", None, values[0])


def _is_needless(name: str, rule: Rule, value: Any, wanted: Wanted) -> bool:
    """Whether leaving it out says the same: what the tool takes by itself."""
    is_usual = rule.default and rule.kind not in ("tokens", "flag") and name != "concurrency" and any(agrees(rule.kind, value, usual, call={}) for usual in rule.default[:1])
    return bool(is_usual) and len(wanted.values(name)) == 1


def _differing(name: str, rule: Rule, given: Any, values: Sequence[Any], wanted: Wanted, args: Mapping[str, Any]) -> Contradiction:
    used = min(values, key=lambda value: distance(given, value))
    if rule.kind in ("places", "regions") and isinstance(values[0], list):
        used = [one for value in values for one in value]
    slip = slip_of(rule.kind, given, used)
    return Contradiction(name, "differs", given, used, slip, _swapped(name, rule, given, args, wanted))


def _swapped(name: str, rule: Rule, given: Any, args: Mapping[str, Any], wanted: Wanted) -> str:
    """The argument that the value was meant for: one that the rules give it, written in numbers."""
    if rule.kind not in NUMBERS or not is_number(given) or given < 2:
        return ""
    shared = {**wanted.shared()}
    alike = (other for other, value in shared.items() if other != name and agrees("tokens", given, value, call=args))
    return next(alike, "")


def _of_money(name: str, given: Any, args: Mapping[str, Any], wanted: Wanted) -> Contradiction:
    """A limit that the budget of the question does not set: by another time, in another currency, for no time at all."""
    other = next((key for key in ("max_hourly", "max_monthly") if key != name and wanted.values(key)), "")
    return Contradiction(name, "differs" if other else "currency", given, None, slip="hours_and_months" if other else "", other=other)


def _of_names(name: str, rule: Rule, given: Any, reading: Reading, said: Said) -> Contradiction | None:
    judged = judge_names(rule.kind, given, reading, said)
    if judged is None:
        return None
    code, used = judged
    return Contradiction(name, code, given, used, kept=rule.kept and code == "unsaid")


def _is_default(name: str, rule: Rule, given: Any, args: Mapping[str, Any], wanted: Wanted, region: str) -> bool:
    """Whether giving it is as leaving it out, or what the rules take by themselves."""
    if any(agrees(rule.kind, given, value, call=args) for value in (*wanted.values(name), *rule.default) if value is not None):
        return True
    if rule.kind in SUBJECTS:
        return wanted.is_planned and bool(wanted.values(name))  # the rules take examples too
    if rule.kind == "region":
        return region_of(given) == region
    model = args.get("model")
    if rule.kind != "precision" or name not in ("weight_dtype", "dtype") or not isinstance(model, str):
        return False
    native = native_precision(model)
    return precision_of(given) in (HALVES if native in HALVES else (native,))


def _is_said(rule: Rule, given: Any, reading: Reading, said: Said, *, bare: bool) -> bool:
    """Whether the words of the user, or a result of this turn, hold the value. Not `bare`: a number must be said of this argument, as
    it is that of another one."""
    if rule.kind in SUBJECTS:
        return said.has_word(str(given)) or any(likeness(rule.kind, str(given), name) == "same" for name in said.models())
    if rule.kind in NUMBERS:
        return is_number(given) and (_is_drawn(rule, given, reading) or _is_all_samples(rule, given, reading) or said.has_number(given, rule.roles, bare=bare) or said.has_found(given, rule.found))
    if rule.kind == "precision":
        return precision_of(given) in {precision_of(name) for name in said.precisions()}
    if rule.kind == "places":
        return all(said.has_name(str(one)) for one in (given if isinstance(given, list) else [given]))
    if rule.kind in ("region", "regions"):
        named = {region for text in (said.question, *said.earlier) for region in find_regions(text)}
        return {region_of(one) for one in (given if isinstance(given, list) else [given])} <= named
    if rule.kind == "sides":
        return isinstance(given, list) and all(is_number(side) and said.has_number(side, rule.roles) for side in given)
    return not isinstance(given, bool) and said.has_word(str(given))


def _is_all_samples(rule: Rule, given: float, reading: Reading) -> bool:
    """Tokens of one epoch, from the samples and their length: 10,000 of 1K each."""
    if "training_tokens" not in rule.fields or not (reading.samples and reading.context):
        return False
    return any(abs(given - reading.samples * length) < 0.001 * given for length in (reading.context, reading.context / 1.024))


def _is_drawn(rule: Rule, given: float, reading: Reading) -> bool:
    """Frames of a video of the seconds asked for, at a usual rate."""
    return rule.kind == "frames" and reading.video_seconds is not None and 7 <= given / reading.video_seconds <= 31
