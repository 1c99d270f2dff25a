"""The questions of these tests, the tool calls that answer them, and the figures that a right answer holds."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assistant import Answer
from assistant.evidence import MARK
from tests.assistant.llm.wire import Use
from tools.phrases import Language


@dataclass(frozen=True)
class Scene:
    """A question with the calls that an able model makes for it."""

    language: Language
    question: str
    uses: tuple[Use, ...]


SERVE = {"model": "Qwen2.5-7B", "weight_dtype": "bf16", "context": 8192, "concurrency": 4}
SERVING: dict[Language, Scene] = {
    "zh": Scene("zh", "Qwen2.5-7B bf16，8K 上下文，4 并发，用什么实例？", (Use("size_llm", {**SERVE, "language": "zh"}),)),
    "en": Scene("en", "Which instance for Qwen2.5-7B in bf16 with 8K context and 4 users at once?", (Use("size_llm", {**SERVE, "language": "en"}),)),
}
PRICES: dict[Language, Scene] = {
    "zh": Scene("zh", "gn7i 按量多少钱一小时？", (Use("get_prices", {"names": ["gn7i"], "language": "zh"}),)),
    "en": Scene("en", "What does gn7i cost per hour?", (Use("get_prices", {"names": ["gn7i"], "language": "en"}),)),
}
CARDS: dict[Language, Scene] = {
    "zh": Scene("zh", "A10 和 L20 哪个显存大？", (Use("look_up_names", {"names": ["A10", "L20"], "language": "zh"}),)),
    "en": Scene("en", "Which has more memory, A10 or L20?", (Use("look_up_names", {"names": ["A10", "L20"], "language": "en"}),)),
}


DRAFTS: dict[str, dict[str, dict[str, Any]]] = tomllib.loads(Path(__file__).with_name("drafts.toml").read_text(encoding="utf-8"))
"""What scripted models say on SERVING: `bad` drafts with the patterns that may be shown nowhere, and `good` ones."""
Good = dict[Language, str]


def figures(answer: Answer, result: str) -> dict[str, str]:
    """The figures of a sizing answer as people write them, to fill in the drafts of scripted models; and of the result that the model
    is sent its first sentence, and its marks of the price and of the weights."""
    assert answer.estimate is not None and answer.recommendations
    pick, other = answer.recommendations[0], next(r for r in answer.recommendations[1:] if r.price and r.gpu_id != answer.recommendations[0].gpu_id)
    assert pick.price is not None and other.price is not None
    parts = answer.estimate.parts
    needed = answer.estimate.per_gpu_gib.best
    said, rest = result.split("\n\n", 2)[1:]
    marks = MARK.search(said), MARK.search(rest)
    assert marks[0] and marks[1]
    return {
        "said": said,
        "p": marks[0].group(),
        "w": marks[1].group(),
        "pick": pick.instance_type,
        "price": f"{pick.price.amount.normalize():f}",
        "day": str(pick.price.as_of),
        "other": other.instance_type,
        "other_price": f"{other.price.amount.normalize():f}",
        "needed": f"{needed:.1f}",
        "needed_gb": f"{needed * 2**30 / 1e9:.1f}",
        "weights": f"{parts['weights']:.1f}",
        "kv": f"{parts['kv_cache']:.1f}",
        "limit": f"{pick.usable_gib_per_gpu * 0.9:.1f}",
        "month": f"{float(pick.price.amount) * 730:.0f}",
        "cut": f"{float(pick.price.amount) * 0.7:.2f}",
    }


def filled(template: str, values: dict[str, str], *, pattern: bool = False) -> str:
    """The template with its {names} filled in; for a pattern they are escaped. Other braces stay as they are."""
    return re.sub(r"\{([a-z_]+)\}", lambda m: (re.escape(values[m[1]]) if pattern else values[m[1]]) if m[1] in values else m[0], template)
