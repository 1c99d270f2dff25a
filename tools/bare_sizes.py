"""Sizes that stand for a model by themselves: 13B 模型, 70B, 720亿参数; never memory, money or a card's number."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .model_tokens import Token, size_label

_AFTER = re.compile(
    r"[\s\-]{0,2}(?:级别?|个|的|左右|以上|级|规模|大小|量|,){0,3}\s{0,2}(?:参数|模型|大模型|语言模型|权重|稠密|规模|llm|param|model|weights|dense|版)",
    re.IGNORECASE,
)
_BEFORE = re.compile(r"(?:参数量?|参数规模|模型|规模|params?|parameters|model|llm)\s*(?:是|为|约|有|大概|of|is|:|：|=)?\s*$", re.IGNORECASE)
_NEVER_AFTER = re.compile(r"(?:[$¥￥€£]|rmb|usd|cny|每个?(?:参数|权重|元素)|预算)\s*(?:是|为|占)?\s*$", re.IGNORECASE)
_NOT_A_SIZE = re.compile(r"\s{0,2}(?:/\s?(?:s\b|sec|param|token|参数|elem|weight)|per\b|bytes?|bits?|元|块|人|用户|次|条|个?token|美元|刀)", re.IGNORECASE)
_HANZI = re.compile(r"([零〇一二两三四五六七八九十百千万]{0,6})(万亿|亿|[Bb](?![A-Za-z0-9]))")
_PREFIX = re.compile(r"(?<![A-Za-z0-9])[A-Za-z][A-Za-z0-9_.]*(?:-[A-Za-z0-9_.]+)*[-:/]?$")
_CARD_LIKE = re.compile(
    r"(?:ecs\.)?(?:[abhklmptv]|rtx|gtx|gb|gh|mi|[gcr]|e?bmg?n?|[sv]?gn|e?bmgn|hf[a-z]|scc[a-z]*)\d+\w*(?:[-_.].*)?", re.IGNORECASE
)
_ACTIVE = re.compile(r"[\s\-_]?A(\d{1,4}(?:\.\d{1,3})?)B(?![A-Za-z0-9])")
_DIGITS = {c: i for i, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_PLACES = {"十": 10, "百": 100, "千": 1000, "万": 10000}


@dataclass(frozen=True, slots=True)
class BareSize:
    """A size at `start` to `end` (a foreign name glued before it included), its token, and the billions active."""

    start: int
    end: int
    token: Token
    active: float | None = None

    @property
    def foreign(self) -> bool:
        """Whether a name that is not in the table stands before the size."""
        return self.start < self.token.start


def find_bare_sizes(text: str, tokens: list[Token], *, named: bool = False) -> list[BareSize]:
    """Sizes of models in `text`. `named`: the text is known to name a model, so no cue is asked for."""
    found = []
    for at, token in enumerate(tokens):
        if token.kind in ("size", "moe") and (named or _is_model(text, tokens, at)):
            if _marks_active(tokens, at):
                continue
            start = _with_prefix(text, token.start)
            if start is not None:
                end, active = active_after(text, token.end)
                found.append(BareSize(start, end, token, active))
    found += [s for s in _in_hanzi(text, named) if all(s.end <= f.start or s.start >= f.end for f in found)]
    return sorted(found, key=lambda size: size.start)


def active_after(text: str, end: int) -> tuple[int, float | None]:
    """Billions active said right after a size (30B-A3B), and where that ends."""
    said = _ACTIVE.match(text, end)
    return (said.end(), float(said[1])) if said else (end, None)


def _is_model(text: str, tokens: list[Token], at: int) -> bool:
    """Whether a size counts without a name: `b` always, other units and loose spelling only beside a cue."""
    token = tokens[at]
    raw = text[token.start : token.end].lower()
    if _NEVER_AFTER.search(text, max(0, token.start - 8), token.start) or _NOT_A_SIZE.match(text, token.end):
        return False
    if re.fullmatch(r"[\d._]+b\d?", raw) or token.kind == "moe" or raw.endswith("billion"):
        return True
    return _has_cue(text, token.start, token.end)


def _has_cue(text: str, start: int, end: int) -> bool:
    return bool(_AFTER.match(text, end) or _BEFORE.search(text, max(0, start - 16), start))


def _marks_active(tokens: list[Token], at: int) -> bool:
    """A3B says how many parameters are active, not how many there are."""
    return at > 0 and tokens[at - 1].end == tokens[at].start and tokens[at - 1].text in ("a", "e")


def _with_prefix(text: str, start: int) -> int | None:
    """Start of the name glued before a size (MyCorp-13B); None where it is a card's or a family's (A10-24B)."""
    prefix = _PREFIX.search(text, max(0, start - 60), start)
    if prefix is None:
        return start
    glued = prefix.group()
    if _CARD_LIKE.fullmatch(glued.rstrip("-_:/")):
        return None
    return prefix.start()


def _in_hanzi(text: str, named: bool) -> list[BareSize]:
    """百亿, 七十亿, 千亿 beside a cue; 七十二B anywhere."""
    sizes = []
    for match in _HANZI.finditer(text):
        number = _hanzi_number(match[1])
        if number and (named or match[2] in "Bb" or _has_cue(text, match.start(), match.end())):
            billions = number * {"万亿": 1000, "亿": 0.1}.get(match[2], 1)
            token = Token("size", size_label(billions), match.start(), match.end())
            sizes.append(BareSize(match.start(), match.end(), token))
    return sizes


def _hanzi_number(text: str) -> int:
    """七十 → 70, 一百三十 → 130, 千 → 1000; 0 for none."""
    total = digit = 0
    for char in text:
        if char in _PLACES:
            total += (digit or 1) * _PLACES[char]
            digit = 0
        else:
            digit = _DIGITS[char]
    return total + digit
