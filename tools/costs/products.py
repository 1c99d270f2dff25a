"""Products beside ECS: Function Compute, PAI and ECI. Their billing rules as published; figures only with their standing."""

from __future__ import annotations

import unicodedata

from knowledge import facts
from knowledge.cost_facts import CloudProduct, cloud_products
from knowledge.errors import InputError
from tools.phrases import Language
from tools.prices import DEFAULT_REGION, NoPrice, hourly, region_id

from .figures import place, price, sentence, unit
from .results import OtherProducts, Product, ProductFact


def other_products(
    *names: str, instance_type: str | None = None, region: str = DEFAULT_REGION, language: Language = "en"
) -> OtherProducts:
    """Billing rules of the products called `names` (all of them where none is named), each with source and date.

    `instance_type` adds what an ECI pod of that ECS type costs. Raises InputError for an unknown product or region,
    UnknownInstance for a type outside the catalog.
    """
    rows = [_named(name, language) for name in names] if names else list(cloud_products().values())
    products = [_product(row, language) for row in dict.fromkeys(rows)]
    if instance_type is not None:
        products = [_with_price(item, instance_type, region, language) for item in products]
    ids = [name for product in products for fact in product.facts for name in fact.source_ids]
    return OtherProducts(
        products=products, unverified=sentence("product.unverified", language).strip(), source_ids=list(dict.fromkeys(ids))
    )


def product_named(name: str) -> str | None:
    """Short name of the product that a text is the name of; None for anything else."""
    plain = unicodedata.normalize("NFKC", name).strip().lower()
    for row in cloud_products().values():
        if plain in (row.product, row.name_zh.lower(), row.name_en.lower(), *row.aliases):
            return row.product
    return None


def _named(name: str, language: Language) -> CloudProduct:
    found = product_named(name)
    if found is None:
        known = ", ".join(cloud_products())
        raise InputError(sentence("product.unknown", language, name=name.strip()[:40], known=known))
    return cloud_products()[found]


def _product(row: CloudProduct, language: Language) -> Product:
    return Product(
        product=row.product, name=row.name_zh if language == "zh" else row.name_en, facts=[_fact(name, language) for name in row.fact_ids]
    )


def _fact(name: str, language: Language) -> ProductFact:
    row = facts.billing_facts()[name]
    return ProductFact(
        fact_id=name, text=row.fact_zh if language == "zh" else row.fact_en, official=row.official, as_of=row.as_of,
        source_ids=list(row.source_ids),
    )  # fmt: skip


def _with_price(item: Product, instance_type: str, region: str, language: Language) -> Product:
    """ECI costs what its ECS type costs: that price, beside the rule."""
    found = hourly(instance_type, region=region_id(region, language=language))
    if item.product != "eci" or isinstance(found, NoPrice):
        return item
    said = sentence(
        "product.eci_price", language, name=instance_type, price=price(found.amount), unit=unit(found.currency, language),
        region=place(found.region, language), date=found.as_of,
    )  # fmt: skip
    line = ProductFact(fact_id="eci-price", text=said, official=False, as_of=found.as_of, source_ids=[found.source_id])
    return item.model_copy(update={"facts": [*item.facts, line]})
