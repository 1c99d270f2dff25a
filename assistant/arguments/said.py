"""What a question and its thread say: the numbers with what they are said of, the names, the words. For arguments that no
field of a reading holds."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from assistant.read.api_price import find_api_rate
from assistant.read.models import find_model_mentions
from assistant.read.money import find_budget
from assistant.read.names import blank, find_names
from assistant.read.normalise import normalise, tokens_of
from assistant.read.precision import find_precisions
from assistant.read.roles import find_roles

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

    from assistant.evidence import Finding
    from assistant.read.reading import NameMention

NEAR = 0.002
"""Share by which a number may differ from one that is said: what rounding leaves."""
SMALL = 10
"""Numbers below it stand in every answer, so that there they prove nothing."""
_SIGNS = re.compile(r"[\s_\-./:]+")


@dataclass(frozen=True, slots=True)
class Told:
    """A number of a text: what it may come to (8K is 8,000 and 8,192), and what it is said of, None where nothing tells."""

    values: tuple[float, ...]
    role: str | None


@dataclass(frozen=True, slots=True)
class Read:
    """What one text says. `models` are the ids of known models and the names of others, `names` what it names of the catalog."""

    lower: str
    numbers: tuple[Told, ...]
    names: tuple[NameMention, ...]
    models: tuple[str, ...]
    precisions: tuple[str, ...]


@dataclass(frozen=True)
class Said:
    """The question, what the thread held before it, newest last, and what the tools have found in this turn."""

    question: str
    earlier: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()

    def has_number(self, value: float, roles: Sequence[str], *, bare: bool = True) -> bool:
        """Whether the user says the number, of one of the roles or, if `bare`, of nothing that is told; or an answer said it before."""
        asked = any(_is_told(value, told, roles) and (bare or told.role) for text in (self.question, *self.earlier) for told in read_text(text).numbers)
        return asked or (value >= SMALL and any(_is_told(value, told, roles) for text in self.answers for told in read_text(text).numbers))

    def has_found(self, value: float, keys: Iterable[str]) -> bool:
        """Whether a result of this turn has the number under one of the keys."""
        return any(_is_near(value, held) for key in keys for held in self._held.get(key, ()))

    def has_word(self, word: str) -> bool:
        """Whether a text of the user has the word, however it is joined."""
        return any(_stands_in(word, read_text(text).lower) for text in (self.question, *self.earlier))

    def has_name(self, name: str) -> bool:
        """Whether anything before has the name: the user's words, an answer, a result of this turn."""
        texts = (self.question, *self.earlier, *self.answers)
        return any(_stands_in(name, read_text(text).lower) for text in texts) or glue(name) in self._found_names

    def precisions(self) -> set[str]:
        """The precisions that the user names."""
        return {name for text in (self.question, *self.earlier) for name in read_text(text).precisions}

    def models(self) -> set[str]:
        """The models that the user or an answer names."""
        return {name for text in (self.question, *self.earlier, *self.answers) for name in read_text(text).models}

    def names(self) -> list[NameMention]:
        """What of the catalog the user names, the question first."""
        return [name for text in (self.question, *reversed(self.earlier)) for name in read_text(text).names]

    @cached_property
    def _held(self) -> dict[str, set[float]]:
        held: dict[str, set[float]] = {}
        for finding in self.findings:
            for key, value in _leaves(finding.data):
                if isinstance(value, (int, float)) and not isinstance(value, bool):
                    held.setdefault(key, set()).add(float(value))
        return held

    @cached_property
    def _found_names(self) -> set[str]:
        return {glue(value) for finding in self.findings for _, value in _leaves(finding.data) if isinstance(value, str) and len(value) < 60}


def said_of(messages: Sequence[BaseMessage], findings: Iterable[Finding]) -> Said:
    """Of the messages of a thread: a guard's are nobody's words."""
    spoken = [message for message in messages if message.type in ("human", "ai") and not message.additional_kwargs.get("guard")]
    asked = [at for at, message in enumerate(spoken) if message.type == "human"]
    before = spoken[: asked[-1]]
    return Said(
        str(spoken[asked[-1]].text),
        tuple(str(message.text) for message in before if message.type == "human"),
        tuple(str(message.text) for message in before if message.type == "ai" and str(message.text)),
        tuple(findings),
    )


@lru_cache(maxsize=512)
def read_text(text: str) -> Read:
    """What a text says. Kept: a thread's texts are looked at in each of its turns."""
    normal = normalise(text)
    lower = normal.lower() if len(normal.lower()) == len(normal) else normal
    named = find_names(lower)
    models = find_model_mentions(blank(normal, named))
    open_text = _without(blank(lower, named), models.spans)
    api = find_api_rate(open_text)
    open_text = _without(open_text, api[1] if api else ())
    budget = find_budget(open_text, priced=bool(named))
    if budget:
        open_text = _without(open_text, [budget[1]])
    precisions = find_precisions(normal)
    return Read(
        lower, tuple(_numbers(open_text)), tuple(name.mention for name in named if name.mention.name),
        tuple(name for mention in models.mentions for name in (mention.model_id, mention.text) if name),
        (*precisions.weights, *([precisions.kv] if precisions.kv else [])),
    )  # fmt: skip


def _numbers(lower: str) -> Iterator[Told]:
    for number, role in find_roles(lower):
        if role is None and number.glued:  # a part of a name: bf16, int4
            continue
        sign = -1 if number.negative else 1
        yield Told((sign * number.amount, sign * tokens_of(number.value, number.scale)), role)


def glue(text: str) -> str:
    """Lower case without what joins the parts of a name, and without the `ecs.` of types."""
    return _SIGNS.sub("", text.lower().replace("ecs.", ""))


@lru_cache(maxsize=1024)
def _spelled(name: str) -> re.Pattern[str] | None:
    """A name with whatever may join its runs of letters and digits: "A100 80G", "a100-80g"; whole, so that A10 is not in A100."""
    runs = re.findall(r"\d+|[^\W\d_]+", name.lower().replace("ecs.", ""))
    if not runs:
        return None
    before, behind = (r"\d" if run[0].isdigit() else "[a-z]" for run in (runs[0], runs[-1]))
    return re.compile(f"(?<!{before})" + r"[\s_\-./:]*".join(map(re.escape, runs)) + f"(?!{behind})")


def _stands_in(name: str, lower: str) -> bool:
    pattern = _spelled(name)
    return pattern is not None and pattern.search(lower) is not None


def _is_told(value: float, told: Told, roles: Sequence[str]) -> bool:
    return (told.role is None or told.role in roles) and any(_is_near(value, one) for one in told.values)


def _is_near(value: float, other: float) -> bool:
    return abs(value - other) <= NEAR * max(abs(value), abs(other))


def _without(text: str, spans: Iterable[tuple[int, int]]) -> str:
    for start, end in spans:
        text = text[:start] + "\x00" * (end - start) + text[end:]
    return text


def _leaves(data: Any, key: str = "") -> Iterator[tuple[str, Any]]:
    """Every value of nested data with the key it stands under."""
    if isinstance(data, dict):
        for name, value in data.items():
            yield from _leaves(value, str(name))
    elif isinstance(data, list):
        for value in data:
            yield from _leaves(value, key)
    else:
        yield key, data
