"""A draft is in the language of the question."""

from __future__ import annotations

import pytest

from assistant.check.language import bad_language

from .given import QUESTION, found, support_of


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("zh", "You need two A100 cards for this model, and it fits with some room."),
        ("zh", "选 gn7e。The model needs 62 GiB on each of the cards and this fits."),
        ("zh", "The A10 has 24 GB of memory [1]."),
        ("en", "A10 有 24 GB 显存 [1]。"),
        ("zh", "このモデルには A100 が二枚必要です。"),
        ("zh", "이 모델에는 A100 두 장이 필요합니다."),
        ("zh", "Для этой модели нужны две карты A100."),
        ("zh", "Il faut deux cartes A100 pour le modèle et les poids sont dans la mémoire."),
        ("zh", "這個模型需要兩張顯卡，顯存價錢請看訓練實例的說明。"),
        ("en", "需要两张 A100 显卡，每卡约 62 GiB，放得下。"),
        ("en", "Take gn7e. 它是杭州有目录价、放得下的机型里最便宜的。"),
        ("en", "Für dieses Modell werden zwei Karten mit der Größe von 80 GB benötigt und das ist nicht viel."),
    ],
)
def test_another_language_is_found(language: str, text: str) -> None:
    problems = found(bad_language, text, support_of(QUESTION[language], reference=""))
    assert [p.code for p in problems] == ["language"]
    assert problems[0].reason


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("zh", "选 `ecs.gn7e-c16g1.8xlarge`（2 × A100 80 GB），tensor parallel 取 2，KV cache 用 FP8。"),
        ("zh", "vLLM 的 gpu_memory_utilization 默认 0.9，prefix caching 和 chunked prefill 可以开着。"),
        ("zh", "文档写的是“the A10 has 40 GB of memory and it is for training”，这不对。"),
        ("zh", "```\nvllm serve Qwen/Qwen2.5-72B-Instruct\n```"),
        ("zh", "2 × A100 80 GB"),
        ("en", "Take gn7e; a subscription (包年包月) is cheaper from 480 hours a month on."),
        ("en", "The document says “包年包月可以随时全额退款”, which is wrong."),
        ("en", "Yes, 包年包月."),
        ("zh", "ecs.gn7i-c8g1.2xlarge, A10 [1]"),
        ("en", "2 × A100 80 GB: 62 GiB of 71.2 GiB."),
    ],
)
def test_names_terms_and_quotes_may_be_foreign(language: str, text: str) -> None:
    assert not found(bad_language, text, support_of(QUESTION[language], reference=""))


def test_a_question_in_traditional_characters_may_be_answered_so() -> None:
    text = "這個模型需要兩張顯卡，顯存價錢請看訓練實例的說明。"
    assert not found(bad_language, text, support_of("Qwen2.5-72B 訓練要多少顯存？", reference=""))
