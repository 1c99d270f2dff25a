"""The public Python API: `Assistant(...).ask(text, thread=…)` → Answer. Faces call this and nothing else."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager, nullcontext
from datetime import date
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from knowledge.errors import InputError

from .answer import Answer, Call
from .progress import Progress, progress

if TYPE_CHECKING:
    from langchain_core.language_models.chat_models import BaseChatModel
    from langchain_core.messages import BaseMessage

    from knowledge.search import Library

    from .read.reading import Reading
    from .settings import Settings
    from .threads.thread import Thread
    from .threads.threads import Threads
    from .turn.trouble import Trouble
    from .turn.verdict import Verdict

OFFLINE = "offline"
RULES_STEPS = 6
"""Model calls of a turn by the rules: they need three, whatever a chat model is allowed."""
HISTORY_CHARS = 16_000
"""Characters of earlier questions and answers that a chat model is shown, if its context is not smaller."""
HISTORY_SHARE = 4
"""A chat model's context is filled with history to one part in so many; a character is at most about one token."""
Event = Progress | Call | Answer
"""What `events` tells: a step, a finished tool call, and last of all the checked answer."""


class Assistant:
    """Answers sizing, catalog, price and guidance questions in Chinese and English.

    `llm` is `offline` (rules; the default) or a `provider:name`; `knowledge` an opened Library (default: the shipped
    one in the user's data folder); `region` the region whose prices rank; `checkpointer` a LangGraph checkpointer that keeps the
    threads (default: memory); `today` the clock by which a catalog is old. One object may be used from many threads. A refresh of
    the catalog counts from the next question on.

    Raises SettingsError when a setting cannot be used. Nothing heavy is loaded before the first question.
    """

    def __init__(
        self,
        llm: str | None = None,
        knowledge: Library | None = None,
        *,
        region: str | None = None,
        settings: Settings | None = None,
        checkpointer: Any = None,
        today: Callable[[], date] = date.today,
    ) -> None:
        from .settings import read_settings

        self.settings = settings or read_settings()
        self.llm = llm or self.settings.llm
        self.region = region or self.settings.region
        self._library = knowledge
        self._checkpointer = checkpointer
        self._today = today
        self._agents: dict[str, Any] = {}
        self._threads: Threads | None = None
        self._lock = threading.RLock()

    @property
    def library(self) -> Library:
        """The knowledge behind the answers."""
        with self._lock:
            if self._library is None:
                from .library import open_library

                self._library = open_library(self.settings)
            return self._library

    def ask(self, text: str, thread: str | None = None, *, language: Literal["zh", "en"] | None = None) -> Answer:
        """One answer. `thread` names a conversation; without it the question stands alone.

        Raises InputError for an empty question or one over the size limit.
        """
        *_, answer = self.events(text, thread, language=language)
        if not isinstance(answer, Answer):
            raise TypeError("the last event is the answer")
        return answer

    async def aask(self, text: str, thread: str | None = None, *, language: Literal["zh", "en"] | None = None) -> Answer:
        """`ask` for asynchronous callers; the work is done in a thread."""
        import asyncio  # costs 40 ms, which the command line need not pay

        return await asyncio.to_thread(self.ask, text, thread, language=language)

    def events(self, text: str, thread: str | None = None, *, language: Literal["zh", "en"] | None = None) -> Iterator[Event]:
        """Each step as it happens, then the checked Answer. No unchecked text is ever among them.

        Errors as in `ask`, at once: not only when the first event is asked for.
        """
        return self._events(_usable(text, limit=self.settings.max_question_chars), thread, language)

    def _events(self, question: str, name: str | None, language: Literal["zh", "en"] | None) -> Iterator[Event]:
        from .read.language import find_language

        started = time.perf_counter()
        yield progress("reading", language or find_language(question))
        with self._conversation(name) as thread:
            reading, messages = self._start(question, thread, language)
            verdict, trouble = yield from self._judged(reading, messages, started)
            answer = self._finished(verdict, trouble)
            if name is not None:
                self._kept_threads().save(name, _after(thread, question, answer, reading))
        answer.elapsed_ms = round((time.perf_counter() - started) * 1000, 1)
        yield answer

    def _start(self, question: str, thread: Thread, language: str | None) -> tuple[Reading, list[BaseMessage]]:
        """What the rules understand of the question, and the messages that the turn begins with."""
        from .catalog_in_use import use_catalog
        from .offline import ask_message
        from .threads.history import messages_of
        from .threads.reading import read_in_thread

        use_catalog(self.settings.data_dir, self.settings.site)
        reading = read_in_thread(question, thread, language=language)
        return reading, [*messages_of(thread, budget_chars=self._history_chars()), ask_message(question, reading)]

    def _history_chars(self) -> int:
        if self.llm == OFFLINE:
            return HISTORY_CHARS
        from .chat_models.chat_model import context_window

        return min(HISTORY_CHARS, context_window(self.llm, settings=self.settings) // HISTORY_SHARE)

    def _judged(self, reading: Reading, messages: list[BaseMessage], started: float) -> Generator[Event, None, tuple[Verdict, Trouble | None]]:
        """The draft that may be shown, and what was wrong with the chat model's where the rules had to answer."""
        from .turn.run import Outcome, run_in_thread
        from .turn.trouble import trouble_of

        if self.llm == OFFLINE:
            return (yield from self._judged_by_rules(reading, messages)), None
        agent = self._agent(self.llm)
        yield progress("thinking", reading.language)
        outcome = Outcome()
        seconds = self.settings.time_limit_s - (time.perf_counter() - started)
        yield from run_in_thread(agent, messages, outcome, language=reading.language, max_steps=self.settings.max_steps, seconds=seconds)
        verdict = outcome.verdict
        if verdict and verdict.is_shown:
            return verdict, None
        yield progress("falling_back", reading.language)
        trouble = trouble_of(self.llm, outcome.failure, verdict.problems if verdict else (), language=reading.language, provider=self._provider())
        return (yield from self._judged_by_rules(reading, messages)), trouble

    def _provider(self) -> str:
        """Whose rules the chat model's server follows."""
        from .chat_models.chat_model import find_endpoint

        return find_endpoint(self.llm, settings=self.settings).provider.name

    def _judged_by_rules(self, reading: Reading, messages: list[BaseMessage]) -> Generator[Event, None, Verdict]:
        from .turn.run import Outcome, run_inline
        from .turn.verdict import judge_composed

        outcome = Outcome()
        yield from run_inline(self._agent(OFFLINE), messages, outcome, language=reading.language, max_steps=RULES_STEPS)
        return judge_composed(outcome.messages)

    def _finished(self, verdict: Verdict, trouble: Trouble | None) -> Answer:
        from .assemble import assemble, replaced

        llm = OFFLINE if trouble else self.llm
        answer = assemble(verdict, llm=llm, today=self._today(), stale_after_days=self.settings.stale_after_days)
        return replaced(answer, trouble) if trouble else answer

    def _conversation(self, name: str | None) -> AbstractContextManager[Thread]:
        """The thread as it stands; no other turn of it in this process runs meanwhile."""
        from .threads.thread import Thread

        return nullcontext(Thread()) if name is None else self._kept_threads().turn(name)

    def _kept_threads(self) -> Threads:
        from .threads.threads import Threads

        with self._lock:
            if self._threads is None:
                if self._checkpointer is None:
                    from langgraph.checkpoint.memory import InMemorySaver

                    self._checkpointer = InMemorySaver()
                self._threads = Threads(self._checkpointer)
            return self._threads

    def _agent(self, llm: str) -> Any:
        """The compiled agent of the rules or of the chat model, made when it is first needed."""
        from .agent import build_agent
        from .prompts import system_prompt
        from .toolbox import make_toolbox

        library = self.library
        with self._lock:
            if llm not in self._agents:
                by_rules = llm == OFFLINE
                self._agents[llm] = build_agent(
                    self._rules() if by_rules else self._model(),
                    make_toolbox(library, schemas=not by_rules, today=self._today),
                    system_prompt=system_prompt(),
                    max_steps=RULES_STEPS if by_rules else self.settings.max_steps,
                    by_rules=by_rules,
                    region=self.region,
                )
            return self._agents[llm]

    def _rules(self) -> BaseChatModel:
        from .offline import OfflineModel

        return OfflineModel(region=self.region)

    def _model(self) -> BaseChatModel:
        from .chat_models.chat_model import open_chat_model

        return open_chat_model(self.llm, settings=self.settings)


@cache
def _default() -> Assistant:
    return Assistant()


def ask(text: str, thread: str | None = None) -> Answer:
    """One answer from an assistant with the settings of the environment, made once per process."""
    return _default().ask(text, thread)


def _usable(text: str, *, limit: int) -> str:
    question = text.replace("\x00", "").strip()
    if not question:
        raise InputError("问题是空的，请说说要部署什么模型。 / The question is empty: say which model you want to run.")
    if len(question) > limit:
        raise InputError(
            f"问题有 {len(question)} 个字符，超过上限 {limit}，请缩短。"
            f" / The question has {len(question)} characters, over the limit of {limit}: please shorten it."
        )
    return question


def _after(thread: Thread, question: str, answer: Answer, reading: Reading) -> Thread:
    """The thread with this turn. Its marks are left out: they number the sources of this turn alone."""
    from .evidence import MARK
    from .threads.reading import after_turn

    return after_turn(thread, question, reading, answer=MARK.sub("", answer.text), language=answer.language, llm=answer.llm)
