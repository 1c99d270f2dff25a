"""Every kind of job, asked in both languages: it is summed by its own tool, cited, checked, with a command to paste."""

from __future__ import annotations

import pytest

from assistant import Answer, Assistant

JOBS = [
    ("llm_training", "size_train", "用 LoRA 微调 Qwen2.5-7B，序列长度 4096，每卡 2 条，选什么卡？"),
    ("llm_training", "size_train", "Full fine-tune Llama-3.1-8B with ZeRO-3 on 8 x A100 80GB, seq 4096: does it fit?"),
    ("llm_training", "size_train", "QLoRA 微调 ７２Ｂ，cutoff 8k，二十四G 的卡够吗"),
    ("llm_training", "size_train", "DPO on Qwen2.5-14B, full parameters, 4 A100 80GB, 8-bit Adam"),
    ("vision_training", "size_vision", "训练 SegFormer-B5，裁剪 1024×1024，每卡 2 张图，要多大显存"),
    ("vision_training", "size_vision", "train DeepLabV3+ R-101, crop 512x1024, 2 images per GPU, AMP, on an A10?"),
    ("vision_training", "size_vision", "Mask R-CNN R50-FPN 训练 batch 2 用什么卡"),
    ("vision_inference", "size_vision", "HRNet-W48 inference at 1024x1024, which GPU?"),
    ("encoder_inference", "size_encoder", "bge-m3 做 embedding，batch 64，512 token，用什么卡"),
    ("encoder_inference", "size_encoder", "Which GPU serves bge-reranker-v2-m3 with batch 32?"),
    ("llm_training", "size_encoder", "fine-tune bert-base, batch 32, seq 512, on a T4?"),
    ("diffusion_inference", "size_diffusion", "FLUX.1-dev 出 1024x1024 的图，A10 够吗"),
    ("diffusion_inference", "size_diffusion", "Wan2.2 14B text to video, 720p, 81 frames: which instance?"),
    ("diffusion_training", "size_diffusion", "SDXL LoRA 训练，1024 分辨率，batch 4"),
    ("asr_inference", "size_asr", "whisper large-v3 语音识别用什么显卡"),
    ("asr_inference", "size_asr", "GPU for faster-whisper large-v3, batch 8?"),
    ("llm_inference", "size_hybrid", "DeepSeek-R1 671B 用 ktransformers 跑，要多少内存和什么显卡"),
    ("llm_inference", "size_hybrid", "DeepSeek-V3 Q4 with experts in RAM: how much RAM and which GPU?"),
]


def asked(assistant: Assistant, question: str) -> Answer:
    answer = assistant.ask(question)
    assert answer.verified, answer.removed
    return answer


@pytest.mark.parametrize(("job", "tool", "question"), JOBS)
def test_each_kind_of_job_is_summed(assistant: Assistant, job: str, tool: str, question: str) -> None:
    answer = asked(assistant, question)
    assert tool in [call.tool for call in answer.calls if call.ok]
    estimate = answer.estimate
    assert estimate is not None and estimate.job == job
    assert sum(estimate.parts.values()) == pytest.approx(estimate.per_gpu_gib.best, rel=1e-6)
    assert estimate.per_gpu_gib.low <= estimate.per_gpu_gib.best <= estimate.per_gpu_gib.high
    assert estimate.command and answer.citations and answer.recommendations


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("用 CPU 跑 Qwen2.5-7B int4，要多少内存？", ("内存至少", "c8i")),
        ("Run bge-m3 on CPU only: which instance family?", ("of memory", "c8i")),
        ("CPU 推理选 g7se 可以吗？跑 Qwen2.5-7B", ("g7se", "存储增强型")),
    ],
)
def test_a_job_without_a_gpu_names_families_and_those_that_do_not_suit(
    assistant: Assistant, question: str, words: tuple[str, ...]
) -> None:
    answer = asked(assistant, question)
    assert answer.estimate is not None and answer.estimate.job == "cpu_inference"
    assert all(word in answer.text for word in words)


@pytest.mark.parametrize(
    ("question", "quantity"),
    [
        ("A10 上 Qwen2.5-14B awq 最多能开多长上下文？", "context"),
        ("how many users fit on one gn7e with Qwen2.5-32B int4 at 8k?", "concurrency"),
        ("A10 上 LoRA 微调 7B，batch 最大能开多少？", "batch"),
        ("largest crop for SegFormer-B5 with batch 2 on a V100 32GB?", "crop"),
        ("A10 上 QLoRA 微调 7B，rank 最大能到多少", "lora-rank"),
    ],
)
def test_the_largest_that_fits_comes_first(assistant: Assistant, question: str, quantity: str) -> None:
    answer = asked(assistant, question)
    call = next(call for call in answer.calls if call.tool.startswith("size_"))
    assert call.args["solve"] == quantity
    first = answer.text.splitlines()[0]
    assert first.startswith("**") and any(word in first for word in ("最大约", "largest", "上限", "limit", "放不下", "not even"))


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("每秒 20 个请求，Qwen2.5-7B，输入 1000 输出 200，要几台 A10", ("台", "路同时在处理", "每百万输出 token")),
        ("Qwen2.5-7B at 20 requests per second, 1000 tokens in, 200 out: how many A10?", ("copies", "million answer tokens")),
        ("Qwen2.5-32B 50 人同时用，每人 20 token/s，首 token 2 秒内", ("台", "首 token 不超过 2 秒")),
    ],
)
def test_a_wished_speed_becomes_a_number_of_machines(assistant: Assistant, question: str, words: tuple[str, ...]) -> None:
    answer = asked(assistant, question)
    assert "size_speed" in [call.tool for call in answer.calls if call.ok]
    assert answer.recommendations and answer.recommendations[0].instances >= 1
    assert all(word in answer.text for word in words)


@pytest.mark.parametrize(
    ("question", "word"),
    [
        ("LoRA 微调用什么卡", "还差模型的名字"),
        ("which GPU for LoRA fine-tuning?", "I need the model"),
        ("语义分割训练要多大显存", "还差网络的名字"),
        ("How much GPU memory does training semantic segmentation take?", "I need the network"),
    ],
)
def test_what_is_missing_is_asked_for(assistant: Assistant, question: str, word: str) -> None:
    assert word in asked(assistant, question).text


def test_a_follow_up_changes_one_setting(assistant: Assistant) -> None:
    first = assistant.ask("LoRA 微调 Qwen2.5-7B，序列长度 4096，用 A10", thread="jobs")
    second = assistant.ask("那换成 QLoRA 呢？", thread="jobs")
    assert first.estimate is not None and second.estimate is not None
    assert second.calls[0].args["method"] == "qlora" and second.calls[0].args["seq"] == 4096
    assert second.estimate.parts["weights"] < 0.6 * first.estimate.parts["weights"]


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("4 张 A10 上 Qwen2.5-7B 每人至少 20 token/s，最多能给几个人同时用？", "每人至少 20 tokens/s"),
        ("how many users at 15 tokens/s each does one gn7e take with Qwen2.5-7B awq, 8k context?", "at least 15 tokens/s"),
    ],
)
def test_the_most_users_at_a_speed(assistant: Assistant, question: str, words: str) -> None:
    answer = asked(assistant, question)
    call = next(call for call in answer.calls if call.tool == "size_llm")
    assert call.args["solve"] == "concurrency" and call.args["tokens_per_s"] > 0
    assert words in answer.text.splitlines()[0]
