"""Questions about a text that was pasted earlier: "check that document again", "第二段呢", "刚才那个 config 换成 fp8"."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from tools.claims.check import check_claims

from .earlier import LONGEST, Earlier, PastedText, finds
from .normalise import parse_number
from .pasted import SENTENCE_END
from .reading import Reading

LEAST_NAME = 4
"""Characters of a title by which a text is called."""
ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6}
_OPEN = ("claim_check", "guidance", "out_of_scope", "catalog", "comparison")
"""What a question about a text may look like that is read without the text."""
TERSE = 40
"""Characters up to which "the second paragraph" means that of the text, though it is not named."""
LEAST_PART = 8
"""Characters of what counts as a paragraph or a sentence."""


def pointed_config(text: str, earlier: Earlier) -> str | None:
    """The config.json that a question points at."""
    configs = [kept for kept in earlier.texts if kept.kind == "config"]
    if not configs or len(text) > LONGEST:
        return None
    named = _named(text, configs)
    return (named or configs[-1]).text if named or finds("config", _folded(text)) else None


def pointed_article(text: str, reading: Reading, earlier: Earlier) -> str | None:
    """The text that a question points at to have it checked, or the part of it that is meant; None for a question that states
    something itself, which is then what is to be checked, or wants something else."""
    articles = [kept for kept in earlier.texts if kept.kind != "config"]
    if not articles or len(text) > LONGEST or reading.intents[0] not in _OPEN:
        return None
    if reading.presumes and check_claims(text, language="en", questions=True).statements:
        return None
    lower = _folded(text)
    named, part = _named(text, articles), finds("part", lower)
    points = named is not None or finds("article", lower) is not None
    if not (part or (points and finds("again", lower))) or not (points or len(lower) <= TERSE):
        return None
    chosen = (named or articles[-1]).text
    if part:
        return _part(chosen, part)
    names = [name.text.lower() for name in (*reading.cards, *reading.families, *reading.instances)]
    about = [piece for piece in _pieces(chosen, sentences=True) if any(name in _folded(piece) for name in names)]
    return "\n".join(about) or chosen


def read_pointed(text: str, piece: str, language: str) -> Reading:
    """The reading of a question about a pasted text: the piece is to be checked, as if it stood behind the question."""
    whole = f"{text}\n\n{piece}"
    return Reading(
        text=whole, normal=unicodedata.normalize("NFKC", text), language="zh" if language == "zh" else "en", intents=["claim_check"],
        pasted=(len(whole) - len(piece), len(whole)),
    )  # fmt: skip


def _part(text: str, match: re.Match[str]) -> str:
    """A paragraph or a sentence by its number; the last one where there are fewer."""
    said = {name: value for name, value in match.groupdict().items() if value}
    unit = next(value for name, value in said.items() if "unit" in name)
    pieces = _pieces(text, sentences=finds("sentences", unit) is not None)
    number = next((value for name, value in said.items() if "number" in name), "")
    index = ORDINALS.get(number) or int(parse_number(number.rstrip("stndrh")) or 0) if number else len(pieces)
    return pieces[min(max(index, 1), len(pieces)) - 1] if pieces else text


def _pieces(text: str, *, sentences: bool) -> list[str]:
    """The paragraphs without headings, or the sentences."""
    if sentences:
        ends = [0, *(match.end() for match in SENTENCE_END.finditer(text)), len(text)]
        parts = [text[one:other] for one, other in zip(ends, ends[1:], strict=False)]
    else:
        parts = re.split(r"\n\s*\n", text) if re.search(r"\n\s*\n", text) else text.split("\n")
    return [part.strip() for part in parts if len(part.strip()) >= LEAST_PART and not part.strip().startswith("#")]


def _named(text: str, texts: Sequence[PastedText]) -> PastedText | None:
    """The text that is called by its name."""
    lower = _folded(text)
    return next((kept for kept in reversed(texts) if len(kept.name) >= LEAST_NAME and _folded(kept.name) in lower), None)


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).lower()


def name_of(text: str) -> str:
    """What a text is called: its title, which is its first line without marks."""
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    return re.sub(r"^[#>*\s\-–—|]+|[*\s|:：]+$", "", line)[:80]


def pasted_in(text: str, reading: Reading) -> PastedText | None:
    """The text that a question brings with it: an article, a config.json, or simply much text."""
    if reading.pasted is not None:
        article = reading.text[slice(*reading.pasted)]
        return PastedText(name_of(article), article, "article") if article in text else None
    if reading.config_json and "config_json" not in reading.carried and reading.config_json in text:
        return PastedText(_config_name(reading.config_json), reading.config_json, "config")
    return PastedText(name_of(text), text, "text") if len(text) >= MUCH and text.count("\n") >= MANY_LINES else None


MUCH, MANY_LINES = 600, 3
"""Characters and line breaks from which a question is a text that one may come back to."""


def _config_name(config: str) -> str:
    found = re.search(r'"(?:_name_or_path|name)"\s*:\s*"([^"\n]{3,80})"', config)
    return found[1].rpartition("/")[2] if found else "config.json"
