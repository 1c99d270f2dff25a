"""The check: no name, number or citation reaches the user that evidence, catalog or question does not hold.

Works on any draft, whoever wrote it. A name is an instance type, family or card; a number is anything numeric that
is no part of a name. Numbers may be rounded to the precision in which they are printed, and counted in 万, 亿 or K.
"""

from __future__ import annotations

import bisect
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from assistant.evidence import MARK, Evidence
from knowledge import facts
from knowledge.kept import kept

from .problem import Problem

# ASCII look-arounds: `\b` and `\w` are Unicode in Python and miss names glued to Chinese ("选gn7i").
EDGE = r"(?<![A-Za-z0-9_.])"
NAME = re.compile(EDGE + r"(?:ecs\.[a-z0-9][a-z0-9.-]{1,60}|(?:ebm|scc|s|v)?g[nai]\d{1,3}[a-z0-9.-]{0,40})(?![A-Za-z0-9_])", re.I)
CARD = re.compile(EDGE + r"(?<![A-Za-z]-)(?:[ABHLMPTV]\d{1,3}[GS]?|GB\d{3}|MI\d{3}X?|RTX ?\d{4}|PRO \d{4})(?![A-Za-z0-9_])")
SIZED_CARD = re.compile(CARD.pattern + r"[ (（-]?(\d{1,3}) ?GB")
TOKEN = re.compile(EDGE + r"[A-Za-z][A-Za-z0-9_.+/-]*\d[A-Za-z0-9_.+/-]*")  # Qwen2.5-72B, FP8, PL3, bge-m3
NUMBER = re.compile(r"(?<![A-Za-z0-9_.])(\d{1,3}(?:,\d{3})+|\d{1,15})(\.\d{1,9})?(?![0-9])\s?(百万|千万|[万亿千]|[Kkw](?![A-Za-z0-9]))?")
CODE = re.compile(r"```[a-z]*\n(.*?)\n```", re.S)
ORDERS = re.compile(r"(?m)^\s*(?:aliyun |terraform |tofu |resource \"|provider \"|module \"|data \")|RunInstances|CreateInstance|alicloud_")
"""What orders machines: the cloud's command line, Terraform."""
URL = re.compile(r"https?://[^\s)\]]{1,300}")
LIST_ITEM = re.compile(r"(?m)^\s{0,6}\d{1,2}[.)、]\s")
SCALE = {"千": (1e3,), "万": (1e4,), "w": (1e4,), "百万": (1e6,), "千万": (1e7,), "亿": (1e8,), "k": (1000.0, 1024.0), "": (1.0,)}
ORDINARY = 3
"""Whole numbers up to this are words ("two choices", "第 3 步"), unless a unit follows."""
UNIT = re.compile(r"\s?(?:GiB|GB|MiB|MB|TB|G(?![A-Za-z])|元|块|CNY|USD|美元|%|TFLOPS|tokens?|W(?![A-Za-z]))")


def find_problems(
    text: str,
    evidence: Evidence,
    *,
    question: str,
    derived: Iterable[float] = (),
    reference: str = "",
    earlier: Sequence[str] = (),
    bound: bool = False,
) -> list[Problem]:
    """Problems of a draft in order of their place.

    `derived`: figures that follow from the evidence by a shown operation. `reference`: the composed answer of the same evidence,
    which passed this check and may be repeated. `earlier`: what was asked and answered in the thread before. `bound`: a figure must
    belong to the name and the quantity beside it, not merely occur somewhere; composed text is placed by code and needs it not.
    """
    support = Support(evidence, question=question, derived=derived)
    prose, commands = _without_commands(unicodedata.normalize("NFKC", text), support)
    plain = unicodedata.normalize("NFKC", text.replace("，", "；"))  # a Chinese comma parts "TP=2，114 路"; as a plain one it would join the figures
    draft = "".join(" " if kept == " " else character for kept, character in zip(prose, plain, strict=True))
    problems = [*commands, *_bad_citations(draft, evidence), *_bad_names(draft, support), *_bad_numbers(draft, support)]
    return sorted(problems, key=lambda problem: problem.start)


