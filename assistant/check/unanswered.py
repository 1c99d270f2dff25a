"""A draft must answer: no garbage, no refusal of what the tools did answer, no sizing or price without a figure."""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Iterator

from .draft_text import DraftText
from .problem import Problem
from .rejecting import words_pattern
from .support import Support

WORD = re.compile(r"[A-Za-z]{2,}|[\u3400-\u9fff]|\d+(?:\.\d+)?")
SQUEEZED, LONG = 0.07, 300
"""A text of this length that packs to so small a share of itself says one thing over and over."""
LEAST_WORDS = 2
REPEATED = 0.5
"""Share of the words of a longer text that may be one and the same."""
MANY = 12
FIGURE = re.compile(r"\d[\d,.]*\s?(?:gib|gb|元|块钱|cny|usd|rmb|美元|万|%|tokens?|小时|hours?|×|张|卡|cards?|gpus?)|[¥$]\s?\d", re.I)
SUMS = ("size_", "training_cost", "get_prices", "compare_costs", "rent_or_api")
"""Tools whose result is a figure."""
FREE = ("greeting", "out_of_scope", "hostile")
"""What may be answered without a tool, by a courtesy or a refusal."""
LOOKED_UP = ("sizing", "catalog", "price", "cost", "api_cost", "run_cost", "comparison", "claim_check", "order", "where_sold", "catalog_state")
"""What is never declined before a tool was asked."""
FIGURES_ASKED = ("sizing", "price", "cost", "api_cost", "run_cost")


def bad_unanswered(draft: DraftText, support: Support) -> Iterator[Problem]:
    """At most one problem: what keeps the draft from being an answer."""
    reason = _garbage(draft.original) or _refusal(draft, support) or _no_figure(draft, support)
    if reason:
        yield Problem("unanswered", draft.folded.strip()[:60], 0, reason)


def _garbage(text: str) -> str:
    words = WORD.findall(text)
    if len(words) < LEAST_WORDS:
        return "The answer is empty: answer the question from the tool results."
    if len(text) >= LONG and len(zlib.compress(text.encode("utf-8"), 1)) < SQUEEZED * len(text.encode("utf-8")):
        return "The answer repeats itself without end: write it again, each thing once."
    if text.count("\ufffd") >= 3 or sum(map(len, words)) < 0.25 * len(re.sub(r"[\s|:`*#-]", "", text)):
        return "The answer is not readable text: write it again in plain sentences."
    stripped = text.strip().removeprefix("```json").removeprefix("```").strip()
    if re.match(r"[\[{]\s*[\"{\[]", stripped) and not re.match(r"\[\d", stripped):
        return "The answer is raw JSON: write sentences from the tool results."
    if len(words) >= MANY:
        word, often = Counter(words).most_common(1)[0]
        if often > REPEATED * len(words):
            return f"The answer repeats “{word}” without end: write it again, each thing once."
    return ""


def _refusal(draft: DraftText, support: Support) -> str:
    """A refusal where the tools did answer; the rules' own refusals and what is asked back stay."""
    reading = support.reading
    intents = reading.intents if reading else []
    if any(intent in FREE for intent in intents[:1]) or (reading and reading.missing):
        return ""
    found = words_pattern("unanswered", "refusal").search(draft.folded.lower())
    if not found:
        return ""
    findings = support.evidence.findings
    if not findings and intents[:1] and intents[0] in LOOKED_UP and not _has_answer(draft, support):
        return "Nothing has been looked up: call the tools first, then answer from their results."
    if not any(not finding.error and finding.data for finding in findings):
        return ""
    if words_pattern("unanswered", "refusal").search(support.reference.lower()) or _has_answer(draft, support):
        return ""
    return "The tools have answered this question: give their result instead of a refusal, and say only what is missing from it."


def _has_answer(draft: DraftText, support: Support) -> bool:
    """Whether the draft gives figures or marks beside its regrets."""
    return len(FIGURE.findall(draft.folded)) >= 2 or bool(re.search(r"\[\d{1,3}\]", draft.folded))


def _no_figure(draft: DraftText, support: Support) -> str:
    """Nothing but words where a sum or a price was asked for and found."""
    reading = support.reading
    if reading is None or reading.missing or not reading.intents or reading.intents[0] not in FIGURES_ASKED:
        return ""
    found = any(finding.tool.startswith(SUMS) and not finding.error and finding.data for finding in support.evidence.findings)
    if not found or FIGURE.search(draft.folded) or (support.reference and not FIGURE.search(support.reference)):
        return ""
    return "The tools have found figures and the answer gives none: state the memory or the price of their result, with its mark."
