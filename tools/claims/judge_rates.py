"""Memory bandwidth of cards, and which of two has more memory."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .card_facts import card_sources
from .cues import connected
from .finding import Finding, Voice, figure, sizes, true_if
from .mentions import Mention
from .names import cards
from .sentences import Clause
from .sized import SIZE

MORE = re.compile(r"(?<![a-z])(?:more|larger|bigger|greater)(?![a-z])|更?大|更?多")
LESS = re.compile(r"(?<![a-z])(?:less|smaller|fewer)(?![a-z])|更?小|更?少")
BANDWIDTH_SLACK = 0.06
TWO_RATES = re.compile(r"\d ?(?:[gmt]b/s)? ?(?:对|比|vs\.?|against|versus|compared (?:to|with)|到|to|~|-|/) ?$")
OTHER_RATE = re.compile(r"nvlink|nvswitch|pcie|rdma|网络|磁盘|吞吐|network|disk|throughput|interconnect|互联")


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
        or TWO_RATES.search(clause.text[: rates[0].start - clause.start])
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
