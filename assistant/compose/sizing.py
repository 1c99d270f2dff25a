"""Composes the answer to "what does this model need, and which instance": the pick, the sum, the choices."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from assistant.answer import Caution
from assistant.evidence import Evidence, Finding
from assistant.read.reading import Reading
from knowledge import facts
from tools.llm_demand import PHRASES
from tools.phrases import read_phrases, say
from tools.prices import HOURS_PER_MONTH
from tools.results import Recommendation
from tools.sizing_results import CardCheck, LlmSizing, Variant

from . import words
from .draft import Draft, Voice, paragraphs
from .price import price_line

MAX_VARIANTS = 2
MAX_CHECKS = 4
MAX_MISSES = 2


def compose_sizing(reading: Reading, evidence: Evidence, finding: Finding) -> Draft:
    """The answer to a serving question from one `size_llm` finding."""
    return _SizingText(reading, evidence, finding).draft()


class _SizingText:
    """One sizing answer in the making; `derived` collects the figures that the text itself works out."""

    def __init__(self, reading: Reading, evidence: Evidence, finding: Finding) -> None:
        self.language = reading.language
        self.evidence = evidence
        self.sizing = finding.read(LlmSizing)
        self.asked_region = str(finding.args.get("region") or "cn-hangzhou")
        self.voice = Voice("sizing", reading.language)
        self.billing = reading.billing
        self.derived: list[float] = []
        advice = self.sizing.advice
        self.picks = advice.recommendations or advice.multi
        self.utilization = self._utilization()

    def draft(self) -> Draft:
        assumptions = list(self._assumptions())
        closing = self.voice("last_priced" if self._priced() else "last_unpriced")
        text = paragraphs(
            *self._check_lines(),
            self._headline(),
            self._table(),
            self._tight(),
            self._watch(),
            self._room(),
            self._others(),
            *self._savings(),
            self._other_billing(),
            self._command(),
            self.voice("assumptions", items=("；" if self.language == "zh" else "; ").join(assumptions), last=closing),
        )
        return Draft(
            kind="sizing",
            text=text,
            assumptions=assumptions,
            cautions=list(self._cautions()),
            estimate=self.sizing.estimate,
            recommendations=self.picks or self.sizing.advice.near_misses[:MAX_MISSES],
            derived=self.derived,
        )

    def _utilization(self) -> float:
        usable = self.sizing.estimate.will_show_gib
        shown = [*self.picks, *self.sizing.advice.near_misses][:1]
        if not shown or not usable:
            return 0.90
        return round(self.sizing.limit_gib / shown[0].usable_gib_per_gpu, 2)

    def _derive(self, value: float) -> float:
        self.derived.append(value)
        return value

    def _priced(self) -> bool:
        return any(pick.price is not None for pick in self.picks)

    def _cards(self, pick: Recommendation) -> str:
        return words.cards(facts.gpus()[pick.gpu_id], pick.gpu_count, self.language)

    # the pick

    def _headline(self) -> str:
        if not self.picks:
            return self._nothing()
        first = self.picks[0]
        code = "pick" if first.instances == 1 else "pick_machines"
        return self.voice(
            code,
            instance=first.instance_type,
            machines=first.instances,
            cards=self._cards(first),
            price=self._price(first),
            why=self._why(first),
        )

    def _why(self, first: Recommendation) -> str:
        region = words.region(self.asked_region, self.language)
        if first.price is not None and first.status == "on_sale":
            return self.voice("why_cheapest", region=region)
        return self.voice("why_only", status=self._status(first))

    def _price(self, pick: Recommendation) -> str:
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
        self._derive(float(total.amount))
        return listed + (
            "，" if self.language == "zh" else ", "
        ) + self.voice("price_total", machines=pick.instances, total=words.price(total, self.language))  # fmt: skip

    def _status(self, pick: Recommendation) -> str:
        return self.voice(f"status_{pick.status}")

    def _nothing(self) -> str:
        sizing = self.sizing
        need = self.voice(
            "nothing_need",
            weights=words.gib(sizing.totals.weights_gib),
            kv=words.gib(sizing.totals.kv_gib),
            users=sizing.concurrency,
            context=words.tokens(sizing.context),
        )
        closest = ""
        if sizing.advice.near_misses:
            miss = sizing.advice.near_misses[0]
            limit = self._derive(miss.required_gib_per_gpu + miss.headroom_gib)
            closest = self.voice(
                "nothing_closest",
                instance=miss.instance_type,
                cards=self._cards(miss),
                required=words.gib(miss.required_gib_per_gpu),
                limit=words.gib(limit),
                short=words.gib(self._derive(-miss.headroom_gib)),
            )
        return self.voice("nothing", need=need, closest=closest)

    # the sum

    def _table(self) -> str:
        estimate, voice = self.sizing.estimate, self.voice
        rows = [voice("table_head", tp=self.sizing.tensor_parallel)]
        rows += [self._row(name, value) for name, value in estimate.parts.items()]
        rows.append(
            voice(
                "row_total",
                value=words.gib(estimate.per_gpu_gib.best),
                limit=words.gib(self.sizing.limit_gib),
                usable=f"{self._derive(self.sizing.limit_gib / self.utilization):.2f}",
                utilization=f"{self.utilization:g}",
            )
        )
        return "\n".join(rows)

    def _row(self, name: str, value: float) -> str:
        sizing, totals = self.sizing, self.sizing.totals
        if not self.voice.has(f"row_{name}"):
            return self.voice("row_other", name=name, value=words.gib(value))
        split = ""
        if sizing.tensor_parallel > 1:
            mla = name == "kv_cache" and sizing.model.attention == "mla"
            split = self.voice("split_mla" if mla else "split", tp=sizing.tensor_parallel)
        formula = name in ("activations", "engine")
        return self.voice(
            f"row_{name}",
            value=words.gib(value),
            dtype=sizing.weight_dtype,
            total=words.gib(totals.weights_gib if name == "weights" else totals.kv_gib),
            gb=words.gib(totals.weights_gb),
            each=words.gib(totals.kv_gib_per_sequence),
            users=sizing.concurrency,
            context=words.tokens(sizing.context),
            split=split,
            mark=self.evidence.mark(["vllm-startup-logs"] if formula else sizing.model.source_ids),
        )

    def _tight(self) -> str:
        estimate = self.sizing.estimate
        if not self.picks or estimate.per_gpu_gib.high <= self.sizing.limit_gib:
            return ""
        figures = {"required": words.gib(estimate.per_gpu_gib.best), "limit": words.gib(self.sizing.limit_gib)}
        flags = next((c.fits_with for c in self.sizing.checks if c.fits_with), None) or self.sizing.room_flags
        return self.voice("tight", flags=flags, **figures) if flags else self.voice("tight_plain", **figures)

    def _watch(self) -> str:
        """What bites on the card that is shown."""
        assumed = {"model_typical": "typical_shape"}.get(next(iter(self.sizing.assumed), ""))  # said there
        items = [caution.text for caution in self._cautions() if caution.code != assumed]
        return self.voice("watch", items=self._sentences(items)) if items and self.picks else ""

    def _room(self) -> str:
        if not self.picks:
            return ""
        sizing, more = self.sizing, self.sizing.max_sequences - self.sizing.concurrency
        shared = {"context": words.tokens(sizing.context), "users": sizing.concurrency}
        if more > 0:
            room = self.voice("room", more=int(self._derive(more)), longest=f"{sizing.longest_context:,}", **shared)
        else:
            room = self.voice("room_none", holds=sizing.max_sequences, **shared)
        if sizing.estimate.will_show_gib is None:
            return room
        shown = self.voice("will_show", shown=words.gib(sizing.estimate.will_show_gib))
        return room + ("" if self.language == "zh" else " ") + shown

    # choices

    def _others(self) -> str:
        lines = [*self._tight_ones(), *self._other("safer"), *self._other("faster"), *self._full_load(), *self._misses(), *self._ruled_out()]
        return "\n".join([self.voice("others"), *lines]) if lines else ""

    def _other(self, name: str) -> Iterator[str]:
        advice = self.sizing.advice
        chosen = getattr(advice, name)
        pick = next((p for p in self.picks[1:] if p.instance_type == chosen), None)
        if pick is None:
            return
        if name == "faster" and pick.instance_type == advice.safer:
            return
        gpu = facts.gpus()[pick.gpu_id]
        bandwidth = self._derive((gpu.memory_bandwidth_gb_s or 0) * pick.gpu_count)
        yield self.voice(
            f"other_{name}",
            instance=pick.instance_type,
            cards=self._cards(pick),
            headroom=words.gib(pick.headroom_gib),
            bandwidth=f"{bandwidth:,.0f}",
            price=self._price(pick),
            note=self._note(pick),
        )

    def _tight_ones(self) -> Iterator[str]:
        """The first pick of fewer cards that fits only just, so that the temptation is answered."""
        first = self.picks[0] if self.picks else None
        for pick in self.picks[1:]:
            estimate = self.sizing.advice.estimates.get(f"{pick.gpu_id}x{pick.gpu_count}")
            limit = pick.required_gib_per_gpu + pick.headroom_gib
            if first and estimate and estimate.per_gpu_gib.high > limit and pick.gpu_id != first.gpu_id:
                yield self.voice(
                    "other_tight",
                    instance=pick.instance_type,
                    cards=self._cards(pick),
                    required=words.gib(pick.required_gib_per_gpu),
                    limit=words.gib(self._derive(limit)),
                    flags=self.voice("other_tight_flags", utilization=f"{self._derive(0.95):.2f}"),
                    price=self._price(pick),
                )
                return

    def _misses(self) -> Iterator[str]:
        """The closest misses, one a card, those one can simply order first: a known card's failure is worth saying."""
        fitting = {(pick.gpu_id, pick.gpu_count) for pick in self.picks}
        misses = [m for m in self.sizing.advice.near_misses if (m.gpu_id, m.gpu_count) not in fitting]
        first_of_card = list({m.gpu_id: m for m in reversed(misses)}.values())[::-1]
        ordered = sorted(first_of_card, key=lambda m: (m.status != "on_sale" or m.price is None, -m.headroom_gib))
        for miss in ordered[:MAX_MISSES]:
            yield self.voice(
                "other_miss",
                instance=miss.instance_type,
                cards=self._cards(miss),
                required=words.gib(miss.required_gib_per_gpu),
                limit=words.gib(self._derive(miss.required_gib_per_gpu + miss.headroom_gib)),
                usable=f"{miss.usable_gib_per_gpu:.1f}",
                utilization=f"{self.utilization:g}",
            )

    def _note(self, pick: Recommendation) -> str:
        """Status where it is no plain sale, then what bites on that card."""
        status = [] if pick.status == "on_sale" else [self._status(pick)]
        return self._sentences([*status, *pick.cautions[:2]])

    def _sentences(self, items: list[str]) -> str:
        if not items:
            return ""
        joined = ("；" if self.language == "zh" else "; ").join(item.rstrip("。.") for item in items)
        return joined + "。" if self.language == "zh" else joined[0].upper() + joined[1:] + "."

    def _full_load(self) -> Iterator[str]:
        """What the usual number of users would take, where the answer is for fewer."""
        machines = self.sizing.full_load
        if machines is not None:
            yield self.voice(
                "other_full_load",
                users=self.sizing.full_load_concurrency,
                context=words.tokens(self.sizing.context),
                machines=machines.instances,
                instance=machines.instance_type,
                price=self._price(machines),
            )

    def _ruled_out(self) -> Iterator[str]:
        """The largest card that cannot run the job, and whether memory would have been enough."""
        check = self.sizing.ruled_out
        if check is None or any(named.gpu_id == check.gpu_id for named in self.sizing.checks):
            return
        yield self.voice(
            "other_ruled_out" if check.headroom_gib >= 0 else "other_ruled_out_short", **self._check_figures(check)
        )

    def _savings(self) -> Iterator[str]:
        first_to = {variant.instance_type: variant for variant in reversed(self.sizing.variants)}
        for variant in [v for v in self.sizing.variants if first_to[v.instance_type] is v][:MAX_VARIANTS]:
            yield self._saving(variant)

    def _saving(self, variant: Variant) -> str:
        gpu = facts.gpus()[facts.instances()[variant.instance_type].gpu_id]
        change = self.voice(
            f"change_{variant.code}", weights=words.gib(variant.weights_gib), kv=words.gib(variant.kv_gib)
        )
        shared = {
            "change": change,
            "instance": variant.instance_type,
            "cards": words.cards(gpu, variant.gpu_count, self.language),
            "effect": self.voice(f"effect_{variant.code}"),
        }
        if variant.hourly is None:
            return self.voice("cheaper_unpriced", **shared)
        if variant.saves_per_hour is None:
            return self.voice("cheaper_orderable", hourly=words.money(variant.hourly), **shared)
        return self.voice(
            "cheaper",
            hours=f"{self._derive(HOURS_PER_MONTH):g}",
            hourly=words.money(variant.hourly),
            saving=words.money(variant.saves_per_hour),
            monthly=words.money_round(variant.saves_per_month or Decimal(0)),
            **shared,
        )

    def _other_billing(self) -> str:
        """Subscription and spot prices of the pick, where the question asks for them."""
        ways = [way for way in ("month", "spot") if way in self.billing]
        if not ways or not self.picks:
            return ""
        first, voice = self.picks[0], Voice("price", self.language)
        lines = []
        for way in ways:
            found = [price for price in first.prices if price.billing == way]
            here = [price for price in found if price.region == self.asked_region] or found
            lines += [price_line(voice, self.evidence, price) for price in here[:3]]
            lines += [] if found else [voice(f"none_{way}", name=f"`{first.instance_type}`")]
        return "\n".join(lines)

    def _command(self) -> str:
        if not self.picks or not self.sizing.estimate.command:
            return ""
        return self.voice(
            "command",
            command=self.sizing.estimate.command,
            weights=f"{self.sizing.totals.weights_gib:,.0f}",
            disk=f"{self.sizing.totals.disk_gib:,.0f}",
        )

    # what the user named

    def _check_lines(self) -> Iterator[str]:
        for check in self.sizing.checks[:MAX_CHECKS]:
            line = self.voice(self._check_code(check), **self._check_figures(check))
            if check.fits_with and not check.blocked:
                line += ("" if self.language == "zh" else " ") + self.voice("check_flags", flags=check.fits_with)
            yield line

    def _check_code(self, check: CardCheck) -> str:
        if check.blocked:
            return "check_blocked"
        if check.fits:
            return "check_tight" if check.tight else "check_fits"
        # Nobody asked for that many users: say how many it does hold before saying no.
        assumed = {"concurrency", "concurrency_lowered"} & set(self.sizing.assumed)
        fewer = bool(assumed) and check.max_sequences >= 1
        return "check_fewer" if fewer else "check_misses"

    def _check_figures(self, check: CardCheck) -> dict[str, object]:
        gpu = facts.gpus()[check.gpu_id]
        cards = words.cards(gpu, check.gpus, self.language)
        return {
            "label": f"`{check.instance_type}`" if check.instance_type else cards,
            "cards": cards,
            "tp": check.tensor_parallel,
            "required": words.gib(check.required_gib),
            "weights": words.gib(check.weights_gib),
            "kv": words.gib(check.kv_gib),
            "limit": words.gib(check.limit_gib),
            "usable": f"{check.usable_gib:.1f}",
            "utilization": f"{self.utilization:g}",
            "headroom": words.gib(check.headroom_gib),
            "sequences": check.max_sequences,
            "longest": f"{check.longest_context:,}",
            "users": self.sizing.concurrency,
            "context": words.tokens(self.sizing.context),
            "times": words.gib(check.times_too_large or 0),
            "reason": check.blocked or "",
            "mark": self.evidence.mark(gpu.source_ids[:1]),
        }

    # what was taken for granted

    def _assumptions(self) -> Iterator[str]:
        sizing, model = self.sizing, self.sizing.model
        figures = {
            "context": words.tokens(sizing.context),
            "users": sizing.concurrency,
            "default": 8,
            "dtype": sizing.weight_dtype,
            "model": model.model_id,
            "others": "、".join(model.alternatives[:3]) if self.language == "zh" else ", ".join(model.alternatives[:3]),
            "size": words.plain(round(model.params_billion, 1)),
        }
        for code in sizing.assumed:
            yield self.voice(f"assume_{code}", **figures)
        yield self.voice(
            "assume_engine",
            utilization=f"{self.utilization:g}",
            kv_dtype=sizing.kv_dtype,
            users=sizing.concurrency,
            context=words.tokens(sizing.context),
        )

    def _cautions(self) -> Iterator[Caution]:
        table = read_phrases("tools", PHRASES)
        for code in self.sizing.cautions:
            yield Caution(code=code, text=say(table, code, self.language), source_ids=self.sizing.source_ids[:2])
