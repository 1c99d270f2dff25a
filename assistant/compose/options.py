"""Composes several sizings side by side: precisions of one model, several models, or sizes that a card may hold."""

from __future__ import annotations

from collections.abc import Sequence

from assistant.evidence import Evidence, Finding
from assistant.read.reading import Reading
from knowledge import facts
from tools.results import Price, Recommendation
from tools.sizing_results import CardCheck, LlmSizing

from . import words
from .draft import Draft, Voice, paragraphs


def compose_options(reading: Reading, evidence: Evidence, findings: Sequence[Finding]) -> Draft:
    """One row per sizing; with a column for the card that was asked about, where one was."""
    voice = Voice("options", reading.language)
    sizings = [finding.read(LlmSizing) for finding in findings]
    checked = any(sizing.checks for sizing in sizings)
    rows = [_row(voice, evidence, sizing, checked=checked) for sizing in sizings]
    first = sizings[0]
    assumptions = [
        voice("load", context=words.tokens(s.context), users=s.concurrency) for s in sizings[:1]
    ]  # fmt: skip
    return Draft(
        kind="comparison" if len({s.model.model_id for s in sizings}) > 1 else "sizing",
        text=paragraphs(
            _verdict(voice, sizings) if checked else "",
            "\n".join([voice("head_checked" if checked else "head"), *rows]),
            voice("note_checked" if checked else "note", load=assumptions[0]),
        ),
        assumptions=assumptions,
        estimate=first.estimate,
        recommendations=[s.advice.recommendations[0] for s in sizings if s.advice.recommendations],
        derived=[0.9, *(float(_of_all(p, p.price).amount) for p in map(_pick, sizings) if p and p.price)],
    )


def _verdict(voice: Voice, sizings: Sequence[LlmSizing]) -> str:
    """Which of the options the card takes."""
    fitting = [_name(s) for s in sizings if s.checks and s.checks[0].fits]
    label = _card(next(c for s in sizings for c in s.checks), voice)
    if not fitting:
        return voice("none_fits", card=label)
    return voice("fits", card=label, options=words.and_list(fitting, voice.language))


def _name(sizing: LlmSizing) -> str:
    return f"{sizing.model.model_id} {sizing.weight_dtype}"


def _card(check: CardCheck, voice: Voice) -> str:
    return words.cards(facts.gpus()[check.gpu_id], check.gpus, voice.language)


def _pick(sizing: LlmSizing) -> Recommendation | None:
    """The first choice: one machine, copies that share the users, or machines joined to one."""
    copies = [sizing.replicas.machine] if sizing.replicas and sizing.replicas.leads else []
    picks = sizing.advice.recommendations or [*copies, *sizing.advice.multi]
    return picks[0] if picks else None


def _of_all(pick: Recommendation, price: Price) -> Price:
    """The price of all its machines."""
    return price.model_copy(update={"amount": price.amount * pick.instances})


def _row(voice: Voice, evidence: Evidence, sizing: LlmSizing, *, checked: bool) -> str:
    pick = _pick(sizing)
    machines = f"{pick.instances} × " if pick and pick.instances > 1 else ""
    price = "—"
    if pick and pick.price:
        price = words.price(_of_all(pick, pick.price), voice.language) + evidence.mark([pick.price.source_id])
    check = sizing.checks[0] if sizing.checks else None
    return voice(
        "row_checked" if checked else "row",
        model=sizing.model.model_id,
        dtype=sizing.weight_dtype,
        gib=words.gib(sizing.totals.weights_gib),
        gb=words.gib(sizing.totals.weights_gb),
        kv=words.gib(sizing.totals.kv_gib_per_sequence * sizing.concurrency),
        mark=evidence.mark(sizing.model.source_ids),
        instance=f"{machines}`{pick.instance_type}`" if pick else "—",
        price=price,
        check=_check(voice, check) if check else "—",
    )


def _check(voice: Voice, check: CardCheck) -> str:
    if check.blocked:
        return check.blocked
    code = "tight" if check.tight else "yes" if check.fits else "fewer" if check.max_sequences else "no"
    return voice(code, required=words.gib(check.required_gib), limit=words.gib(check.limit_gib),
                 sequences=check.max_sequences)  # fmt: skip
