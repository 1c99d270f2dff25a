"""Instance types and families by name. What the catalog does not hold is refused with the nearest real names."""

from __future__ import annotations

from dataclasses import dataclass

from knowledge.errors import UnknownInstance
from knowledge.facts import (
    CATALOG_READ_ON,
    active_day,
    catalog_as_of,
    families,
    instances,
    is_listed_whole,
    not_families,
    untold_types,
)
from knowledge.kept import kept
from knowledge.rows import Family, Instance, NotFamily

from .nearest import family_of, nearest_families, nearest_types, plain_name
from .phrases import Language, read_phrases, say


@dataclass(frozen=True, slots=True)
class FamilyListing:
    """A family and its types, smallest first (none for a family known by name only)."""

    family: Family
    types: tuple[Instance, ...]


def phrases() -> dict[str, dict[str, str]]:
    """The catalog's and the price table's sentences."""
    return read_phrases("tools", "phrases/catalog.toml")


def show_instance(name: str, *, language: Language = "en") -> Instance:
    """The type called `name`, with or without `ecs.`, in any case or width.

    Raises UnknownInstance, with the reason where the name is known to circulate, and the nearest real names.
    """
    plain = plain_name(name)
    found = instances().get(f"ecs.{plain}")
    if found is not None:
        return found
    if f"ecs.{plain}" in untold_types():
        raise UnknownInstance(untold_sentence(plain, language), nearest=nearest_types(plain))
    if plain in families():
        raise _unknown("it_is_a_family", plain, nearest_types(plain), language)
    wrong = rumour(plain)
    if wrong is not None:
        raise _rumoured(wrong, language)
    raise _unknown("unknown_type" if plain else "empty_name", plain, nearest_types(name), language)


def show_family(name: str, *, language: Language = "en") -> FamilyListing:
    """The family called `name` (or the family of the type called `name`) with its types, smallest first.

    Raises UnknownInstance like `show_instance`.
    """
    plain = plain_name(name)
    typed = instances().get(f"ecs.{plain}")
    row = families().get(typed.family if typed else plain)
    if row is not None:
        return FamilyListing(row, types_of(row.family))
    wrong = rumour(plain)
    if wrong is not None:
        raise _rumoured(wrong, language)
    raise _unknown(
        "unknown_family" if plain else "empty_name", plain, nearest_families(name), language
    )


def untold_sentence(plain: str, language: Language) -> str:
    """What is known of a type that the cloud's interface lists and whose card is not in our tables."""
    row = untold_types()[f"ecs.{plain}"]
    count = say(phrases(), "untold_count", language, count=row.gpu_count) if row.gpu_count else ""
    figures = {"vcpu": row.vcpu or "?", "memory": "?" if row.memory_gib is None else f"{row.memory_gib:g}"}
    card = say(phrases(), "untold_card" if row.gpu_spec else "untold_no_card", language, card=row.gpu_spec, count=count)
    day = catalog_as_of(row.instance_type)
    return say(phrases(), "type_untold", language, name=row.instance_type, date=day, card=card, **figures)


def not_found_sentence(code: str, plain: str, language: Language) -> str:
    """That the catalog of its day does not hold a name, nor the refresh in use where that listed the whole family."""
    sentence = say(phrases(), code, language, name=plain, date=CATALOG_READ_ON)
    family = family_of(plain)
    if code != "unknown_type" or family is None or not is_listed_whole(family):
        return sentence
    return sentence + say(phrases(), "not_listed_either", language, family=family, date=active_day())


def types_of(family: str) -> tuple[Instance, ...]:
    """Types of a family by number of GPUs, then vCPU."""
    return _types_by_family().get(family, ())


def rumour(name: str) -> NotFamily | None:
    """The row of a name that circulates and is in no catalog: exact, or the family part of a type name."""
    plain = plain_name(name)
    table = not_families()
    exact = table.get(plain) or table.get(f"ecs.{plain}")
    if exact is not None or family_of(plain):
        return exact
    stems = [row for key, row in table.items() if plain.startswith((key + ".", key + "-"))]
    return max(stems, key=lambda row: len(row.name), default=None)


@kept
def _types_by_family() -> dict[str, tuple[Instance, ...]]:
    grouped: dict[str, list[Instance]] = {}
    for row in sorted(instances().values(), key=lambda row: (row.gpu_count, row.vcpu)):
        grouped.setdefault(row.family, []).append(row)
    return {family: tuple(rows) for family, rows in grouped.items()}


def _rumoured(row: NotFamily, language: Language) -> UnknownInstance:
    fact = row.fact_zh if language == "zh" else row.fact_en
    name = row.name + ("：" if language == "zh" else ": ")
    return UnknownInstance(name + fact, nearest=row.nearest)


def _unknown(
    code: str, plain: str, nearest: tuple[str, ...], language: Language
) -> UnknownInstance:
    sentence = not_found_sentence(code, plain, language)
    near = say(phrases(), "nearest", language, names=", ".join(nearest)) if nearest else ""
    return UnknownInstance(sentence + near, nearest=nearest)
