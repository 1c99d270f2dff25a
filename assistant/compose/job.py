"""Composes the answer on any job but serving a language model: the pick, the sum in parts, what one change would do."""

from __future__ import annotations

from collections.abc import Sequence

from assistant.answer import Caution
from assistant.evidence import Evidence, Finding
from assistant.plan_jobs import asks_largest, names_subject
from assistant.read.reading import Reading
from tools.jobs.results import JobSizing

from . import words
from .draft import Draft, Voice, paragraphs
from .fixed import ASKED_BY
from .job_largest import largest_lead
from .job_notes import amounts, not_to_be_had, not_worked_out, own_cards, own_memory
from .job_places import place_lines
from .job_view import JobView
from .ordering import ordering
from .sizing_budget import other_money, within_month
from .sizing_choices import other, other_billing
from .sizing_pick import headline

MAX_ASSUMPTIONS = 4
MAX_CHANGES = 4
MAX_MISSES = 2


def compose_job(reading: Reading, evidence: Evidence, finding: Finding) -> Draft:
    """The answer from one finding of a `size_…` tool."""
    view = JobView(reading, evidence, finding)
    assumptions = list(dict.fromkeys([*view.sizing.assumed, *view.sizing.estimate.assumptions]))
    text = paragraphs(
        own_memory(view, reading),
        *place_lines(view),
        *own_cards(view, reading),
        not_to_be_had(view, reading),
        amounts(view),
        other_money(view, reading),
        headline(view),
        within_month(view),
        not_worked_out(view, reading),
        _main_memory(view),
        _table(view),
        _tight(view),
        _watch(view),
        _others(view),
        _changes(view),
        other_billing(view),
        _command(view),
        _run_hint(reading),
        ordering(view, reading, evidence),
        _closing(view, _told(view)),
    )
    return Draft(
        kind="sizing",
        text=text,
        assumptions=assumptions,
        cautions=[Caution(code="job", text=item, source_ids=view.sizing.source_ids[:2]) for item in view.sizing.cautions],
        estimate=view.sizing.estimate,
        recommendations=view.picks or view.sizing.advice.near_misses[:MAX_MISSES],
        derived=view.derived,
    )


def compose_jobs(reading: Reading, evidence: Evidence, findings: Sequence[Finding]) -> Draft:
    """One row a job: several models, methods or networks side by side, then the first in full where it is the only one."""
    if len(findings) == 1:
        return compose_job(reading, evidence, findings[0])
    views = [JobView(reading, evidence, finding) for finding in findings]
    said = views[0].said
    sizings: list[JobSizing] = [view.sizing for view in views]
    assumptions = list(dict.fromkeys(line for s in sizings for line in [*s.assumed, *s.estimate.assumptions]))
    told = [line for line in assumptions if all(line in [*s.assumed, *s.estimate.assumptions] for s in sizings)]
    unnamed = not names_subject(reading)
    largest = largest_lead(views, reading) if unnamed and asks_largest(reading) else ""
    text = paragraphs(
        largest or (_ask(reading) if unnamed else ""),
        *(line for view in views for line in place_lines(view) if not unnamed),
        _side_lead(views) if not unnamed else "",
        "\n".join([said("side_head"), *map(_side_row, views)]),
        _closing(views[0], told[: 2 * MAX_ASSUMPTIONS]),
    )
    return Draft(
        kind="sizing" if largest else "clarify" if unnamed else "comparison",
        text=text,
        assumptions=assumptions,
        estimate=sizings[0].estimate,
        recommendations=[view.picks[0] for view in views if view.picks],
        derived=[*(value for view in views for value in view.derived), *ASKED_BY],
    )


def _ask(reading: Reading) -> str:
    """What is to be named, before common models that give a feel."""
    voice = Voice("fixed", reading.language)
    if reading.job == "llm_training":
        return voice("ask_model") + voice("feel_some")
    return voice("ask_network" if (reading.job or "").startswith("vision") else "ask_other") + voice("feel_some")


def _side_lead(views: Sequence[JobView]) -> str:
    """Who needs how much per GPU, the least first, in one sentence."""
    ranked = sorted(views, key=lambda view: view.sizing.estimate.per_gpu_gib.best)
    items = [f"{view.title()} {words.gib(view.sizing.estimate.per_gpu_gib.best)} GiB" for view in ranked]
    if len({view.sizing.estimate.gpus for view in views}) > 1:
        items = [view.said("side_on", item=item, gpus=view.sizing.estimate.gpus) for view, item in zip(ranked, items, strict=True)]
    return views[0].said("side_lead", items=("；" if views[0].language == "zh" else "; ").join(items))


def _side_row(view: JobView) -> str:
    pick = view.picks[0] if view.picks else None
    estimate = view.sizing.estimate
    return view.said(
        "side_row",
        subject=view.title(),
        need=words.gib(estimate.per_gpu_gib.best),
        gpus=estimate.gpus,
        instance=f"`{pick.instance_type}`" if pick else "—",
        price=view.price(pick) if pick else "—",
    )


