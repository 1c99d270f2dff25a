"""How old the catalog in use is, and when that must be said beside an answer."""

from __future__ import annotations

from datetime import date

from knowledge import facts

from .phrases import Language, read_phrases, say
from .results import Result

CODE = "stale_catalog"
"""Code of the caution that carries the sentence."""


class CatalogInUse(Result):
    """Which catalog the figures are of: the shipped one, or a refresh laid over it. `prices`, `spot_quotes` and `offers` count
    the rows of the refresh; without one they are 0 and `regions` is empty."""

    refreshed: bool
    as_of: str
    age_days: int
    site: str
    types: int
    families: int
    listed_types: int
    prices: int
    spot_quotes: int
    offers: int
    regions: list[str] = []
    left_out: list[str] = []
    sentence: str
    source_ids: list[str] = []


def catalog_in_use(today: date, *, language: Language = "en") -> CatalogInUse:
    """The catalog in use, its age, and what a refresh brought."""
    manifest = facts.active_manifest()
    rows = manifest.rows if manifest else {}
    told = {
        "date": facts.active_day(),
        "age": catalog_age(today),
        "types": rows.get("types.csv", 0) if manifest else len(facts.instances()),
        "prices": rows.get("prices.csv", 0) if manifest else len(facts.price_rows()),
        "regions": ", ".join(manifest.regions) if manifest else "",
    }
    table = read_phrases("tools", "phrases/freshness.toml")
    return CatalogInUse(
        refreshed=manifest is not None,
        as_of=facts.active_day(),
        age_days=catalog_age(today),
        site=manifest.site if manifest else "cn",
        types=len(facts.instances()),
        families=len(facts.families()),
        listed_types=rows.get("types.csv", 0),
        prices=rows.get("prices.csv", 0),
        spot_quotes=rows.get("spot.csv", 0),
        offers=rows.get("offered.csv", 0),
        regions=list(manifest.regions) if manifest else [],
        left_out=list(manifest.left_out) if manifest else [],
        sentence=say(table, "in_use_refresh" if manifest else "in_use_shipped", language, **told),
        source_ids=[manifest.source_id] if manifest else ["ali-gpu-families-zh"],
    )


def catalog_age(today: date) -> int:
    """Days since the catalog in use was read or refreshed; 0 on a clock that stands before that day."""
    return max(0, (today - date.fromisoformat(facts.active_day())).days)


def staleness(today: date, max_age_days: int, *, language: Language) -> str | None:
    """One sentence when the catalog in use is older than `max_age_days`; None when it is not, or when that is 0."""
    age = catalog_age(today)
    if max_age_days <= 0 or age <= max_age_days:
        return None
    code = "stale_refresh" if facts.is_refreshed() else "stale_shipped"
    table = read_phrases("tools", "phrases/freshness.toml")
    return say(table, code, language, date=facts.active_day(), age=age)
