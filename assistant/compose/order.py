"""Composes an order: what is ordered at which price, the steps, the command or the snippet in a fence, the quota, what bites."""

from __future__ import annotations

from collections.abc import Iterator

from assistant.answer import Caution
from assistant.evidence import Evidence, Finding
from assistant.order_tools import OrderOf
from assistant.read.reading import Reading
from knowledge import facts
from tools.catalog import instance_words
from tools.order.results import Order

from . import words
from .draft import Draft, Voice, paragraphs
from .places import unknown_region


def compose_order(reading: Reading, evidence: Evidence) -> Draft | None:
    """The answer from `order_instance`. None when nothing was to be ordered."""
    findings = [finding for finding in evidence.findings if finding.tool == "order_instance"]
    if not findings:
        return None
    voice, derived = Voice("orders", reading.language), list[float]()
    parts = [unknown_region(reading, evidence)]
    parts += [part for finding in findings for part in _one(voice, reading, evidence, finding, derived)]
    orders = [finding.read(OrderOf).order for finding in findings if not finding.error]
    cautions = [Caution(code="order", text=said, source_ids=order.source_ids[:1]) for order in orders for said in order.cautions]
    return Draft(kind="catalog", text=paragraphs(*dict.fromkeys(parts)), cautions=cautions, derived=derived)


def _one(voice: Voice, reading: Reading, evidence: Evidence, finding: Finding, derived: list[float]) -> Iterator[str]:
    if finding.error:
        yield voice("refused", reason=finding.error)
        return
    found = finding.read(OrderOf)
    order, asks = found.order, set(reading.asks)
    yield _lead(voice, evidence, order, derived)
    if found.choice.chosen_of:
        yield voice("chosen", given=_given(voice, found.choice.chosen_of), name=order.instance_type)
    if order.how_to_get:
        yield voice("instead", text=order.how_to_get, mark=evidence.mark(order.source_ids))
        yield voice("no_command") if asks & {"command", "terraform"} else ""
        yield _quota(voice, evidence, order) if "quota" in asks else ""
        return
    only_quota = "quota" in asks and not asks & {"order", "command", "terraform"}
    if only_quota:
        yield _quota(voice, evidence, order)
        return
    yield from _how(voice, evidence, order, asks)
    yield _cautions(voice, order)


def _how(voice: Voice, evidence: Evidence, order: Order, asks: set[str]) -> Iterator[str]:
    """Steps unless only code is asked for; the command, the snippet, the quota."""
    code_only = asks & {"command", "terraform"} and "order" not in asks
    if not code_only:
        yield "\n".join([voice("steps"), *(f"{number}. {step}" for number, step in enumerate(order.steps, 1))])
    if order.cli and ("terraform" not in asks or "command" in asks):
        yield f"{voice('command')}\n```bash\n{order.cli.strip()}\n```"
    if order.terraform and "terraform" in asks:
        yield f"{voice('terraform')}\n```hcl\n{order.terraform.strip()}\n```"
    yield _quota(voice, evidence, order)
    yield voice("more_command") if "terraform" in asks and "command" not in asks else "" if "terraform" in asks else voice("more")


def _lead(voice: Voice, evidence: Evidence, order: Order, derived: list[float]) -> str:
    instance = facts.instances()[order.instance_type]
    derived += [float(order.machines), float(order.months)]
    told = ""
    if order.price is not None:
        shown = {"price": words.price(order.price, voice.language), "date": order.price.as_of}
        several = order.machines > 1 and order.total is not None
        if several and order.total is not None:
            derived.append(float(order.total))
            all_of_it = words.price(order.price.model_copy(update={"amount": order.total, "amount_high": None}), voice.language)
            told = voice("lead_price_all", total=all_of_it, machines=order.machines, **shown)
        else:
            told = voice("lead_price", **shown)
    return voice(
        "lead", machines=order.machines, name=order.instance_type, cards=instance_words(instance, voice.language),
        region=words.region(order.region, voice.language), billing=voice(f"billing.{order.billing}", months=order.months), price=told,
        mark=evidence.mark([order.price.source_id] if order.price else order.source_ids[:1]),
    )  # fmt: skip


def _given(voice: Voice, given: str) -> str:
    """The family or card that was named, a card as the catalog words it."""
    card = facts.gpus().get(given)
    label = words.cards(card, 1, voice.language).removeprefix("1 × ") if card else given
    return label if voice.language == "en" else f"{label} "


def _quota(voice: Voice, evidence: Evidence, order: Order) -> str:
    quota = order.quota
    return voice("quota", text=quota.text, link=quota.link, mark=evidence.mark(quota.source_ids)) if quota else ""


def _cautions(voice: Voice, order: Order) -> str:
    """What bites, in one paragraph."""
    if not order.cautions:
        return ""
    zh = voice.language == "zh"
    joined = ("；" if zh else "; ").join(said.rstrip("。.") for said in order.cautions)
    return f"注意：{joined}。" if zh else f"Mind: {joined}."

