"""Facts of structured records: tool results, tool arguments and rows of the catalog, each figure with its field's unit and label."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from knowledge import facts
from tools.site import site_currency

from .subjects import Subject, subject_of

GIB = 1073741824.0
Spec = tuple[str, float, str, frozenset[str]]
"""Dimension, factor to its base, per, labels."""
NAMES = ("instance_type", "family", "gpu_id")
LAYOUT = re.compile(r"(.+)x(\d+)")
"""Key of a dictionary that stands for cards at their number: nvidia-a10x4."""
COUNTS = ("gpu_count", "gpus")


class Fact(NamedTuple):
    """One figure that is known. `values` in the base of `dim`; `slack` is what its own print leaves open (0: exact)."""

    value: float
    dim: str
    per: str
    labels: frozenset[str]
    subject: Subject
    slack: float = 0.0
    carried: bool = False
    said: str = ""  # the field, or the figure as written
    bound: bool = False  # one end of a range
    soft: bool = False  # the labels stand only before its clause
    unit: float = 0.0  # the factor of the unit in which it is printed; 0 for a record, which is exact in any


@dataclass(frozen=True)
class Sentence:
    """A text of a record with what the record is of."""

    text: str
    subject: Subject


@cache
def field_table() -> dict[str, Any]:
    """The table fields.toml."""
    return tomllib.loads(files("assistant").joinpath("check", "fields.toml").read_text(encoding="utf-8"))


@cache
def specs() -> dict[str, Spec]:
    """Of each field what its figure is."""
    table, found = field_table(), {}
    for name, labels in table["memory"].items():
        found[name] = ("memory", 1e9 if name.endswith(("_gb", "_gb_each", "_gb_total")) else GIB, "", frozenset(labels))
    for name, (per, *labels) in table["money"].items():
        found[name] = ("money" if per in ("", "million") else "money_SITE", 1.0, per, frozenset(labels))
    for name, (dim, factor, per, *labels) in table["other"].items():
        found[name] = (dim, float(factor), per, frozenset(labels))
    return found


BOUNDS = frozenset({"low", "high", "low_pct", "high_pct", "amount_high"})
WRONG = ("wrong", "not_in_catalog")
"""Verdicts on statements whose figures support nothing."""


TOTAL: Spec = ("memory", 1e9, "", frozenset(["card_total"]))
"""Memory of several cards together."""


class Walk:
    """One pass over a record: its facts and its sentences."""

    def __init__(self) -> None:
        self.facts: list[Fact] = []
        self.sentences: dict[tuple[str, Subject], None] = {}
        self.parts: list[tuple[Subject, dict[str, float]]] = []
        self.wrong: list[str] = []  # statements that were judged wrong
        self._subjects: dict[tuple[Any, ...], Subject] = {}
        self._specs = specs()
        self._inherits = frozenset(field_table()["parts"]["inherits"])
        self._texts = frozenset(field_table()["text"]["fields"])

    def over(self, value: Any, subject: Subject = Subject(), key: str = "", spec: Spec | None = None) -> None:  # noqa: B008
        """Collects from a value of plain data."""
        if isinstance(value, dict):
            self._of_dict(value, subject, spec)
        elif isinstance(value, (list, tuple)):
            for item in value:
                self.over(item, subject, key, spec)
        elif value.__class__ is float or value.__class__ is int:
            if spec:
                self._add(value, spec, subject, key)
        elif value.__class__ is str and value:
            if spec and (value[0].isdigit() or value[0] == "-") and value.replace(".", "", 1).lstrip("-").isdigit():
                self._add(float(value), spec, subject, key)
            elif key in self._texts:
                self.sentences[value, subject] = None

    def _of_dict(self, record: dict[str, Any], subject: Subject, outer: Spec | None) -> None:
        subject = self._subject_of(record, subject)
        if "verdict" in record:
            record = self._without_wrong(record)
        if "amount" in record and "currency" in record:
            self._price(record, subject)
            return
        self._derived(record, subject)
        known = self._specs
        for key, value in record.items():
            if value is None or value is True or value is False:
                continue
            if key == "gpu_memory_gb_total" and record.get("gpu_count", 1) != 1:
                continue
            spec = outer if key in self._inherits else known.get(key)
            if value.__class__ is dict and (card := LAYOUT.fullmatch(key)) and card[1] in facts.gpus():
                self.over(value, Subject(gpus=frozenset([card[1]]), counts=frozenset([int(card[2])]), regions=subject.regions), key)
                continue
            if spec is None and value.__class__ is dict and outer is not None and key not in self._texts:
                spec = outer
            self.over(value, subject, key, spec)

    def _derived(self, record: dict[str, Any], subject: Subject) -> None:
        """What follows from a record's fields together: the limit, the cards of several machines, the memory of several cards."""
        if "parts" in record and record["parts"].__class__ is dict:
            self.parts.append((subject, {key: part for key, part in record["parts"].items() if part.__class__ is float}))
        if "headroom_gib" in record and "required_gib_per_gpu" in record:
            self._add(record["headroom_gib"] + record["required_gib_per_gpu"], self._specs["limit_gib"], subject, "limit")
        shown = record.get("estimate")
        if shown.__class__ is dict and record.get("limit_gib") and "best" in (need := shown.get("per_gpu_gib") or {}):  # of the job that is shown
            self._add(record["limit_gib"] - need["best"], self._specs["headroom_gib"], subject, "headroom")
        if record.get("instances", 1) != 1 and "gpu_count" in record:
            self._add(record["instances"] * record["gpu_count"], self._specs["gpu_count"], subject._replace(counts=frozenset()), "cards in all")
        if record.get("gpu_memory_gb_total") and record.get("gpu_count", 1) != 1:
            self._add(record["gpu_memory_gb_total"], TOTAL, subject, "gpu_memory_gb_total")

    def _without_wrong(self, record: dict[str, Any]) -> dict[str, Any]:
        """A passage whose text lacks the statements that are judged wrong; a statement that is, without its text."""
        if "statements" in record and "passage_id" in record:
            return _without_wrong(record)
        if record["verdict"] in WRONG and "start" in record:
            self.wrong.append(record["text"])
            return {**record, "text": ""}
        return record

    def _subject_of(self, record: dict[str, Any], outer: Subject) -> Subject:
        """The subject of a record; records of one thing are many."""
        get = record.get
        key = (get("instance_type"), get("family"), get("gpu_id"), get("name"), get("gpu_count"), get("gpus"), get("instances"), get("region"), outer)
        try:
            if key not in self._subjects:
                self._subjects[key] = _subject_of(record, outer)
            return self._subjects[key]
        except TypeError:  # a name that is a list
            return _subject_of(record, outer)

    def _price(self, record: dict[str, Any], subject: Subject) -> None:
        billing = record.get("billing", "")
        labels = frozenset(["spot"] if billing == "spot" else ["payg"] if billing == "payg" else ["subscription"] if billing else [])
        spec = (f"money_{record['currency']}", 1.0, record.get("per", ""), labels)
        for key in ("amount", "amount_high"):
            if record.get(key) is not None:
                self._add(float(record[key]), spec, subject, f"{billing} price".strip())
        if record.get("note"):
            self.sentences[record["note"], subject] = None

    def _add(self, value: float, spec: Spec, subject: Subject, key: str) -> None:
        dim, factor, per, labels = spec
        if dim == "money_SITE":
            dim = f"money_{site_currency()}"  # sums that tools make of list prices
        if value:
            self.facts.append(Fact(abs(value) * factor, dim, per, labels, subject, 0.0, False, key, key in BOUNDS))


