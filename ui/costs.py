"""What `xuanka price` works out for a use: ways of paying side by side, renting against an API, products beside ECS."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any

import typer

from .options import shortened
from .speech import say

if TYPE_CHECKING:
    from tools.costs.results import CostComparison, RentOrApi
    from tools.describe import Described
    from tools.phrases import Language

    from .blocks import Block


@dataclass(frozen=True)
class Ask:
    """What `price` was asked beside a name."""

    region: str
    hours: Decimal | None = None
    months: int | None = None
    machines: int | None = None
    currency: str | None = None
    api_in: Decimal | None = None
    api_out: Decimal | None = None
    model: str = ""
    input_tokens: int | None = None
    output_tokens: int | None = None

    @property
    def asked(self) -> bool:
        """Whether anything but the list was asked for."""
        given = (self.hours, self.months, self.machines, self.api_in, self.api_out, self.currency)
        return any(value is not None for value in given) or bool(self.model)

    @property
    def api(self) -> bool:
        """Whether an API is to be held against."""
        return self.api_in is not None or self.api_out is not None


def number(text: str) -> Decimal:
    """200, 2,000, ２００, 200h, 200小时 → a number; what is out of range is told by the tool."""
    plain = unicodedata.normalize("NFKC", text).strip().lower().replace(",", "")
    for word in ("小时", "hours", "hour", "h"):
        plain = plain.removesuffix(word).strip()
    try:
        value = Decimal(plain)
    except InvalidOperation:
        raise typer.BadParameter(f"{shortened(text)!r} is not a number of hours such as 200") from None
    return value


def whole_number(text: str) -> int:
    """2, ２, 2台, 3个月 → a whole number."""
    plain = unicodedata.normalize("NFKC", text).strip().lower().rstrip("台个月")
    try:
        return int(plain)
    except ValueError:
        raise typer.BadParameter(f"{shortened(text)!r} is not a whole number such as 2") from None


def show_costs(described: Described, ask: Ask, billing: str | None, language: Language, *, as_json: bool) -> None:
    """Prints the comparison of one type, or a line for each type of a family or card."""
    costs = [only(compared(row.instance_type, ask, language), billing) for row in described.types]
    rent = rented(described, ask, language)
    if as_json:
        from .screen import show_json

        show_json(_as_json(described, costs, rent))
        return
    from .cost_blocks import cost_blocks
    from .screen import show

    show(cost_blocks(described, costs, rent, ask.currency, language))


def compared(instance_type: str, ask: Ask, language: Language) -> CostComparison:
    """Ways of paying for one type."""
    from tools.costs.compare import compare_costs

    return compare_costs(
        instance_type, region=ask.region, machines=1 if ask.machines is None else ask.machines, hours=ask.hours, months=ask.months,
        currency=ask.currency, language=language,
    )  # fmt: skip


def only(item: CostComparison, billing: str | None) -> CostComparison:
    """The comparison with the rows of one way of billing, where one was named."""
    if billing is None:
        return item
    return item.model_copy(update={name: [row for row in getattr(item, name) if row.way == billing] for name in ("rows", "elsewhere")})


def rented(described: Described, ask: Ask, language: Language) -> RentOrApi | None:
    """Renting against the API, of one type only. Raises InputError for several, or for a model without an API's price."""
    from knowledge.errors import InputError

    if not ask.api:
        if ask.model:
            raise InputError(say("price.model_needs_api", language))
        return None
    if described.check.kind != "instance":
        raise InputError(say("price.api_needs_type", language, name=described.name[:40]))
    return _held_against(described.types[0].instance_type, ask, language)


def _held_against(name: str, ask: Ask, language: Language) -> RentOrApi:
    from tools.costs.capacity import machine_speed
    from tools.costs.rent_or_api import INPUT_TOKENS, OUTPUT_TOKENS, rent_or_api
    from tools.costs.results import ApiPrice
    from tools.site import site_currency

    first = ask.api_in if ask.api_in is not None else ask.api_out
    second = ask.api_out if ask.api_out is not None else first
    speed = None
    if ask.model:
        prompt, answer = ask.input_tokens or INPUT_TOKENS, ask.output_tokens or OUTPUT_TOKENS
        speed = machine_speed(ask.model, name, input_tokens=prompt, output_tokens=answer, language=language)
    return rent_or_api(
        name, api=ApiPrice(input=first or Decimal(0), output=second or Decimal(0), currency=ask.currency or site_currency()), tokens_per_s=speed,
        input_tokens=ask.input_tokens, output_tokens=ask.output_tokens, machines=1 if ask.machines is None else ask.machines,
        region=ask.region, model=ask.model, language=language,
    )  # fmt: skip


def beside_blocks(instance_type: str, place: str, language: Language) -> tuple[list[Block], list[str]]:
    """For the plain list of one type: from how many hours the month pays, plans, idle cost; and the sources cited."""
    from .blocks import Lines, Markdown, Title
    from .cost_blocks import FORMS, row_note

    item = compared(instance_type, Ask(place), language)
    lines = [row_note(row, language) for row in item.rows if row.way not in FORMS and row.note]
    said = [item.cheapest] if item.cheapest else [note for note in item.notes if any(row.way == "month" for row in item.elsewhere)][:1]
    blocks: list[Block] = [*(Markdown(text) for text in said), Lines(lines, dim=True), Title(say("price.idle", language))]
    return [*blocks, Lines([f"· {line}" for line in item.idle])], item.source_ids


def show_product(name: str, place: str, language: Language, *, as_json: bool) -> None:
    """Prints the billing rules of a product beside ECS."""
    from tools.costs.products import other_products
    from tools.costs.sentences import cost_sentences

    from .blocks import Lines, Markdown, Title
    from .figures import source_lines
    from .screen import show, show_json

    found = other_products(name, region=place, language=language)
    if as_json:
        show_json(found)
        return
    lines = "\n".join(f"- {line}" for line in cost_sentences(found, language))
    show([Markdown(lines), Title(say("sources", language)), Lines(source_lines(found.source_ids, language), dim=True)])


def _as_json(described: Described, costs: Sequence[CostComparison], rent: RentOrApi | None) -> dict[str, Any]:
    return {
        "name": described.name,
        "costs": [item.model_dump(mode="json") for item in costs],
        "rent_or_api": rent.model_dump(mode="json") if rent else None,
    }
