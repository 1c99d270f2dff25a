"""Precisions named in a text, those of the weights apart from that of the KV cache."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from knowledge.facts import precisions
from tools.weights import precision_names

from .lexicon import Hit, Lexicon, both_languages, flatten, read_table

_CANONICAL = {"unquantised": "bf16", "gptq-int8": "int8"}
_TOO_COMMON = {"half", "single", "gguf", "fp4-fp8", "full precision", "全精度", "16bit", "native"}
"""Names of the table that mean other things in a sentence, or are read otherwise in precision.toml."""


@dataclass(frozen=True, slots=True)
class Precisions:
    """Canonical names: of the weights in order of mention, of the KV cache; `mixed` for AMP training."""

    weights: tuple[str, ...] = ()
    kv: str | None = None
    mixed: bool = False
    found: tuple[Hit, ...] = ()


@cache
def _lexicon() -> Lexicon:
    names = both_languages(read_table("precision"))
    spoken = {flatten(word) for words in names.values() for word in words}
    for word, canonical in precision_names().items():
        if word not in _TOO_COMMON and flatten(word) not in spoken:
            names.setdefault(canonical, []).append(word)
    return Lexicon({"precision": names})


@cache
def _kv_patterns() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    """What stands before and after a precision of the cache, then of the weights."""
    before = re.compile(
        r"(?:kv ?(?:cache|缓存)?(?: dtype)?|键值缓存)s?\s?(?:的?(?:精度|量化|类型|dtype)?)?\s?(?:用|开|设为|设成|换成|改成|是|为|到|=|:|in|to|at|as|of|is|quantised to|quantized to)?\s?$"
    )
    after = re.compile(r"\s?(?:的|for the|for)?\s?(?:kv|键值缓存)(?![a-z])")
    weights = re.compile(
        r"(?:权重|weights?|model)\s?(?:都|全)?(?:量化|精度)?\s?(?:用|开|设为|设成|换成|改成|是|为|到|=|:|in|to|at|as|of|is|are)?\s?$"
    )
    of_weights = re.compile(r"\s?(?:的|for the|for)?\s?(?:权重|weights?(?![a-z])|模型)")
    return before, after, weights, of_weights


def find_precisions(text: str) -> Precisions:
    """All precisions of a text. "KV cache fp8" and "fp8 KV" are of the cache, all others of the weights."""
    flat = flatten(text)
    weights: list[str] = []
    kv: str | None = None
    mixed = False
    hits = _find(text, flat)
    for at, hit in enumerate(hits):
        name = _CANONICAL.get(hit.name, hit.name)
        if name == "amp":
            mixed = True
        elif _is_of_cache(flat, hits, at):
            kv = kv or name
        elif name not in weights:
            weights.append(name)
    return Precisions(tuple(_most_exact(weights)), kv, mixed, tuple(hits))


@cache
def _widths() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    """A width with a point or in bits per weight; people counted politely (8 位同事); what stands between two words of one thing."""
    width = re.compile(r"(?<![a-z0-9.])(?:(\d{1,2}\.\d{1,2}) ?(?:bits?|位|比特)|(\d{1,2}(?:\.\d{1,2})?) ?(?:bpw|bits? per weight))(?![a-z0-9])")
    people = re.compile(r" ?(?:的)?(?:并发|在线|使用|内部)?(?:同时|在线|一起|用户|同事|同学|员工|客户|老师|学生|开发|程序员|工程师|研究员|专家|朋友|人|使用者|医生|客服|作者)")
    return width, people, re.compile(r" ?[(（]? ?(?:的|of)? ?")


def _find(text: str, flat: str) -> list[Hit]:
    """Hits of the word table, without people and parts of other numbers, and the widths that have no word ("1.58bit")."""
    width, people, between = _widths()
    wide = [Hit("precision", name, match.start(), match.end()) for match in width.finditer(flat) if (name := _file_of(float(match[1] or match[2])))]
    hits = [
        hit
        for hit in _lexicon().scan(text)
        if not re.search(r"\d\.$", flat[max(0, hit.start - 2) : hit.start])
        and not re.match(r"int ?\d\.\d", flat[hit.start : hit.end + 2])
        and not (flat[hit.end - 1] == "位" and people.match(flat, hit.end))
    ]
    wide = [hit for hit in wide if not any(hit.start < other.end and other.start < hit.end for other in hits)]
    hits = sorted([*hits, *wide], key=lambda hit: hit.start)
    return [hit for at, hit in enumerate(hits) if not _says_again(flat, hits, at, between)]


def _file_of(bits: float) -> str | None:
    """The smallest GGUF file that is at least that wide; None for full widths (16.0 bit) and for nonsense."""
    files = [row for row in precisions().values() if row.kind == "gguf" and row.bits >= bits >= 1]
    return min(files, key=lambda row: row.bits).precision if files else None


def _says_again(flat: str, hits: Sequence[Hit], at: int, between: re.Pattern[str]) -> bool:
    """The width beside the file's own name: "IQ1_S (1.58bit)", "4bit Q4_K_M"."""
    said = flat[hits[at].start : hits[at].end]
    digit = re.search(r"\d", said)
    if digit is None or not re.search(r"bits?$|bpw$|位|比特|^int", said):
        return False
    for first, then, other in ((at - 1, at, at - 1), (at, at + 1, at + 1)):
        if first < 0 or then == len(hits) or not between.fullmatch(flat, hits[first].end, hits[then].start):
            continue
        if re.match(rf"i?q{digit[0]}", flat[hits[other].start : hits[other].end]):
            return True
    return False


def _is_of_cache(flat: str, hits: Sequence[Hit], at: int) -> bool:
    """Whether hit `at` is the cache's: "KV fp8", or "fp8 KV" unless the KV is that of the next one ("bf16 KV fp8")."""
    _, after, weights, of_weights = _kv_patterns()
    hit = hits[at]
    claimed = at > 0 and bool(after.match(flat, hits[at - 1].end)) and bool(of_weights.match(flat, hit.end))
    if _follows_kv(flat, hit) and not claimed:
        return True
    if not after.match(flat, hit.end) or weights.search(flat[max(0, hit.start - 16) : hit.start]):
        return False
    then = hits[at + 1] if at + 1 < len(hits) else None
    return then is None or not _follows_kv(flat, then) or bool(of_weights.match(flat, then.end))


def _follows_kv(flat: str, hit: Hit) -> bool:
    return _kv_patterns()[0].search(flat[max(0, hit.start - 24) : hit.start]) is not None


def _most_exact(weights: Sequence[str]) -> list[str]:
    """GPTQ and AWQ say how the four bits are made: "awq … int4" is one precision, awq."""
    methods = {"awq", "gptq", "nf4"} & set(weights)
    return [name for name in weights if not (methods and name == "int4")]
