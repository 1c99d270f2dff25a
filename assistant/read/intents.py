"""What is asked: features of the question, weighed for each intent by the table intents.toml."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

from .lexicon import Hit, flatten, read_table
from .money import asks_how_long
from .reading import Intent

_ORDER: tuple[Intent, ...] = (
    "hostile", "sizing", "price", "claim_check", "comparison", "catalog", "guidance", "greeting", "out_of_scope",
)  # fmt: skip
TERSE = 30
"""Characters up to which "推荐一下" or "help me choose" is the whole wish."""

SHORT = 60
"""Characters up to which a greeting is only a greeting."""


@dataclass(frozen=True, slots=True)
class Findings:
    """What the other finders found, as far as the intent depends on it."""

    text: str
    hits: tuple[Hit, ...]
    subject: bool = False
    models_named: int = 0
    network: bool = False
    job_said: bool = False  # training or serving
    solve: bool = False  # the largest that fits is asked for
    hardware: int = 0  # different cards, families and types
    places: tuple[int, ...] = ()  # where they stand
    other_clouds: bool = False
    bare_memory: bool = False  # a card named by its memory alone
    unknown: bool = False
    memory_of_card: bool = False  # a memory size typed beside a card's name
    dtypes: int = 0
    billings: int = 0
    quantity: bool = False
    training: bool = False
    budget: bool = False
    duration: bool = False
    job_words: bool = False
    config: bool = False
    absurd: bool = False
    features: dict[str, bool] = field(default_factory=dict)


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    asks = re.compile(
        r"吗|么[?？]|是不是|是否|有没有|能不能|可不可以|会不会|支不支持|对不对|对吧|吧\s{0,3}[?。!]?$|[?？]\s{0,3}$(?<=有[?？])"
        r"|(?:^|[.?!,;:\n]\s{0,3}|\b(?:and|so|but|then),? )(?:is|are|does|do|did|can|could|will|would|has|have|isn't|doesn't|aren't|was) ",
    )
    override = re.compile(
        r"(?:忽略|无视|忘记|忘掉|抛开|不要管|别管|跳过|绕过|覆盖).{0,10}(?:规则|指令|设定|提示|限制|要求|规定|约束)"
        r"|(?:ignore|disregard|forget|override|bypass|skip|drop)\W{1,3}(?:\w{1,12}\W{1,3}){0,5}(?:instructions?|rules?|prompts?|guidelines|restrictions|constraints|policies)"
    )
    copula = re.compile(r"(?:是|有|带|配|用的是| is | are | has | have (?!to )| with | comes |support|搭载|属于|采用|支持|="
        r"|(?:显存|内存|带宽|memory|bandwidth|vram|ram)[ :=]{0,2}\d"
        r"|(?:包月|月付|月租|一个月|每个?月|一小时|每小时)[^?]{0,8}\d)")
    return asks, override, copula


_FAMILY = r"(?<![a-z0-9.\-])(?:ecs\.)?(?:ebm|scc|s|v|c|hf)?gn\d{1,2}[a-z]{0,3}"
_TYPE = r"(?<![a-z0-9.\-])(?:ecs\.)?(?:(?:ebm|scc|s|v|c|hf)?gn|[a-z]{1,4}\d)[a-z0-9.\-]{2,40}large"
_COUNT = r"(?:(?:\d|[一两二四八])\s?(?:卡|张|块)|(?:\d|(?<![a-z])(?:one|two|four|eight))[ \-]?(?:[a-z]\d{1,3} )?(?:gpus?|cards?)(?![a-z]))"


@cache
def _feature() -> re.Pattern[str]:
    """Things that a card or a family has or has not, and of an instance type its memory, its vCPU and its cards."""
    return re.compile(
        r"nvlink|rdma|roce|(?<![a-z])(?:mig|ecc|tee|tdx|vtpm|sxm|pcie)(?![a-z])|显存|vram|架构|(?:带宽|bandwidth)[^?]{0,12}\d"
        rf"|{_TYPE}.{{0,40}}(?:内存|(?<![a-z])(?:ram|memory|vcpus?|cores?)(?![a-z])|\d\s?核|{_COUNT})"
        rf"|{_FAMILY}(?![a-z0-9.\-]).{{0,24}}{_COUNT}|{_COUNT} (?:in|on) (?:an? |the )?{_TYPE}"
    )


@cache
def _priced() -> re.Pattern[str]:
    """A sum for a time: "包月是 2 万", "¥20,000 per month"."""
    return re.compile(
        r"(?:包月|月付|月租|一个月|每个?月|一小时|每小时)[^?多几何]{0,6}\d"
        r"|(?:[¥$] ?\d[\d,.]*k?|\d ?(?:元|块|cny|yuan|usd|dollars)) ?(?:/|每|per |an? )(?:小时|月|hour|month)"
    )


@cache
def _figure() -> re.Pattern[str]:
    """A figure that a yes/no question states: a size, a rate, a count of cards."""
    return re.compile(r"(?<![a-z0-9.\-])\d[\d,.]*\s?(?:[gtm]i?b?(?:/s|ps)?(?![a-z])|v?cpus?|核)|" + _COUNT)


@cache
def _bare_question() -> re.Pattern[str]:
    """A statement with a question mark, no question word in it: "V100 支持 bf16？"."""
    words = "什么|多少|哪|怎|如何|几|啥|谁|为何|what|which|how|why|when|where|who| or |还是"
    return re.compile(rf"^(?:(?!{words})[^?]){{1,200}}\?$")


@cache
def _listing() -> re.Pattern[str]:
    """ "which GPUs on Alibaba Cloud support FP8", "哪些卡不支持 bf16" """
    return re.compile(
        r"(?:which|what) (?:gpus?|cards?|instances?|instance types?|families|types)(?: [a-z']{1,12}){0,4}? (?:support|have|has|offer|with|lack)"
        r"|哪些(?:卡|显卡|实例|机型|规格|系列|gpu).{0,4}(?:支持|有|带)"
    )


def is_hostile(lower: str, cues: frozenset[str]) -> bool:
    """Orders to drop the rules, to reveal the prompt, to attack."""
    return "hostile" in cues or _patterns()[1].search(lower) is not None


def hostile_end(lower: str) -> int:
    """Where the first order of that kind ends; 0 if there is none."""
    match = _patterns()[1].search(lower)
    return match.end() if match else 0


def in_scope(found: Findings, flat: str) -> bool:
    """Whether anything of this field is named: one clear word, or two everyday words of it."""
    if found.subject or found.network or found.hardware or found.config or found.quantity or found.absurd:
        return True
    words = {flat[hit.start : hit.end].strip() for hit in found.hits if hit.table in _FIELD_TABLES}
    weak = _weak_words()
    words |= {"budget"} if found.budget else set()
    plain = {word.removesuffix("s") if word.isascii() else word for word in words}
    strong = [word for word in plain if word not in weak and f"{word}s" not in weak]
    return bool(strong) or len(plain) >= 2


_FIELD_TABLES = ("topics", "precision", "methods", "engines", "networks", "jobs", "billing")


@cache
def _weak_words() -> frozenset[str]:
    return frozenset(word.removesuffix("s") for word in read_table("scope")["weak"])


TOPICAL = frozenset(("driver", "image", "security", "disk", "network", "monitoring", "scaling", "serverless"))
"""Topics that are answered from passages, even where a card or a model is named beside them."""


def _asks_fact(found: Findings, lower: str, claimed: bool) -> bool:
    """Whether one sentence both names hardware and asks yes or no about what it is or has."""
    asks, _, copula = _patterns()
    start = 0
    for sentence in re.split(r"(?<=[?!;。\n])|(?<=\.)(?=\s)", lower):
        end = start + len(sentence)
        names = any(start <= place < end for place in found.places)
        asked = asks.search(sentence.lstrip()) or _bare_question().search(sentence.strip())
        if names and copula.search(f" {sentence} ") and (claimed or asked):
            return True
        start = end
    return False


def find_features(found: Findings) -> dict[str, bool]:
    """The features that intents.toml weighs: every cue by its name, and what cues and found things say together."""
    cues = frozenset(hit.name for hit in found.hits if hit.table == "cues")
    has_job = found.subject or found.network or found.config or found.absurd
    topic = in_scope(found, flatten(found.text))
    offtopic = "offtopic" in cues and not (has_job or found.hardware)
    terse = "need" in cues and not topic and not offtopic and len(found.text) <= TERSE
    features = {cue: True for cue in cues if cue != "need"}
    features |= {
        "subject": found.subject or found.config, "network": found.network, "network_job": found.network and found.job_said, "hardware": bool(found.hardware),
        "unknown": found.unknown, "quantity": found.quantity or found.absurd, "billing": bool(found.billings),
        "topic": topic or terse, "no_topic": not (topic or terse), "hostile": is_hostile(found.text.lower(), cues),
        "greeting_alone": "greeting" in cues and not (topic or terse or offtopic) and len(found.text) <= SHORT,
        "offtopic": offtopic, "offtopic_alone": offtopic,
    }  # fmt: skip
    aimed = "deploy_wish" in cues and (found.job_words or found.quantity) and not {"suit", "how", "why"} & cues
    wish = not has_job and (aimed or terse)
    return features | _of_a_job(found, cues, has_job, wish) | _of_hardware(found, cues, has_job, topic)


def _of_a_job(found: Findings, cues: frozenset[str], has_job: bool, wish: bool) -> dict[str, bool]:
    """Features about something to be run: what it needs, whether it fits, what is to be chosen for it."""
    need = bool({"need", "size"} & cues)
    asked = has_job or wish or found.quantity
    return {
        "solve_on": found.solve and (found.hardware > 0 or has_job),
        "wish": wish, "vague_job": found.job_words and found.quantity and not has_job,
        "need": "need" in cues and (asked or found.budget), "size_of_job": "size" in cues and asked,
        "fit_of_job": "fit" in cues and (has_job or found.quantity), "fit_in_general": "fit" in cues and not has_job,
        "subject_on_hardware": has_job and bool(found.hardware), "training_of": has_job and found.training,
        "choice": need and not asked, "model_choice_on": "model_choice" in cues and (found.hardware > 0 or (found.training and found.budget)) and not has_job,
        "budget_choice": found.budget and (need or "fit" in cues) and not has_job,
    }  # fmt: skip


def _of_hardware(found: Findings, cues: frozenset[str], has_job: bool, topic: bool) -> dict[str, bool]:
    """Features about cards, families and types: what they are, cost, whether a statement holds, which is better."""
    lower, asked = found.text.lower(), has_job or found.quantity
    topics = {hit.name for hit in found.hits if hit.table == "topics"}
    named = bool(found.hardware) and not has_job
    of_card = "size" in cues and not has_job and found.hardware > found.bare_memory and "suit" not in cues
    in_job = bool({"training", "inference", "vision", "llm"} & topics)
    things = found.hardware + found.models_named * (found.hardware == 0) + ("other_cloud" in cues or found.other_clouds)
    stated = bool(_feature().search(lower)) or found.hardware >= 2 or found.memory_of_card or found.dtypes > 0
    priced = bool(_priced().search(lower)) and not (found.budget or "fit" in cues)
    fact = (stated or priced or "support" in cues or found.unknown) and not has_job and _asks_fact(found, lower, "claim" in cues)
    return {
        "list": "list" in cues or bool(_listing().search(lower)),
        "size_of_card": of_card, "card_for_dtype": found.dtypes > 0 and bool({"need", "size"} & cues) and not (asked or found.hardware), "size_in_job": of_card and in_job, "job_context": in_job,
        "spec_of": "spec" in cues and named, "exist_of": "exist" in cues and named,
        "spec_in_general": "spec" in cues and not found.hardware and not has_job and topic,
        "topical": bool(TOPICAL & topics), "cheapest": bool(re.search("最便宜|cheapest|lowest price", lower)),
        "price_of": "price" in cues and topic and not ("save" in cues and not found.hardware)
        and bool(found.hardware or has_job or found.budget or ({"gpu", "family"} & topics and not found.billings)),
        "duration_of": found.duration and named and len(found.text) <= SHORT and not {"how", "why", "fit", "claim", "need", "suit"} & cues,
        "budget_lasts": found.budget and asks_how_long(lower),
        "fact": fact, "fact_figure": fact and "list" not in cues and (priced or bool(_figure().search(lower))), "unknown_fact": fact and found.unknown, "claim_of": "claim" in cues and found.hardware > 0,
        "two_things": "compare" in cues and (
            things >= 2 or (found.dtypes >= 2 and has_job) or found.billings >= 2),
    }  # fmt: skip


def score_intents(features: Mapping[str, bool]) -> dict[Intent, float]:
    """The sum of the weights of the features that hold, by intent."""
    table = read_table("intents")
    return {intent: sum(weight for name, weight in table[intent].items() if features.get(name)) for intent in _ORDER}


def choose_intents(features: Mapping[str, bool]) -> list[Intent]:
    """Intents from the threshold on, most certain first; guidance or out of scope when none reaches it."""
    scores = score_intents(features)
    threshold = read_table("intents")["threshold"]
    chosen = [intent for intent in _ORDER if scores[intent] >= threshold]
    chosen.sort(key=lambda intent: -scores[intent])
    lonely = {"greeting", "out_of_scope"}
    if chosen and chosen[0] in lonely:
        return [chosen[0], *(i for i in chosen[1:] if i == "hostile")]
    chosen = [intent for intent in chosen if intent not in lonely]
    return chosen or [_fallback(features) if features.get("topic") else "out_of_scope"]


def _fallback(features: Mapping[str, bool]) -> Intent:
    """No cue is strong: a model alone is to be sized, a name alone looked up, the rest answered from passages."""
    if features.get("subject") or features.get("quantity") or (features.get("network_job") and not features.get("how")):
        return "sizing"
    if features.get("hardware") and not any(features.get(name) for name in ("how", "topical", "job_context")):
        return "catalog"
    return "guidance"
