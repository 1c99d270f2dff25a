"""The catalog's front door: does a name exist, what is it, what is near it.

show_instance, show_family     a type, a family with its types (tools/names.py)
find_cards, resolve_card       cards by the names people use (tools/cards.py)
find_instances, explain_none   types by plain conditions (tools/finder.py)
exists                         any name at all
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from knowledge.facts import (
    CATALOG_READ_ON,
    active_day,
    catalog_as_of,
    families,
    gone_types,
    gpus,
    instances,
    untold_types,
)
from knowledge.kept import kept
from knowledge.rows import Family, Gpu, Instance, NotFamily

from .cards import CardMention, card_label, find_cards, find_mentions, resolve_card
from .finder import InstanceListing, NoMatch, explain_none, find_instances
from .names import (
    FamilyListing,
    not_found_sentence,
    phrases,
    rumour,
    show_family,
    show_instance,
    types_of,
    untold_sentence,
)
from .nearest import family_of, nearest_families, nearest_types, plain_name
from .phrases import Language, say
from .results import Result

__all__ = [
    "FamilyListing",
    "InstanceListing",
    "NameCheck",
    "NoMatch",
    "card_label",
    "exists",
    "explain_none",
    "find_cards",
    "find_instances",
    "instance_words",
    "resolve_card",
    "show_family",
    "show_instance",
    "types_of",
]
Kind = Literal["instance", "family", "card"]

BEST_FIRST = (
    "on_sale", "contact_sales", "invite_only", "overseas_only", "phased_out", "name_only",
)  # fmt: skip


class NameCheck(Result):
    """Whether a name is in the catalog. `status` is None for an unknown name, `not_offered` for a card of elsewhere."""

    name: str
    kind: Kind | None
    known: bool
    status: str | None
    fact_zh: str
    fact_en: str
    nearest: list[str] = []
    source_ids: list[str] = []


def exists(name: str) -> NameCheck:
    """What the catalog says of `name`: a type, a family, a card, or nothing of that name, with the nearest names."""
    plain = plain_name(name)
    if f"ecs.{plain}" in instances():
        return _check_instance(instances()[f"ecs.{plain}"])
    if f"ecs.{plain}" in untold_types():
        return _check_untold(plain)
    if plain in families():
        return _check_family(families()[plain])
    wrong = rumour(plain)
    if wrong is not None:
        return _check_rumour(plain, wrong)
    mentions = find_mentions(name)
    if len(mentions) == 1 and family_of(plain) is None:
        return _check_card(mentions[0])
    return _check_unknown(plain)


def instance_words(row: Instance, language: Language) -> str:
    """The GPUs of a type in words: "4 × A10 24 GB", "a 1/4 slice of T4 16 GB"."""
    if not row.gpu_count:
        return say(phrases(), "no_cards", language)
    card = card_label(gpus()[row.gpu_id], language)
    if row.vgpu:
        return say(phrases(), "slice", language, card=card, fraction=row.gpu_fraction)
    return say(phrases(), "cards", language, card=card, count=row.gpu_count)


def _check_instance(row: Instance) -> NameCheck:
    def fact(language: Language) -> str:
        unknown = say(phrases(), "unknown_figure", language)
        gone = row.instance_type in gone_types()
        return say(
            phrases(),
            "type_known",
            language,
            name=row.instance_type,
            family=row.family,
            cards=instance_words(row, language),
            vcpu=row.vcpu,
            memory=unknown if row.memory_gib is None else f"{row.memory_gib:g}",
            status=say(phrases(), f"status.{row.status}", language),
        ) + (say(phrases(), "not_listed_any_more", language, date=active_day()) if gone else "")

    return _known(
        row.instance_type, "instance", row.status, fact("zh"), fact("en"), row.source_ids
    )


def _check_family(row: Family) -> NameCheck:
    def fact(language: Language) -> str:
        status = say(phrases(), f"status.{row.status}", language)
        summary = row.summary_zh if language == "zh" else row.summary_en
        return say(
            phrases(), "family_known", language, name=row.family, summary=summary, status=status
        )

    return _known(row.family, "family", row.status, fact("zh"), fact("en"), row.source_ids)


def _check_card(mention: CardMention) -> NameCheck:
    if not mention.cards:
        return _check_other_card(mention)
    if mention.wrong_gb is not None:
        return _check_wrong_size(mention)
    zh = "".join(_card_fact(gpu, "zh") for gpu in mention.cards)
    en = " ".join(_card_fact(gpu, "en") for gpu in mention.cards)
    status = min((card_status(gpu) for gpu in mention.cards), key=_rank)
    return _known(mention.text, "card", status, zh, en, _sources(mention))


def _check_other_card(mention: CardMention) -> NameCheck:
    """A card known by name only, of which no family tells."""
    return NameCheck(
        name=mention.text,
        kind="card",
        known=False,
        status=None,
        fact_zh=say(phrases(), "unknown_card", "zh", name=mention.label_zh, date=CATALOG_READ_ON),
        fact_en=say(phrases(), "unknown_card", "en", name=mention.label_en, date=CATALOG_READ_ON),
        source_ids=["ali-families-zh", "ali-gpu-families-zh"],
    )


def _check_wrong_size(mention: CardMention) -> NameCheck:
    sizes = ", ".join(f"{gpu.memory_gb:g} GB" for gpu in mention.cards)

    def fact(language: Language) -> str:
        said = {"name": mention.name, "sizes": sizes, "wrong": mention.wrong_gb}
        return say(phrases(), "wrong_size", language, **said, date=CATALOG_READ_ON)

    return NameCheck(
        name=mention.text,
        kind="card",
        known=False,
        status=None,
        fact_zh=fact("zh"),
        fact_en=fact("en"),
        nearest=[card_label(gpu, "en") for gpu in mention.cards],
        source_ids=_sources(mention),
    )


def _card_fact(gpu: Gpu, language: Language) -> str:
    code = _CARD_FACTS.get(card_status(gpu), "card_offered")
    names = ", ".join(_families_by_card().get(gpu.gpu_id, ()))
    card = card_label(gpu, language)
    return say(phrases(), code, language, card=card, families=names, date=CATALOG_READ_ON)


_CARD_FACTS = {
    "not_offered": "card_reference",
    "phased_out": "card_off_sale",
    "name_only": "card_off_sale",
}


def card_status(gpu: Gpu) -> str:
    """The best status among the families of a card; `not_offered` when there is none."""
    statuses = [families()[name].status for name in _families_by_card().get(gpu.gpu_id, ())]
    return min(statuses, key=_rank, default="not_offered")


def _check_rumour(plain: str, row: NotFamily) -> NameCheck:
    typed = "." in plain or row.what_is_claimed.startswith("An instance type")
    return NameCheck(
        name=plain,
        kind="instance" if typed else "family",
        known=False,
        status=None,
        fact_zh=row.fact_zh,
        fact_en=row.fact_en,
        nearest=list(row.nearest),
        source_ids=list(row.source_ids),
    )


def _check_untold(plain: str) -> NameCheck:
    """A type that the cloud's interface lists, and that cannot be sized because its card is not in our tables."""
    day = catalog_as_of(f"ecs.{plain}")
    return NameCheck(
        name=f"ecs.{plain}",
        kind="instance",
        known=False,
        status=None,
        fact_zh=untold_sentence(plain, "zh"),
        fact_en=untold_sentence(plain, "en"),
        nearest=list(nearest_types(plain)),
        source_ids=[f"ecs-api-{day}"],
    )


