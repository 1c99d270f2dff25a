"""What of costs, orders, regions and of the catalog itself is asked, and the intents that follow from it. Patterns: asks.toml."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import Literal

from .lexicon import read_table
from .reading import COSTS, Intent, NameMention, Reading

_SUBJECT = ("models", "config_json", "networks", "diffusion_models", "speech_models")
_HARDWARE = ("cards", "families", "instances")
_ORDER = ("order", "command", "terraform", "quota")
_MONEY: frozenset[Intent] = frozenset(("price", "comparison", "guidance", "catalog", "claim_check"))
"""Intents that an ask for costs stands in place of."""
_ALWAYS = ("pay_off", "ways", "idle", "order", "command", "terraform", "quota", "where", "state", "refresh")


@cache
def _pattern(name: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in read_table("asks")[name]["any"]))


def _says(name: str, lower: str) -> bool:
    return _pattern(name).search(lower) is not None


def find_asks(reading: Reading, lower: str, cues: Iterable[str]) -> list[str]:
    """The asks of a question whose other fields are read. `cues` are the turns of phrase it holds."""
    cues = set(cues)
    asks = [name for name in _ALWAYS if _says(name, lower)]
    asks = _of_machines(reading, lower, cues, asks)
    found = {
        "ways": _weighs_ways(reading, cues) and "ways" not in asks,
        "api": _weighs_api(reading, lower),
        "run": _prices_a_run(reading, cues),
        "within": _is_budget_alone(reading, cues),
        "affords": _limits_named(reading, cues),
        "sold_there": _asks_what_is_sold(reading, lower),
    }
    asks += [name for name, true in found.items() if true]
    return [*asks, "machine"] if asks and {"need", "size", "fit"} & cues else asks


def _of_machines(reading: Reading, lower: str, cues: set[str], asks: list[str]) -> list[str]:
    """Asks about getting a machine: what asks for a code alone, for prices, or for a machine in a region is told apart."""
    hardware = any(mention.known for mention in _named(reading))
    if not {"order", "where"} & {*asks} and hardware and _says("order_named", lower):
        asks = [*asks, "order"]
    if {"command", "terraform"} & {*asks} and not _says("steps", lower):
        asks = [ask for ask in asks if ask != "order"]  # "下单命令" asks for the command alone
    if "where" in asks:
        return [ask for ask in asks if ask != "where" or not _says("cheap", lower)]
    here = hardware and reading.regions and "how" not in cues and not _says("cheap", lower) and _says("here", lower)
    return [*asks, "where"] if here else asks


def _asks_what_is_sold(reading: Reading, lower: str) -> bool:
    """What is sold in a region that is named: "乌兰察布有什么 GPU"."""
    alone = not any(getattr(reading, name) for name in (*_SUBJECT, *_HARDWARE))
    return bool(reading.regions) and alone and _says("sold_there", lower)


def _named(reading: Reading) -> list[NameMention]:
    return [*reading.instances, *reading.families, *reading.cards]


def _weighs_ways(reading: Reading, cues: set[str]) -> bool:
    """Two ways of paying, or one that is weighed: "包月划算吗", "is spot worth it", "节省计划能便宜多少"."""
    ways = set(reading.billing)
    if len(_named(reading)) > 1:
        return len(ways) > 1 and not {"compare"} & cues
    several = len(ways) > 1 and bool({"compare", "save", "price"} & cues or reading.hours or reading.months)
    return several or bool(ways - {"payg"}) and "save" in cues or bool(ways & {"ri", "savings_plan"})


def _weighs_api(reading: Reading, lower: str) -> bool:
    """Renting against an API: both are spoken of and weighed, or the API's price is told and a bargain asked for."""
    told = reading.api is not None
    if not told and not _says("api", lower):
        return False
    if told and reading.tokens_per_month is not None and _says("own", lower):
        return True
    return (told and (_says("api", lower) or reading.tokens_per_month is not None) and _says("weigh", lower)) or (_says("own", lower) and _says("weigh", lower) and _says("api", lower))


def _prices_a_run(reading: Reading, cues: set[str]) -> bool:
    """What a training costs, told by its data or its hours."""
    sized = reading.training_tokens or reading.samples or reading.epochs or reading.hours
    return (reading.job or "").endswith("training") and bool(sized) and "price" in cues


def _is_budget_alone(reading: Reading, cues: set[str]) -> bool:
    """What may be spent per time and nothing that is to be run for it: "每月 5000 以内", "with 20 CNY per hour"."""
    own = reading.job or any(getattr(reading, name) for name in (*_SUBJECT, *_HARDWARE))
    return reading.budget is not None and not own and not {"how", "why", "suit", "offtopic"} & cues


def _limits_named(reading: Reading, cues: set[str]) -> bool:
    """What may be spent per time on a machine that is named, nothing to be run on it: "月预算两万，A100 能租到吗"."""
    limited = reading.budget is not None and reading.budget.per != "once"
    alone = not reading.job and not any(getattr(reading, name) for name in _SUBJECT)
    return limited and alone and any(mention.known for mention in _named(reading)) and not {"how", "why", "suit", "offtopic"} & cues


