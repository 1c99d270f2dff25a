"""Texts that say something only about what was said before: a wish, another language, a bare name or number."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from .language import NEUTRAL, find_switch
from .lexicon import Hit
from .normalise import parse_number
from .precision import find_precisions
from .reading import Reading

TERSE = 24
"""Characters up to which "多少钱一个月？" asks about what was spoken of."""

ELLIPTIC = 60
"""Characters up to which a question without a subject of its own is taken as a continuation."""

SUBJECT = ("models", "config_json", "network", "networks", "diffusion_models", "speech_models", "closed_models")
"""Fields of what is to be run."""
HARDWARE = ("cards", "families", "instances", "card_memory_gb")
"""Fields of what it is to be run on."""


def names_typed(reading: Reading) -> list[str]:
    """Names of models, networks and hardware as typed."""
    hardware = (*reading.cards, *reading.families, *reading.instances)
    subjects = (*reading.networks, *reading.diffusion_models, *reading.speech_models)
    return [*(model.text for model in reading.models), *subjects, *(name.text for name in hardware)]


def is_reply(reading: Reading, hits: Iterable[Hit]) -> bool:
    """Whether a text says something only about what was said before: a wish ("再便宜点"), another language,
    or nothing but a name, a number or a sign ("A10", "7")."""
    if not reading.normal or len(reading.normal) > ELLIPTIC:
        return False
    hits = tuple(hits)
    if find_switch(reading.normal, hits) and len(reading.normal) <= TERSE:
        return True
    return is_bare(reading, hits) or _is_wish(reading, {hit.name for hit in hits if hit.table == "cues"})


@cache
def _empty() -> re.Pattern[str]:
    return re.compile(r"(?:[\W\d_]|那|呢|吧|啊|嗯|哦|然后|继续|接着|还有|[张块卡用]|(?<![a-z])(?:s|so|and|then|go on|continue|on|with|only|just|using|use|an?|the|please|gpus?|cards?)(?![a-z]))*")


def is_bare(reading: Reading, hits: Iterable[Hit]) -> bool:
    """Nothing but names, numbers, precisions, ways to pay and signs: "A10", "7", "bf16", "spot?", "那呢"."""
    rest = reading.normal.lower()
    for name in names_typed(reading):
        rest = rest.replace(name.lower(), " " * len(name), 1)
    for hit in (*hits, *find_precisions(reading.normal).found):
        if hit.table in NEUTRAL:
            rest = rest[: hit.start] + " " * (hit.end - hit.start) + rest[hit.end :]
    return _empty().fullmatch(rest) is not None


_PLAIN_TOPICS = frozenset(("price", "gpu", "family", "speed", "memory", "llm", "inference", "order"))
"""Topics that a wish may name without becoming a question of its own ("更便宜的卡", not "更快的磁盘")."""


def _is_wish(reading: Reading, cues: set[str]) -> bool:
    own = any(getattr(reading, name) for name in (*SUBJECT, *HARDWARE)) or not set(reading.topics) <= _PLAIN_TOPICS
    if reading.wish is None or own or "offtopic" in cues:
        return False
    return reading.wish in ("explain", "why_not", "defaults") or not {"how", "list", "compare"} & cues


_MONEY_ONLY = ("hours", "months", "machines", "region", "billing")
_OF_A_JOB = (
    "context", "concurrency", "weight_dtype", "kv_dtype", "budget", "gpus", "tensor_parallel", "batch", "disk_gib", "engine", "wish", "network",
    "crop", "method", "optimizer", "checkpointing", "sharding", "lora_rank", "frames", "steps", "qps", "solve",
)  # fmt: skip
_ASKS_MORE = frozenset(("how", "why", "compare", "list", "spec", "claim", "exist", "support", "need", "size", "fit", "suit", "save", "offtopic", "fresh", "model_choice"))
_OF_MONEY = frozenset(("price", "billing", "spot", "family"))  # "machines" speaks of families


def asks_money_only(reading: Reading, cues: Iterable[str]) -> bool:
    """Whether a text says nothing but for how long, how many, where or by which billing: "跑三个月", "两台呢",
    "换成上海", "包月多少", "same on spot?"."""
    if any(getattr(reading, name) for name in (*SUBJECT, *HARDWARE, *_OF_A_JOB)) or _ASKS_MORE & set(cues):
        return False
    long = asks_sum(reading) or "price" in set(cues)
    short = ELLIPTIC if long else TERSE if reading.language == "zh" else TERSE + TERSE // 2
    said = any(getattr(reading, name) for name in _MONEY_ONLY)
    return said and set(reading.topics) <= _OF_MONEY and len(reading.normal) <= short


def asks_sum(reading: Reading) -> bool:
    """Whether an amount is asked for: "包月多少"."""
    return re.search(r"多少|how much", reading.normal.lower()) is not None


@cache
def _fits() -> re.Pattern[str]:
    return re.compile(
        r"放.{0,2}进|塞.{0,2}进|装.{0,2}进|(?:要|需要|得)(?:几|多少)(?:张|块|台)|how many .{0,20}(?:do|would|will|should) (?:i|we|it|that) (?:need|take)"
    )


@cache
def _why() -> re.Pattern[str]:
    return re.compile(
        r"(?:为什么|为啥|为何|怎么|咋|干嘛|干吗|凭啥)(?:不|没|是|选|要|推荐|非)|(?:为什么|为啥|为何|怎么|咋)(?:就)?不|不行[吗么嘛]|不可以[吗么嘛]"
        r"|why (?:not|no|the|an?|isn't|wasn't|didn't|don't|aren't|can't|did you|do you|would you)(?![a-z])|how come|what(?:'s| is) wrong with"
    )


def asks_why_there(reading: Reading) -> bool:
    """Whether a text asks why hardware that it names is chosen or not, and nothing else about it."""
    named = any(getattr(reading, name) for name in HARDWARE) and not any(getattr(reading, name) for name in SUBJECT)
    return named and not reading.features and len(reading.normal) <= ELLIPTIC and _why().search(reading.normal.lower()) is not None


def asks_fit_there(reading: Reading, cues: Iterable[str]) -> bool:
    """Whether a text asks whether what was spoken of fits on hardware that it names, how much of it that takes, or why it is
    (not) chosen: "does it fit on a T4?", "用 L20 要几张", "why not the A10?"."""
    asks = "fit" in set(cues) or asks_why_there(reading) or _fits().search(reading.normal.lower()) is not None
    there = any(getattr(reading, name) for name in HARDWARE) and not any(getattr(reading, name) for name in SUBJECT)
    return asks and there and "price" not in set(cues) and reading.intents[0] != "claim_check" and len(reading.normal) <= ELLIPTIC


_SHEETS = re.compile(r"(?:那|换成?|改成?|改为|用|要是|如果|只有|再加到)?\s?(\d{1,3}|[一二两三四六八]|十六)\s?(?:张|块)\s?(?:呢|吧|行吗|够吗|可以吗|的话){0,2}\W{0,3}")


def sheets(reading: Reading) -> int | None:
    """The cards of "8 张呢": Chinese counts them without naming them."""
    match = _SHEETS.fullmatch(reading.normal)
    count = parse_number(match[1]) if match else None
    return int(count) if count and count >= 1 else None


def asks_rate_alone(reading: Reading) -> bool:
    """Whether a short text asks how fast what was spoken of is: "多少 token 每秒", "how fast?"."""
    found = re.search(r"tokens? ?(?:/|每|per|a) ?(?:s|秒)|tok/s|每秒多少|多快|速度|how fast|what speed", reading.normal.lower())
    return found is not None and len(reading.normal) <= TERSE


def asks_token_price(reading: Reading) -> bool:
    """Whether a short text asks what so many tokens cost: the number is of tokens made, no context."""
    found = re.search(r"token ?s?.{0,6}(?:多少钱|什么价|费用|要花多少|cost)|cost.{0,20}tokens?|how much (?:is|are|for|do|does).{0,20}tokens?", reading.normal.lower())
    return found is not None and len(reading.normal) <= ELLIPTIC
