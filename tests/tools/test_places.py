"""Places by the names that people and chat models give: cards with and without a count."""

import pytest

from tools.places import places

NAMED = {
    "A10": ("nvidia-a10", None),
    "a10": ("nvidia-a10", None),
    "A10x4": ("nvidia-a10", 4),
    "4 × L20": ("nvidia-l20", 4),
    "L20×4": ("nvidia-l20", 4),
    "4张A10": ("nvidia-a10", 4),
    "Ａ１０": ("nvidia-a10", None),
    "A100 80GB": ("nvidia-a100-80gb", None),
    "nvidia-a10x2": ("nvidia-a10", 2),
}


@pytest.mark.parametrize("name", NAMED)
def test_cards_by_the_names_people_use(name: str) -> None:
    card, count = NAMED[name]
    found = list(places(name))
    assert {place.gpu.gpu_id for place in found} == {card}
    assert count is None or [place.gpus for place in found] == [count]


def test_a_card_of_two_sizes_is_both() -> None:
    assert {place.gpu.gpu_id for place in places("A100")} == {"nvidia-a100-40gb", "nvidia-a100-80gb"}


@pytest.mark.parametrize("name", ["", "gn99x", "B300 Ultra", "x4", "4x"])
def test_what_nobody_sells_is_no_place(name: str) -> None:
    assert not list(places(name))
