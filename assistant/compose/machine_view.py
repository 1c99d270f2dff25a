"""An answer about machines in the making: the picks, their prices and cards in words. What every sizing answer looks at."""

from __future__ import annotations

from assistant.evidence import Evidence, Finding
from assistant.read.reading import Reading
from knowledge import facts
from tools.jobs.results import JobSizing
from tools.results import Recommendation
from tools.site import site_currency
from tools.sizing_results import LlmSizing, Replicas
from tools.usable import usable_gib

from . import words
from .draft import Voice


def _amount(value: object) -> float | None:
    return float(str(value)) if value is not None else None


class MachineView:
    """A sizing with its evidence and picks; `derived` collects figures that the text itself works out."""

    sizing: LlmSizing | JobSizing

    def __init__(self, reading: Reading, evidence: Evidence, finding: Finding, sizing: LlmSizing | JobSizing) -> None:
        self.language = reading.language
        self.evidence = evidence
        self.sizing = sizing
        self.asked_region = str(finding.args.get("region") or "cn-hangzhou")
        self.voice = Voice("sizing", reading.language)
        self.billing = [] if "billing" in reading.carried else reading.billing
        self.topics = reading.topics
        self.owned = reading.owned
        self.wish = reading.wish
        self.max_hourly, self.max_monthly = (_amount(finding.args.get(name)) for name in ("max_hourly", "max_monthly"))
        self.derived: list[float] = []
        self.copies: Replicas | None = None
        self.users = 0
        advice = sizing.advice
        self.picks: list[Recommendation] = [*(advice.recommendations or advice.multi)]

    @property
    def has_budget(self) -> bool:
        """Whether the choice goes by what the machines may cost."""
        return self.max_hourly is not None or self.max_monthly is not None

    @property
    def unit(self) -> str:
        """The currency of budgets and prices: 元, CNY, 美元, USD."""
        return words.CURRENCY[site_currency()][0 if self.language == "zh" else 1]

    @property
    def utilization(self) -> float:
        """The job's share of the card's usable memory: what the limit is of the shown card."""
        usable = next((p.usable_gib_per_gpu for p in self.picks[:1]), usable_gib(facts.gpus()[self.sizing.estimate_gpu_id]))
        return round(self.sizing.limit_gib / usable, 2)

    def need(self) -> str:
        """What the job needs, as the reason why nothing holds it."""
        raise NotImplementedError

    def derive(self, value: float) -> float:
        self.derived.append(value)
        return value

    def cards(self, pick: Recommendation) -> str:
        return words.cards(facts.gpus()[pick.gpu_id], pick.gpu_count, self.language)

    def price(self, pick: Recommendation) -> str:
        region = words.region(self.asked_region, self.language)
        if pick.price is None:
            catalog = facts.instances()[pick.instance_type].source_ids
            return self.voice("price_none", region=region, mark=self.evidence.mark(catalog))
        listed = self.voice(
            "price_listed",
            region=words.region(pick.price.region, self.language),
            price=words.price(pick.price, self.language),
            date=pick.price.as_of,
            mark=self.evidence.mark([pick.price.source_id]),
        )
        if pick.instances == 1:
            return listed
        total = pick.price.model_copy(update={"amount": pick.price.amount * pick.instances})
        self.derive(float(total.amount))
        return listed + (
            "，" if self.language == "zh" else ", "
        ) + self.voice("price_total", machines=pick.instances, total=words.price(total, self.language))  # fmt: skip

    def status(self, pick: Recommendation) -> str:
        return self.voice(f"status_{pick.status}")

    def sentences(self, items: list[str]) -> str:
        if not items:
            return ""
        joined = ("；" if self.language == "zh" else "; ").join(item.rstrip("。.") for item in items)
        return joined + "。" if self.language == "zh" else joined[0].upper() + joined[1:] + "."
