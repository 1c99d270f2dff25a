"""Reads the guides: Markdown in our own words, one file per guide and language.

    ---                                  front matter, one `key: value` a line
    id: disks
    ...
    ---
    ## Title {#slug}                     one section per answer
    > key: value                         its sources, verdict, questions it answers, point
    (blank)
    Body.

Every broken rule is a DataError that names file and line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from .errors import DataError

TOPICS = frozenset(
    {"memory", "gpu", "family", "training", "inference", "vision", "llm", "cpu", "disk", "network"}
    | {"driver", "image", "price", "billing", "spot", "serverless", "monitoring", "scaling"}
    | {"security", "order"}
)
TRUSTS = ("official", "vendor", "measured", "community", "blog")  # from the most to the least trusted
VERDICTS = ("", "correct", "partly", "wrong", "outdated", "unverified")

_GUIDE_KEYS = {"id", "title", "lang", "origin", "published", "trust", "topics"}
_SECTION_KEYS = {"items", "claims", "facts", "verdict", "sources", "asked_as", "point"}
_HEADING = re.compile(r"## (?P<title>.+?)\s*\{#(?P<slug>[a-z0-9-]+)\}\s*")
_KEY_LINE = re.compile(r"(?P<key>[a-z_]+):\s*(?P<value>.*?)\s*")
_COMMENT = re.compile(r"\s+#.*")

Lines = list[tuple[int, str]]  # line number from 1, text


@dataclass(frozen=True, slots=True)
class Section:
    """One answer of a guide. `point` is the answer in one to three sentences; `body` gives reasons."""

    guide_id: str
    slug: str
    title: str
    lang: str
    origin: str  # source id of the document restated
    published_on: str  # of the origin, ISO date or empty
    trust: str  # of the origin
    topics: tuple[str, ...]
    items: tuple[str, ...]  # guidance items of the documents restated here
    claims: tuple[str, ...]
    facts: tuple[str, ...]
    verdict: str  # on what the document says; empty where no document is restated
    source_ids: tuple[str, ...]
    asked_as: tuple[str, ...]
    point: str
    body: str


@dataclass(frozen=True, slots=True)
class Guide:
    guide_id: str
    title: str
    lang: str
    sections: tuple[Section, ...]


@cache
def guides() -> tuple[Guide, ...]:
    """The shipped guides, in order of their file names."""
    return read_guides(files("knowledge").joinpath("guides"))


def read_guides(folder: Traversable | Path) -> tuple[Guide, ...]:
    """Every `*.md` of the folder. Raises DataError for a broken file or a slug used twice."""
    found = sorted((file for file in folder.iterdir() if file.name.endswith(".md")), key=_name)
    parsed = tuple(parse_guide(file.read_text(encoding="utf-8"), name=file.name) for file in found)
    _refuse_twins([(guide.guide_id, guide.lang) for guide in parsed])
    return parsed


def parse_guide(text: str, *, name: str) -> Guide:
    """A guide from its text; `name` is the file's name, for messages."""
    lines: Lines = list(enumerate(text.splitlines(), 1))
    front, rest = _front_matter(lines, name)
    sections = tuple(_section(front, block, name) for block in _blocks(rest, name))
    if not sections:
        raise DataError(f"{name}:{len(lines)}: no section")
    slugs = [section.slug for section in sections]
    for slug in slugs:
        if slugs.count(slug) > 1:
            raise DataError(f"{name}: section {slug} stands twice")
    return Guide(front["id"], front["title"], front["lang"], sections)


def _name(file: Traversable) -> str:
    return file.name


def _refuse_twins(keys: list[tuple[str, str]]) -> None:
    for guide_id, lang in keys:
        if keys.count((guide_id, lang)) > 1:
            raise DataError(f"guide {guide_id} stands twice in {lang}")


def _front_matter(lines: Lines, name: str) -> tuple[dict[str, str], Lines]:
    if not lines or lines[0][1].strip() != "---":
        raise DataError(f"{name}:1: front matter must start with ---")
    end = next((at for at, (_, line) in enumerate(lines[1:], 1) if line.strip() == "---"), None)
    if end is None:
        raise DataError(f"{name}:{len(lines)}: front matter is not closed")
    front = _pairs([(at, _COMMENT.sub("", line)) for at, line in lines[1:end]], _GUIDE_KEYS, name)
    _check_front(front, name)
    return front, lines[end + 1 :]


def _check_front(front: Mapping[str, str], name: str) -> None:
    missing = _GUIDE_KEYS - front.keys()
    if missing:
        raise DataError(f"{name}:1: front matter lacks {', '.join(sorted(missing))}")
    if front["lang"] not in ("zh", "en"):
        raise DataError(f"{name}:1: lang is {front['lang']!r}, expected zh or en")
    if front["trust"] not in TRUSTS:
        raise DataError(f"{name}:1: trust is {front['trust']!r}, expected one of {', '.join(TRUSTS)}")
    unknown = set(_topics(front)) - TOPICS
    if unknown:
        raise DataError(f"{name}:1: unknown topics {', '.join(sorted(unknown))}")


def _blocks(lines: Lines, name: str) -> Iterator[Lines]:
    """Lines from one `## ` heading to the next."""
    block: Lines = []
    for number, line in lines:
        if line.startswith("## "):
            if block:
                yield block
            block = [(number, line)]
        elif block:
            block.append((number, line))
        elif line.strip():
            raise DataError(f"{name}:{number}: text before the first section")
    if block:
        yield block


def _section(front: Mapping[str, str], block: Lines, name: str) -> Section:
    number, heading = block[0]
    match = _HEADING.fullmatch(heading)
    if not match:
        raise DataError(f"{name}:{number}: a section is headed `## Title {{#slug}}`")
    quoted = [(at, line[1:].strip()) for at, line in block[1:] if line.startswith(">")]
    keys = _pairs(quoted, _SECTION_KEYS, name)
    if keys.get("verdict", "") not in VERDICTS:
        raise DataError(f"{name}:{number}: unknown verdict {keys['verdict']!r}")
    for key in ("point", "sources"):
        if not keys.get(key):
            raise DataError(f"{name}:{number}: section {match['slug']} has no {key}")
    return Section(
        guide_id=front["id"],
        slug=match["slug"],
        title=match["title"],
        lang=front["lang"],
        origin=front["origin"],
        published_on=front["published"],
        trust=front["trust"],
        topics=_topics(front),
        items=_ids(keys.get("items", "")),
        claims=_ids(keys.get("claims", "")),
        facts=_ids(keys.get("facts", "")),
        verdict=keys.get("verdict", ""),
        source_ids=_ids(keys["sources"]),
        asked_as=tuple(part.strip() for part in keys.get("asked_as", "").split("|") if part.strip()),
        point=keys["point"],
        body="\n".join(line for _, line in block[1:] if not line.startswith(">")).strip(),
    )


def _pairs(lines: Lines, allowed: set[str], name: str) -> dict[str, str]:
    values: dict[str, str] = {}
    for number, line in lines:
        match = _KEY_LINE.fullmatch(line)
        if not match or match["key"] not in allowed:
            raise DataError(f"{name}:{number}: expected one of {', '.join(sorted(allowed))}: {line[:60]!r}")
        if match["key"] in values:
            raise DataError(f"{name}:{number}: {match['key']} stands twice")
        values[match["key"]] = match["value"]
    return values


def _topics(front: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(part for part in re.split(r"[\[\],\s]+", front["topics"]) if part)


def _ids(cell: str) -> tuple[str, ...]:
    return tuple(part for part in re.split(r"[;,\s]+", cell) if part)
