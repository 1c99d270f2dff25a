"""Figures of English and Chinese drafts as models word them: sums told in words, lists in turn, sizes as a class; each with a wrong one beside it."""

import pytest

from assistant.check.figures import read_figures

from .test_numbers import check

PAIRS = [
    ("Weights take 19.3 GiB plus 40.0 GiB for the KV cache, i.e. 59.3 GiB before overhead.", "Weights take 19.3 GiB plus 40.0 GiB for the KV cache, i.e. 58.3 GiB before overhead."),
    ("(38.6 + 80.0) / 2 = 59.3 GiB for weights and cache.", "(38.6 + 80.0) / 2 = 61.3 GiB for weights and cache."),
    ("Add 2.7 GiB for activations and engine.", "Add 3.7 GiB for activations and engine."),
    ("再加约 2.7 GiB 的激活和引擎。", "再加约 4.7 GiB 的激活和引擎。"),
    ("Half the context (16K) would do.", "Half the context (12K) would do."),
    ("Each of the 80 GB cards is used fully; a 16 GB card is too small.", "Each of the 80 GB cards is used fully; a 18 GB card is too small."),
    ("62.0 GiB are needed, so 16 GB 的卡不够。", "62.0 GiB are needed, so 18 GB 的卡不够。"),
    ("A100 和 V100 的上限分别是 71.2 和 14.0 GiB。", "A100 和 V100 的上限分别是 14.0 和 71.2 GiB。"),
    ("The limits of the A100 and the V100 are 71.2 and 14.0 GiB respectively.", "The limits of the A100 and the V100 are 14.0 and 71.2 GiB respectively."),
    ("Running ecs.gn7e-c16g1.8xlarge 24/7 costs roughly 50,700 CNY a month.", "Running ecs.gn7e-c16g1.8xlarge 24/7 costs roughly 55,700 CNY a month."),
    ("ecs.gn7e-c16g1.8xlarge: 69.483 CNY/h.\n\nThe ecs.gn6v-c8g1.16xlarge costs 211.68 CNY/h.\n\nThe card lets you use 71.2 GiB.", "ecs.gn7e-c16g1.8xlarge: 69.483 CNY/h.\n\nThe ecs.gn6v-c8g1.16xlarge costs 211.68 CNY/h.\n\nThe card lets you use 17.2 GiB."),
    ("69.483 CNY/h for ecs.gn7e-c16g1.8xlarge, listed two years ago.", "69.483 CNY/h for ecs.gn7e-c16g1.8xlarge, listed seven years ago."),
    ("ecs.gn6v-c8g1.16xlarge costs 211.68 CNY/h, about 3.0 times the price of the better choice:\n\necs.gn7e-c16g1.8xlarge: 69.483 CNY/h.", "ecs.gn6v-c8g1.16xlarge costs 211.68 CNY/h, about 4.0 times the price of the better choice:\n\necs.gn7e-c16g1.8xlarge: 69.483 CNY/h."),
    ("On ecs.gn7e-c16g1.8xlarge that leaves 9.2 GiB.", "On ecs.gn7e-c16g1.8xlarge that leaves 19.2 GiB."),
]


@pytest.mark.parametrize("honest", [pair[0] for pair in PAIRS])
def test_what_models_say_of_the_figures_holds(honest: str) -> None:
    assert [(p.text, p.reason) for p in check(honest)] == []


@pytest.mark.parametrize("wrong", [pair[1] for pair in PAIRS])
def test_one_changed_figure_in_it_does_not(wrong: str) -> None:
    assert check(wrong)


def test_figures_said_in_turn_are_each_of_its_own_name() -> None:
    figures = [f for f in read_figures("L20 和 A10 的带宽分别是 864 GB/s 和 600 GB/s。") if f.quantity.dim == "bandwidth"]
    assert [sorted(f.subject.gpus) for f in figures] == [["nvidia-l20"], ["nvidia-a10"]]


def test_a_card_of_its_name_is_no_class_of_cards() -> None:
    assert check("The V100, an 80 GB card, would do.")
    assert check("V100 是 80 GB 的卡。")


def test_the_reason_tells_what_a_figure_is_of() -> None:
    [problem] = check("Activations take 40.0 GiB on each card.")
    assert "kv" in problem.reason
