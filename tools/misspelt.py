"""Names that are nearly those of known models: `qwne2.5-72b`, `deepsek r1`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache

from .model_names import Entry, joined, name_index, walk
from .model_spans import read_name
from .model_tokens import Token, name_words, tokenize

SHORTEST = 4
"""Letters below which a word is near too many others."""
LONGEST = 16
"""Tokens of a name."""


@dataclass(frozen=True, slots=True)
class Misspelt:
    """A misspelt name at `start` to `end`, the token after it, and the models it is near to."""

    start: int
    end: int
    after: int
    nearest: tuple[str, ...]


def respell(text: str, tokens: list[Token], at: int) -> Misspelt | None:
    """The name that token `at` begins when its first word is put right, provided that a version or a size follows."""
    token = tokens[at]
    if token.kind != "word" or at + 1 >= len(tokens) or not joined(text, token, tokens[at + 1]):
        return None
    if tokens[at + 1].kind not in ("number", "size", "moe") and len(tokens[at + 1].text) > 2:
        return None
    for brand in near_brands(token.text):
        put_right = [token._replace(text=brand), *tokens[at + 1 : at + LONGEST]]
        hit = walk(text, put_right, 0)
        if hit is None or (hit.after == 1 and tokens[at + 1].kind == "word"):
            continue
        found = read_name(text, put_right, 0)
        if found and (hit.after > 1 or found[0].size or found[0].entry is not hit.entry):
            name, after = found
            return Misspelt(name.start, name.end, at + after, _ids(name.entry) or _ids(hit.entry))
    return None


@lru_cache(maxsize=1024)
def near_brands(word: str) -> tuple[str, ...]:
    """Brand words one slip away from `word` (two for long words), nearest first; () for known words."""
    brands = _brands()
    if len(word) < SHORTEST or len(word) > 20 or word in brands or word in name_words()["own_names"]:
        return ()
    from rapidfuzz.distance import OSA

    slips = {brand: OSA.distance(word, brand) for brand in brands if abs(len(brand) - len(word)) <= 2}
    near = [brand for brand, slip in slips.items() if slip <= (1 if len(brand) < 7 else 2)]
    return tuple(sorted(near, key=lambda brand: slips[brand]))


def nearest_models(name: str, *, count: int = 5) -> tuple[str, ...]:
    """Ids of models whose names are spelt nearly like `name`, nearest first; () where nothing is near."""
    from rapidfuzz import fuzz, process

    keys = _joined_keys()
    wanted = "".join(token.text for token in tokenize(name)) or name.lower()
    near = process.extract(wanted, keys.keys(), scorer=fuzz.ratio, limit=12, score_cutoff=62)
    ids = (model_id for key, _, _ in near for model_id in _ids(keys[key]))
    return tuple(dict.fromkeys(ids))[:count]


@cache
def _brands() -> frozenset[str]:
    heads = {key[0] for key in name_index().entries}
    return frozenset(h for h in heads if len(h) >= SHORTEST and h.isascii() and h.isalpha())


@cache
def _joined_keys() -> dict[str, Entry]:
    return {"".join(key): entry for key, entry in name_index().entries.items()}


def _ids(entry: Entry | None) -> tuple[str, ...]:
    return tuple((entry.ids or entry.group)[:5]) if entry else ()
