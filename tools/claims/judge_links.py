"""NVLink and RDMA of families, NVLink of cards."""

from __future__ import annotations

import re
from collections.abc import Iterator

from knowledge import facts

from .card_facts import card_sources
from .cues import both, cue
from .finding import Finding, Voice, figure, true_if
from .mentions import Mention
from .names import cards, family, is_cpu
from .sentences import Clause

LOOKED_AT = re.compile(
    r"(?:看|关注|比较|不如|比|than|matters? (?:is|are)|depends? on|look at)[^,。;]{0,28}$"
)


def judge_links(clause: Clause, voice: Voice) -> Iterator[Finding]:
    """NVLink and RDMA of the families, or NVLink of the cards, that the clause speaks of."""
    links = {
        ("nvlink" if item.value == "nvlink" else "rdma")
        for item in clause.of("link")
        if _spoken_of(clause, item)
    }
    if not links or cue("needless").search(clause.text) or cue("conditional").search(clause.text):
        return
    items = clause.inherited("family")
    known = [item for item in items if (row := family(item.value)) and row.status != "name_only"]
    known = [item for item in known if not is_cpu(item.value)]
    if items:
        for link in sorted(links):
            yield from _family_links(clause, known, link, voice)
    elif "nvlink" in links:
        yield from _card_links(clause, voice)


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


def _family_links(
    clause: Clause, known: list[Mention], link: str, voice: Voice
) -> Iterator[Finding]:
    for item in known:
        row = facts.families()[item.value]
        has = row.nvlink if link == "nvlink" else row.rdma != "none"
        if clause.sentence.alternative and not has and len(known) > 1:
            continue
        fact = voice.say(f"link_{link}_{'yes' if has else 'no'}", family=item.value, kind=row.rdma)
        start, end = _reach(clause, item)
        yield Finding(
            start,
            end,
            f"{item.value} {'NVLink' if link == 'nvlink' else 'RDMA'}",
            true_if(has != clause.denies_about(item, *clause.of("link"))),
            fact,
            row.source_ids,
        )


def _reach(clause: Clause, item: Mention) -> tuple[int, int]:
    parts = [part for part in [item, *clause.of("link")] if part.start >= clause.start]
    return min(part.start for part in parts), max(part.end for part in parts)


def _card_links(clause: Clause, voice: Voice) -> Iterator[Finding]:
    if not both("supports").search(clause.text):
        return
    for item in clause.inherited("card"):
        rates = [row.nvlink_gb_s for row in cards()[item.value].rows()]
        if not rates or any(rate is None for rate in rates):
            continue
        has = bool(max(rate or 0.0 for rate in rates))
        fact = voice.say(
            f"card_nvlink_{'yes' if has else 'no'}",
            card=item.value,
            rate=figure(max(rate or 0.0 for rate in rates)),
        )
        yield Finding(
            *_reach(clause, item),
            f"{item.value} NVLink",
            true_if(has != clause.denies_about(item, *clause.of("link"))),
            fact,
            card_sources(item.value),
        )
