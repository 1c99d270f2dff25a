"""Composes the check of a pasted text: how many statements, then those that are wrong, each with its fact and sources."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from assistant.answer import Caution
from assistant.evidence import Evidence
from assistant.read.reading import Reading
from tools.results import ClaimReport, Statement, Verdict

from .claims import claim_line
from .draft import Draft, Voice, paragraphs

ORDER: tuple[Verdict, ...] = ("wrong", "not_in_catalog", "outdated", "partly", "cannot_judge", "true")
"""Verdicts as they are counted; those up to `partly` are told one by one."""
TOLD = ORDER[:4]
SHORT, AROUND = 16, 24
"""A statement of so few characters is told with so many on either side, of its line."""
EDGES = " •◦▪*#|>,，、;；-"
MOST = 30
"""Statements that are told one by one."""


def compose_article(reading: Reading, evidence: Evidence) -> Draft:
    """Verdicts on the statements of the text that was pasted."""
    voice = Voice("claims", reading.language)
    found = evidence.of_tool("check_claims")
    statements = found[0].read(ClaimReport).statements if found else []
    if not statements:
        return Draft(kind="claim_check", text=voice("article_nothing"), constant=True)
    counts = Counter(item.verdict for item in statements)
    told = [item for verdict in TOLD for item in _each_once(statements, verdict)]
    article = reading.text[slice(*reading.pasted)] if reading.pasted else ""
    lines = [claim_line(voice, item.model_copy(update={"text": _in_its_line(item, article)}), evidence) for item in told[:MOST]]
    rest = voice("article_rest", count=len(told) - MOST) if len(told) > MOST else ""
    return Draft(
        kind="claim_check",
        text=paragraphs(_opening(voice, len(statements), counts), "\n".join(lines), rest),
        cautions=[Caution(code=item.verdict, text=item.fact.strip(), source_ids=item.source_ids) for item in told[:MOST]],
        derived=[float(number) for number in (len(statements), *counts.values(), len(told) - MOST)],
    )


def _opening(voice: Voice, total: int, counts: Mapping[Verdict, int]) -> str:
    parts = [voice(f"count_{verdict}", count=counts[verdict]) for verdict in ORDER if verdict in counts]
    code = "article" if any(verdict in counts for verdict in TOLD) else "article_right"
    return voice(code if total > 1 else f"{code}_one", total=total, parts=voice("comma").join(parts))


def _in_its_line(item: Statement, article: str) -> str:
    """What is said, with the words around it where it is too short to be understood alone ("40GB")."""
    if len(item.text) > SHORT or article[item.start : item.end] != item.text:
        return item.text
    first = max(article.rfind("\n", 0, item.start) + 1, item.start - AROUND)
    stop = article.find("\n", item.end)
    last = min(stop if stop >= 0 else len(article), item.end + AROUND)
    lead = "…" if first and article[first - 1] != "\n" else ""
    tail = "…" if last < len(article) and article[last] != "\n" else ""
    return f"{lead}{' '.join(article[first:last].split()).strip(EDGES)}{tail}"


def _each_once(statements: list[Statement], verdict: str) -> list[Statement]:
    """The statements of one verdict in order; one that is said again in the same words once."""
    first: dict[tuple[str, str], Statement] = {}
    for item in statements:
        if item.verdict == verdict:
            first.setdefault((" ".join(item.text.split()), item.fact), item)
    return list(first.values())
