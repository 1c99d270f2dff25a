"""The index of model names: a tree of tokens over ids, aliases and their shorter forms, built once."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache

from knowledge.facts import models
from knowledge.rows import Model

from .model_tokens import JOINT, Token, name_words, tokenize

Key = tuple[str, ...]

LONGEST = 20
"""Tokens of a name, the skipped ones included; the longest of the table has 10."""

_BRAND_AND_SIZE = re.compile(r"\D*\d+(?:\.\d+)?b")


@dataclass(slots=True)
class Entry:
    """What a chain of tokens can mean. `ids`: models of the table, the preferred one first.

    `given` of them are named so in the table; `loose` names leave the generation open; a `group` lacks its size.
    """

    key: Key
    ids: list[str] = field(default_factory=list)
    given: list[str] = field(default_factory=list)
    group: list[str] = field(default_factory=list)
    loose: bool = False
    renamed: str | None = None


class Node(dict[str, "Node"]):
    """Children by token; `entry` where a name ends."""

    __slots__ = ("entry",)
    entry: Entry | None


@dataclass(frozen=True, slots=True)
class NameIndex:
    """The tree, all entries by key, exact spellings by owner, and the words that names are made of."""

    root: Node
    entries: dict[Key, Entry]
    spellings: dict[str, str]
    words: frozenset[str]


@dataclass(frozen=True, slots=True)
class Hit:
    """Tokens `first` to before `after` spell `entry`."""

    first: int
    after: int
    entry: Entry


@dataclass(frozen=True, slots=True)
class Parts:
    """A model's id in parts: `stem` (qwen 2.5), `label` (72b; None where the id has no size)."""

    stem: Key
    label: str | None


@cache
def name_index() -> NameIndex:
    """The index over the model table and `model_names.toml`."""
    entries: dict[Key, Entry] = {}
    spellings: dict[str, str] = {}
    also = name_words()["also"]
    for row in models().values():
        for name in (row.id, row.hf_id, *row.aliases, *also.get(row.id, ())):
            _give(entries, name, row.id)
            spellings.setdefault(fold(name), row.id)
    for name, same in name_words()["same_shape"].items():
        _rename(entries, name, name, same)
    for name, row in name_words()["other_window"].items():
        _rename(entries, name, name, row["like"])
        _rename(entries, row["hub"], name, row["like"])
    parts = {row.id: name_parts(row) for row in models().values()}
    _add_stems(entries, parts)
    _add_generations(entries, parts)
    _add_brands(entries, parts)
    _prefer_newest(entries)
    words = frozenset(t.text for row in models().values() for t in tokenize(row.id) if t.kind == "word")
    return NameIndex(_tree(entries.values()), entries, spellings, words)


def name_parts(row: Model) -> Parts:
    """Stem and size of a row's id."""
    tokens = [t for t in tokenize(row.id) if t.text not in _plain()]
    for i, token in enumerate(tokens):
        marks_active = i and tokens[i - 1].text in ("a", "e") and tokens[i - 1].end == token.start
        if token.kind in ("size", "moe") and not marks_active:
            return Parts(tuple(t.text for t in tokens[:i]), token.text)
    return Parts(tuple(t.text for t in tokens), None)


def walk(text: str, tokens: list[Token], first: int) -> Hit | None:
    """The longest name that starts at token `first`, words that say nothing about shape skipped."""
    node, at, best, last = name_index().root, first, None, tokens[first]
    while at < min(len(tokens), first + LONGEST):
        if at > first and not joined(text, tokens[at - 1], tokens[at]):
            break
        if at > first and _is_context(text, tokens, first, at):
            break
        child = node.get(tokens[at].text)
        if child is None:
            child = node.get(_with_point(tokens[at]))
        if child is None:
            if at == first or not (tokens[at].text in _plain() or _repeats(last, tokens[at])):
                break
            if best is not None and best.after == at and _repeats(last, tokens[at]):
                best = Hit(first, at + 1, best.entry)
        else:
            node, last = child, tokens[at]
            if node.entry is not None and ends_there(tokens, at):
                best = Hit(first, at + 1, node.entry)
        at += 1
    return best


def _is_context(text: str, tokens: list[Token], first: int, at: int) -> bool:
    """Whether a window such as 200K stands apart from the name: then it is the context wished for."""
    parted = any(c.isspace() for c in text[tokens[at - 1].end : tokens[at].start])
    return parted and is_window(text, tokens[at]) and tokens[first].text not in _word_set("named_by_window")


def is_window(text: str, token: Token) -> bool:
    """Whether a token is written like a number of tokens: 200K, 1M."""
    return re.fullmatch(r"\d{1,4}[km]", text[token.start : token.end].lower()) is not None


def _with_point(token: Token) -> str:
    """`qwen25` and `llama31` mean 2.5 and 3.1."""
    two = token.kind == "number" and len(token.text) == 2 and token.text.isdigit()
    return f"{token.text[0]}.{token.text[1]}" if two else ""


