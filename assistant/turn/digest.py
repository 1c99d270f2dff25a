"""What a chat model reads of one finding: the composed section in the question's language, more facts, and its sources.

The finding itself keeps everything, for the check and the Answer. Whatever is printed here is printed as our answers print it:
rounded, with unit and date, and with the numbers under which the sources are cited.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib import import_module

from assistant.evidence import MARK, Evidence, Finding
from assistant.read.reading import Reading
from tools.phrases import Language, read_phrases, say

CAP = 6000
"""Characters of one digest at the most."""
USUAL = 2600
"""Characters up to which further facts are added."""
BLOCK = re.compile(r"```.*?```|~~~.*?~~~", re.S)


@dataclass(frozen=True)
class Section:
    """What is told of a finding: `main` as our answer says it, `more` facts in order of weight, and the figures worked out for them."""

    main: str
    more: Sequence[str] = ()
    derived: Sequence[float] = ()


@dataclass(frozen=True)
class Digest:
    """The text for the model, and the figures in it that follow from the data by a shown operation."""

    text: str
    derived: tuple[float, ...] = ()


Teller = Callable[[Finding, Evidence, Reading], Section]
TELLERS = {
    "size_llm": ("digest_sizing", "serving"), "size_speed": ("digest_sizing", "speed"), "size_cpu": ("digest_sizing", "cpu"),
    "look_up_names": ("digest_lookup", "names"), "get_prices": ("digest_lookup", "prices"), "find_instances": ("digest_lookup", "found"),
    "where_sold": ("digest_lookup", "sold"), "catalog_state": ("digest_lookup", "state"), "compare_costs": ("digest_costs", "ways"),
    "rent_or_api": ("digest_costs", "api"), "training_cost": ("digest_costs", "run"), "order_instance": ("digest_costs", "order"),
    "check_claims": ("digest_texts", "claims"), "search_guides": ("digest_texts", "passages"),
}  # fmt: skip
"""Module and function that tell of the findings of each tool; every other one sizes a job. Imported when first needed."""
OTHERS = ("digest_sizing", "job")


def digest(finding: Finding, *, numbers: Evidence, reading: Reading, budget: int = CAP) -> Digest:
    """At most `budget` characters on one finding. `numbers` is the evidence of the turn so far, whose numbering the marks follow;
    `reading` is that of the question, in whose language and for whose wishes it is told."""
    voice = words(reading.language)
    if finding.error:
        return Digest(_fitting(_failed(voice, finding), budget, voice))
    section = _teller(finding.tool)(finding, alone(numbers, finding), reading)
    head = "\n".join([voice("head", tool=finding.tool), *_corrected(voice, finding)])
    room = min(budget, CAP) - len(head)
    told = _fitting(section.main, room * 3 // 4, voice)
    for more in section.more:
        if len(told) + len(more) < min(room * 3 // 4, USUAL):
            told = f"{told}\n\n{more}"
    listed = _sources(voice, told, numbers)
    if len(told) + len(listed) > room:
        told = _fitting(told, room - len(listed) - 2, voice)
    return Digest("\n\n".join(part for part in (head, told, listed) if part), tuple(section.derived))


def words(language: Language) -> Callable[..., str]:
    """Speaks the phrases of digests in one language."""
    table = read_phrases("assistant", "turn/digest.toml")

    def voice(code: str, **arguments: object) -> str:
        return say(table, code, language, **arguments)

    return voice


def alone(numbers: Evidence, finding: Finding) -> Evidence:
    """One finding by itself, its sources numbered as in the whole evidence."""
    one = Evidence(numbers.findings)
    one.findings = [finding]
    return one


def _teller(tool: str) -> Teller:
    module, function = TELLERS.get(tool, OTHERS)
    teller: Teller = getattr(import_module(f".{module}", __package__), function)
    return teller


def _failed(voice: Callable[..., str], finding: Finding) -> str:
    near = [str(name) for name in (finding.data or {}).get("nearest", [])] if isinstance(finding.data, dict) else []
    lines = [voice("failed", tool=finding.tool, reason=finding.error)]
    return "\n".join([*lines, voice("nearest", names=", ".join(near))] if near else lines)


def _corrected(voice: Callable[..., str], finding: Finding) -> Iterable[str]:
    """What was used in place of what the model gave; never what it gave."""
    for item in (item for item in finding.corrections if item.given != item.used):  # the others are examples
        yield voice("dropped", argument=item.argument) if item.used is None else voice("used", argument=item.argument, used=item.used)


def _fitting(text: str, room: int, voice: Callable[..., str]) -> str:
    """The text, or the paragraphs of it that there is room for; the first one, which answers, is always begun."""
    if len(text) <= room:
        return text
    cut = voice("cut")
    kept, left = [], room - len(cut) - 2
    for place, part in enumerate(_paragraphs(text)):
        if len(part) > left and (place == 0 or "\n" in part and "```" not in part and "~~~" not in part):
            part = _lines(part, left)
        if part and len(part) + 2 <= left:
            kept.append(part)
            left -= len(part) + 2
    return "\n\n".join([*kept, cut])


def _paragraphs(text: str) -> list[str]:
    """Parted by blank lines outside of fenced blocks."""
    fences: list[str] = []

    def keep(match: re.Match[str]) -> str:
        fences.append(match.group())
        return f"\0{len(fences) - 1}\0"

    return [re.sub("\0(\\d+)\0", lambda match: fences[int(match.group(1))], part) for part in BLOCK.sub(keep, text).split("\n\n") if part.strip()]


def _lines(part: str, room: int) -> str:
    """As many whole lines as there is room for; of a single line its beginning."""
    lines = part.split("\n")
    while len(lines) > 1 and sum(map(len, lines)) + len(lines) > room:
        lines.pop()
    return "\n".join(lines)[: max(0, room - 3)]


def _sources(voice: Callable[..., str], told: str, numbers: Evidence) -> str:
    """The sources that are cited, each once."""
    lines = []
    for number in sorted({int(n) for n in MARK.findall(BLOCK.sub("", told))}):
        citation = numbers.citation(number)
        if citation is not None:
            date = voice("comma") + citation.published_on if citation.published_on else ""
            lines.append(voice("source", n=number, title=citation.title, trust=voice(citation.trust if citation.trust in TRUSTED else "document"), date=date))
    return "\n".join([voice("sources"), *lines]) if lines else ""


TRUSTED = ("official", "vendor", "measured", "community", "blog")
