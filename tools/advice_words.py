"""Offers as recommendations: the reasons and cautions in words of either language."""

from __future__ import annotations

from decimal import Decimal

from knowledge.facts import active_day, catalog_as_of, gone_types, regions

from .budget import cost_to_rank, month_cost
from .demand import Wish
from .offers import Offer, has_prices, prices_to_show, tier
from .phrases import Language, read_phrases, say
from .prices import NoPrice, price_notes, why_no_price
from .results import Price, Recommendation, TokensPerSecond
from .usable import usable_is_estimated

MIN_VCPU_PER_GPU = 2
"""An engine runs one process per card and one to serve (vLLM documents 2 + N cores)."""

OWN = ("machines", "tight_miss")
"""Sentences of `advise.toml` that a demand may say in its own way: how it is cut, what may be made smaller."""


class Words:
    """Writes recommendations in one language, for one region, currency and budget."""

    def __init__(
        self,
        language: Language,
        *,
        wish: Wish,
        disk_gib: float,
        own: dict[str, dict[str, str]] | None = None,
    ) -> None:
        self.language = language
        self.wish = wish
        self.region = wish.region
        self.currency = wish.currency
        self.disk_gib = disk_gib
        said = {code: own[code] for code in OWN if code in own} if own else {}
        self._table = read_phrases("tools", "phrases/advise.toml") | said

    def recommend(
        self,
        offer: Offer,
        *,
        cautions: list[str],
        leads: bool = False,
        speed: TokensPerSecond | None = None,
    ) -> Recommendation:
        """The offer with its reasons; `leads` when it comes first although it is not on sale or has no price."""
        row = offer.instance
        return Recommendation(
            instance_type=row.instance_type,
            instances=offer.machines,
            family=row.family,
            gpu_id=row.gpu_id,
            gpu_count=row.gpu_count,
            gpu_memory_gb_total=row.gpu_memory_gb_total,
            required_gib_per_gpu=offer.required_gib,
            usable_gib_per_gpu=offer.usable_gib,
            headroom_gib=offer.headroom_gib,
            fits=offer.fits,
            vcpu=row.vcpu,
            memory_gib=row.memory_gib,
            tokens_per_s=speed,
            price=None if isinstance(offer.price, NoPrice) else offer.price,
            prices=list(prices_to_show(row.instance_type, self.region)),
            status=row.status,
            catalog_as_of=catalog_as_of(row.instance_type),
            reasons=self._reasons(offer, leads),
            cautions=list(dict.fromkeys(self._cautions(offer) + cautions)),
        )

    def say(self, code: str, **arguments: object) -> str:
        """A phrase of `advise.toml`."""
        return say(self._table, code, self.language, **arguments)

    def _reasons(self, offer: Offer, leads: bool) -> list[str]:
        reasons = [self._memory_reason(offer)]
        row = offer.instance
        if offer.machines > 1:
            cards = offer.machines * row.gpu_count
            reasons.append(self.say("machines", machines=offer.machines, cards=cards))
            reasons += [self.say("rdma")] if row.rdma != "none" else []
        if offer.estimate.gpus < row.gpu_count * offer.machines:
            reasons.append(
                self.say(
                    "idle_cards", used=offer.estimate.gpus, count=row.gpu_count * offer.machines
                )
            )
        if not offer.holds_host:
            resident = offer.resident_gib > 0
            needed = offer.resident_gib if resident else offer.host_memory_gib
            code = "short_resident" if resident else "short_host"
            reasons.append(self.say(code, memory=_number(row.memory_gib), needed=_number(needed)))
        reasons += self._price_reasons(offer)
        if row.status != "on_sale":
            reasons.append(self.say(f"status.{row.status}"))
        if leads and tier(offer, self.currency) > 0:
            reasons.append(self.say(self._why_first(offer), region=self.region_name(self.region)))
        if offer.fits and self.disk_gib > 0:
            reasons.append(self.say("disk", gib=f"{self.disk_gib:.0f}"))
        return reasons

    def _why_first(self, offer: Offer) -> str:
        """Code why a type leads that is not on sale, or has no price in the region."""
        if not has_prices(self.region, self.currency):
            return "region_without_prices"
        return "first_unpriced" if offer.instance.status == "on_sale" else "only_choice"

    def _memory_reason(self, offer: Offer) -> str:
        code = "fits" if offer.headroom_gib >= 0 else "short"
        return self.say(
            code,
            required=_number(offer.required_gib),
            limit=_number(offer.limit_gib),
            usable=_number(offer.usable_gib),
            utilization=f"{offer.utilization:g}",
            headroom=_number(offer.headroom_gib),
            missing=_number(-offer.headroom_gib),
        )

    def _price_reasons(self, offer: Offer) -> list[str]:
        price = offer.price
        if isinstance(price, NoPrice):
            return [why_no_price(price, self.language), *self._budget_reasons(offer)]
        reasons = [
            self.say(
                "price",
                region=self.region_name(price.region),
                amount=price.amount,
                currency=price.currency,
                date=price.as_of,
            )
        ]
        total = price.amount * offer.machines
        if offer.machines > 1:
            reasons.append(
                self.say(
                    "price_of_all", machines=offer.machines, total=total, currency=price.currency
                )
            )
        return reasons + self._budget_reasons(offer)

    def _budget_reasons(self, offer: Offer) -> list[str]:
        """What a budget by the month is held against, and by how much a budget is exceeded."""
        name, wish = offer.instance.instance_type, self.wish
        hour = cost_to_rank(name, wish.without_month, machines=offer.machines) if wish.max_hourly is not None else None
        month = month_cost(name, wish, machines=offer.machines) if wish.max_monthly is not None else None
        found: list[str] = []
        if month is not None:
            code = "month_estimate" if month.estimated else "month_listed"
            region = self.region_name(month.price.region)
            found.append(self.say(code, region=region, total=_money(month.amount), currency=wish.currency, date=month.price.as_of))
        for code, total, most in (
            ("over_budget", hour, wish.max_hourly),
            ("over_budget_month", month.amount if month else None, wish.max_monthly),
        ):
            if most is None:
                continue
            if total is None:
                found.append(self.say("budget_unknown"))
            elif total > most:
                figures = {"total": _money(total), "most": _money(most), "over": _money(total - most)}
                found.append(self.say(code, currency=wish.currency, **figures))
        return list(dict.fromkeys(found))

    def _cautions(self, offer: Offer) -> list[str]:
        row, band = offer.instance, offer.estimate.per_gpu_gib
        found: list[str] = []
        if offer.tight and offer.headroom_gib >= 0:
            found.append(
                self.say("tight", high=_number(band.high), limit=_number(offer.limit_gib))
            )
        if offer.tight and offer.headroom_gib < 0:
            found.append(self.say("tight_miss", low=_number(band.low)))
        found += self._host_cautions(offer)
        plain = {
            "usable_estimated": usable_is_estimated(offer.gpu) and not row.vgpu,
            "few_vcpu": row.vcpu < MIN_VCPU_PER_GPU * row.gpu_count,
            "arm": row.cpu_arch == "arm64",
            "vgpu_slice": row.vgpu,
            "no_rdma": offer.machines > 1 and row.rdma == "none",
        }
        found += [self.say(code) for code, holds in plain.items() if holds]
        if row.instance_type in gone_types():
            found.append(self.say("no_longer_listed", date=active_day()))
        # The first price note is scope and date, which the reasons already say.
        return found + (
            [] if isinstance(offer.price, NoPrice) else price_notes(offer.price, self.language)[1:]
        )

    def _host_cautions(self, offer: Offer) -> list[str]:
        memory = offer.instance.memory_gib
        if memory is None:
            return [self.say("host_memory_unknown")]
        if memory < offer.host_memory_gib and offer.holds_host:
            needed = _number(offer.host_memory_gib)
            return [self.say("host_memory_small", memory=_number(memory), needed=needed)]
        return []

    def month_elsewhere(self, instance_type: str, price: Price) -> str:
        """That another region lists a subscription which keeps the budget, with what must be said beside it."""
        notes = ("；" if self.language == "zh" else "; ").join(price_notes(price, self.language))
        where = {"region": self.region_name(price.region), "type": instance_type, "notes": notes}
        return self.say("note_month_elsewhere", total=price.amount, currency=price.currency, **where)

    def region_name(self, region: str) -> str:
        """As people call it, in the language."""
        row = regions()[region]
        return row.name_zh if self.language == "zh" else row.name_en


def _money(amount: Decimal) -> str:
    """As listed, without an exponent or zeros at its end."""
    return f"{amount.normalize():f}"


def _number(value: float | None) -> str:
    return "?" if value is None else f"{value:.1f}".removesuffix(".0")
