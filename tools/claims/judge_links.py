"""NVLink and RDMA of families, NVLink of cards."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from knowledge import facts
from knowledge.rows import Instance

from .card_facts import card_sources
from .cues import both, connected, cue
from .finding import Finding, Voice, figure, true_if
from .mentions import Mention
from .names import cards, family, instance, types_of
from .sentences import Clause, gpu_ids

LOOKED_AT = re.compile(
    r"(?:看|关注|比较|不如|比|than|matters? (?:is|are)|depends? on|look at)[^,。;]{0,28}$"
)

OR_NOT = re.compile(r"(?<![a-z])or not(?![a-z])|与否")
ONE_WAY = re.compile(r"单向|每个方向|one[- ]way|(?:each|per|one) direction|unidirectional")
OTHER_RATE = re.compile(
    r"显存带宽|内存带宽|memory bandwidth|hbm|gddr|pcie|网络|network|rdma|磁盘|disk"
)
RATE_SLACK = 0.02
KINDS = {"erdma": "eRDMA", "roce": "RoCE"}
RANK = {"on_sale": 0, "contact_sales": 1, "invite_only": 2}


@dataclass(frozen=True, slots=True)
class Carrier:
    """A family or type that a clause speaks of and what the table says of a link; `rate` is NVLink GB/s."""

    item: Mention
    name: str
    has: bool
    kind: str
    rate: float | None
    gpu_id: str
    source_ids: tuple[str, ...]


def judge_links(clause: Clause, voice: Voice) -> Iterator[Finding]:
    """NVLink and RDMA of the families and types, or NVLink of the cards, that the clause speaks of."""
    links = {
        ("nvlink" if item.value == "nvlink" else "rdma")
        for item in clause.of("link")
        if _spoken_of(clause, item)
    }
    if not links or OR_NOT.search(clause.text) or cue("needless").search(clause.text) or cue("conditional").search(clause.text):
        return
    items = _carrying(clause)
    for link in sorted(links):
        if items:
            known = [carrier for item in items if (carrier := _carrier(item, link))]
            yield from _carriers(clause, known, link, voice)
        elif link == "nvlink":
            yield from _card_links(clause, voice)


def _carrying(clause: Clause) -> list[Mention]:
    """The families and types that the clause speaks of, each where it is named first. Those before it do not count where
    the clause has a card that is not theirs: "gn7i（A10）够用；更大的用 A100，带 NVLink"."""
    items = [item for item in clause.inherited("family", "type") if not _is_object(clause, item)]
    if any(item.start < clause.start for item in items):
        held = {gpu_id for item in items for gpu_id in gpu_ids(item)}
        if not all(held & gpu_ids(card) for card in clause.of("card")):
            return []
    first: dict[str, Mention] = {}
    for item in items:
        first.setdefault(item.value, item)
    return list(first.values())


def _is_object(clause: Clause, item: Mention) -> bool:
    """Whether an earlier clause says something else of it: of "no FP8 on A10/A100, no NVLink" the cards are no subject."""
    own = [part for part in clause.sentence.clauses if part.start <= item.start < part.end]
    if not own or own[0] is clause:
        return False
    return any(part.start < item.start for part in own[0].of("precision", "link"))


def _carrier(item: Mention, link: str) -> Carrier | None:
    """What the table says of a link of a family or type; None for CPU families and mere names."""
    row = instance(item.value) if item.kind == "type" else family(item.value)
    if row is None or row.status == "name_only" or not row.gpu_id:
        return None
    name = row.instance_type if isinstance(row, Instance) else row.family
    has = row.nvlink if link == "nvlink" else row.rdma not in ("none", "")
    rate = facts.gpus()[row.gpu_id].nvlink_gb_s if has and link == "nvlink" else None
    return Carrier(item, name, has, row.rdma, rate, row.gpu_id, row.source_ids)


def _spoken_of(clause: Clause, link: Mention) -> bool:
    """Not NVSwitch, not a link that is only looked at ("核心看 RDMA"), compared with or set before a colon."""
    before = clause.text[: link.start - clause.start]
    later = [item for item in clause.of("family", "card") if item.start > link.end]
    if (
        later
        and not [item for item in clause.of("family", "card") if item.end < link.start]
        and ":" in clause.between(link, later[0])
    ):
        return False
    return link.value != "nvswitch" and LOOKED_AT.search(before) is None


def _carriers(clause: Clause, known: list[Carrier], link: str, voice: Voice) -> Iterator[Finding]:
    for carrier in known:
        if clause.sentence.alternative and not carrier.has and len(known) > 1:
            continue
        item = carrier.item
        start, end = _reach(clause, item)
        subject = f"{carrier.name} {'NVLink' if link == 'nvlink' else 'RDMA'}"
        denied = clause.denies_about(item, *clause.of("link"))
        fact = _say(carrier, link, voice)
        yield Finding(
            start, end, subject, true_if(carrier.has != denied), fact, carrier.source_ids
        )
        if link == "nvlink" and carrier.rate and not denied and not clause.sentence.alternative:
            yield from judge_rate(clause, start, subject, carrier.rate, fact, carrier.source_ids)


def _say(carrier: Carrier, link: str, voice: Voice) -> str:
    if link == "nvlink":
        row = family(carrier.name)
        single = row is not None and "1" in row.gpu_counts
        code = "no" if not carrier.has else "yes" if single else "type"
        rate = figure(carrier.rate or 0.0)
        if code == "no" and carrier.item.kind == "type" and _is_single(carrier.name):
            code = "single"
        return voice.say(f"link_nvlink_{code}", family=carrier.name, rate=rate)
    if carrier.has:
        return voice.say("link_rdma_yes", family=carrier.name, kind=_kind(carrier))
    more = voice.list(families_with_rdma(carrier.gpu_id))
    return voice.say("link_rdma_no", family=carrier.name, others=more)


def _kind(carrier: Carrier) -> str:
    """The kind of RDMA, with the rate of the type or the best of the family where the table gives one."""
    row = instance(carrier.name)
    rates = [item.rdma_gbps or 0.0 for item in ([row] if row else types_of(carrier.name))]
    best = max(rates, default=0.0)
    return f"{KINDS[carrier.kind]} {figure(best)} Gbit/s" if best else KINDS[carrier.kind]


def _is_single(name: str) -> bool:
    row = instance(name)
    return row is not None and row.gpu_count == 1


def families_with_rdma(gpu_id: str) -> list[str]:
    """Families now offered that list RDMA: those of the same card first, then those on sale; at most six."""
    rows = [row for row in facts.families().values() if row.rdma != "none" and row.gpu_id]
    rows = [row for row in rows if row.status in RANK]
    rows.sort(key=lambda row: (row.gpu_id != gpu_id, RANK[row.status]))
    return [row.family for row in rows[:6]]


def judge_rate(
    clause: Clause, start: int, subject: str, held: float, fact: str, source_ids: tuple[str, ...]
) -> Iterator[Finding]:
    """The NVLink rate (GB/s, both directions) of the clause, or of the one right after it that gives only a rate. A
    right rate is one statement with the link (`start`), a wrong one stands alone."""
    for part, rate in _rates(clause):
        value = rate.amount / 1000
        allowed = [held, held / 2] if ONE_WAY.search(part.text) else [held]
        counts = [count.amount for count in part.of("count")]
        allowed += [held * count for count in counts]
        holds = any(abs(value - one) <= RATE_SLACK * one for one in allowed)
        first = start if holds and part is clause else rate.start
        name = f"{subject} {figure(value)} GB/s"
        yield Finding(min(first, rate.start), rate.end, name, true_if(holds), fact, source_ids)


def _rates(clause: Clause) -> Iterator[tuple[Clause, Mention]]:
    later = [item for item in clause.sentence.clauses if item.start >= clause.end][:1]
    for part in [clause, *later]:
        rates = [rate for rate in part.of("rate") if _gigabytes(part, rate)]
        if len(rates) != 1 or OTHER_RATE.search(part.text):
            continue
        if part is clause and any(item.value != "nvlink" for item in part.of("link")):
            continue
        if part is not clause and part.of("card", "family", "type", "link", "disk"):
            continue
        yield part, rates[0]


def _gigabytes(part: Clause, rate: Mention) -> bool:
    """Bytes, not bits: "GB/s", not "Gbps" (letters are all small here)."""
    return not part.text[: rate.end - part.start].endswith("bps")


def _reach(clause: Clause, item: Mention) -> tuple[int, int]:
    if item.start < clause.start:  # a clause that only goes on, with its "no" or "has"
        return clause.start, max(part.end for part in clause.of("link"))
    parts = [part for part in [item, *clause.of("link")] if part.start >= clause.start]
    return min(part.start for part in parts), max(part.end for part in parts)


def _goes_on(clause: Clause) -> bool:
    """ "The A10 has 24 GB, 4 cards and NVLink": a clause that only goes on to list what the card before it has."""
    before = [item for item in clause.sentence.clauses if item.end <= clause.start and item.of("card")]
    rest = clause.text
    for item in reversed(clause.mentions):
        rest = rest[: item.start - clause.start] + rest[item.end - clause.start :]
    return bool(before) and both("carry").search(before[-1].text) is not None and connected(rest.rstrip(" ?"))


def _card_links(clause: Clause, voice: Voice) -> Iterator[Finding]:
    if not both("supports").search(clause.text) and not clause.of("rate") and not _goes_on(clause):
        return
    for item in clause.inherited("card"):
        if _is_object(clause, item):
            continue
        rates = [row.nvlink_gb_s for row in cards()[item.value].rows()]
        if not rates or any(rate is None for rate in rates):
            continue
        best = max(rate or 0.0 for rate in rates)
        code = f"card_nvlink_{'yes' if best else 'no'}"
        fact = voice.say(code, card=item.value, rate=figure(best))
        denied = clause.denies_about(item, *clause.of("link"))
        source_ids = card_sources(item.value)
        if best and not denied:
            start = _reach(clause, item)[0]
            yield from judge_rate(clause, start, f"{item.value} NVLink", best, fact, source_ids)
        yield Finding(
            *_reach(clause, item),
            f"{item.value} NVLink",
            true_if(bool(best) != denied),
            fact,
            source_ids,
        )
