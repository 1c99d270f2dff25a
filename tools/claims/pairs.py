"""Which families and cards a clause, or its heading, puts together."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .cues import both, compared_before, connected, cue
from .mentions import Mention
from .sentences import Clause
from .sized import ALSO, SIZE

GAP = 40
FAR = 100
NEAR_VERB = re.compile(
    r"(?:搭载|配备|采用|(?<![a-z])(?:with|carrying|having|featuring))\s*(?:the |an? |nvidia )?$"
)
BULLETS = re.compile(r"^[\s•◦▪●>-]+")
COUNT = re.compile(r"\d{1,2} ?(?:卡|张|块|x|×|gpus?|cards?)")
APART = re.compile(
    r"\s*\)?\s*(?:和|及|与|或|、|,|and\b|or\b|plus\b|\+)\s*(?:nvidia)?\s*$|\s*\)\s*[、,;]"
)

PLACED = re.compile(
    r"\s*(?:实例|显卡|卡|gpu)?\s*(?:就|都|也|是|现在|只)?(?:放|跑|装|位于|部署)?在\s*(?:阿里云|阿里|aliyun)?\s*(?:的|上的)?\s*(?:ecs)?\s*$"
)
"""Between a card and the family it is said to be in."""
USED = re.compile(
    r"\s*(?:系列|实例|机型|规格族)?\s*(?:里|上|都|也|应该|到底|是不是|是否)?\s*(?:用|使用|跑)(?:的)?(?:是|了|到)?\s*(?:nvidia)?\s*$"
    r"|\s*(?:系列|实例)?\s*(?:里面?|上面?|中)的\s*(?:nvidia)?\s*$"
    r"|s?\s*(?:instances? )?(?:really |actually |still )?(?:run|runs|running)(?: on)?\s*(?:the |an? )?(?:nvidia )?$"
)


def pairs(clause: Clause) -> Iterator[tuple[list[Mention], list[Mention]]]:
    """(families, cards) that belong together: joined by a verb of carrying, by brackets, or side by side."""
    runs = _runs(clause)
    free = [True] * len(runs)
    for bracketed in (True, False):  # what stands in brackets belongs to the name before it
        for place in range(len(runs) - 1):
            one, other = runs[place], runs[place + 1]
            if not (free[place] and free[place + 1]) or one[0].kind == other[0].kind:
                continue
            if (
                bracketed
                and not _opens_bracket(clause, one[-1], other[0])
                or not _joined(clause, one[-1], other[0])
            ):
                continue
            free[place] = free[place + 1] = False
            yield (one, other) if one[0].kind == "family" else (other, one)
    if runs and all(run[0].kind == "card" and run[0] not in clause.compared for run in runs):
        above = _above(clause, runs[0][0])
        if above:
            yield above, [item for run in runs for item in run]


def _opens_bracket(clause: Clause, one: Mention, other: Mention) -> bool:
    return re.match(r"\s*(?:系列|实例|\d{1,3} ?gb?)?\s*\(", clause.between(one, other)) is not None


def _runs(clause: Clause) -> list[list[Mention]]:
    """Lists of families and lists of cards in order; memory sizes may stand within a list of cards."""
    beside = [item for item in clause.compared_of("family", "card") if not _set_apart(clause, item)]
    named = [*clause.of("family", "card"), *beside]
    runs: list[list[Mention]] = []
    for item in sorted(named, key=lambda item: item.start):
        last = runs[-1][-1] if runs else None
        alike = last and last.kind == item.kind and (last in beside) == (item in beside)
        if last and alike and connected(SIZE.sub("", clause.between(last, item))):
            runs[-1].append(item)
        else:
            runs.append([item])
    return runs


def _set_apart(clause: Clause, item: Mention) -> bool:
    """ "H100 是 gn8is 之外的选择", "A800 是 A100 的降级版"."""
    return cue("compared", "after").match(clause.text, item.end - clause.start) is not None


def _joined(clause: Clause, one: Mention, other: Mention) -> bool:
    gap = clause.between(one, other)
    gap = COUNT.sub("", gap)
    if one.kind == "family" and GAP < len(gap) <= FAR and NEAR_VERB.search(gap):
        gap = gap[-GAP:]  # a long description between, and the verb right before the card
    if len(gap) > GAP or cue("breaks").search(gap) or "->" in gap or APART.match(gap):
        return False
    if SIZE.sub("", gap).lstrip().startswith("(") and ")" not in gap and len(gap) <= 16:
        return True
    if one in clause.compared and not gap.lstrip().startswith(("(", ":", "=")):
        return False
    if other in clause.compared:
        return connected(gap, limit=GAP) and not compared_before().search(gap)
    if (PLACED if one.kind == "card" else USED).fullmatch(SIZE.sub("", gap)):
        return True
    verb = both("carry").search(gap)
    return connected(gap, limit=GAP) or (
        verb is not None and not (verb[0] in ("in", "on", "via") and one.kind == "family")
    )


def _above(clause: Clause, card: Mention) -> list[Mention]:
    """The families of the sentence or heading that a clause of cards only goes on to describe."""
    place = card.start - clause.start
    before = BULLETS.sub("", clause.text[clause.text.rfind(":", 0, place) + 1 : place])
    goes_on = connected(COUNT.sub("", before)) and (
        both("carry").search(before) or (ALSO.match(before) and clause.inherited("card"))
    )
    if cue("breaks").search(before) or not (goes_on or _opens(clause, place)):
        return []
    return clause.inherited("family") or clause.sentence.heading


def _opens(clause: Clause, place: int) -> bool:
    """A bullet that begins with a count of cards: "4 卡 A10"."""
    counts = clause.of("count")
    return (
        bool(counts)
        and clause.sentence.clauses[0] is clause
        and counts[0].start - clause.start <= 6 + len(clause.text) - len(clause.text.lstrip())
        and connected(clause.text[counts[0].end - clause.start : place])
    )
