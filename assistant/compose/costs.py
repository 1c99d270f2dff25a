"""Composes ways of paying side by side: the cheapest for the use, the rows, what is billed while idle."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import ROUND_HALF_UP, Decimal

from assistant.cost_tools import Costs
from assistant.evidence import Evidence, Finding
from assistant.read.durations import DAYS_PER_MONTH
from assistant.read.reading import Reading
from knowledge import facts
from tools.catalog import instance_words
from tools.costs.results import CostComparison, CostRow
from tools.costs.spot import SpotSaving
from tools.prices import HOURS_PER_MONTH

from . import words
from .draft import Draft, Voice, paragraphs
from .guidance import best_points

COMMITTED = {"savings_plan": "savings_plan", "reserved": "ri"}
"""Ways that rest on a commitment, by the word of a reading's `billing`."""
SPOT_LINES = 4
"""Regions whose spot quotes are shown."""
ELSEWHERE_OF_ONE_WAY = 1
"""Rows of other regions for a way that was not asked for by name."""


def compose_costs(reading: Reading, evidence: Evidence) -> Draft | None:
    """The answer from `compare_costs`. None when nothing was compared."""
    findings = [finding for finding in evidence.findings if finding.tool == "compare_costs"]
    if not findings:
        return None
    voice, derived = Voice("costs", reading.language), list[float]()
    parts = [part for finding in findings for part in _one(voice, reading, evidence, finding, derived)]
    text = paragraphs(*dict.fromkeys(parts))
    more = best_points(reading, evidence, most=1, skip=text) if "idle" not in reading.asks else ""
    return Draft(kind="price", text=paragraphs(text, more), derived=derived)


def _one(voice: Voice, reading: Reading, evidence: Evidence, finding: Finding, derived: list[float]) -> Iterator[str]:
    if finding.error:
        yield voice("refused", reason=finding.error)
        return
    costs = finding.read(Costs)
    found = costs.ways
    if found is None:
        return
    yield chosen_words(voice, costs, machines=found.machines, picked=bool(reading.models) and not costs.choice.chosen_of)
    if "idle" in reading.asks:
        yield _idle(voice, found)
        return
    if "spot" in reading.billing:
        yield spot_words(voice, evidence, costs, derived)
    verdict, month = pays_from(voice, reading, evidence, found, derived)
    lead = paragraphs(verdict, found.cheapest)
    notes = [note for note in found.notes if month is None or words.money(month) not in note]
    yield lead or _first_note(reading, notes)
    yield from _ceilings(voice, reading, evidence, found)
    yield _table(voice, reading, evidence, found)
    if reading.hours_per_month and found.idle:
        yield found.idle[0]
    yield words.sentences(notes, voice.language)


def _first_note(reading: Reading, notes: list[str]) -> str:
    """The note that answers: on the yearly price where that is asked for. It is taken out of `notes`."""
    if not notes or "spot" in reading.billing:
        return ""
    yearly = [note for note in notes if "包年" in note or "yearly" in note.lower()] if "year" in reading.billing else []
    first = (yearly or notes)[0]
    notes.remove(first)
    return first


def pays_from(
    voice: Voice, reading: Reading, evidence: Evidence, found: CostComparison, derived: list[float]
) -> tuple[str, Decimal | None]:
    """Where the region has no monthly price: from how many hours on it pays in the first region that has one, and that price."""
    month = next((row for row in found.elsewhere if row.way == "month" and row.break_even_hours is not None), None)
    if month is None or month.amount is None or month.break_even_hours is None or found.break_even_hours is not None:
        return "", None
    if reading.billing and "month" not in reading.billing:
        return "", None
    hours = (found.hours or Decimal(HOURS_PER_MONTH)) if found.months else None
    code = "pays_from" if hours is None else "pays_below" if hours < month.break_even_hours else "pays_above"
    daily = float(month.break_even_hours / DAYS_PER_MONTH)
    derived += [daily, float(hours or 0)]
    return voice(
        code, hours=words.plain(float(hours or 0)), from_=words.plain(float(month.break_even_hours)), daily=words.plain(round(daily, 1)),
        region=words.region(month.region, voice.language), home=words.region(found.region, voice.language), month=_price(month, voice),
        date=month.as_of, mark=evidence.mark([month.source_id]),
    ), month.amount  # fmt: skip


def chosen_words(voice: Voice, costs: Costs, *, machines: int, picked: bool) -> str:
    """Which type stands for the family or card that was named, or is the pick of the sum; empty for a type that was named."""
    instance = facts.instances()[costs.choice.instance_type]
    shared = {"name": instance.instance_type, "cards": instance_words(instance, voice.language)}
    if picked:
        return voice("picked", machines=machines, **shared)
    given = costs.choice.chosen_of
    card = facts.gpus().get(given)
    label = words.cards(card, 1, voice.language).removeprefix("1 × ") if card else given
    return voice("chosen", given=label, **shared) if given else ""


