"""The public Python API: `Assistant(...).ask(text, thread=…)` → Answer. Faces call this and nothing else."""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable, Iterator
from datetime import date
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from knowledge.errors import InputError, SettingsError, XuankaError

from .answer import Answer, Call

if TYPE_CHECKING:
    from langchain_core.language_models.chat_models import BaseChatModel
    from langchain_core.messages import BaseMessage

    from knowledge.search import Library

    from .settings import Settings

OFFLINE = "offline"
ONCE = "once-"
"""Prefix of the thread of a question that stands alone; such a thread is forgotten at once."""


class Assistant:
    """Answers sizing, catalog, price and guidance questions in Chinese and English.

    `llm` is `offline` (rules; the default) or a `provider:name`; `knowledge` an opened Library (default: the shipped
    one in the user's data folder); `region` the region whose prices rank; `today` the clock by which a catalog is old.
    Threads are kept in memory. One object may be used from many threads. A refresh of the catalog counts from the next
    question on.

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
        self._agent: Any = None
        self._lock = threading.Lock()

    @property
    def library(self) -> Library:
        """The knowledge behind the answers."""
        if self._library is None:
            from .library import open_library

            self._library = open_library(self.settings)
        return self._library

    def ask(self, text: str, thread: str | None = None, *, language: Literal["zh", "en"] | None = None) -> Answer:
        """One answer. `thread` names a conversation; without it the question stands alone.

        Raises InputError for an empty question or one over the size limit.
        """
        started = time.perf_counter()
        question = _usable(text, limit=self.settings.max_question_chars)
        try:
            answer = self._assembled(self._run(question, thread or f"{ONCE}{uuid.uuid4().hex}", language))
        except Exception as error:  # whatever a provider's client raises; the rules need no provider
            if self.llm == OFFLINE or isinstance(error, XuankaError):
                raise
            answer = self._answer_offline(question, language, error)
        answer.elapsed_ms = round((time.perf_counter() - started) * 1000, 1)
        return answer

    async def aask(self, text: str, thread: str | None = None, *, language: Literal["zh", "en"] | None = None) -> Answer:
        """`ask` for asynchronous callers; the work is done in a thread."""
        import asyncio  # costs 40 ms, which the command line need not pay

        return await asyncio.to_thread(self.ask, text, thread, language=language)

    def events(
        self, text: str, thread: str | None = None, *, language: Literal["zh", "en"] | None = None
    ) -> Iterator[Call | Answer]:
        """The tool calls as they finish, then the checked Answer. No unchecked text is ever among them."""
        started = time.perf_counter()
        question = _usable(text, limit=self.settings.max_question_chars)
        from .assemble import call_of

        config, given = self._turn(question, thread or f"{ONCE}{uuid.uuid4().hex}", language)
        messages: list[BaseMessage] = []
        for mode, update in self._compiled().stream(given, config, stream_mode=["updates", "values"]):
            if mode == "values":
                messages = update["messages"]
            elif "tools" in update:
                yield from (call_of(message) for message in update["tools"]["messages"])
        answer = self._assembled(messages)
        answer.elapsed_ms = round((time.perf_counter() - started) * 1000, 1)
        yield answer

    def _run(self, question: str, thread: str, language: str | None) -> list[BaseMessage]:
        config, given = self._turn(question, thread, language)
        agent = self._compiled()
        messages: list[BaseMessage] = agent.invoke(given, config)["messages"]
        if thread.startswith(ONCE):
            agent.checkpointer.delete_thread(thread)
        return messages

    def _assembled(self, messages: list[BaseMessage]) -> Answer:
        from .assemble import assemble

        return assemble(messages, llm=self.llm, today=self._today(), stale_after_days=self.settings.stale_after_days)

    def _answer_offline(self, question: str, language: str | None, error: Exception) -> Answer:
        """The rules' answer where the chat model failed; the reason stands in `removed`."""
        rules = Assistant(OFFLINE, self.library, region=self.region, settings=self.settings, today=self._today)
        answer = rules.ask(question, language="zh" if language == "zh" else "en" if language else None)
        return answer.model_copy(update={"removed": [f"{self.llm}: {type(error).__name__}"]})

    def _turn(self, question: str, thread: str, language: str | None) -> tuple[dict[str, Any], dict[str, Any]]:
        from langchain_core.messages import HumanMessage

        from .catalog_in_use import use_catalog

        use_catalog(self.settings.data_dir, self.settings.site)
        extra = {"language": language} if language else {}
        config = {"configurable": {"thread_id": thread}, "recursion_limit": 6 * self.settings.max_steps}
        return config, {"messages": [HumanMessage(question, additional_kwargs=extra)]}

    def _compiled(self) -> Any:
        with self._lock:
            if self._agent is None:
                from langgraph.checkpoint.memory import InMemorySaver

                from .agent import build_agent
                from .prompts import system_prompt
                from .toolbox import make_toolbox

                self._agent = build_agent(
                    self._model(),
                    make_toolbox(self.library, schemas=self.llm != OFFLINE, today=self._today),
                    system_prompt=system_prompt(),
                    checkpointer=self._checkpointer or InMemorySaver(),
                    max_steps=self.settings.max_steps,
                )
            return self._agent

    def _model(self) -> BaseChatModel:
        if self.llm == OFFLINE:
            from .offline import OfflineModel

            return OfflineModel(region=self.region)
        from langchain.chat_models import init_chat_model

        try:
            return init_chat_model(self.llm)
        except (ImportError, ValueError) as error:
            raise SettingsError(f"XUANKA_LLM={self.llm}: {str(error).splitlines()[0][:160]}") from None


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
