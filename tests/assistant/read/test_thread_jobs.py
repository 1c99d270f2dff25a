"""What carries over in threads about training, networks, pictures and rates, Chinese and English side by side."""

from typing import Any

import pytest

from assistant.read.read import read_question
from assistant.read.reading import Reading

TRAIN_ZH = "LoRA 微调 Qwen2.5-14B，rank 16，cutoff 4096，一张 A10 够吗"
TRAIN_EN = "LoRA fine-tuning of Qwen2.5-14B, rank 16, cutoff 4096, is one A10 enough?"
VISION_ZH = "训练 SegFormer-B5，crop 512×1024，batch 2，A10"
VISION_EN = "Train SegFormer-B5 with crop 512x1024, batch 2 on an A10"
VIDEO_ZH = "Wan2.2 14B 720P 81 帧，A100"
VIDEO_EN = "Wan2.2 14B at 720p, 81 frames, on an A100"


def follow(first: str, *then: str) -> Reading:
    reading = read_question(first)
    for text in then:
        reading = read_question(text, previous=reading)
    return reading


@pytest.mark.parametrize("first", [TRAIN_ZH, TRAIN_EN])
@pytest.mark.parametrize(
    ("second", "fields"),
    [
        ("那换成 QLoRA 呢？", {"method": "qlora"}), ("what about QLoRA?", {"method": "qlora"}), ("batch 改成 4", {"batch": 4}), ("batch 4 instead", {"batch": 4}), ("关掉检查点呢", {"checkpointing": "none"}), ("turn off gradient checkpointing", {"checkpointing": "none"}),
        ("用 2 张卡呢", {"gpus": 2}), ("and on 2 GPUs?", {"gpus": 2}), ("rank 改成 64", {"lora_rank": 64}), ("rank 64 instead", {"lora_rank": 64}), ("换成 8-bit Adam", {"optimizer": "adamw_8bit"}), ("with 8-bit Adam?", {"optimizer": "adamw_8bit"}), ("上 ZeRO-3 呢", {"sharding": "zero3"}), ("with ZeRO-3 offload?", {"sharding": "zero3", "offload": "params"}),
        ("梯度累积 8", {"accumulate": 8}), ("gradient accumulation 8", {"accumulate": 8}), ("8k 呢", {"context": 8192}), ("and with 8k?", {"context": 8192}), ("做 DPO 呢", {"objective": "dpo", "method": "lora"}), ("how about DPO", {"objective": "dpo", "method": "lora"}), ("全参呢", {"method": "full"}), ("full fine-tuning instead?", {"method": "full"}),
        ("rank 最大能开到多少", {"solve": "lora_rank", "lora_rank": None}), ("what's the largest rank?", {"solve": "lora_rank", "lora_rank": None}), ("最长能开多长", {"solve": "context", "context": None}), ("what's the longest sequence?", {"solve": "context", "context": None}),
    ],
)  # fmt: skip
def test_training_goes_on(first: str, second: str, fields: dict[str, Any]) -> None:
    reading = follow(first, second)
    assert (reading.job, reading.intents[0], [model.model_id for model in reading.models]) == ("llm_training", "sizing", ["Qwen2.5-14B-Instruct"])
    assert {name: getattr(reading, name) for name in fields} == fields
    assert not set(fields) & set(reading.carried) - {"method"}


@pytest.mark.parametrize("first", [VISION_ZH, VISION_EN])
@pytest.mark.parametrize(
    ("second", "fields"),
    [
        ("crop 换 1024", {"crop": (1024, 1024), "batch": 2}), ("what about crop 1024?", {"crop": (1024, 1024), "batch": 2}), ("batch 改成 4", {"batch": 4, "crop": (512, 1024)}), ("batch 4 instead", {"batch": 4, "crop": (512, 1024)}),
        ("不用 AMP 呢", {"amp": False, "weight_dtype": "fp32"}), ("without AMP?", {"amp": False, "weight_dtype": "fp32"}), ("开混合精度", {"amp": True}), ("with mixed precision", {"amp": True}), ("150 类呢", {"classes": 150}), ("and with 150 classes?", {"classes": 150}),
        ("batch 最大能开多少", {"solve": "batch", "batch": None}), ("largest batch?", {"solve": "batch", "batch": None}), ("换成 DeepLabV3+ R-101", {"networks": ["DeepLabV3+ R-101"], "batch": 2}), ("what about DeepLabV3+ R-101?", {"networks": ["DeepLabV3+ R-101"], "batch": 2}),
        ("那 T4 呢", {"batch": 2}), ("and a T4?", {"batch": 2}),
    ],
)  # fmt: skip
def test_vision_goes_on(first: str, second: str, fields: dict[str, Any]) -> None:
    reading = follow(first, second)
    assert reading.job == "vision_training"
    assert reading.network
    assert {name: getattr(reading, name) for name in fields} == fields


