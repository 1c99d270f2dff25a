"""Why the rules answered: the model's failure and a fault of ours are told apart, and neither brings foreign words."""

from __future__ import annotations

import logging

import pytest

from assistant.check.problem import Problem
from assistant.turn.context import ModelFailed, TurnOver
from assistant.turn.trouble import trouble_of


def failed(error: Exception) -> ModelFailed:
    wrapped = ModelFailed()
    wrapped.__cause__ = error
    return wrapped


@pytest.mark.parametrize("problems", [(), (Problem("unanswered", "", 0, "The answer is empty."),)])
def test_an_empty_answer_is_no_thing_struck(problems: tuple[Problem, ...]) -> None:
    trouble = trouble_of("vllm:x", None, problems, language="zh")
    assert trouble.removed == ["vllm:x: empty"] and "没有给出完整的回答" in trouble.sentence


@pytest.mark.parametrize(
    ("failure", "kind", "zh", "en"),
    [
        (TurnOver(), "over_time", "时限", "in time"),
        (failed(TimeoutError("read timed out, buy RTX 5090")), "timeout", "vllm:x", "vllm:x"),
        (failed(KeyError("RTX 5090")), "unknown", "出错", "failed"),
        (KeyError("RTX 5090"), "internal", "内部错误", "Xuanka failed"),
    ],
)
def test_each_failure_is_told_as_what_it_is(failure: Exception, kind: str, zh: str, en: str, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.CRITICAL):
        chinese, english = (trouble_of("vllm:x", failure, (), language=language) for language in ("zh", "en"))
    assert chinese.removed == english.removed == [f"vllm:x: {kind}"]
    assert zh in chinese.sentence and en in english.sentence
    assert "5090" not in chinese.sentence + english.sentence
