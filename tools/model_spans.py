"""Reads a name at one place of a text: the name itself, a size beside it, and what its suffix says."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from knowledge.facts import models

from .model_names import Entry, Hit, fold, is_window, joined, name_index, walk
from .model_tokens import Token, name_words

OFFICIAL_SIZE_ERROR = 0.12
"""A size after a full name (DeepSeek V3 671B) is taken as the same model within this share of its parameters."""

_OF = re.compile(r"\s?(?:参数)?(?:量|规模|版本?)?的?[\s\-_(（]{0,3}|\s(?:params?|parameters?|version|of)\s")


@dataclass(frozen=True, slots=True)
class Name:
    """A name read in a text.

    `entry` says what it can be, None where the size fits no model of that stem; `size` is the size token said
    in that case; `odd` when a word after the name makes it another architecture.
    """

    start: int
    end: int
    entry: Entry | None
    size: Token | None
    weight_dtype: str | None
    spelling: str
    odd: bool = False


def read_name(text: str, tokens: list[Token], first: int) -> tuple[Name, int] | None:
    """The name that starts at token `first`, and the number of the token after it; None where there is none."""
    token = tokens[first]
    if token.kind in ("size", "moe"):
        return _size_first(text, tokens, first)
    if token.kind not in ("word", "han") or _glued_left(text, token):
        return None
    if text[token.start : token.start + 16].lower().startswith(tuple(name_words()["not_models"])):
        return None
    hit = walk(text, tokens, first)
    if hit is None or (_loose_letters(text, tokens, hit) and not _spelt_so(text, tokens, hit)):
        return None
    return _with_size(text, tokens, hit)


_AND = re.compile(r"\s?(?:[、/,，;；+]|和|与|或|及|还是|or|and|vs\.?)?\s?")


def read_series(text: str, size: Token, stem: tuple[str, ...], end: int) -> Name | None:
    """A size as one more of the series whose last name ended at `end`: Qwen2.5 7B/14B/72B."""
    entry = name_index().entries.get((*stem, size.text)) if stem else None
    if entry is None or size.kind not in ("size", "moe") or not _AND.fullmatch(text, end, size.start):
        return None
    return Name(size.start, size.end, entry, None, None, fold(text[size.start : size.end]))


def _with_size(text: str, tokens: list[Token], hit: Hit) -> tuple[Name, int]:
    """The name with the size that follows it."""
    size_at = None if _sized(hit.entry) else _next_size(text, tokens, hit.after)
    if size_at is None:
        return _finish(text, tokens, hit.first, hit.after, hit.entry, None)
    size = tokens[size_at]
    entry = hit.entry if _same_size(hit.entry, size) else None
    entry = entry or name_index().entries.get((*hit.entry.key, size.text))
    between = {token.text for token in tokens[hit.after : size_at]}
    if between - {"moe"}:  # a word of its own: Qwen2.5-Omni-7B
        entry = None
    return _finish(text, tokens, hit.first, size_at + 1, entry, None if entry else size)


def _size_first(text: str, tokens: list[Token], first: int) -> tuple[Name, int] | None:
    """72B 的千问2.5, 13B Llama 2."""
    for after in range(first + 1, min(first + 7, len(tokens))):
        if not _OF.fullmatch(text, tokens[first].end, tokens[after].start):
            continue
        hit = walk(text, tokens, after) if tokens[after].kind in ("word", "han") else None
        if hit is None or _sized(hit.entry) or _next_size(text, tokens, hit.after) is not None:
            continue
        entry = name_index().entries.get((*hit.entry.key, tokens[first].text))
        if entry or _same_size(hit.entry, tokens[first]):
            return _finish(text, tokens, first, hit.after, entry or hit.entry, None)
    return None


def _sized(entry: Entry) -> bool:
    return any(re.fullmatch(r"[\dx.]+b", part) for part in entry.key)


def _same_size(entry: Entry, size: Token) -> bool:
    """Whether the size said is that of a name which carries none (DeepSeek V3 671B)."""
    if not entry.ids or size.kind != "size":
        return False
    total = models()[entry.ids[0]].params_total
    return abs(float(size.text[:-1]) * 1e9 / total - 1) <= OFFICIAL_SIZE_ERROR


def _next_size(text: str, tokens: list[Token], after: int) -> int | None:
    """The size that follows, with at most three words in between that are glued by hyphens or name a variant."""
    for at in range(after, min(after + 4, len(tokens))):
        if not joined(text, tokens[at - 1], tokens[at]):
            return None
        if tokens[at].kind in ("size", "moe"):
            if _is_length(text, tokens[at]):
                return None
            glued = tokens[at - 1].text in ("a", "e") and tokens[at - 1].end == tokens[at].start
            return None if glued else at
        variant = tokens[at].text in name_words()["changes"]
        if not (variant or (tokens[at].kind in ("word", "number") and _glued(text, tokens, at))):
            return None
    return None


_LENGTH = re.compile(r"\s{0,2}(?:个|tokens?|的|长|最大)?\s?(?:上下文|窗口|序列|tokens?(?![a-z])|context|ctx|window)", re.IGNORECASE)
LARGEST_WINDOW_M = 16
"""Millions up to which a number with M after a whole name is a length of context: no such model is so small."""


def _is_length(text: str, token: Token) -> bool:
    """Whether 10M after a name is a number of tokens, not of parameters."""
    if not is_window(text, token):
        return False
    return int(text[token.start : token.end - 1]) <= LARGEST_WINDOW_M or _LENGTH.match(text, token.end) is not None


def _glued(text: str, tokens: list[Token], at: int) -> bool:
    return not any(c.isspace() for c in text[tokens[at - 1].end : tokens[at].start])


def _glued_left(text: str, token: Token) -> bool:
    """Whether the token is the tail of a longer word or of a dotted name (ecs.r1)."""
    before = text[token.start - 1] if token.start else " "
    return before in ".@#$" or (before.isascii() and before.isalnum())


def _loose_letters(text: str, tokens: list[Token], hit: Hit) -> bool:
    """Short names such as R1 or SD3 count only in one piece, not as a tail of another name."""
    head = tokens[hit.first]
    if len(head.text) > 2 or not head.text.isascii() or hit.after - hit.first > 2:
        return False
    start, end = head.start, tokens[hit.after - 1].end
    if tokens[hit.after - 1].kind != "number":
        return False
    return any(c.isspace() for c in text[start:end]) or (start > 0 and text[start - 1] in "-_")


def _spelt_so(text: str, tokens: list[Token], hit: Hit) -> bool:
    """Whether the table spells the name just so (sd 1.5), at the start of a word."""
    start = tokens[hit.first].start
    return fold(text[start : tokens[hit.after - 1].end]) in name_index().spellings and (start == 0 or text[start - 1] not in "-_")


def _finish(
    text: str, tokens: list[Token], first: int, after: int, entry: Entry | None, size: Token | None
) -> tuple[Name, int]:
    """Adds the organisation before the name and the suffix after it."""
    start, end = tokens[first].start, tokens[after - 1].end
    spelling = fold(text[start:end])
    start = _with_prefix(text, start)
    odd, dtype = False, None
    while True:
        found = _dtype_pattern().match(text, end)
        if found:
            dtype = sharper(dtype, dtype_of(found["dtype"]))
            end = found.end()
        elif after < len(tokens) and tokens[after].start >= end and (
            _in_suffix(text, tokens, after, end) or _varies(text, tokens, after, entry)
        ):
            odd = odd or _changes_shape(tokens, after)
            end = tokens[after].end
        elif entry is not None and (own := _own_name(text, end, entry)):
            odd, end = True, own
        else:
            break
        while after < len(tokens) and tokens[after].end <= end:
            after += 1
    if "(" in text[start:end] and text[end : end + 1] == ")":
        end += 1
    return Name(start, end, entry, size, dtype, spelling, odd), after


def _in_suffix(text: str, tokens: list[Token], at: int, end: int) -> bool:
    """Whether token `at` belongs to the name that ends at `end`: -Instruct, -2507, -v0.3, Chat."""
    token, gap = tokens[at], text[end : tokens[at].start]
    if token.kind == "han":
        return False
    words = name_words()
    if gap == " ":
        return token.text in ("instruct", "chat")
    if gap not in ("-", "_", ":", "."):
        return gap == "" and token.kind == "number" and tokens[at - 1].text == "v"
    if token.kind == "number":
        return len(token.text) == 4 and token.text.isdigit()
    return token.text in words["after"] or token.text in words["plain"] or token.text in words["changes"]


def _varies(text: str, tokens: list[Token], at: int, entry: Entry | None) -> bool:
    """Whether a brand alone is followed by the word of a variant: Mistral Nemo is not Mistral."""
    brand_alone = entry is not None and len(entry.key) == 1 and joined(text, tokens[at - 1], tokens[at])
    return brand_alone and _changes_shape(tokens, at)


_OWN_NAME = re.compile(r"-(?!v?\d{4}(?![\w-]))[A-Za-z0-9][\w.]{0,20}(?:-[\w.]{1,20}){0,4}|\s(?:[A-Za-z]\d{1,2}|[A-Za-z]{3,10}-\d{1,2})(?![\w.])")


def _own_name(text: str, end: int, entry: Entry) -> int:
    """Where a model's own name ends that begins with a name standing for one model: MiniMax-Text-01, MiniMax M1. 0: none."""
    if len(entry.key) > 1 or not entry.ids or entry.loose:
        return 0
    match = _OWN_NAME.match(text, end)
    words = re.findall(r"[a-z]+", match.group().lower()) if match else []
    known = {*name_words()["plain"], *name_words()["after"]}
    return match.end() if match and not (words and known.issuperset(words)) else 0