def _subject_of(record: dict[str, Any], outer: Subject) -> Subject:
    """What a record is of: its own names over those of the record around it."""
    types, families, gpus, counts, regions = outer
    own = next((subject_of(record[key]) for key in NAMES if isinstance(record.get(key), str) and record[key]), None)
    if own is not None and any(own):
        types, families, gpus = own[:3]
        counts = frozenset()
    elif isinstance(record.get("name"), str) and any(named := subject_of(record["name"])):
        types, families, gpus = named[:3]
    for key in COUNTS:
        if isinstance(record.get(key), int):
            counts = frozenset([record[key], record[key] * record["instances"]]) if isinstance(record.get("instances"), int) else frozenset([record[key]])
    if isinstance(record.get("region"), str):
        regions = frozenset([record["region"]])
    return Subject(types, families, gpus, counts, regions)


def _without_wrong(passage: dict[str, Any]) -> dict[str, Any]:
    """A passage whose text lacks the statements that are judged wrong."""
    text = passage["text"]
    for item in passage["statements"]:
        if item["verdict"] in WRONG:
            text = text.replace(item["text"], " ")
    return {**passage, "text": text}


def catalog_facts(subject: Subject) -> Iterator[Fact]:
    """What the catalog itself says of the types, families and cards of a subject."""
    walk = Walk()
    types = [facts.instances()[name] for name in subject.types]
    families = subject.families if not types else frozenset()
    for row in [*types, *(row for row in facts.instances().values() if row.family in families or (row.gpu_id in subject.gpus and not subject.types and not subject.families))]:
        walk.over(_plain(row))
    for gpu_id in subject.gpus:
        if gpu_id in facts.gpus():
            walk.over(_plain(facts.gpus()[gpu_id]))
    yield from walk.facts


def _plain(row: Any) -> dict[str, Any]:
    return {item.name: getattr(row, item.name) for item in fields(row)}
