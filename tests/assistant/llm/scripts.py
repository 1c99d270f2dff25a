"""Scripted models: what each one does with the messages it is sent. They call tools as a model does and then say their draft."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterable

from tests.assistant.llm.scenes import Scene
from tests.assistant.llm.wire import Asked, Fault, Reply, Said, Script, Use

Draft = Callable[[Asked], str]


def says(text: str) -> Script:
    """Always the same words, no tools: a model that answers from its memory."""
    return lambda _: Reply(text)


def looks_up_then(uses: Iterable[Use], draft: str | Draft, *, reasoning: str = "") -> Script:
    """Calls its tools once, all at the same time, then says its draft, and says it again when that is sent back."""
    calls = tuple(uses)

    def script(asked: Asked) -> Said:
        if calls and not asked.results and not asked.is_told:
            return Reply(None, calls, reasoning)
        return Reply(draft if isinstance(draft, str) else draft(asked), reasoning=reasoning)

    return script


def one_by_one(uses: Iterable[Use], draft: str) -> Script:
    """Calls its tools one after the other."""
    calls = tuple(uses)

    def script(asked: Asked) -> Said:
        done = len(asked.results)
        return Reply(None, (calls[done],)) if done < len(calls) else Reply(draft)

    return script


def mends(uses: Iterable[Use], wrong: str, right: str) -> Script:
    """Says something wrong, and the right thing when it is told."""
    return looks_up_then(uses, lambda asked: right if asked.is_told else wrong)


def loops(use: Use) -> Script:
    """The same call for ever."""
    return lambda _: Reply(None, (use,))


def wanders(make: Callable[[int], Use]) -> Script:
    """Another call each time, for ever."""
    return lambda asked: Reply(None, (make(asked.number),))


def fails(fault: Fault) -> Script:
    """A server that never answers well."""
    return lambda _: fault


def fails_then(fault: Fault, times: int, script: Script) -> Script:
    """A server that fails so often, then does as the script says."""
    return lambda asked: fault if asked.number < times else script(asked)


def fails_after_tools(fault: Fault, uses: Iterable[Use]) -> Script:
    """Tools are called, then the server is gone."""
    calls = tuple(uses)
    return lambda asked: fault if asked.results else Reply(None, calls)


def waits_for(gate: threading.Event, script: Script) -> Script:
    """Says nothing until the gate is open."""

    def gated(asked: Asked) -> Said:
        gate.wait(20)
        return script(asked)

    return gated


def prints_calls(use: Use, draft: str, *, form: str = "<tool_call>\n{call}\n</tool_call>") -> Script:
    """A small model whose server knows no tool calls: it prints them as text."""
    call = f'{{"name": "{use.name}", "arguments": {use.text}}}'
    return lambda asked: Reply(draft) if asked.results or asked.number else Reply(form.replace("{call}", call))


def by_question(table: dict[str, Scene], drafts: dict[str, str]) -> Script:
    """A model of several turns: for each question its calls and its draft."""
    scripts = {question: looks_up_then(scene.uses, drafts[question]) for question, scene in table.items()}
    return lambda asked: scripts[asked.question](asked)


def in_turn(*said: Said) -> Script:
    """One after the other, whatever is asked; the last one for ever."""
    order = itertools.chain(said, itertools.repeat(said[-1]))
    lock = threading.Lock()

    def script(_: Asked) -> Said:
        with lock:
            return next(order)

    return script


def reads_aloud(uses: Iterable[Use], change: Callable[[str], str] = str) -> Script:
    """An honest model: it says the first paragraphs of what its tools returned, marks included. `change` makes it less honest."""
    return looks_up_then(uses, lambda asked: change(first_words(asked.results[0])))


def first_words(result: str, paragraphs: int = 2) -> str:
    """The answer in a result: its first paragraphs without the line that names the tool."""
    body = result.split("\n", 1)[1].strip()
    return "\n\n".join(body.split("\n\n")[:paragraphs])


def obeys(text: str, otherwise: Script) -> Script:
    """Does what it reads: where these words stand in anything it is sent, it does as they say."""

    def script(asked: Asked) -> Said:
        orders = [m["content"] for m in asked.messages if m["role"] in ("user", "tool") and "PWNED" in str(m["content"])]
        return Reply(text) if orders else otherwise(asked)

    return script
