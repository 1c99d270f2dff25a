"""What a draft is held against here is what the assistant holds it against."""

from __future__ import annotations

import pytest
from langchain_core.messages import AIMessage

from assistant import Assistant
from assistant.offline import ask_message
from assistant.turn.verdict import judge_draft
from evals.check.cases import Case, read_cases
from evals.check.run import spread
from evals.check.turns import Rules

CASES = [case for case in read_cases() if not case.draft]


@pytest.mark.parametrize("case", [*spread(CASES, 6), *(c for c in CASES if len(c.turns) > 1)][:14], ids=lambda case: case.id)
def test_the_composed_answer_is_that_of_the_assistant(case: Case, rules: Rules) -> None:
    assistant = Assistant("offline", rules.library)
    for turn in case.turns:
        answer = assistant.ask(turn, thread="t")
    by = rules.play(case.turns)
    assert by.evidence.cited(by.composed)[0] == answer.text
    assert len(by.earlier) == 2 * (len(case.turns) - 1)


@pytest.mark.parametrize("draft", ["选 `ecs.gn9x.2xlarge`，¥12.34/小时[77]。", "Take two H900 cards at 99 CNY/h [1]."])
def test_a_draft_has_the_problems_that_the_assistant_finds(draft: str, rules: Rules) -> None:
    for turns in (("Qwen2.5-72B int4，32K 上下文，8 并发，选什么实例？",), ("What is the GPU memory of the A100?",)):
        by = rules.play(turns)
        messages = [ask_message(turns[0], by.reading), *rules.found(turns), AIMessage(draft)]
        assert [(p.code, p.text, p.start) for p in by.problems(draft)] == [(p.code, p.text, p.start) for p in judge_draft(messages).problems]
