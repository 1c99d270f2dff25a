"""Precisions, architecture, bandwidth of cards, and which of two has more memory."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from knowledge import facts
from knowledge.rows import Gpu

from .card_facts import card_sources, sources_of
from .cues import both, connected, cue
from .finding import Finding, Voice, figure, sizes, true_if
from .mentions import Mention
from .names import cards, gpu_ids_of
from .sentences import Clause, gpu_ids
from .sized import LIST_GAP

SAME = {
    "bfloat16": "bf16", "nvfp4": "fp4", "float16": "fp16", "float8": "fp8", "half precision": "fp16", "半精度": "fp16", "w8a8": "",
}  # fmt: skip
ARCH = {"安培": "ampere", "图灵": "turing", "伏特": "volta", "lovelace": "ada", "ada lovelace": "ada"}
SHOWN = ("FP16", "BF16", "FP8", "INT8")
MORE = re.compile(r"(?<![a-z])(?:more|larger|bigger|greater)(?![a-z])|更?大|更?多")
LESS = re.compile(r"(?<![a-z])(?:less|smaller|fewer)(?![a-z])|更?小|更?少")
SIZE = re.compile(r"\d{1,3} ?(?:gib|gb|g)(?![a-z0-9])")
BANDWIDTH_SLACK = 0.06
OTHER_RATE = re.compile(r"nvlink|nvswitch|pcie|rdma|网络|磁盘|吞吐|network|disk|throughput|interconnect|互联")


def can(row: Gpu, precision: str) -> bool | None:
    """Whether a card computes in a precision; None when the table does not say."""
    if row.compute_capability is None:
        return None
    if precision in ("bf16", "fp8"):
        return row.bf16 if precision == "bf16" else row.fp8
    if precision == "fp4":
        return row.architecture == "Blackwell"
    rate = {
        "fp16": row.fp16_tflops,
        "tf32": row.tf32_tflops,
        "int8": row.int8_tops,
        "int4": row.int4_tops,
    }[precision]
    if rate is not None:
        return True
    if precision == "tf32" and row.compute_capability < 8:
        return False
    return None


def judge_precision(clause: Clause, voice: Voice) -> Iterator[Finding]:
    """ "A10 supports FP8", "T4 没有 BF16", "gn8is 支持 FP8"."""
    named = [SAME.get(item.value, item.value) for item in clause.of("precision")]
    named = [name for name in dict.fromkeys(named) if name]
    if not named or not _speaks_of_support(clause):
        return
    items = (
        _nearest_list(clause, "card")
        or _nearest_list(clause, "family", "type")
        or clause.inherited("card")
        or clause.inherited("family", "type")
    )
    if items and items[0].start < clause.start and not _goes_on(clause):
        return
    for item in items:
        rows = [facts.gpus()[gpu_id] for gpu_id in sorted(gpu_ids(item))]
        if rows:
            yield from _precision(clause, item, named, rows, voice)


def _speaks_of_support(clause: Clause) -> bool:
    if cue("needless").search(clause.text) or cue("conditional").search(clause.text) or clause.of("params"):
        return False
    if both("supports").search(clause.text):
        return True
    subjects = clause.of("card", "family")
    return bool(subjects) and connected(clause.between(subjects[-1], clause.of("precision")[0]))


def _nearest_list(clause: Clause, *kinds: str) -> list[Mention]:
    """The cards (or families) in one list right before the precision; all of them when none stands before it."""
    first = clause.of("precision")[0]
    found: list[Mention] = []
    for item in reversed([item for item in clause.of(*kinds) if item.end <= first.start]):
        gap = SIZE.sub("", clause.between(item, found[0])) if found else ""
        if found and not LIST_GAP.fullmatch(gap.replace("()", "")):
            break
        found.insert(0, item)
    return found or clause.of(*kinds)


def _goes_on(clause: Clause) -> bool:
    """Whether a clause without a card of its own only goes on ("…，支持 FP8"), without a subject in between."""
    first = clause.of("precision")[0].start - clause.start
    match = both("supports").search(clause.text)
    opening = clause.text[: min(first, match.start()) if match else first]
    return connected(both("negation").sub("", opening), limit=24)


def _precision(
    clause: Clause, item: Mention, named: list[str], rows: list[Gpu], voice: Voice
) -> Iterator[Finding]:
    able = {name: can(rows[0], name) for name in named}
    judged = {name: value for name, value in able.items() if value is not None}
    if not judged:
        return
    denied = clause.denies_about(item, *clause.of("precision"))
    fact = describe_precision(item.value, rows[0], judged, voice)
    source_ids = card_sources(item.value) if item.kind == "card" else sources_of(item.value)
    spoken = clause.of("precision")
    start, end = min(item.start, spoken[0].start), spoken[-1].end
    if start < clause.start:
        start, end = clause.start, clause.end
    for holds in (True, False):
        names = [name for name, value in judged.items() if (value != denied) == holds]
        parts = [part for part in spoken if SAME.get(part.value, part.value) in names]
        if not names:
            continue
        if len(names) < len(judged):  # only a part is wrong: each part is a statement of its own
            start, end = parts[0].start, parts[-1].end
        subject = f"{item.value} {'/'.join(name.upper() for name in names)}"
        yield Finding(start, end, subject, true_if(holds), fact, source_ids)


def describe_precision(name: str, row: Gpu, asked: Iterable[str], voice: Voice) -> str:
    """Which of the common precisions, and those asked for, the card computes in."""
    shown = dict.fromkeys([*(label for label in SHOWN), *(label.upper() for label in asked)])
    able = {label: can(row, label.lower()) for label in shown}
    yes = voice.say("supports", names=voice.list(label for label, value in able.items() if value))
    lacking = [label for label, value in able.items() if value is False]
    no = (
        voice.pick("，", " and") + voice.say("lacks", names=voice.list(lacking)) if lacking else ""
    )
    return voice.say("precision", card=name, arch=row.architecture, yes=yes, no=no)


def _rows(item: Mention) -> list[Gpu]:
    """The rows of a card, or of the cards of a family."""
    if item.kind == "card":
        return cards()[item.value].rows()
    return [facts.gpus()[gpu_id] for gpu_id in sorted(gpu_ids_of(item.value))]


def judge_architecture(clause: Clause, voice: Voice) -> Iterator[Finding]:
    """ "T4 是 Turing 架构", "gn8v is Hopper": one card or family, one architecture."""
    named, archs = clause.of("card") or clause.of("family"), clause.of("arch")
    rows = _rows(named[0]) if len(named) == 1 else []
    if len(archs) != 1 or not rows:
        return
    gap = clause.between(named[0], archs[0])
    if (
        len(gap) > 20
        or (not connected(gap) and both("carry").search(gap) is None)
        or cue("breaks").search(gap)
    ):
        return
    row = rows[0]
    same = row.architecture.lower().startswith(ARCH.get(archs[0].value, archs[0].value))
    fact = voice.say("arch", card=named[0].value, arch=row.architecture)
    yield Finding(
        clause.start,
        clause.end,
        f"{named[0].value} {archs[0].value}",
        true_if(same != clause.denies_about(named[0], archs[0])),
        fact,
        row.source_ids,
    )


def judge_comparison(clause: Clause, voice: Voice) -> Iterator[Finding]:
    """ "A10 的显存比 T4 大", "the L20 has less memory than the A10"."""
    spoken, beside = clause.inherited("card"), clause.compared_of("card")
    if not spoken and beside:
        spoken = [
            item
            for part in clause.sentence.clauses
            if part.end <= clause.start
            for item in part.of("card")
        ][-1:]
    if (
        len(beside) != 1
        or not spoken
        or re.search(r"显存(?!带宽)|memory(?! bandwidth)|vram", clause.text) is None
    ):
        return
    more, less = MORE.search(clause.text), LESS.search(clause.text)
    one, other = cards()[spoken[0].value], cards()[beside[0].value]
    if bool(more) == bool(less) or not one.sizes_gb or not other.sizes_gb:
        return
    over = min(one.sizes_gb) > max(other.sizes_gb)
    under = max(one.sizes_gb) < min(other.sizes_gb)
    equal = one.sizes_gb == other.sizes_gb
    if not (over or under or equal):
        return
    holds = over if more else under
    amounts = {"one_gb": sizes(one.sizes_gb, voice), "other_gb": sizes(other.sizes_gb, voice)}
    fact = voice.say("more_memory", one=one.name, other=other.name, **amounts)
    yield Finding(
        clause.start,
        clause.end,
        f"{one.name} {other.name}",
        true_if(holds != clause.denied),
        fact,
        (*card_sources(one.name)[:2], *card_sources(other.name)[:2]),
    )


def judge_bandwidth(clause: Clause, voice: Voice) -> Iterator[Finding]:
    """ "A10 显存带宽 600 GB/s", and "the L20 has 864 GB/s", where nothing else is spoken of that has a rate."""
    named, rates = clause.inherited("card"), clause.of("rate")
    if (
        len(named) != 1
        or len(rates) != 1
        or clause.of("link", "disk")
        or not _is_bandwidth(clause, named[0], rates[0])
    ):
        return
    card = cards()[named[0].value]
    known = [row.memory_bandwidth_gb_s for row in card.rows() if row.memory_bandwidth_gb_s]
    if not known:
        return
    holds = any(abs(rates[0].amount / 1000 - rate) <= BANDWIDTH_SLACK * rate for rate in known)
    fact = voice.say(
        "card_bandwidth", card=card.name, rate=voice.pick(" 或 ", " or ").join(map(figure, known))
    )
    start, end = _beside(clause, rates[0]) if clause.of("memory") else (clause.start, clause.end)
    yield Finding(start, end, card.name, true_if(holds != clause.denied), fact, card_sources(card.name))


def _beside(clause: Clause, rate: Mention) -> tuple[int, int]:
    """The rate with the word for it right before or behind: "带宽 900GB/s", "900 GB/s of memory bandwidth"."""
    before = re.search(r"(?:显存)?带宽\D{0,8}$|(?:memory )?bandwidth\D{0,12}$", clause.text[: rate.start - clause.start])
    after = re.match(r" ?(?:的|of )?(?:显存|memory )?(?:带宽|bandwidth)", clause.text[rate.end - clause.start :])
    return clause.start + before.start() if before else rate.start, rate.end + (after.end() if after else 0)


def _is_bandwidth(clause: Clause, item: Mention, rate: Mention) -> bool:
    """Whether a rate is said to be that of memory, or of the card itself, which is then that of its memory."""
    if re.search(r"带宽|bandwidth", clause.text):
        return True
    links = {row.nvlink_gb_s for row in cards()[item.value].rows()}
    bits = clause.text[: rate.end - clause.start].endswith("bps")
    if bits or OTHER_RATE.search(clause.sentence.text) or clause.of("family", "type"):
        return False
    gap = clause.text[max(0, item.end - clause.start) : rate.start - clause.start]
    return rate.amount / 1000 not in links and rate.amount >= 1e5 and connected(SIZE.sub("", gap))