def _check_unknown(plain: str) -> NameCheck:
    family = family_of(plain)
    typed = "." in plain or family is not None
    code = ("unknown_type" if typed else "unknown_name") if plain else "empty_name"
    return NameCheck(
        name=plain,
        kind="instance" if typed else None,
        known=False,
        status=None,
        fact_zh=not_found_sentence(code, plain, "zh"),
        fact_en=not_found_sentence(code, plain, "en"),
        nearest=list(nearest_types(plain) if typed else nearest_families(plain)),
        source_ids=["ali-families-zh", "ali-gpu-families-zh"],
    )


def _known(
    name: str, kind: Kind, status: str, zh: str, en: str, source_ids: Iterable[str]
) -> NameCheck:
    return NameCheck(
        name=name,
        kind=kind,
        known=True,
        status=status,
        fact_zh=zh,
        fact_en=en,
        source_ids=list(source_ids),
    )


def _rank(status: str) -> int:
    return BEST_FIRST.index(status) if status in BEST_FIRST else len(BEST_FIRST)


def _sources(mention: CardMention) -> list[str]:
    return list(dict.fromkeys(source for gpu in mention.cards for source in gpu.source_ids))


@kept
def _families_by_card() -> dict[str, tuple[str, ...]]:
    """Families of each card, best status first."""
    grouped: dict[str, tuple[str, ...]] = {}
    for row in sorted(families().values(), key=lambda row: _rank(row.status)):
        if row.gpu_id:
            grouped[row.gpu_id] = (*grouped.get(row.gpu_id, ()), row.family)
    return grouped
