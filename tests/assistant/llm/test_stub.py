"""The stub itself: the real clients of LangChain understand it, and it records what they ask."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessageChunk
from langchain_core.tools import tool

from tests.assistant.llm.faults import KEY
from tests.assistant.llm.stub import Stub, open_stub
from tests.assistant.llm.wire import MODEL, Reply, Use

CALL = Use("weigh", {"name": "琴", "kilos": 3})
CLIENTS = ["openai", "ollama"]


@tool
def weigh(name: str, kilos: int) -> str:
    """Weighs."""
    return f"{name}: {kilos} kg"


def client(kind: str, stub: Stub) -> BaseChatModel:
    if kind == "ollama":
        from langchain_ollama import ChatOllama

        return ChatOllama(model=MODEL, base_url=stub.root)
    from langchain_openai import ChatOpenAI
    from pydantic import SecretStr

    return ChatOpenAI(model=MODEL, base_url=stub.url, api_key=SecretStr(KEY), max_retries=0, stream_usage=True)


@pytest.mark.parametrize("kind", CLIENTS)
def test_words_reach_the_client_whole_and_in_pieces(kind: str) -> None:
    with open_stub(lambda _: Reply("选 gn7i，约 16.7 GiB。", reasoning="想一想")) as stub:
        model = client(kind, stub)
        assert model.invoke("?").text == "选 gn7i，约 16.7 GiB。"
        pieces = list(model.stream("?"))
    whole = pieces[0]
    for piece in pieces[1:]:
        whole += piece
    assert isinstance(whole, AIMessageChunk) and whole.text == "选 gn7i，约 16.7 GiB。"
    assert whole.usage_metadata and whole.usage_metadata["output_tokens"] == 20
    assert len(pieces) > 2 and len(stub.asked) == 2


@pytest.mark.parametrize("kind", CLIENTS)
def test_calls_reach_the_client_with_their_arguments(kind: str) -> None:
    with open_stub(lambda _: Reply(None if kind == "openai" else "", (CALL, CALL))) as stub:
        model = client(kind, stub).bind_tools([weigh])
        plain = model.invoke("?")
        pieces: Any = None
        for piece in model.stream("?"):
            pieces = piece if pieces is None else pieces + piece
    for message in (plain, pieces):
        assert [(c["name"], c["args"]) for c in message.tool_calls] == [("weigh", {"name": "琴", "kilos": 3})] * 2
    assert stub.asked[0].tools == ["weigh"]


def test_a_stream_without_its_end_is_an_error_of_the_client() -> None:
    with open_stub(lambda _: Reply("half an answer", done=False)) as stub, pytest.raises(Exception, match="(?i)incomplete|closed|connection"):
        list(client("openai", stub).stream("?"))


def test_requests_are_recorded_with_their_headers() -> None:
    with open_stub(lambda asked: Reply(f"number {asked.number}")) as stub:
        model = client("openai", stub)
        assert [model.invoke("first").text, model.invoke("second").text] == ["number 0", "number 1"]
    assert [asked.question for asked in stub.asked] == ["first", "second"]
    assert stub.asked[0].headers["authorization"] == f"Bearer {KEY}"
    assert stub.asked[0].body["model"] == MODEL
