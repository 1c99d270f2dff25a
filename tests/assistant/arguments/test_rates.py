"""Rates of the comparison of arguments: calls of the rules raise no alarm, and a spoilt argument is found."""

from __future__ import annotations

from collections import Counter

from assistant.arguments.arguments import contradictions
from assistant.arguments.rules import rules_of
from assistant.arguments.same import SUBJECTS
from assistant.arguments.wanted import Wanted
from assistant.plan import plan_calls

from .cases import spoilt, turns

HOME = "cn-hangzhou"
EXAMPLES = 3
"""Calls of one tool from which a plan tries sizes that nobody named: any other size is as good."""


def test_calls_of_the_rules_raise_no_alarm() -> None:
    alarms, calls = [], 0
    for turn in turns():
        for call in plan_calls(turn.reading, region=HOME):
            calls += 1
            found = contradictions(call.tool, call.args, turn.reading, said=turn.said)
            alarms += [(turn.question, call, one) for one in found]
    assert calls >= 200
    assert len(alarms) <= calls * 0.01, f"{len(alarms)} of {calls}: {alarms[:5]}"


def test_a_spoilt_argument_is_found() -> None:
    missed, tried = Counter[tuple[str, str]](), 0
    for turn in turns():
        for call in plan_calls(turn.reading, region=HOME):
            sizes = len(Wanted(call.tool, turn.reading, HOME).calls) >= EXAMPLES
            for argument, rule in rules_of(call.tool).items():
                if call.args.get(argument) in (None, "", []) or (rule.kind in SUBJECTS and sizes and not turn.reading.models):
                    continue
                for wrong in spoilt(rule, call.args[argument]):
                    found = contradictions(call.tool, {**call.args, argument: wrong}, turn.reading, said=turn.said)
                    tried += 1
                    missed[call.tool, argument] += not any(one.argument == argument for one in found)
    assert tried >= 1000
    assert missed.total() <= tried * 0.01, f"{missed.total()} of {tried}: {+missed}"


def test_an_argument_left_out_is_found() -> None:
    missed, tried = Counter[tuple[str, str]](), 0
    for turn in turns():
        for call in plan_calls(turn.reading, region=HOME):
            for argument in ("context", "concurrency", "weight_dtype", "on", "seq", "micro_batch", "crop", "max_hourly", "max_monthly", "qps", "hours"):
                rule = rules_of(call.tool).get(argument)
                if rule is None or call.args.get(argument) in (None, "", []) or not any(getattr(turn.reading, field) for field in rule.fields):
                    continue
                left = {name: value for name, value in call.args.items() if name != argument}
                found = contradictions(call.tool, left, turn.reading, said=turn.said)
                tried += 1
                missed[call.tool, argument] += not any(one.argument == argument and one.code == "omitted" for one in found)
    assert tried >= 80
    assert missed.total() <= tried * 0.01, f"{missed.total()} of {tried}: {+missed}"
