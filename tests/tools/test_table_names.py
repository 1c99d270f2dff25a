from __future__ import annotations

import pytest

from knowledge.errors import UnknownModel
from knowledge.facts import models
from knowledge.other_facts import diffusion_models, encoder_models, speech_models
from tools.diffusion.names import find_diffusion_model, look_up_diffusion_model
from tools.encoders.names import find_encoder, look_up_encoder
from tools.speech.names import find_speech_model
from tools.table_names import find_named, spellings

TEXTS = [
    ("在 A10 上跑 SDXL 和 FLUX.1-dev 要多少显存", ["stable-diffusion-xl-base-1.0", "FLUX.1-dev"]),
    ("how much for Wan2.2-TI2V-5B at 720p?", ["Wan2.2-TI2V-5B"]),
    ("Wan-AI/Wan2.1-I2V-14B-720P", ["Wan2.1-I2V-14B"]),
    ("ＳＤ１．５出图", ["stable-diffusion-v1-5"]),
    ("万相2.2 生成视频", ["Wan2.2-T2V-A14B"]),
    ("CogVideoX1.5-5B T2V/I2V", ["CogVideoX1.5-5B"]),
    ("PixArt (example flavour)", ["PixArt-Sigma"]),
    ("swan lake, I want fluxus", []),
    ("", []),
]


@pytest.mark.parametrize(("text", "ids"), TEXTS)
def test_diffusion_models_named_in_texts(text: str, ids: list[str]) -> None:
    assert [span.id for span in find_diffusion_model(text)] == ids


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("bge-m3 和 bge-reranker-v2-m3 部署", ["bge-m3", "bge-reranker-v2-m3"]),
        ("fine-tune bert-base-chinese", ["bert-base-chinese"]),
        ("Qwen3-Embedding-8B", ["Qwen3-Embedding-8B"]),
        ("intfloat/e5-mistral-7b-instruct", ["e5-mistral-7b-instruct"]),
        ("Albert likes robertas", []),
    ],
)
def test_encoders_named_in_texts(text: str, ids: list[str]) -> None:
    assert [span.id for span in find_encoder(text)] == ids


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("whisper large-v3 转写", ["whisper-large-v3"]),
        ("faster-whisper", ["whisper-large-v3"]),
        ("openai/whisper-turbo", ["whisper-large-v3-turbo"]),
        ("SenseVoice and Paraformer", ["SenseVoiceSmall", "paraformer-large"]),
        ("whispering", []),
    ],
)
def test_speech_models_named_in_texts(text: str, ids: list[str]) -> None:
    assert [span.id for span in find_speech_model(text)] == ids


def test_spans_point_into_the_text_as_typed() -> None:
    text = "İ 用ＳＤＸＬ画图"
    (span,) = find_diffusion_model(text)
    assert text[span.start : span.end] == span.text == "ＳＤＸＬ"


def test_longest_name_wins_and_numbers_are_not_cut() -> None:
    names = spellings({"a": ("wan 2",), "b": ("wan 2.1 14b",)})
    assert [span.id for span in find_named("wan2.1-14b, wan 2, wan2.5", names)] == ["b", "a"]


def test_unknown_names_are_refused_with_near_ones() -> None:
    with pytest.raises(UnknownModel) as caught:
        look_up_diffusion_model("fulx.1-dev")
    assert "FLUX.1-dev" in caught.value.nearest
    with pytest.raises(UnknownModel, match="表里没有"):
        look_up_diffusion_model("qwertyuiop", language="zh")


def test_no_name_means_two_rows() -> None:
    for table in (diffusion_models(), speech_models(), encoder_models()):
        seen: dict[str, str] = {}
        for row in table.values():
            for name in (row.id, row.hf_id, *row.aliases):
                glued = "".join(letter for letter in name.casefold() if letter.isalnum())
                assert seen.setdefault(glued, row.id) == row.id, name


def test_encoders_agree_with_the_table_of_language_models() -> None:
    shared = set(encoder_models()) & set(models())
    assert len(shared) >= 5
    for name in shared:
        ours, theirs = encoder_models()[name], models()[name]
        assert abs(ours.params / theirs.params_total - 1) < 0.02, name
        assert (ours.hidden_size, ours.layers) == (theirs.hidden_size, theirs.layers), name


def test_encoders_of_the_other_table_are_found() -> None:
    assert look_up_encoder("bge-m3").id == "bge-m3"
    with pytest.raises(UnknownModel):
        look_up_encoder("Qwen2.5-72B-Instruct")
