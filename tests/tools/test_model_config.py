"""Parameter counts against published totals of the model table."""

from __future__ import annotations

from dataclasses import replace

import pytest

from knowledge.errors import InputError
from knowledge.facts import models
from knowledge.rows import Model
from tools.model_config import count_active_params, count_params, embedding_params, missing_shape

# What the row does not hold: latent experts, a second dense width, value heads of another count,
# positions and biases of small encoders.
NOT_BY_SHAPE = {
    "Llama-4-Maverick-17B-128E-Instruct", "gemma-4-26B-A4B-it", "gemma-4-E4B-it", "MiMo-V2-Flash",
    "NVIDIA-Nemotron-3-Nano-30B-A3B-BF16", "NVIDIA-Nemotron-3-Super-120B-A12B-BF16",
    "Step-3.7-Flash",
}  # fmt: skip

COUNTED = [
    model
    for model in models().values()
    if model.modality in ("text", "vision-language")
    and not missing_shape(model)
    and model.id not in NOT_BY_SHAPE
]


@pytest.mark.parametrize("model", COUNTED, ids=lambda model: model.id)
def test_counts_the_published_total(model: Model) -> None:
    published = model.params_total - (model.vision_params or 0)
    assert count_params(model) == pytest.approx(published, rel=0.005)


def test_most_of_the_table_is_countable() -> None:
    assert len(COUNTED) > 130


@pytest.mark.parametrize(
    "name, billions",
    [("DeepSeek-R1", 37.55), ("Qwen3-30B-A3B", 3.35), ("gpt-oss-120b", 5.71), ("Mixtral-8x7B-v0.1", 12.88)],
)
def test_counts_what_one_token_passes_through(name: str, billions: float) -> None:
    assert count_active_params(models()[name]) / 1e9 == pytest.approx(billions, rel=0.005)


@pytest.mark.parametrize(
    "name, tables",
    [("Qwen2.5-72B-Instruct", 2), ("Qwen2.5-0.5B-Instruct", 1), ("bert-base-uncased", 1), ("Llama-4-Scout-17B-16E-Instruct", 2)],
)
def test_embedding_is_doubled_unless_tied(name: str, tables: int) -> None:
    model = models()[name]
    assert embedding_params(model) == tables * (model.vocab_size or 0) * (model.hidden_size or 0)


def test_an_unknown_shape_names_what_is_missing() -> None:
    model = replace(models()["Qwen2.5-7B-Instruct"], intermediate_size=None)
    with pytest.raises(InputError, match="intermediate_size"):
        count_params(model)
    assert embedding_params(replace(model, vocab_size=None)) == 0