def strike(text: str, problems: Iterable[Problem]) -> tuple[str, list[str]]:
    """The text without the lines that hold a problem, and those lines."""
    folded = unicodedata.normalize("NFKC", text)
    bad = {folded.count("\n", 0, problem.start) for problem in problems}  # NFKC keeps every line break
    lines = text.split("\n")
    kept = [line for number, line in enumerate(lines) if number not in bad]
    return "\n".join(kept).strip(), [lines[number].strip() for number in sorted(bad)]


class Support:
    """Everything that a draft may say: the words and the numbers of evidence, question and catalog."""

    def __init__(self, evidence: Evidence, *, question: str, derived: Iterable[float] = ()) -> None:
        strings: dict[str, None] = {question: None, facts.CATALOG_READ_ON: None, facts.active_day(): None}  # each once: a finding repeats itself a lot
        numbers: set[float] = set(derived)
        for finding in evidence.findings:
            _collect([finding.data, finding.args, finding.error], strings, numbers)
            for ref in finding.sources:
                strings |= dict.fromkeys((ref.excerpt, ref.published_on, ref.title))
        self.text = text = unicodedata.normalize("NFKC", "\n".join(strings))
        self.names = {name.lower() for name in read_names(text)}
        self.numbers = sorted(numbers.union(value for value, _ in read_numbers(text)))

    def has_number(self, value: float, decimals: int) -> bool:
        """Whether some supported number rounds to `value` at that many decimals."""
        slack = 0.5 * 10.0**-decimals + 1e-9 * max(1.0, abs(value))
        at = bisect.bisect_left(self.numbers, value - slack)
        return at < len(self.numbers) and self.numbers[at] <= value + slack

    def has_name(self, name: str) -> bool:
        """Whether evidence or question holds exactly this name (gn8i is not in "gn8is")."""
        return name.lower() in self.names


def read_names(text: str) -> Iterator[str]:
    """Instance types, families and cards as written; a type also yields its name without `ecs.`."""
    plain = URL.sub(" ", text)
    for pattern in (NAME, CARD):
        for match in pattern.finditer(plain):
            name = match.group().rstrip(".-")
            yield name
            yield name.removeprefix("ecs.")


def read_numbers(text: str) -> Iterator[tuple[float, int]]:
    """The numbers of a text (names left out) with their decimals, scaled by 万, 亿, K as written."""
    for match in NUMBER.finditer(_without_names(text)):
        scale = (match.group(3) or "").lower()
        base = float(match.group(1).replace(",", "") + (match.group(2) or ""))
        decimals = len(match.group(2) or ".") - 1
        for factor in SCALE[scale]:
            yield base * factor, decimals


def _collect(value: object, strings: dict[str, None], numbers: set[float]) -> None:
    if isinstance(value, bool) or value is None:
        return
    if isinstance(value, (int, float)):
        numbers.add(float(value))
    elif isinstance(value, str):
        strings[value] = None
    elif isinstance(value, dict):
        for item in value.values():
            _collect(item, strings, numbers)
    elif isinstance(value, (list, tuple)):
        for item in value:
            _collect(item, strings, numbers)


def _without_names(text: str) -> str:
    def blank(match: re.Match[str]) -> str:
        return " " * len(match.group())

    for pattern in (URL, MARK, LIST_ITEM, _card_labels(), NAME):
        text = pattern.sub(blank, text)
    text = SIZED_CARD.sub(lambda match: blank(match) if _is_card_size(match) else match.group(), text)
    return TOKEN.sub(blank, text)


