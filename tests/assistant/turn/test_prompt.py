"""The system prompt: one static text per language, which names the tools that there are and no figure that could pass for evidence."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.tools import BaseTool

from assistant.prompts import system_prompt
from assistant.toolbox import make_toolbox
from assistant.turn.prompt import PromptOfLanguage
from knowledge.search import Library
from tools.phrases import Language

from .test_results import Caller


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> list[BaseTool]:
    return make_toolbox(Library.open(tmp_path_factory.mktemp("index"), embedder="none"))


@pytest.mark.parametrize(("language", "most"), [("zh", 1800), ("en", 3600)])
def test_it_names_every_tool_and_stays_short(language: Language, most: int, tools: list[BaseTool]) -> None:
    prompt = system_prompt(language)
    assert [tool.name for tool in tools if tool.name not in prompt] == []
    assert len(prompt) <= most
    assert not re.search(r"\d+(?:\.\d+)? ?(?:GiB|GB|元|CNY|USD)", prompt)
    assert prompt in system_prompt()


@pytest.mark.parametrize("language", ["zh", "en"])
def test_it_has_the_rules_that_the_check_enforces(language: Language) -> None:
    prompt = system_prompt(language)
    for rule in ("[n]", "WRONG", "FACT", "size_llm", "check_claims", "350"):
        assert rule in prompt


def sent(questions: Sequence[str]) -> list[BaseMessage]:
    """The first message that the model is sent for the last of some questions."""
    model = Caller(rounds=[[]], seen=[])
    agent = create_agent(model, [], system_prompt=system_prompt(), middleware=[PromptOfLanguage()])
    pairs = [(HumanMessage(question), AIMessage("…")) for question in questions]
    given: Any = {"messages": [message for pair in pairs for message in pair][:-1]}
    agent.invoke(given)
    return model.seen[0][:1]


@pytest.mark.parametrize(
    ("questions", "language"),
    [(["gn7i 多少钱？"], "zh"), (["What is gn7i?"], "en"), (["gn7i 多少钱？", "and in English please, what is it?"], "en"), (["What is gn7i?", "多少钱？"], "zh")],
)
def test_a_model_is_sent_the_prompt_of_the_question(questions: list[str], language: Language) -> None:
    assert [message.content for message in sent(questions)] == [system_prompt(language)]
