"""What carries over from the question before: "那换成 INT4 呢？", "and with 32k context?", "what about spot?"."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import Any

from .asks import LEANING
from .carried import SERVING_ONLY, SETTINGS, SOLVED_WITH, TOGETHER, TRAINING_ONLY, WISHES, said
from .changes import adds, bare_number, changed, drops_budget
from .intents import TOPICAL
from .lexicon import Hit
from .reading import Reading
from .replies import (
    ELLIPTIC,
    HARDWARE,
    SUBJECT,
    TERSE,
    asks_fit_there,
    asks_money_only,
    is_reply,
)
from .thread_intents import intents_in_thread
from .thread_job import job_in_thread


@cache
def _opening() -> re.Pattern[str]:
    return re.compile(
        r"^\s{0,3}(?:那|那么|要是|如果|假如|换成|改成|改为|换|再|还|同样|为什么不|为啥不|为何不|怎么不|怎么没|为什么没|咋不|干嘛不|干吗不|and|what about|how about|what if|same|but|then|also|now|with|if|why (?:not|isn't|wasn't|didn't|don't|can't|no)|how come|instead|ok|okay|好的)"
        r"|呢\s{0,2}[?？。!]{0,2}\s{0,2}$|(?:instead|too|as well)\s{0,2}[?.!]{0,2}\s{0,2}$"
    )


def is_dangling(reading: Reading) -> bool:
    """A continuation by its words, with nothing of its own to look at: "那换成 INT4 呢？", "要是预算砍一半呢？"."""
    if len(reading.normal) > ELLIPTIC or any(getattr(reading, name) for name in (*SUBJECT, *HARDWARE)):
        return False
    wishes = any(said(reading, name) for name in WISHES)
    opening = _opening().search(reading.normal.lower()) is not None
    return opening and (wishes or any(word in reading.normal.lower() for word in ("预算", "model", "budget", "模型")))


def is_continuation(reading: Reading, previous: Reading, hits: Iterable[Hit]) -> bool:
    """Whether the question leans on the one before."""
    hits = tuple(hits)
    cues = {hit.name for hit in hits if hit.table == "cues"}
    if "fresh" in cues or reading.intents[0] in ("hostile", "catalog_state") or len(reading.normal) > 4 * ELLIPTIC:
        return False
    if is_reply(reading, hits) or bare_number(reading.normal) is not None or (previous.concurrency and adds(reading)) or (previous.budget and drops_budget(reading)):
        return True
    if "offtopic" in cues or reading.intents[0] == "greeting":
        return False
    opening = _opening().search(reading.normal.lower()) is not None
    if any(getattr(reading, name) for name in SUBJECT):
        return (opening and not _is_whole(reading)) or _asks_about_named_hardware(reading, previous, cues)
    sized = any(getattr(previous, name) for name in SUBJECT)
    if sized and asks_fit_there(reading, cues):
        return True
    if LEANING & set(reading.asks) and not any(getattr(reading, name) for name in HARDWARE):
        return sized or any(getattr(previous, name) for name in HARDWARE)
    priced = sized or any(getattr(previous, name) for name in HARDWARE)
    return _leans(reading, cues, opening) or (priced and asks_money_only(reading, cues))


def _leans(reading: Reading, cues: set[str], opening: bool) -> bool:
    """Whether a question without a subject of its own takes one from before."""
    short = len(reading.normal) <= ELLIPTIC
    has_wish = any(said(reading, name) for name in WISHES)
    has_hardware = any(getattr(reading, name) for name in HARDWARE)
    if _is_budget(reading, cues) and short:
        return True
    if {"half", "double"} & cues or (opening and (has_wish or has_hardware or reading.intents[0] != "out_of_scope")):
        return short or opening
    if "follow" in cues and (has_wish or has_hardware or {"fit", "price"} & cues):
        return True
    aside = bool(TOPICAL & set(reading.topics)) and "price" not in cues
    if {"price", "need", "size", "fit"} & cues and not (has_hardware or aside) and len(reading.normal) <= TERSE:
        return True
    if reading.weight_dtype and len(reading.normal) <= TERSE and not (has_hardware or _ASKS & cues or reading.intents[0] == "claim_check"):
        return True
    if reading.kv_dtype and len(reading.normal) <= TERSE and not (has_hardware or _ASKS & cues):
        return True
    if short and _is_setting(reading, cues) and not (has_hardware and reading.intents[0] != "guidance"):
        return True
    own = reading.intents[0] in ("guidance", "catalog", "claim_check", "comparison")
    return not own and has_wish and short


_ASKS = frozenset(("how", "why", "suit", "spec", "list", "compare", "claim", "exist", "support", "offtopic"))


def _is_setting(reading: Reading, cues: set[str]) -> bool:
    """A setting and nothing asked about it: "关掉检查点", "每人 20 token/s", "LoRA rank 32", "最多能开多长上下文"."""
    if reading.solve is not None:
        return not {"why", "list", "claim", "offtopic"} & cues
    return any(said(reading, name) for name in SETTINGS) and not _ASKS & cues


def _is_budget(reading: Reading, cues: set[str]) -> bool:
    """A limit of money and nothing else to look at: "预算一个月 8000"."""
    own = reading.job or any(getattr(reading, name) for name in HARDWARE)
    return reading.budget is not None and not own and not {"how", "suit", "list", "compare", "spec"} & cues


def _asks_about_named_hardware(reading: Reading, previous: Reading, cues: set[str]) -> bool:
    """"能跑 14B 吗" after a question about one instance, family or card."""
    here = any(getattr(reading, name) for name in HARDWARE)
    before = any(getattr(previous, name) for name in HARDWARE)
    alone = not any(getattr(previous, name) for name in SUBJECT)
    return "fit" in cues and not here and before and alone and len(reading.normal) <= ELLIPTIC


def _is_whole(reading: Reading) -> bool:
    """Model, context and users all said anew: nothing is left to carry but the region."""
    return bool(reading.context and reading.concurrency and reading.weight_dtype)


def carry_over(reading: Reading, previous: Reading, hits: Iterable[Hit]) -> Reading:
    """The reading with the fields that were not said anew taken from `previous`, listed in `carried`."""
    hits = tuple(hits)
    cues = {hit.name for hit in hits if hit.table == "cues"}
    own = {name for name in (*SUBJECT, *HARDWARE, *WISHES) if said(reading, name)}
    changes: dict[str, Any] = {}
    job = job_in_thread(reading, previous, hits)
    for name in _fields_to_carry(job, reading, previous, own, fits=asks_fit_there(reading, cues)):
        if said(previous, name) and name not in own:
            changes[name] = getattr(previous, name)
    sized = any(getattr(previous, name) for name in SUBJECT)
    for name in ("topics",) if sized else ("topics", "features"):
        if getattr(previous, name) and not getattr(reading, name):
            changes[name] = getattr(previous, name)
    carried = [name for name in changes if name != "topics"]
    figures = changed(reading, previous, cues, own)
    carried = [name for name in carried if name not in figures]
    changes |= figures
    if "gpus" in own and "cards" in changes:  # "and on 2 GPUs?": the cards before, at another count
        changes["cards"] = [card.model_copy(update={"count": None}) for card in changes["cards"]]
    if job != reading.job:
        changes["job"] = job
        carried.append("job")
    changes["intents"] = intents_in_thread(reading, previous, hits, own)
    changes["carried"] = sorted(set(carried))
    return reading.model_copy(update=changes)


def _fields_to_carry(job: str | None, reading: Reading, previous: Reading, own: set[str], *, fits: bool) -> list[str]:
    names = [] if own & set(SUBJECT) else [*SUBJECT]
    if not own & set(HARDWARE):
        names += [*HARDWARE]
    dropped: set[str] = {"job"}
    if job == "cpu_inference" != previous.job:
        names = [name for name in names if name not in HARDWARE]
        dropped |= {"gpus", "tensor_parallel", "kv_dtype"}
    if own & set(HARDWARE):
        dropped |= {"tensor_parallel", "machines", "owned", "unified", "ram_gib"} | (set() if _counts_any_card(reading, previous) else {"gpus"})
    if fits:
        dropped |= {"hours", "months", "billing"}
    for first, *others in TOGETHER:
        if own & {first, *(others if first == "hours" else ())}:
            dropped |= {first, *others}
    dropped |= _of_solving(reading, previous, own)
    if _turns(job, previous, "training"):
        dropped |= {*SERVING_ONLY}
    if _turns(job, previous, "inference"):
        dropped |= {*TRAINING_ONLY, "crop"}
    return names + [name for name in WISHES if name not in dropped]


def _counts_any_card(reading: Reading, previous: Reading) -> bool:
    """Whether the count before was said of no card in particular ("用 2 张卡"), so that another card is meant at it too."""
    if (previous.job or "").endswith("training") and previous.cards and not any(card.count for card in reading.cards) and reading.cards:
        return True  # a training on eight cards of one kind is asked about on eight of another
    counted = [card for card in (*reading.cards, *previous.cards) if card.count]
    alone = not (reading.families or reading.instances or previous.families or previous.instances)
    return alone and not counted and previous.card_memory_gb is None


def _of_solving(reading: Reading, previous: Reading, own: set[str]) -> set[str]:
    """What is solved for now is not carried as given; what is given now is no longer solved for."""
    if reading.solve:
        return {reading.solve, *SOLVED_WITH.get(reading.solve, ())}
    return {"solve"} if previous.solve in own or "resolution" in own else set()


def _turns(job: str | None, previous: Reading, kind: str) -> bool:
    """Whether this question turns from serving to training, or back."""
    return bool(job and previous.job and job.endswith(kind) and not previous.job.endswith(kind))


def choose_previous(reading: Reading, previous: Reading | None) -> Reading:
    """The reading to hand to the next question of the thread: a question aside ("What is gn7i?") does not
    make the thread forget its model."""
    has_subject = any(getattr(reading, name) for name in SUBJECT)
    if previous is None or has_subject or reading.carried:
        return reading
    kept = any(getattr(previous, name) for name in SUBJECT)
    aside = reading.intents[0] in ("catalog_state", "out_of_scope", "greeting") and any(getattr(previous, name) for name in HARDWARE)
    return previous if kept or aside else reading
