from __future__ import annotations

from random import Random

import pytest

from evals.check.change import Change
from evals.check.mutants import choose_changes, mutators
from knowledge import facts

ZH = "**选 `ecs.gn7e-c16g1.8xlarge`（2 × A100 80 GB，69.483 元/小时，2024-12-31 [3]）。** gn7e 两张卡，3.2 万 token，32K[1]\n1. 权重 38.6 GiB"
EN = "Take `ecs.gn7i-c8g1.2xlarge` (1 × A10 24 GB), 9.5326 CNY/h [2] as of 31 December 2024; two machines of gn7i, 16k, June 2023.\n"


@pytest.mark.parametrize("text", [ZH, EN], ids=["zh", "en"])
@pytest.mark.parametrize("seed", range(5))
def test_each_change_changes_what_it_says_and_nothing_else(text: str, seed: int) -> None:
    changes = choose_changes(text, sources=9, each=50, seed=str(seed))
    assert changes
    for change in changes:
        spoilt = change.spoil(text)
        assert change.old != change.new and spoilt != text
        assert spoilt.startswith(text[: change.start]) and spoilt.endswith(text[change.start + len(change.old) :])


def test_every_kind_finds_its_places() -> None:
    found = {kind: [c.old for c in mutator(ZH, Random(1))] for kind, mutator in mutators(sources=9).items()}
    assert found["digit"] == ["2", "80", "69.483", "3.2", "32", "38.6"]
    assert found["point"] == ["69.483", "3.2", "38.6"]
    assert found["unit"] == ["GB", "元/小时", "GiB"]
    assert found["scale"] == [" 万", "K"]
    assert found["numeral"] == ["两"] and found["date"] == ["2024-12-31"]
    assert found["type"] == ["ecs.gn7e-c16g1.8xlarge"] and found["family"] == ["gn7e"] and found["card"] == ["A100"]
    assert found["mark_unknown"] == found["mark_other"] == ["[3]", "[1]"]


@pytest.mark.parametrize("seed", range(20))
def test_changed_figures_differ_in_value_and_names_are_what_they_claim(seed: int) -> None:
    for text in (ZH, EN):
        for change in choose_changes(text, sources=9, each=9, seed=str(seed)):
            _check_change(change)


def _check_change(change: Change) -> None:
    if change.kind in ("digit", "point"):
        assert float(change.old.replace(",", "")) != float(change.new.replace(",", ""))
    elif change.kind == "type":
        assert change.new in facts.instances()
    elif change.kind == "family":
        assert change.new in facts.families()
    elif change.kind == "misspelt":
        assert change.new not in facts.instances() and change.new not in facts.families()
    elif change.kind == "mark_unknown":
        assert int(change.new.strip("[]")) > 9
    elif change.kind == "mark_other":
        assert 1 <= int(change.new.strip("[]")) <= 9
    elif change.kind == "date":
        assert len(change.new) == len(change.old) and "20" in change.new


def test_the_same_seed_spoils_the_same_places_and_another_one_others() -> None:
    first, again, other = (choose_changes(ZH * 5, sources=9, each=2, seed=seed) for seed in ("1", "1", "2"))
    assert first == again and first != other


def test_a_text_without_anything_to_spoil_stays_alone() -> None:
    assert choose_changes("你好，请说说要部署什么模型。", sources=3, each=5, seed="0") == []


@pytest.mark.parametrize(
    ("text", "dropped"), [("32K, 16k and 3.2万", ["K", "k", "万"]), ("5 亿 token", [" 亿"]), ("Phi-3-mini-4k-instruct, 5 MB, A100 Max", []), ("10M tokens", ["M"])]
)
def test_scales_are_those_of_figures(text: str, dropped: list[str]) -> None:
    assert [c.old for c in mutators(sources=1)["scale"](text, Random(0))] == dropped


def test_a_change_is_not_made_where_its_text_does_not_stand() -> None:
    with pytest.raises(ValueError, match="does not stand"):
        Change("digit", 0, "2", "3").spoil("1 × A10")
