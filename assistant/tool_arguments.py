"""What the tools that size a job are told: their arguments as a model sees them, and the wish made of them."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Literal

from pydantic import Field

from tools.advise import Wish
from tools.prices import region_id

Lang = Annotated[Literal["zh", "en"], Field(description="language of the sentences in the result")]
Region = Annotated[str, Field(description="region id, e.g. cn-hangzhou")]
Places = Annotated[list[str], Field(description="cards, families or types to check, e.g. nvidia-a10, nvidia-a10x4, gn7e")]
Model = Annotated[str, Field(description="model name as typed, e.g. Qwen2.5-72B-Instruct, or a size like 13B")]
Config = Annotated[str | None, Field(description="a Hugging Face config.json instead of a name")]
Budget = Annotated[float | None, Field(description="budget per hour of all machines, in the currency of the site in use")]
Monthly = Annotated[float | None, Field(description="the same per month: by subscription, or 730 hours where none is listed")]
Dtype = Annotated[str | None, Field(description="bf16 fp16 fp8 int8 awq gptq nf4 q4_k_m …; empty: the usual one")]
Gpus = Annotated[int | None, Field(description="cards in all, where the user says how many")]

Name = Annotated[str, Field(description="instance type, family or card, e.g. ecs.gn7i-c8g1.2xlarge, gn7i, A10")]
Count = Annotated[int | None, Field(description="cards of one machine, where a family or card is named")]


def wish_of(
    region: str, max_hourly: float | None, language: Literal["zh", "en"], *, max_monthly: float | None = None, gpu_count: int | None = None
) -> Wish:
    """The wish of the machine, in the currency of the site in use."""
    hour, month = (Decimal(str(most)) if most is not None else None for most in (max_hourly, max_monthly))
    return Wish(region=region_id(region, language=language), max_hourly=hour, max_monthly=month, gpu_count=gpu_count)
