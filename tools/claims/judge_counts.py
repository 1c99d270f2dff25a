"""How many cards a family has in one instance."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .card_facts import sources_of
from .cues import both, connected, cue
from .finding import Finding, Voice, figure, true_if
from .mentions import Mention
from .names import family
from .sentences import Clause

SEVERAL = re.compile(
    r"台|集群|共|合计|(?<![a-z])(?:nodes?|machines?|servers?|total|clusters?)(?![a-z])"
)
AT_MOST = re.compile(r"最多|最大|至多|up to|at most|maximum|max(?![a-z])")


def judge_counts(clause: Clause, voice: Voice) -> Iterator[Finding]:
    """ "ebmgn7i has 8 x A10", "gn7i 最多 8 卡": one family and one count, said of one instance."""
    families, counts = clause.of("family"), clause.of("count")
    if len(families) != 1 or len(counts) != 1 or SEVERAL.search(clause.text):
        return
    row, count = family(families[0].value), counts[0]
    if row is None or not all(number.isdigit() for number in row.gpu_counts) or not row.gpu_counts:
        return
    if cue("conditional").search(clause.text) or cue("breaks").search(clause.text):
        return
    allowed = [int(number) for number in row.gpu_counts]
    at_most = AT_MOST.search(clause.text) is not None
    if not at_most and not _said(clause, families[0], count):
        return
    holds = count.amount == max(allowed) if at_most else count.amount in allowed
    fact = voice.say("family_counts", family=row.family, counts=voice.list(map(figure, allowed)))
    denied = clause.denies_about(families[0], count)
    span = (min(families[0].start, count.start), max(families[0].end, count.end))
    subject = f"{row.family} x {figure(count.amount)}"
    yield Finding(*span, subject, true_if(holds != denied), fact, sources_of(row.family))


def _said(clause: Clause, item: Mention, count: Mention) -> bool:
    """The count follows the family, joined by a verb of carrying."""
    gap = clause.between(item, count)
    if item.end > count.start or not connected(gap, limit=24):
        return False
    return bool(both("carry").search(gap) or both("supports").search(gap))
