from __future__ import annotations

import pytest

from assistant import Answer
from assistant.read.read import read_question
from evals.check.bench import (
    LLM,
    AnswersAtOnce,
    AssistantOfBench,
    bench_question,
    check_ms,
    overhead_ms,
    turn_ms,
)
from evals.check.turns import Rules


def test_the_questions_say_what_the_model_calls_the_tool_with() -> None:
    for number in range(60):
        reading = read_question(bench_question(number))
        assert (reading.models and reading.context and reading.concurrency and reading.weight_dtype) is not None
    assert len({bench_question(number) for number in range(80)}) == 80


def test_the_draft_of_the_model_is_shown_and_its_tool_runs_each_time(rules: Rules) -> None:
    model = AnswersAtOnce()
    assistant = AssistantOfBench(model, knowledge=rules.library)
    for number in range(2):
        *_, answer = assistant.events(bench_question(number), thread="t")
        assert isinstance(answer, Answer) and answer.llm == LLM and answer.removed == []
        assert [call.tool for call in answer.calls] == ["size_llm"]


def test_times_are_measured() -> None:
    assert len(check_ms(answers=2, runs=1)) == 2
    assert all(ms > 0 for ms in overhead_ms(turns=1, measured=2))


def test_a_draft_that_is_not_shown_is_no_measurement(rules: Rules) -> None:
    class Liar(AnswersAtOnce):
        def _generate(self, *args: object, **kwargs: object) -> object:  # type: ignore[override]
            raise TimeoutError

    liar = Liar()
    with pytest.raises(RuntimeError, match="not the draft of the model"):
        turn_ms(AssistantOfBench(liar, knowledge=rules.library), liar, 0)