def _idle(voice: Voice, found: CostComparison) -> str:
    return "\n".join([voice("idle"), *(f"- {said}" for said in found.idle)])


def _table(voice: Voice, reading: Reading, evidence: Evidence, found: CostComparison) -> str:
    """Rows with a price: those of the region, then of others for ways that it has no price of."""
    shown: dict[str, int] = {}
    rows: list[CostRow] = [row for row in found.rows if row.amount is not None]
    for row in found.elsewhere:
        shown[row.way] = shown.get(row.way, 0) + 1
        if row.amount is not None and (row.way in reading.billing or shown[row.way] <= ELSEWHERE_OF_ONE_WAY):
            rows.append(row)
    if not rows:
        return ""
    use = _use(voice, found)
    head = voice("head", use=use) if use else voice("head_plain")
    return "\n".join([head, *(_row(voice, evidence, row, with_total=bool(use)) for row in rows)])


def _use(voice: Voice, found: CostComparison) -> str:
    """What the totals are for: «3 台 × 72 小时»; empty where no time was asked for."""
    if found.hours is None and found.months is None:
        return ""
    code = "use_hours_months" if found.hours and found.months else "use_hours" if found.hours else "use_months"
    return voice(code, machines=found.machines, hours=words.plain(float(found.hours or 0)), months=found.months)


def _row(voice: Voice, evidence: Evidence, row: CostRow, *, with_total: bool) -> str:
    total = "—" if row.total is None else span(row.total, row.total_high) + f" {unit(row.currency, voice)}"
    return voice(
        "row" if with_total else "row_plain", way=voice(f"way.{row.way}"), region=words.region(row.region, voice.language),
        price=_price(row, voice), total=total, date=row.as_of, note=row.note or "—", mark=evidence.mark([row.source_id]),
    )  # fmt: skip


def _price(row: CostRow, voice: Voice) -> str:
    assert row.amount is not None  # only priced rows are shown
    low = words.money(row.amount)
    figure = low if row.amount_high is None or row.amount_high == row.amount else f"{low}–{words.money(row.amount_high)}"
    return f"{figure} {unit(row.currency, voice)}/{words.PER[row.per][0 if voice.language == 'zh' else 1]}"


def _ceilings(voice: Voice, reading: Reading, evidence: Evidence, found: CostComparison) -> Iterator[str]:
    """Savings plans and reserved instances without a rate, where they are asked for or no way of paying is named."""
    for row in found.rows:
        asked = COMMITTED.get(row.way) in reading.billing or not reading.billing
        if row.amount is None and row.way in COMMITTED and asked:
            yield voice("ceiling", way=voice(f"way.{row.way}"), note=row.note.rstrip("。."), mark=evidence.mark([row.source_id])) + (
                "。" if voice.language == "zh" else "."
            )


def spot_words(voice: Voice, evidence: Evidence, costs: Costs, derived: list[float]) -> str:
    """What spot saved on its day, as a range over regions and zones, and the first regions of it."""
    rows = costs.spot
    name = costs.choice.instance_type
    if not rows:
        return voice("spot_none", name=name)
    home = costs.ways.region if costs.ways else ""
    lead = voice(
        "spot_lead" if min(row.least_pct for row in rows) > 0 else "spot_lead_partly", name=name, date=rows[0].spot_as_of, least=words.plain(min(row.least_pct for row in rows)),
        most=words.plain(max(row.most_pct for row in rows)), mark=evidence.mark(rows[0].source_ids),
    )  # fmt: skip
    shown = sorted(rows, key=lambda row: (row.region != home, _is_abroad(row.region) != _is_abroad(home)))[:SPOT_LINES]
    return "\n".join([lead, *(_spot_line(voice, row) for row in shown)])


def _is_abroad(region: str) -> bool:
    row = facts.regions().get(region)
    return row is not None and not row.mainland


def _spot_line(voice: Voice, row: SpotSaving) -> str:
    low, high = words.money(row.spot_low), words.money(row.spot_high)
    least, most = words.plain(row.least_pct), words.plain(row.most_pct)
    return voice(
        "spot_line", region=words.region(row.region, voice.language), low=low if low == high else f"{low}–{high}", unit=unit(row.currency, voice),
        payg=words.money(row.hourly), date=row.hourly_as_of, saved=most if least == most else f"{least}–{most}",
    )  # fmt: skip


def unit(currency: str, voice: Voice) -> str:
    """元, CNY, 美元, USD."""
    return words.CURRENCY[currency][0 if voice.language == "zh" else 1]


def span(low: Decimal, high: Decimal | None) -> str:
    """A sum, or its range; from ten thousand on in whole units."""
    return total(low) if high is None or high == low else f"{total(low)}–{total(high)}"


def total(amount: Decimal) -> str:
    """A sum to the cent, from ten thousand on in whole units."""
    return f"{amount.quantize(Decimal(1) if amount >= 10_000 else Decimal('0.01'), ROUND_HALF_UP):,f}".removesuffix(".00")
