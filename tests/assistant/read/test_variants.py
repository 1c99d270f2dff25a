"""Another size, version or backbone of what was spoken of; memory, cards and settings said alone; Chinese and English side by side."""

from typing import Any

import pytest

from assistant.read.read import read_question
from assistant.read.reading import Reading


def follow(first: str, *then: str) -> Reading:
    reading = read_question(first)
    for text in then:
        reading = read_question(text, previous=reading)
    return reading


@pytest.mark.parametrize(
    ("first", "second", "fields"),
    [
        ("SegFormer-B5 crop 1024x1024 batch 8 训练要多少显存", "换成 B2", {"networks": ["SegFormer-B2"], "job": "vision_training", "batch": 8, "crop": (1024, 1024)}),
        ("Train SegFormer-B5, crop 1024x1024, batch 8", "what about B2?", {"networks": ["SegFormer-B2"], "job": "vision_training", "batch": 8, "crop": (1024, 1024)}),
        ("ResNet-50 训练 batch 64", "R101 呢", {"networks": ["ResNet-101"], "batch": 64}),
        ("Train ResNet-50 with batch 64", "and R101?", {"networks": ["ResNet-101"], "batch": 64}),
        ("Mask R-CNN R50-FPN 训练，每卡 2 张图，8 张卡", "骨干换成 Swin-L", {"task": "detection", "gpus": 8}),
        ("Train Mask R-CNN R50-FPN, 2 images per GPU, 8 GPUs", "what if I use a Swin-L backbone", {"task": "detection", "gpus": 8}),
        ("Qwen2.5-7B LoRA 微调，4096", "换成 14B", {"job": "llm_training", "method": "lora", "context": 4096}),
        ("LoRA fine-tune Qwen2.5-7B at 4096", "14B?", {"job": "llm_training", "method": "lora", "context": 4096}),
        ("whisper-large-v3 在 A10 上 batch 8", "换成 turbo", {"job": "asr_inference", "batch": 8}),
        ("Wan2.2 5B 生成 720p", "换成 14B", {"job": "diffusion_inference", "resolution": (1280, 720)}),
        ("Wan2.2 5B at 720p", "what about 14B?", {"job": "diffusion_inference", "resolution": (1280, 720)}),
    ],
)  # fmt: skip
def test_a_variant_keeps_the_job_and_its_settings(first: str, second: str, fields: dict[str, Any]) -> None:
    reading = follow(first, second)
    assert reading.intents[0] == "sizing"
    assert {name: getattr(reading, name) for name in fields} == fields


@pytest.mark.parametrize(
    ("first", "second", "name"),
    [
        ("Mask R-CNN R50-FPN 训练", "骨干换成 Swin-L", "swin-l"), ("Qwen2.5-7B LoRA", "换成 14B", "qwen2.5-14b"), ("whisper-large-v3 在 A10", "turbo 呢", "turbo"), ("Wan2.2 5B 生成 720p", "14B?", "14b"),
    ],
)  # fmt: skip
def test_the_variant_is_of_the_same_series(first: str, second: str, name: str) -> None:
    reading = follow(first, second)
    named = [*reading.networks, *reading.speech_models, *reading.diffusion_models, *(model.text for model in reading.models)]
    assert len(named) == 1 and name in named[0].lower()


@pytest.mark.parametrize("text", ["B2 是什么", "what is a large model?", "用 B2 训练要多少卡，预算多少", "14B 和 32B 哪个好"])
def test_a_question_of_its_own_is_no_variant(text: str) -> None:
    reading = follow("SegFormer-B5 训练 batch 8", text)
    assert reading.networks != ["SegFormer-B2"]


@pytest.mark.parametrize(
    ("first", "second", "memory"),
    [
        ("SDXL 生成", "24G 呢", 24.0), ("SDXL LoRA training", "what about 24GB?", 24.0), ("Qwen2.5-7B LoRA，A100", "换成 40G 的呢", 40.0), ("FLUX.1-dev", "and on 48 GB?", 48.0), ("FLUX.1-dev 出图", "２４Ｇ 够吗", 24.0),
    ],
)  # fmt: skip
def test_memory_alone_is_a_card(first: str, second: str, memory: float) -> None:
    reading = follow(first, second)
    assert (reading.intents[0], reading.card_memory_gb, reading.cards) == ("sizing", memory, [])


@pytest.mark.parametrize(
    ("text", "memory"),
    [("Qwen-Image 推理用什么卡，24G 够吗", 24.0), ("Is 24 GB enough to full fine-tune a 7B?", 24.0), ("7B LoRA，内存 16G 够吗", None), ("LoRA for 7B with a 40 GB disk", None)],
)
def test_memory_beside_a_question_of_fit(text: str, memory: float | None) -> None:
    assert read_question(text).card_memory_gb == memory


