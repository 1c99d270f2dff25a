"""What a conversation keeps: its last turns, the reading that the next question builds on, and texts that were pasted."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from assistant.read.earlier import Earlier, PastedText

if TYPE_CHECKING:
    from assistant.read.reading import Reading

MOST_TURNS = 20
"""Turns that are kept. One more, and the older half goes: what a model is shown then starts the same for many turns."""
MOST_PASTED = 3
TEXT_CHARS = 8_000
"""Characters of a question, an answer or a pasted text that are kept; longer ones lose their middle."""
CUT = "\n[…]\n"
"""Stands where a middle was left out."""


@dataclass(frozen=True)
class Turn:
    """One question with the checked answer as it was shown. `carried` is what the next turn built on (a Reading)."""

    question: str
    answer: str
    language: str
    llm: str
    carried: dict[str, Any]
    mark: str = ""
    """Tells this turn from every other, so that none is kept twice or lost where two processes answer one thread."""


@dataclass(frozen=True)
class Thread:
    """A conversation. `counter`: turns so far, forgotten ones included; `first`: the reading of its
    first question that named something (a dict too).

    `carried` is the Reading as a dict that the next question builds on, None before the first answer.
    """

    turns: tuple[Turn, ...] = ()
    carried: dict[str, Any] | None = None
    pasted: tuple[PastedText, ...] = ()
    counter: int = 0
    first: dict[str, Any] | None = None

    def after(
        self, *, question: str, answer: str, language: str, llm: str, carried: Reading | Mapping[str, Any], pasted: PastedText | None = None
    ) -> Thread:
        """The thread with one turn more."""
        kept = _compact(carried)
        turn = Turn(shorten(question), shorten(answer), language, llm, kept, uuid.uuid4().hex[:16])
        return self.with_turn(turn, pasted)

    def with_turn(self, turn: Turn, pasted: PastedText | None = None) -> Thread:
        """The same, of a turn that was made elsewhere."""
        turns = (*self.turns, turn)
        if len(turns) > MOST_TURNS:
            turns = turns[len(turns) // 2 :]
        counter = self.counter + 1
        texts = self.pasted if pasted is None else _with_text(self.pasted, replace(pasted, text=shorten(pasted.text), turn=counter))
        first = self.first or (turn.carried if _SUBJECTS & set(turn.carried) else None)
        return Thread(turns, turn.carried, texts, counter, first)

    def earlier(self) -> Earlier:
        """What the next question may point back at, besides the question right before it."""
        from assistant.read.reading import Reading

        states = [state for state in (self.first, *(turn.carried for turn in self.turns)) if state]
        distinct = [state for before, state in zip([None, *states], states, strict=False) if state != before]
        return Earlier(tuple(Reading.model_validate(state) for state in distinct), self.pasted)

    def joined(self, other: Thread) -> Thread:
        """This thread with the turns of `other` that it lacks, and their pasted texts: what two processes have added."""
        marks = [turn.mark for turn in self.turns]
        if not marks or (other.turns and marks[-1] in [turn.mark for turn in other.turns]):
            return other
        common = max((i for i, turn in enumerate(other.turns) if turn.mark in marks), default=len(other.turns) - 2)
        thread = self
        for i, turn in enumerate(other.turns[common + 1 :], start=other.counter - len(other.turns) + common + 2):
            thread = thread.with_turn(turn, next((text for text in other.pasted if text.turn == i), None))
        return thread

    def to_state(self) -> dict[str, Any]:
        """Plain values for a checkpointer."""
        return asdict(self) | {"turns": [asdict(turn) for turn in self.turns], "pasted": [asdict(text) for text in self.pasted]}

    @classmethod
    def of_state(cls, state: Mapping[str, Any]) -> Thread:
        """The thread of what `to_state` gave. ValueError, TypeError or KeyError for anything else."""
        if not state:
            return cls()
        thread = cls(
            turns=tuple(Turn(**turn) for turn in state["turns"]),
            carried=_read(state["carried"]),
            pasted=tuple(PastedText(**text) for text in state["pasted"]),
            counter=int(state["counter"]),
            first=_read(state["first"]),
        )
        texts = [text for turn in thread.turns for text in (turn.question, turn.answer, turn.language, turn.llm)]
        if not all(isinstance(text, str) for text in (*texts, *(text.text for text in thread.pasted))):
            raise ValueError("a turn that is no text")
        return thread


def shorten(text: str, limit: int = TEXT_CHARS) -> str:
    """The text, or its beginning and its end with a sign between them."""
    if len(text) <= limit:
        return text
    room = max(0, limit - len(CUT))
    tail = room // 3
    return (text[: room - tail] + CUT + text[len(text) - tail :])[:limit]


def _with_text(texts: tuple[PastedText, ...], text: PastedText) -> tuple[PastedText, ...]:
    """The newest texts, none of them twice."""
    return (*(kept for kept in texts if kept.text != text.text), text)[-MOST_PASTED:]


def _compact(carried: Reading | Mapping[str, Any]) -> dict[str, Any]:
    """The reading as a dict without what was not said. Of an article, which is kept by itself, only the beginning stays."""
    from assistant.read.reading import Reading

    reading = carried if isinstance(carried, Reading) else Reading.model_validate(carried)
    kept = reading.model_dump(mode="json", exclude_defaults=True)
    kept |= {"text": kept["text"][:_BEGINNING], "normal": kept["normal"][:_BEGINNING]}
    if reading.pasted and reading.pasted[1] > _BEGINNING:
        del kept["pasted"]
    return kept


_SUBJECTS = {"models", "config_json", "networks", "diffusion_models", "speech_models", "cards", "families", "instances"}
"""Fields of which one must be said in what counts as the first thing spoken of."""
_BEGINNING = 400
"""Characters of a question's own words that stay in a reading; follow-ups lean on its fields."""


def _read(carried: Any) -> dict[str, Any] | None:
    """A reading's dict, if it is one: ValueError (pydantic's) for anything else."""
    from assistant.read.reading import Reading

    if carried is None:
        return None
    Reading.model_validate(carried)
    return dict(carried)