def _changes_shape(tokens: list[Token], at: int) -> bool:
    """Whether a suffix makes another architecture: -VL, -Lite, not the v of -v0.3."""
    version = tokens[at].text == "v" and at + 1 < len(tokens) and tokens[at + 1].kind == "number"
    return tokens[at].text in name_words()["changes"] and not version


_PREFIX = re.compile(r"(?:(?<![\w./])[A-Za-z0-9_.\-]{1,40}/)?(?:meta-|nvidia-)?$", re.IGNORECASE)


def _with_prefix(text: str, start: int) -> int:
    """Where `org/` or `Meta-` before the name starts."""
    match = _PREFIX.search(text, max(0, start - 60), start)
    return match.start() if match and match.group() else start


@cache
def _spellings() -> dict[str, str]:
    table = name_words()["weight_dtype"]
    return {spelling.replace("-", ""): dtype for dtype, names in table.items() for spelling in names}


@cache
def _dtype_pattern() -> re.Pattern[str]:
    return re.compile(rf"[\-_:.]{{1,2}}(?:quantized\.)?(?P<dtype>{_dtype_words()})(?![A-Za-z0-9])", re.IGNORECASE)


@cache
def _dtype_anywhere() -> re.Pattern[str]:
    return re.compile(rf"(?<![A-Za-z0-9])(?P<dtype>{_dtype_words()})(?![A-Za-z0-9])", re.IGNORECASE)


def _dtype_words() -> str:
    names = (name for names in name_words()["weight_dtype"].values() for name in names)
    longest = sorted(names, key=len, reverse=True)
    return "|".join([r"i?q\d_[a-z0-9]{1,3}(?:_[a-z0-9]{1,3})?", *(n.replace("-", r"[\-_ .]?") for n in longest)])


def dtype_of(spelling: str) -> str:
    """The precision that a suffix names: GPTQ-Int4 → gptq; quantised files as they are written, in lower case."""
    low = spelling.lower()
    return _spellings().get(re.sub(r"[\-_ .]", "", low), low)


def sharper(first: str | None, then: str | None) -> str | None:
    """The first weight type said, save that the usual one of GGUF gives way to the file's own (GGUF Q5_K_M)."""
    return then if then and first in (None, dtype_of("gguf")) else first


def find_dtype(text: str) -> str | None:
    """The first weight type named in `text`."""
    found = _dtype_anywhere().search(text)
    return dtype_of(found["dtype"]) if found else None
