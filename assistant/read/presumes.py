"""What a question takes for granted: the stretches that assert a fact about a named card, family or type."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from .names import Named
from .reading import Intent

_LONGEST = 160
_MOST = 6


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    clause = re.compile(r"[^,，。;；!！?？\n]{1,400}")
    assertion = re.compile(
        r"(?<![还要不但总])是(?!否|不)|有(?!什么|哪)|带|配|采用|搭载|支持|属于|价格|元|\d\s?(?:gi?b?|张|块|卡)(?![a-z])"
        r"|(?<![a-z])(?:is|are|has|have|with|comes?|costs?|supports?|uses?|offers?)(?![a-z])|fp8|bf16|nvlink|¥|\$"
    )
    question = re.compile(
        r"什么|多少|哪|怎么|啥|区别|还是|对比|(?<![a-z])(?:which|what|how|or|vs|versus)(?![a-z])"
    )
    return clause, assertion, question


def find_presumes(normal: str, named: Sequence[Named], intents: Sequence[Intent]) -> list[str]:
    """A yes/no question about facts presumes its whole text; of others, each clause that says more than a name."""
    if not named:
        return []
    if "claim_check" in intents and "sizing" not in intents:
        return [normal[:2000]]
    real = [name for name in named if name.kind != "memory"]
    stretches = [normal[n.start : n.end].strip() for n in real if n.mention.memory_gb is not None]
    stretches += [normal[n.start : n.end].strip() for n in real if not n.mention.known]
    stretches += _clauses(normal, real) + _grounds(normal, real)
    return list(dict.fromkeys(s for s in stretches if s))[:_MOST]


_GROUND = re.compile(r"(?:既然|因为|由于|反正|(?<![a-z])(?:since|because|given that|as|now that)(?![a-z]))\s?([^,，。;；!！?？\n]{4,160})", re.IGNORECASE)
"""What a question gives as its ground: "既然 A10 有 NVLink，…", "Since T4 supports bf16, …"."""


def _grounds(normal: str, named: Sequence[Named]) -> list[str]:
    """The grounds that assert something of a card, family or type that they name."""
    _, assertion, question = _patterns()
    found = []
    for match in _GROUND.finditer(normal):
        names = any(match.start(1) <= name.start < match.end(1) for name in named)
        if names and assertion.search(match[1].lower()) and not question.search(match[1].lower()):
            found.append(match[1].strip())
    return found


def _clauses(normal: str, named: Sequence[Named]) -> list[str]:
    clause, assertion, question = _patterns()
    found = []
    for match in clause.finditer(normal):
        inside = [n for n in named if match.start() <= n.start < match.end()]
        rest = match.group().lower()
        for name in inside:
            rest = rest.replace(name.mention.text, " ", 1)
        if len(inside) >= 2 and not question.search(rest) and assertion.search(rest) and len(match.group()) <= _LONGEST:
            found.append(match.group().strip())
    return found
