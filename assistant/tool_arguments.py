"""What the tools that size a job are told: their arguments as a model sees them, and the wish made of them."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, WithJsonSchema

from tools.advise import Wish
from tools.prices import region_id


def one_of(*values: str, note: str = "") -> WithJsonSchema:
    """A field whose values are listed to chat models; what else is given, the tool itself takes or refuses in a sentence."""
    return WithJsonSchema({"type": "string", "enum": list(values), **({"description": note} if note else {})})


def _listed(value: object) -> object:
    """One value, or several in one string, where a list is wanted: models forget the brackets."""
    return [part.strip() for part in re.split(r"[,;、，；]", value) if part.strip()] if isinstance(value, str) else value


LISTED = BeforeValidator(_listed)
Lang = Annotated[Literal["zh", "en"], Field(description="language of the sentences in the result")]
Region = Annotated[str, Field(description="e.g. cn-shanghai")]
Names = Annotated[list[str], LISTED]
Places = Annotated[list[str], LISTED, Field(description="named cards, types: A10, L20x4, gn7e")]
Model = Annotated[str, Field(description="as typed, or a size: 13B")]
Config = str | None
"""A Hugging Face config.json instead of a name."""
Budget = Annotated[float | None, Field(description="price/h")]
Monthly = float | None
"""The same by the month: by subscription, or 730 hours where none is listed."""
Dtype = Annotated[str | None, Field(description="bf16 fp8 int8 int4 awq q4_k_m …")]
KvDtype = Annotated[str | None, one_of("bf16", "fp8")]
Context = Annotated[int | None, Field(description="tokens of one request; 32K = 32768")]
Users = Annotated[int | None, Field(description="requests at once, not tokens")]
Gpus = Annotated[int | None, Field(description="cards in all")]

Name = Annotated[str, Field(description="type, family or card")]
Count = Annotated[int | None, Field(description="cards per machine")]
Currency = Annotated[str, one_of("CNY", "USD")]


def wish_of(
    region: str, max_hourly: float | None, language: Literal["zh", "en"], *, max_monthly: float | None = None, gpu_count: int | None = None
) -> Wish:
    """The wish of the machine, in the currency of the site in use."""
    hour, month = (Decimal(str(most)) if most is not None else None for most in (max_hourly, max_monthly))
    return Wish(region=region_id(region, language=language), max_hourly=hour, max_monthly=month, gpu_count=gpu_count)