@pytest.mark.parametrize("first", [VIDEO_ZH, VIDEO_EN])
@pytest.mark.parametrize(
    ("second", "resolution", "frames"),
    [("480P 呢", (832, 480), 81), ("at 480p?", (832, 480), 81), ("121 帧呢", (1280, 720), 121), ("with 121 frames?", (1280, 720), 121), ("分辨率换成 960x544", (960, 544), 81), ("resolution 960x544 instead", (960, 544), 81)],
)  # fmt: skip
def test_video_goes_on(first: str, second: str, resolution: tuple[int, int], frames: int) -> None:
    reading = follow(first, second)
    assert (reading.job, reading.resolution, reading.crop, reading.frames) == ("diffusion_inference", resolution, None, frames)


@pytest.mark.parametrize(
    ("first", "second", "fields"),
    [
        ("Qwen2.5-72B 10 QPS 输入 2k 输出 500", "QPS 提到 50 呢", {"qps": 50.0, "input_tokens": 2048, "context": 2548}), ("Qwen2.5-72B, 10 QPS", "and at 50 QPS?", {"qps": 50.0}),
        ("Qwen2.5-72B 10 QPS", "首 token 2 秒内", {"qps": 10.0, "ttft_s": 2.0}), ("Qwen2.5-72B, 10 QPS", "TTFT under 2 s", {"qps": 10.0, "ttft_s": 2.0}), ("Qwen2.5-72B 8 并发", "每人 20 token/s", {"tokens_per_s": 20.0, "concurrency": 8}),
        ("Whisper large-v3 batch 8，T4", "beam 5", {"beam": 5, "batch": 8}), ("BERT-base QPS 200，A10", "用 CPU 跑呢", {"job": "cpu_inference", "cards": [], "qps": 200.0}), ("BERT-base, 200 QPS on an A10", "and on CPU only?", {"job": "cpu_inference", "cards": [], "qps": 200.0}),
        (TRAIN_ZH, "换成 Qwen2.5-7B 呢", {"job": "llm_training", "lora_rank": 16}), (TRAIN_EN, "what about Qwen2.5-7B?", {"job": "llm_training", "lora_rank": 16}), (TRAIN_EN, "what about serving Qwen2.5-7B?", {"job": "llm_inference"}),
        ("没有显卡，跑 Qwen2.5-7B", "换成 Qwen2.5-3B 呢", {"job": "cpu_inference"}), ("A10 上 Qwen2.5-7B 最多能开多长上下文", "那 L20 呢", {"solve": "context", "context": None}), ("longest context for Qwen2.5-7B on an A10?", "and on an L20?", {"solve": "context", "context": None}),
        ("A10 上 Qwen2.5-7B 最多能开多长上下文", "32k 呢", {"solve": None, "context": 32_768}), ("A10 上 Qwen2.5-7B 32k", "能支持多少并发", {"solve": "concurrency", "context": 32_768}), ("Qwen2.5-7B 32k on an A10", "how many users fit?", {"solve": "concurrency", "context": 32_768}),
        (TRAIN_ZH, "那推理呢", {"job": "llm_inference", "method": None, "lora_rank": None}), (TRAIN_EN, "and for inference?", {"job": "llm_inference", "method": None, "lora_rank": None}), ("我有两张 3090，微调 7B", "换 A10 呢", {"owned": False}),
    ],
)  # fmt: skip
def test_other_threads_go_on(first: str, second: str, fields: dict[str, Any]) -> None:
    reading = follow(first, second)
    assert {name: getattr(reading, name) for name in fields} == fields


@pytest.mark.parametrize("second", ["梯度检查点是什么", "what is gradient checkpointing?", "为什么 AMP 省显存", "how does ZeRO-3 work?"])
def test_a_question_about_a_setting_is_no_change_of_it(second: str) -> None:
    reading = follow(TRAIN_ZH, second)
    assert reading.intents[0] != "sizing" or not reading.carried


def test_settings_add_up_over_a_thread() -> None:
    reading = follow(TRAIN_ZH, "那换成 QLoRA 呢？", "batch 改成 4", "关掉检查点呢", "用 2 张卡呢")
    assert (reading.method, reading.batch, reading.checkpointing, reading.gpus, reading.lora_rank, reading.context) == ("qlora", 4, "none", 2, 16, 4096)
