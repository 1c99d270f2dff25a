"""What to do about a type that cannot be ordered at once: whom to ask, and the nearest type that can be."""

from __future__ import annotations

from knowledge.facts import gpus
from knowledge.rows import Instance
from tools.catalog import instance_words
from tools.finder import InstanceListing, find_instances
from tools.phrases import Language

from .request import OrderRequest, said

CONTACT = {"cn": "https://www.aliyun.com/contact", "intl": "https://www.alibabacloud.com/contact-sales"}


def can_be_ordered(row: Instance) -> bool:
    """Whether a command would not be refused for what the type is; stock and region are another matter."""
    return row.status == "on_sale"


def how_to_get(request: OrderRequest, nearest: InstanceListing | None, language: Language) -> str:
    """Why there is no command, whom to ask, and what can be ordered instead."""
    row = request.row
    sentence = said(f"how.{row.status}", language, type=row.instance_type, contact=CONTACT[request.site])
    if nearest is None:
        return sentence + said("how.no_nearest", language)
    shared = {"nearest": nearest.instance.instance_type, "cards": instance_words(nearest.instance, language)}
    if _each(nearest.instance) >= _each(row):
        return sentence + said("how.nearest", language, **shared)
    return sentence + said("how.nearest_smaller", language, memory=f"{_each(row):g}", **shared)


def nearest_orderable(row: Instance, region: str) -> InstanceListing | None:
    """The cheapest type on sale with cards as large and as much memory in all; where no card is as large, with the largest
    ones; where none has that memory in all, the largest of them.

    Types with a price in the region come before those without one. None where the size of the cards is unknown.
    """
    if not _each(row):
        return None
    slices = None if row.vgpu else False
    listed = [r for r in find_instances(region=region, status="on_sale", vgpu=slices) if _runs_cuda(r)]
    least = min(_each(row), max((_each(r.instance) for r in listed), default=0.0))
    as_large = [r for r in listed if _each(r.instance) >= least]
    enough = (r for r in as_large if _total(r.instance) >= _total(row))
    largest = max(as_large, key=lambda r: (_total(r.instance), r.price is not None), default=None)
    return next(enough, largest)


def _runs_cuda(listing: InstanceListing) -> bool:
    return bool(listing.gpu and listing.gpu.compute_capability) and listing.instance.cpu_arch != "arm64"


def _each(row: Instance) -> float:
    """Memory of one card (or slice), GB; that of the card where the type's row does not say it. 0: unknown."""
    if row.gpu_memory_gb_each is not None:
        return row.gpu_memory_gb_each
    card = gpus().get(row.gpu_id)
    return card.memory_gb if card else 0.0


def _total(row: Instance) -> float:
    return row.gpu_memory_gb_total or _each(row) * row.gpu_count
