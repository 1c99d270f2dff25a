"""Typical shapes, and the tables behind model look-up."""

from __future__ import annotations

import pytest

from knowledge.errors import InputError
from knowledge.facts import models, precisions, typical_models
from tools.model_config import count_params, embedding_params
from tools.model_tokens import name_words
from tools.typical import typical_experts, typical_model


def test_each_typical_row_is_the_shape_of_the_model_it_names() -> None:
    for row in typical_models():
        model = models()[row.like]
        for name in ("hidden_size", "layers", "heads", "kv_heads", "head_dim", "intermediate_size", "vocab_size"):
            assert getattr(row, name) == getattr(model, name), (row.like, name)
        assert model.params_total / 1e9 == pytest.approx(row.billions, rel=0.08)


def test_typical_rows_rise_in_size_and_in_cache() -> None:
    rows = typical_models()
    assert [row.billions for row in rows] == sorted(row.billions for row in rows)
    caches = [row.layers * row.kv_heads * row.head_dim for row in rows if row.billions in (0.5, 1.5, 7, 14, 32, 70, 405)]
    assert caches == sorted(caches)


def test_a_nominal_size_is_that_of_the_model_it_comes_from() -> None:
    for row in typical_models():
        assert typical_model(row.billions).params_total == models()[row.like].params_total


@pytest.mark.parametrize("billions", [0.001, 0.1, 0.6, 1.8, 6.5, 13, 34, 72, 180, 671, 5000])
def test_the_stated_size_is_kept_and_embeddings_stay_below_a_third(billions: float) -> None:
    model = typical_model(billions)
    assert model.params_total == round(billions * 1e9)
    assert embedding_params(model) <= model.params_total * 0.34


def test_the_shape_is_near_the_stated_size() -> None:
    for billions in (0.5, 1.5, 3, 7, 8, 13, 14, 32, 34, 70, 72, 110, 405):
        assert count_params(typical_model(billions)) / 1e9 == pytest.approx(billions, rel=0.18)


@pytest.mark.parametrize("billions", [0, -7, 1e-9, 5001, float("inf"), float("nan")])
def test_an_absurd_size_is_refused(billions: float) -> None:
    with pytest.raises(InputError, match="5000 billion"):
        typical_model(billions)


@pytest.mark.parametrize("count, billions, total", [(8, 7, 46.70), (8, 22, 140.6)])
def test_a_mixture_of_mixtral_size_is_mixtral(count: int, billions: float, total: float) -> None:
    model = typical_experts(count, billions)
    assert model.params_total / 1e9 == pytest.approx(total, rel=0.005)
    assert model.params_active and model.params_active < model.params_total / 3


def test_the_name_table_points_at_rows_that_exist() -> None:
    words = name_words()
    families = {row.family for row in models().values()}
    assert set(words["also"]) <= set(models())
    assert set(words["same_shape"].values()) <= set(models())
    assert set(words["weight_dtype"]) <= set(precisions())
    for brand, table in words["brands"].items():
        assert set(table["prefer"]) <= families, brand