def find_site(reading: Reading, lower: str) -> Literal["cn", "intl"] | None:
    """The site that is asked for by name; dollars of a budget or of an API say nothing of it."""
    if _says("intl", lower) and not (reading.budget or reading.api):
        return "intl"
    return "cn" if _says("cn", lower) else None


def intents_asked(reading: Reading, intents: list[Intent]) -> list[Intent]:
    """The intents with those that the asks stand for; what they answer better is taken out."""
    asks = set(reading.asks)
    if not asks or intents[0] == "hostile":
        return intents
    hardware = any(mention.known for mention in _named(reading))
    subject = any(getattr(reading, name) for name in _SUBJECT)
    new = list(_new(asks, hardware=hardware, subject=subject))
    if not new:
        return intents
    kept = [intent for intent in intents if not _is_replaced(intent, new, reading)]
    summed = {"api_cost", "run_cost"} & {*new}  # the sum is made all the same; it is shown where a machine is asked for
    first = [intent for intent in kept if intent == "sizing" and subject and not summed]
    rest: list[Intent] = [intent for intent in kept if intent in ("price", "comparison", "hostile") or (intent == "sizing" and summed and "machine" in asks)]
    timed = bool(reading.hours or reading.months) and subject and "order" in new
    if timed and "price" in rest:  # what the machine that the sum picks costs over that time
        new, rest = ["cost", *new], [intent for intent in rest if intent != "price"]
    return list(dict.fromkeys([*first, *new, *rest]))


LEANING = frozenset(("pay_off", "ways", "order", "command", "terraform", "quota", "where"))
"""Asks that are made of what was spoken of where nothing is named: "怎么买", "给我 Terraform", "包月划算吗"."""


def asks_again(reading: Reading, previous: Reading) -> dict[str, list[str]]:
    """"有没有能直接买的" after an order is about orders again."""
    again = previous.intents[0] == "order" and "order" not in reading.asks and _says("order_named", reading.normal.lower())
    return {"asks": [*reading.asks, "order"]} if again else {}


def asked_in_thread(reading: Reading, previous: Reading, cues: set[str], own: set[str]) -> list[Intent]:
    """The intents of a question that leans on the one before, where they are of costs or orders; else none.

    `own` are the fields that it says itself. A change of what was reckoned or ordered ("500 小时呢", "换成上海", "Qwen2.5-32B
    呢") asks the same again.
    """
    asks, before = set(reading.asks), previous.intents[0]
    if asks & LEANING:
        named = any(getattr(previous, name) or getattr(reading, name) for name in (*_HARDWARE, *_SUBJECT))
        return list(_new(asks & LEANING, hardware=named, subject=named))
    trains = (reading.job or previous.job or "").endswith("training")
    if trains and own & {"training_tokens", "samples", "epochs"} and ("price" in cues or before in ("run_cost", "price", "sizing")):
        return ["run_cost"]
    if before not in COSTS or before == "catalog_state":
        return []
    if before == "api_cost" and own & {"models", "api", "tokens_per_month", "machines", "region", "weight_dtype", *_HARDWARE}:
        return [before]
    if before == "run_cost" and own & {"models", "method", "hours", "machines", "gpus", "region", *_HARDWARE}:
        return [before]
    changed = own & {"hours", "months", "hours_per_month", "machines", "gpus", "region", "billing", "disk_gib", *_HARDWARE}
    if not changed or {"price", "why", "how", "spec", "claim", "fit", "need", "size"} & cues:
        return []
    return [before]


def _new(asks: set[str], *, hardware: bool, subject: bool) -> Iterable[Intent]:
    named = hardware or subject
    if "api" in asks:
        yield "api_cost"
    if "run" in asks:
        yield "run_cost"
    if {"pay_off", "ways"} & asks and named and "api" not in asks or "idle" in asks and hardware:
        yield "cost"
    if "where" in asks and hardware:
        yield "where_sold"
    if asks & set(_ORDER) and named:
        yield "order"
    if {"within", "affords"} & asks:
        yield "price"
    if "sold_there" in asks:
        yield "catalog"
    if {"state", "refresh"} & asks and not (named and asks & {*_ORDER, "run", "api"}):
        yield "catalog_state"


def _is_replaced(intent: Intent, new: list[Intent], reading: Reading) -> bool:
    """Whether an intent is what a new one answers: a price beside an order or a region stays where it is asked for."""
    if intent in ("out_of_scope", "greeting"):
        return True
    if intent == "comparison" and {"where_sold", "order"} >= set(new):
        return len(_named(reading)) < 2
    if intent == "price" and not {"cost", "run_cost", "api_cost", "catalog_state"} & set(new):
        return "price" not in reading.topics
    return intent in _MONEY
