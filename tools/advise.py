"""Which instance types a job fits on, ranked. Knows cards, machines and prices, and nothing of what is run on them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from knowledge.facts import gpus, instances
from knowledge.rows import Gpu, Instance

from .advice_words import Words
from .budget import cost_to_rank, keeps_budget, month_elsewhere
from .cards import card_label
from .demand import Advice, Demand, Spread, Timed, Wish, resident_gib
from .offers import (
    RETIRED,
    Offer,
    RankKey,
    card_of,
    choose_cheapest,
    choose_faster,
    choose_safer,
    closest,
    has_prices,
    hourly_price,
    rank,
    sources_of,
)
from .phrases import Language, read_phrases, say
from .results import Estimate, Recommendation
from .wishes import check_wish, is_asked

__all__ = ["Advice", "Demand", "Timed", "Wish", "advise", "first_that_fits"]

MACHINES = (2, 3, 4, 6, 8, 12, 16)
"""Numbers of machines tried when none holds the job alone."""

SHOWN = 8
"""Near misses, machine groups and retired types listed at most."""


def advise(
    demand: Demand,
    wish: Wish | None = None,
    *,
    language: Language = "en",
    phrase_table: str = "phrases/serving.toml",
) -> Advice:
    """Types of the catalog that `demand` fits on, ranked by the rules of `offers.rank`.

    `phrase_table` is the file in which the demand's codes stand (their only argument is `{gpu}`), and those sentences of
    `advice_words.OWN` that it says in its own way.
    Raises UnknownInstance and InputError for a wish that names a type, family or region outside the catalog.
    """
    return _advisor(demand, wish, language, phrase_table).advise()


def first_that_fits(
    demand: Demand, wish: Wish, *, language: Language, phrase_table: str
) -> Instance | None:
    """The type of the first recommendation of `advise`, without the rest of the advice."""
    return _advisor(demand, wish, language, phrase_table).first()


def _advisor(
    demand: Demand, wish: Wish | None, language: Language, phrase_table: str
) -> _Advisor:
    asked, phrases = check_wish(wish or Wish(), language), read_phrases("tools", phrase_table)
    words = Words(language, wish=asked, disk_gib=demand.disk_gib, own=phrases)
    return _Advisor(demand, asked, words, phrases)


class _Advisor:
    """One run of `advise`: offers of single machines, then of several, sorted into the lists of Advice."""

    def __init__(
        self, demand: Demand, wish: Wish, words: Words, phrases: dict[str, dict[str, str]]
    ) -> None:
        self.demand = demand
        self.wish = wish
        self.words = words
        self.phrases = phrases
        self.spread = demand if isinstance(demand, Spread) else None
        self.timed = demand if isinstance(demand, Timed) else None
        self.estimates: dict[str, Estimate] = {}
        self._ways: dict[tuple[str, int, int, float | None], Estimate | None] = {}

    def advise(self) -> Advice:
        rows, blocked = self._usable()
        offers = self._ranked(self._offers(rows))
        buyable, retired = self._may_be_had(offers)
        misses = closest(o for o in offers if not o.fits and not self._is_off_sale(o))
        alternatives = [] if buyable else self._alternatives()
        groups = [] if buyable or alternatives else self._groups(rows)
        within, dear, unpriced = self._by_budget(buyable)
        group_within, group_dear, group_unpriced = self._by_budget(groups)
        picks = [choose(within, self.wish.currency) for choose in _CHOICES]
        cheapest, safer, faster = (pick.instance.instance_type if pick else None for pick in picks)
        told = [*within[:3], *(p for p in picks if p), *dear[:1], *misses[:3], *group_within[:2]]
        return Advice(
            recommendations=self._recommend(within, leads=True),
            near_misses=self._recommend(misses[:SHOWN]),
            over_budget=self._recommend((dear + group_dear)[:SHOWN]),
            price_unknown=self._recommend((unpriced + group_unpriced)[:SHOWN]),
            off_sale=self._recommend(retired[:SHOWN]),
            multi=self._recommend(group_within[:SHOWN], leads=True),
            alternatives=self._recommend(alternatives),
            blocked=blocked,
            cheapest=cheapest,
            safer=safer,
            faster=faster,
            estimates=self.estimates,
            notes=[*self._notes(), *self._months_elsewhere([*within, *group_within], dear)],
            source_ids=sources_of([*told, *alternatives]),
            region_has_prices=has_prices(self.wish.region, self.wish.currency),
        )

    def first(self) -> Instance | None:
        """The first single machine within the budget."""
        buyable, _ = self._may_be_had(self._ranked(self._offers(self._usable()[0])))
        within, _, _ = self._by_budget(buyable)
        return within[0].instance if within else None

    def single_machines(self) -> list[Offer]:
        """Single machines that fit and may be had: within the budget, else over it, else without a price."""
        buyable, _ = self._may_be_had(self._ranked(self._offers(self._usable()[0])))
        within, dear, unpriced = self._by_budget(buyable)
        return within or dear or unpriced

    def _usable(self) -> tuple[list[Instance], dict[str, str]]:
        """Types that the wish admits and whose card can run the job, and the reasons by card for the others."""
        rows = [row for row in instances().values() if is_asked(row, self.wish)]
        blocked = self._blocked({row.gpu_id for row in rows})
        return [row for row in rows if row.gpu_id not in blocked], blocked

    def _may_be_had(self, offers: list[Offer]) -> tuple[list[Offer], list[Offer]]:
        """Those that fit: still sold (or named by the wish), and retired."""
        fitting = [offer for offer in offers if offer.fits]
        retired = [offer for offer in fitting if self._is_off_sale(offer)]
        return [offer for offer in fitting if not self._is_off_sale(offer)], retired

    def _blocked(self, gpu_ids: set[str]) -> dict[str, str]:
        """Reason by card, in the order of the card table."""
        cards = [gpu for gpu_id, gpu in gpus().items() if gpu_id in gpu_ids]
        codes = [(gpu, self.demand.blocked(gpu)) for gpu in cards]
        return {gpu.gpu_id: self._phrase(code, gpu) for gpu, code in codes if code}

    def _phrase(self, code: str, gpu: Gpu) -> str:
        """A phrase of the demand's own table; `{gpu}` in it is the card's name."""
        language = self.words.language
        return say(self.phrases, code, language, gpu=card_label(gpu, language))

    def _offers(self, rows: Iterable[Instance]) -> list[Offer]:
        made = (self._offer(row, machines=1) for row in rows)
        return [offer for offer in made if offer is not None]

    def _offer(self, row: Instance, *, machines: int) -> Offer | None:
        estimate = self._estimate(row, machines)
        if estimate is None:
            return None
        return Offer(
            instance=row,
            gpu=gpus()[row.gpu_id],
            estimate=estimate,
            utilization=self.wish.utilization,
            price=hourly_price(row.instance_type, self.wish.region, self.wish.currency),
            host_memory_gib=self.demand.host_memory_gib / machines,
            resident_gib=resident_gib(self.demand) / machines,
            machines=machines,
        )

    def _estimate(self, row: Instance, machines: int) -> Estimate | None:
        """The way that needs least per card; of equals the one with fewer cards."""
        slice_gib = row.gpu_memory_gb_each if row.vgpu else None
        key = (row.gpu_id, row.gpu_count, machines, slice_gib)
        if key not in self._ways:
            ways = self._ways_of_running(card_of(row), row.gpu_count, machines)
            best = min(ways, key=lambda way: (way.per_gpu_gib.best, way.gpus), default=None)
            self._ways[key] = best
            if best is not None:
                self.estimates.setdefault(f"{row.gpu_id}x{row.gpu_count * machines}", best)
        return self._ways[key]

    def _ways_of_running(self, gpu: Gpu, count: int, machines: int) -> tuple[Estimate, ...]:
        if machines > 1 and self.spread:
            return self.spread.estimates_across(gpu, count, machines)
        return self.demand.estimates(gpu, count * machines)

    def _groups(self, rows: Iterable[Instance]) -> list[Offer]:
        """For each family the fewest machines of its largest size that hold the job together."""
        largest: dict[str, int] = {}
        whole = [row for row in rows if not row.vgpu and row.status not in RETIRED]
        for row in whole:
            largest[row.family] = max(largest.get(row.family, 0), row.gpu_count)
        groups = [self._group(row) for row in whole if row.gpu_count == largest[row.family]]
        return self._ranked([group for group in groups if group is not None])

    def _group(self, row: Instance) -> Offer | None:
        for machines in MACHINES:
            offer = self._offer(row, machines=machines)
            if offer is not None and offer.fits:
                return offer
        return None

    def _ranked(self, offers: list[Offer]) -> list[Offer]:
        def key(offer: Offer) -> RankKey:
            cost = cost_to_rank(offer.instance.instance_type, self.wish, machines=offer.machines)
            return rank(offer, self.wish.currency, cost)

        return sorted(offers, key=key)

    def _is_off_sale(self, offer: Offer) -> bool:
        row = offer.instance
        named = row.instance_type in self.wish.instance_types or row.family in self.wish.families
        return row.status in RETIRED and not named

    def _by_budget(self, offers: list[Offer]) -> tuple[list[Offer], list[Offer], list[Offer]]:
        """Within the budget, over it, not to be held against it. Without a budget everything is within."""
        if not self.wish.has_budget:
            return offers, [], []
        held = [(o, keeps_budget(self.wish, o.instance.instance_type, machines=o.machines)) for o in offers]
        within, dear, unpriced = ([o for o, keeps in held if keeps is verdict] for verdict in (True, False, None))
        return within, dear, unpriced

    def _recommend(self, offers: list[Offer], *, leads: bool = False) -> list[Recommendation]:
        return [self._worded(offer, leads=leads and offer is offers[0]) for offer in offers]

    def _worded(self, offer: Offer, *, leads: bool) -> Recommendation:
        if offer.machines > 1 and self.spread:
            codes = self.spread.cautions_across(offer.gpu, offer.instance.gpu_count, offer.machines)
        else:
            codes = self.demand.cautions(offer.gpu, offer.estimate.gpus)
        cautions = [self._phrase(code, offer.gpu) for code in codes]
        speed = None
        if self.timed and offer.fits:
            speed = self.timed.tokens_per_s(offer.gpu, offer.estimate)
        return self.words.recommend(offer, cautions=cautions, leads=leads, speed=speed)

    def _alternatives(self) -> list[Offer]:
        """What would do without the wish's restrictions: the same card in another number, then anything."""
        if not self.wish.restricted:
            return []
        asked = self.wish
        free = Wish(asked.region, asked.max_hourly, asked.max_monthly, asked.currency, utilization=asked.utilization)
        same_card = replace(free, gpu_ids=self.wish.gpu_ids) if self.wish.gpu_ids else free
        found = [*self._with(same_card).single_machines()[:1], *self._with(free).single_machines()]
        return list({offer.instance.instance_type: offer for offer in found}.values())[:3]

    def _with(self, wish: Wish) -> _Advisor:
        other = _Advisor(self.demand, wish, self.words, self.phrases)
        other.estimates, other._ways = self.estimates, self._ways
        return other

    def _months_elsewhere(self, within: list[Offer], dear: list[Offer]) -> list[str]:
        """The cheapest subscription of another region that keeps a monthly budget which nothing keeps here."""
        found = None if within else month_elsewhere([offer.instance.instance_type for offer in dear], self.wish)
        return [self.words.month_elsewhere(*found)] if found else []

    def _notes(self) -> list[str]:
        slices = self.wish.include_vgpu or self.wish.vgpu_names
        codes = ["note_stock"] if slices else ["note_stock", "note_vgpu"]
        codes += ["note_month"] if self.wish.max_monthly is not None else []
        codes += ["note_usd"] if self.wish.has_budget and self.wish.currency == "USD" else []
        return [self.words.say(code) for code in codes]


_CHOICES = (choose_cheapest, choose_safer, choose_faster)