def joined(text: str, left: Token, right: Token) -> bool:
    """Whether nothing but a joint of names stands between two tokens."""
    return JOINT.fullmatch(text, left.end, right.start) is not None


def ends_there(tokens: list[Token], at: int) -> bool:
    """Whether token `at` ends a word: `glm4.5` does not end in `glm4.5v`."""
    if at + 1 == len(tokens) or tokens[at + 1].start > tokens[at].end:
        return True
    return tokens[at + 1].kind == "han" or tokens[at].kind == "han"


def fold(name: str) -> str:
    """A spelling without case and doubled white space; hyphens stay, they tell Qwen-72B from qwen 72b."""
    return re.sub(r"\s+", " ", name.strip()).lower().replace("_", "-")


@cache
def names_as_written() -> dict[str, str]:
    """Model ids by full name, folded: the short way for a name typed as it is published, without the index of all spellings.

    Left out are names of several rows, and a brand with only a size (qwen 72b): they may mean another generation.
    """
    found: dict[str, str] = {}
    twice: set[str] = set()
    for row in models().values():
        for name in dict.fromkeys(fold(name) for name in (row.id, row.hf_id, *row.aliases) if name):
            if found.setdefault(name, row.id) != row.id or _BRAND_AND_SIZE.fullmatch(name):
                twice.add(name)
    return {name: model_id for name, model_id in found.items() if name not in twice}


def is_name(text: str) -> bool:
    """Whether `text` is a name that the index holds, be it one without its size."""
    return _key(text) in name_index().entries


def _plain() -> frozenset[str]:
    return _word_set("plain")


@cache
def _word_set(table: str) -> frozenset[str]:
    return frozenset(name_words()[table])


def _repeats(before: Token, token: Token) -> bool:
    """The brand said twice, as in Qwen/Qwen3."""
    return token.text == before.text and token.kind in ("word", "han")


@cache
def _key(name: str) -> Key:
    tokens = tokenize(name)
    kept = [t for t in tokens if t.text not in _plain()]
    return tuple(t.text for i, t in enumerate(kept) if not (i and _repeats(kept[i - 1], t)))


def _entry(entries: dict[Key, Entry], key: Key) -> Entry:
    return entries.setdefault(key, Entry(key))


def _give(entries: dict[Key, Entry], name: str, model_id: str) -> None:
    key = _key(name)
    if key and model_id not in _entry(entries, key).given:
        entries[key].given.append(model_id)
        entries[key].ids.append(model_id)


def _rename(entries: dict[Key, Entry], spelling: str, name: str, same: str) -> None:
    """`spelling` means the model `name`, which has the shape of `same`."""
    _give(entries, spelling, same)
    entry = entries[_key(spelling)]
    entry.renamed = entry.renamed or name


def _add_stems(entries: dict[Key, Entry], parts: dict[str, Parts]) -> None:
    """Stem + size (qwen 3 30b) where no name says it already, and stems as groups that lack a size."""
    for model_id, part in parts.items():
        if part.label is None:
            continue
        sized = _entry(entries, (*part.stem, part.label))
        if not sized.given:
            sized.ids.append(model_id)
        _entry(entries, part.stem).group.append(model_id)


def _add_generations(entries: dict[Key, Entry], parts: dict[str, Parts]) -> None:
    """The part of a stem that ends in a version (llama 4), where it is no name yet."""
    named = set(entries)
    for model_id, part in parts.items():
        for length in range(2, len(part.stem)):
            key = part.stem[:length]
            if key not in named and len(key[0]) > 2 and key[-1][0].isdigit():
                _entry(entries, key).group.append(model_id)


def _add_brands(entries: dict[Key, Entry], parts: dict[str, Parts]) -> None:
    """Brand + size (qwen 72b) and the brand alone, over all generations of it."""
    for brand, table in name_words()["brands"].items():
        order = table["prefer"]
        rows = [row for row in models().values() if row.family in order]
        rows.sort(key=lambda row: order.index(row.family))
        _entry(entries, (brand,)).group = [row.id for row in rows]
        for row in rows:
            label = parts[row.id].label
            if label is not None:
                entry = _entry(entries, (brand, label))
                entry.loose = True
                entry.ids += [row.id] if row.id not in entry.ids else []


def _prefer_newest(entries: dict[Key, Entry]) -> None:
    tables = name_words()["brands"].values()
    order = {family: i for table in tables for i, family in enumerate(table["prefer"])}
    for entry in entries.values():
        if entry.loose:
            entry.ids.sort(key=lambda model_id: order.get(models()[model_id].family, len(order)))


def _tree(entries: Iterable[Entry]) -> Node:
    root = _node()
    for entry in entries:
        node = root
        for token in entry.key:
            if token not in node:
                node[token] = _node()
            node = node[token]
        node.entry = entry
    return root


def _node() -> Node:
    node = Node()
    node.entry = None
    return node
