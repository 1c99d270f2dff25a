"""Cards, vCPU, memory and price of an instance type that a sentence states."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from knowledge import facts
from knowledge.rows import Instance, PriceRow
from tools.results import Verdict

from .cues import cue, negated
from .finding import Finding, Voice, true_if
from .judge_names import describe_type
from .mentions import Mention
from .names import cards, instance
from .sentences import Clause

PRICE_SLACK = Decimal("0.02")


def judge_types(clause: Clause, voice: Voice) -> Iterator[Finding]:
    """What a clause says of the one type it speaks of."""
    items = clause.inherited("type") if not clause.of("family") else clause.of("type")
    rows = [row for item in items[:1] if (row := instance(item.value))]
    if len(items) != 1 or not rows:
        return
    row = rows[0]
    yield from _price(clause, row, voice)
    wrongs, rights = _checks(clause, row, items[0])
    if wrongs + rights == 0:
        return
    verdict: Verdict = "true" if not wrongs else "partly" if rights else "wrong"
    if clause.denied:
        verdict = "wrong" if verdict == "true" else "true"
    yield Finding(
        clause.start,
        clause.end,
        row.instance_type,
        verdict,
        describe_type(row.instance_type, voice),
        row.source_ids,
    )


def _checks(clause: Clause, row: Instance, item: Mention) -> tuple[int, int]:
    """(false, true) numbers of details of the type in the clause."""
    results: list[bool] = []
    if cue("types", "workload").search(clause.text):
        return 0, 0
    after = [
        part
        for part in clause.mentions
        if part.start >= (item.end if item.start >= clause.start else 0)
    ]
    results += [part.amount == row.vcpu for part in after if part.kind == "vcpu"]
    counted = [
        part.amount == row.gpu_count for part in after if part.kind == "count" and not row.vgpu
    ]
    carded = [row.gpu_id in cards()[part.value].gpu_ids for part in clause.of("card")]
    # "4 x A10" is one detail: both the count and the card must be right
    results += (
        [all(counted + carded)] if len(counted) == 1 and len(carded) == 1 else counted + carded
    )
    results += [
        held
        for part in after
        if part.kind == "memory"
        for held in [_memory(clause, part, row)]
        if held is not None
    ]
    return results.count(False), results.count(True)


def _memory(clause: Clause, part: Mention, row: Instance) -> bool | None:
    """Host memory, memory of one card or of all cards; None when the text may mean something else (a disk)."""
    around = clause.text[max(0, part.start - clause.start - 24) : part.end - clause.start + 24]
    known = {row.memory_gib, row.gpu_memory_gb_each, row.gpu_memory_gb_total}
    if part.amount in known:
        return True
    if cue("types", "disk").search(around):
        return None
    if cue("types", "memory").search(around):
        return False
    return None


def _price(clause: Clause, row: Instance, voice: Voice) -> Iterator[Finding]:
    """A price beside the type, compared with the list prices (dated) of the region named or of any region."""
    money = clause.of("money")
    if len(money) != 1 or cue("types", "other_price").search(clause.sentence.text):
        return
    per = (
        "month"
        if cue("types", "month").search(clause.text)
        else "hour"
        if cue("types", "hour").search(clause.text)
        else ""
    )
    if not per:
        return
    rows = [
        price
        for price in facts.price_rows()
        if price.instance_type == row.instance_type and price.per == per
    ]
    span = (money[0].start, money[0].end)
    if not rows:
        yield Finding(
            *span,
            row.instance_type,
            "cannot_judge",
            voice.say("price_none", name=row.instance_type),
            ("no-yearly-price",)[:0],
        )
        return
    chosen = _in_region(clause, rows)
    same = [price for price in chosen if price.currency == money[0].value]
    if not same:
        yield Finding(
            *span,
            row.instance_type,
            "cannot_judge",
            _say_price("price_other", chosen[0], voice),
            (chosen[0].source_id,),
        )
        return
    amount = Decimal(str(money[0].amount))
    match = next(
        (price for price in same if abs(price.amount - amount) <= PRICE_SLACK * price.amount), None
    )
    shown = match or next((price for price in same if price.region == "cn-hangzhou"), same[0])
    yield Finding(
        *span,
        row.instance_type,
        true_if((match is not None) != _denied(clause, money[0])),
        _say_price("price_row", shown, voice),
        (shown.source_id,),
    )


def _denied(clause: Clause, money: Mention) -> bool:
    place = money.start - clause.start
    return negated(clause.text[max(0, place - 10) : place]) != clause.refuted


def _in_region(clause: Clause, rows: list[PriceRow]) -> list[PriceRow]:
    text = clause.sentence.text
    for region in facts.regions().values():
        if any(word.lower() in text for word in (region.region, *region.aliases)):
            inside = [row for row in rows if row.region == region.region]
            if inside:
                return inside
    return rows


def _say_price(code: str, row: PriceRow, voice: Voice) -> str:
    region = facts.regions()[row.region]
    unit = voice.pick({"hour": "小时", "month": "月"}[row.per], row.per)
    currency = voice.pick(
        {"CNY": "元", "USD": "美元"}.get(row.currency, row.currency), row.currency
    )
    name = voice.pick(region.name_zh, region.name_en)
    return voice.say(
        code,
        name=row.instance_type,
        as_of=row.as_of,
        region=name,
        amount=f"{row.amount.normalize():f}",
        currency=currency,
        per=unit,
    )