@pytest.mark.parametrize(
    ("first", "then", "count"),
    [
        ("QLoRA 微调 Qwen2.5-32B，1*L20", ["改成 2 卡"], 2), ("QLoRA Qwen2.5-32B on 1x L20", ["with 2 GPUs"], 2), ("Full fine-tune Qwen2.5-7B on 8 x A100", ["with only 4 GPUs"], 4), ("LoRA Qwen2.5-7B", ["4 GPUs", "what about the A100?"], 4), ("Qwen2.5-7B LoRA", ["用 2 张卡", "那 A100 呢"], 2),
    ],
)  # fmt: skip
def test_a_count_said_alone_is_of_the_cards_before(first: str, then: list[str], count: int) -> None:
    reading = follow(first, *then)
    assert reading.gpus == count and all(card.count is None for card in reading.cards)


@pytest.mark.parametrize("text", ["batch 4", "lora rank 128", "T4", "fp8", "8 GPUs"])
def test_words_of_the_trade_keep_the_language(text: str) -> None:
    assert follow("QLoRA 微调 Qwen2.5-32B，用 L20", text).language == "zh"
    assert follow("QLoRA for Qwen2.5-32B on an L20?", text).language == "en"


def test_a_rank_is_no_other_method() -> None:
    assert follow("QLoRA 微调 Qwen2.5-32B", "lora rank 128").method == "qlora"
    assert follow("QLoRA 微调 Qwen2.5-32B", "换成 LoRA").method == "lora"


@pytest.mark.parametrize(
    ("texts", "job"),
    [
        (["我要微调一个模型", "7B"], "llm_training"), (["I want to fine-tune a model", "Llama 3.1 8B"], "llm_training"), (["训练一个分割模型", "SegFormer-B5"], "vision_training"), (["train a segmentation network", "SegFormer-B5"], "vision_training"),
    ],
)  # fmt: skip
def test_a_bare_name_is_what_was_to_be_trained(texts: list[str], job: str) -> None:
    reading = follow(*texts)
    assert (reading.job, reading.intents[0]) == (job, "sizing")


@pytest.mark.parametrize(("first", "second"), [("whisper-large-v3 在 A10", "CPU 呢"), ("whisper-large-v3 on an A10", "what about CPU only?")])
def test_a_processor_said_alone(first: str, second: str) -> None:
    reading = follow(first, second)
    assert (reading.job, reading.cards) == ("cpu_inference", [])


@pytest.mark.parametrize(("first", "second"), [("QLoRA 7B，一张 A10 够吗", "为什么"), ("QLoRA 7B on an A10?", "why?")])
def test_a_bare_why_is_of_the_answer_before(first: str, second: str) -> None:
    reading = follow(first, second)
    assert (reading.intents[0], reading.wish) == ("sizing", "explain")


def test_a_bare_side_is_the_input_of_the_network() -> None:
    assert follow("训练 SegFormer-B5", "1024").crop == (1024, 1024)


@pytest.mark.parametrize(
    ("text", "networks"),
    [
        ("SegFormer-B0、B2、B5 各要多少显存，batch 8", ["SegFormer-B0", "SegFormer-B2", "SegFormer-B5"]), ("SegFormer-B0, B2 and B5 training memory, batch 8", ["SegFormer-B0", "SegFormer-B2", "SegFormer-B5"]),
        ("ResNet-50, 101 and 152 training memory at 224", ["ResNet-50", "ResNet-101", "ResNet-152"]), ("DeepLabV3+ R-50 或 R-101 训练", ["DeepLabV3+ R-50", "DeepLabV3+ R-101"]), ("SegFormer-B5, batch 8", ["SegFormer-B5"]),
    ],
)  # fmt: skip
def test_a_list_names_sizes_alone(text: str, networks: list[str]) -> None:
    assert read_question(text).networks == networks


@pytest.mark.parametrize(
    ("texts", "job"),
    [(["whisper-large-v3 在 A10", "CPU 呢", "T4 呢"], "asr_inference"), (["Qwen2.5-7B on CPU only", "and on an A10?"], "llm_inference"), (["bge-m3 用 CPU 跑", "T4 呢"], "encoder_inference")],
)  # fmt: skip
def test_back_from_a_processor_to_a_card(texts: list[str], job: str) -> None:
    assert follow(*texts).job == job


@pytest.mark.parametrize(
    ("first", "second", "fields"),
    [
        ("DeepLabV3+ R50 batch 16 在 4 张 V100 上训练", "8 张呢", {"gpus": 8}), ("1B 模型从零训练，8 卡 A100", "换成 H20 呢", {"gpus": 8}), ("LoRA 7B on 4 x A10", "what about the L20?", {"gpus": 4}),
        ("Swin-B UPerNet ADE20K 512 batch 16", "on A10s", {"batch": 16}), ("Qwen2.5-7B CPU 跑 8k 上下文", "多少 token 每秒", {"context": 8192, "job": "cpu_inference"}), ("Qwen2.5-7B on CPU with 8k", "how fast?", {"context": 8192, "job": "cpu_inference"}),
    ],
)  # fmt: skip
def test_cards_and_speeds_said_alone(first: str, second: str, fields: dict[str, Any]) -> None:
    reading = follow(first, second)
    assert reading.intents[0] == "sizing"
    assert {name: getattr(reading, name) for name in fields} == fields