def _table(view: JobView) -> str:
    """Memory per GPU in parts, against the limit."""
    estimate, said = view.sizing.estimate, view.said
    rows = [said("table_head", subject=view.title(), gpus=estimate.gpus)]
    rows += [said("row", name=view.part(name), value=f"{value:.2f}") for name, value in estimate.parts.items() if value >= 0.005]
    rows.append(
        view.voice(
            "row_total",
            value=words.gib(estimate.per_gpu_gib.best),
            limit=words.gib(view.sizing.limit_gib),
            usable=f"{view.derive(view.sizing.limit_gib / view.utilization):.2f}",
            utilization=f"{view.utilization:g}",
        )
    )
    return paragraphs("\n".join(rows), _basis(view))


def _basis(view: JobView) -> str:
    """How the figure was made and how far it may be off."""
    estimate, band = view.sizing.estimate, view.sizing.estimate.error_band
    mark = view.evidence.mark(estimate.source_ids)
    basis = view.said(f"basis_{estimate.basis.replace(' ', '_')}")
    if band is not None and not band.n:
        return view.said("margin_line", basis=basis, mark=mark, low=_signed(view, band.low_pct), high=_signed(view, band.high_pct),
                         least=words.gib(estimate.per_gpu_gib.low), most=words.gib(estimate.per_gpu_gib.high))  # fmt: skip
    if band is None:
        return view.said("basis_line", basis=basis, mark=mark)
    need = estimate.per_gpu_gib
    return view.said(
        "band_line", basis=basis, mark=mark, low=_signed(view, band.low_pct), high=_signed(view, band.high_pct), n=band.n,
        least=words.gib(need.low), most=words.gib(need.high),
    )  # fmt: skip


def _signed(view: JobView, percent: float) -> str:
    view.derive(abs(percent))  # the check reads figures without their sign
    return f"{percent:+.0f}"


def _run_hint(reading: Reading) -> str:
    """What to tell for the cost of a training, where its cost is asked and nothing is said of its data or hours."""
    asks = "price" in reading.intents and (reading.job or "").endswith("training") and "run_cost" not in reading.intents
    return Voice("costs", reading.language)("run_tell") if asks and not (reading.hours or reading.months) else ""


def _main_memory(view: JobView) -> str:
    """Main memory that the job lives in beside the card, where it does."""
    needed = view.sizing.settings.get("ram_gib")
    return view.said("main_memory", needed=f"{needed:,}") if isinstance(needed, int) and not amounts(view) else ""


def _tight(view: JobView) -> str:
    need, limit = view.sizing.estimate.per_gpu_gib, view.sizing.limit_gib
    if not view.picks or not need.best <= limit < need.high:
        return ""
    return view.voice("tight_plain", required=words.gib(need.best), limit=words.gib(limit))


def _watch(view: JobView) -> str:
    items = [*view.sizing.cautions, *(view.picks[0].cautions if view.picks else [])]
    return view.voice("watch", items=view.sentences(list(dict.fromkeys(items)))) if items else ""


def _others(view: JobView) -> str:
    lines = [*other(view, "safer"), *other(view, "faster")]
    return "\n".join([view.voice("others"), *lines]) if lines else ""


def _changes(view: JobView) -> str:
    """What single changes would save, the cheapest to the user first."""
    lines = []
    for change in view.sizing.changes[:MAX_CHANGES]:
        line = view.said("change", what=change.what)
        if change.per_gpu_gib is not None and change.saves_gib is not None and change.saves_gib > 0:
            line += view.said("change_saves", saves=words.gib(change.saves_gib), need=words.gib(change.per_gpu_gib))
        if change.instance_type and change.hourly is not None and change.gpu_id and change.gpu_count:
            cards = view.cards_of(change.gpu_id, change.gpu_count)
            line += view.said("change_machine", instance=change.instance_type, cards=cards, hourly=words.money(change.hourly))
        lines.append(line)
    return "\n".join([view.said("changes"), *lines]) if lines else ""


def _command(view: JobView) -> str:
    command = view.sizing.estimate.command
    return view.said("command", command=command) if command and view.picks else ""


def _told(view: JobView) -> list[str]:
    """The assumptions that the text tells: what was not said, and the first of how it is summed. The Answer has all."""
    sizing = view.sizing
    return list(dict.fromkeys([*sizing.assumed, *sizing.estimate.assumptions[:MAX_ASSUMPTIONS]]))


def _closing(view: JobView, assumptions: list[str]) -> str:
    priced = any(pick.price is not None for pick in view.picks)
    items = ("；" if view.language == "zh" else "; ").join(item.rstrip("。.") for item in assumptions)
    last = view.voice("last_priced" if priced else "last_unpriced")
    return view.voice("assumptions", items=items, last=last) if items else last