def _without_commands(text: str, support: Support) -> tuple[str, list[Problem]]:
    """The text with those code blocks blanked that stand word for word in the evidence (`[0]` in a command cites nothing), and
    the lines of orders that do not: what creates a machine is never of a model's own making."""
    unsupported: list[Problem] = []

    def blank(match: re.Match[str]) -> str:
        code = match.group(1)
        if code.strip() in support.text:
            return re.sub(r"[^\n]", " ", match.group())
        unsupported.extend(_foreign_lines(code, match.start(1), support))
        return match.group()

    return CODE.sub(blank, text), unsupported


def _foreign_lines(code: str, start: int, support: Support) -> Iterator[Problem]:
    """Lines of a block that orders machines which stand in no evidence."""
    if not ORDERS.search(code):
        return
    for line in code.split("\n"):
        if line.strip() and line.strip() not in support.text:
            yield Problem("command", line.strip(), start)
        start += len(line) + 1


def _bad_citations(text: str, evidence: Evidence) -> Iterator[Problem]:
    for match in MARK.finditer(text):
        if evidence.citation(int(match.group(1))) is None:
            yield Problem("citation", match.group(), match.start())


def _bad_names(text: str, support: Support) -> Iterator[Problem]:
    plain = URL.sub(lambda m: " " * len(m.group()), text)
    for pattern in (NAME, CARD):
        for match in pattern.finditer(plain):
            name = match.group().rstrip(".-")
            if name.lower() not in _catalog_names() and not support.has_name(name):
                yield Problem("name", name, match.start())


def _bad_numbers(text: str, support: Support) -> Iterator[Problem]:
    plain = _without_names(text)
    for match in NUMBER.finditer(plain):
        base = float(match.group(1).replace(",", "") + (match.group(2) or ""))
        decimals = len(match.group(2) or ".") - 1
        if base <= ORDINARY and not decimals and not UNIT.match(plain, match.end()):
            continue
        factors = SCALE[(match.group(3) or "").lower()]
        if not any(_supported(base, decimals, factor, support) for factor in factors):
            yield Problem("number", match.group().strip(), match.start())


def _supported(base: float, decimals: int, factor: float, support: Support) -> bool:
    if factor == 1.0:
        return support.has_number(base, decimals)
    slack = 0.5 * 10.0**-decimals * factor
    at = bisect.bisect_left(support.numbers, base * factor - slack)
    return support.has_number(base, decimals) or (
        at < len(support.numbers) and support.numbers[at] <= base * factor + slack
    )


def _is_card_size(match: re.Match[str]) -> bool:
    """Whether the card of "A100 80GB" is made in that size."""
    word, size = CARD.match(match.group()), float(match.group(1))
    name = word.group().lower() if word else ""
    return any(gpu.memory_gb == size and name in gpu.name.lower().split() for gpu in facts.gpus().values())


@cache
def _card_labels() -> re.Pattern[str]:
    """Cards as the catalog words them, size included ("A100 80 GB"): one name, whose size is no free number."""
    labels = {label for row in facts.gpu_names() for label in (row.label_zh, row.label_en) if label}
    folded = sorted({unicodedata.normalize("NFKC", label) for label in labels}, key=len, reverse=True)
    return re.compile("|".join(re.escape(label) for label in folded))


@kept
def _catalog_names() -> frozenset[str]:
    names: set[str] = set()
    for instance in facts.instances().values():
        names |= {instance.instance_type, instance.instance_type.removeprefix("ecs.")}
    names |= set(facts.families())
    for gpu in facts.gpus().values():
        names |= {part.strip("(),") for part in gpu.name.lower().split()}
    offered = {family.gpu_id for family in facts.families().values()}
    for row in facts.gpu_names():  # as the catalog words its own: "48 GB Blackwell card (RTX PRO 5000 by its specifications)"
        labels = [label for label in (row.label_zh, row.label_en) if label and row.gpu_id and row.gpu_id in offered]
        names |= {match.group() for label in labels for match in CARD.finditer(label)}
    return frozenset(name.lower() for name in names)
