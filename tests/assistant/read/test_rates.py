"""Rates, settings of the engine, machines without a card, and what is solved for, Chinese and English side by side."""

from typing import Any

import pytest

from assistant.read.read import read_question
from assistant.read.solve import find_solve

M = "Qwen2.5-7B"


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("{m} 10 QPS", {"qps": 10.0}), ("{m} at 10 QPS", {"qps": 10.0}), ("{m} QPS 提到 50", {"qps": 50.0}), ("每秒 20 个请求 {m}", {"qps": 20.0}), ("{m}, 20 requests per second", {"qps": 20.0}), ("每分钟 1200 次调用 {m}", {"qps": 20.0}), ("{m}, 600 requests per minute", {"qps": 10.0}),
        ("{m} 首 token 2 秒内", {"ttft_s": 2.0}), ("{m} TTFT < 500ms", {"ttft_s": 0.5}), ("首字延迟 500 毫秒以内 {m}", {"ttft_s": 0.5}), ("{m}, time to first token under 1 second", {"ttft_s": 1.0}), ("{m} 2 秒内出首字", {"ttft_s": 2.0}),
        ("{m} 每人 20 token/s", {"tokens_per_s": 20.0}), ("{m}, 20 tokens/s per user", {"tokens_per_s": 20.0}), ("{m}, at least 30 tok/s per user", {"tokens_per_s": 30.0}), ("{m} 每秒 30 个 token", {"tokens_per_s": 30.0}), ("{m} TPOT 50ms", {"tokens_per_s": 20.0}),
        ("{m} 总吞吐 5000 tokens/s", {"total_tokens_per_s": 5000.0, "tokens_per_s": None}), ("{m}, total throughput of 5000 tokens per second", {"total_tokens_per_s": 5000.0, "tokens_per_s": None}), ("{m} 聚合吞吐 2 万 token/s", {"total_tokens_per_s": 20_000.0}),
        ("{m} 输入 2000 字输出 300 字 5 QPS", {"input_tokens": 2000, "output_tokens": 300, "qps": 5.0}), ("{m}, 5 req/s, 1k in, 256 out", {"input_tokens": 1024, "output_tokens": 256, "qps": 5.0}),
        ("{m} gpu_memory_utilization 0.95", {"utilization": 0.95}), ("{m} 显存利用率 95%", {"utilization": 0.95}), ("{m} --max-num-seqs 128 --max-num-batched-tokens 8192", {"max_num_seqs": 128, "max_num_batched_tokens": 8192, "context": None}),
        ("{m} 挂 8 个 LoRA 部署", {"lora_adapters": 8}), ("serve {m} with 8 LoRA adapters", {"lora_adapters": 8}), ("{m} pp=2 tp=4", {"pipeline_parallel": 2, "tensor_parallel": 4}), ("DeepSeek-V3 ep=8 dp=8", {"expert_parallel": 8, "data_parallel": 8}), ("DeepSeek-V3 开专家并行", {"expert_parallel": True}),
    ],
)  # fmt: skip
def test_rates_and_the_engine(text: str, fields: dict[str, Any]) -> None:
    reading = read_question(text.format(m=M))
    assert reading.job == "llm_inference"
    assert {name: getattr(reading, name) for name in fields} == fields
    assert reading.absurd == []


@pytest.mark.parametrize("text", ["0 QPS {m}", "{m} at 0 requests per second", "QPS -5 {m}", "{m}, max_num_seqs 0"])
def test_absurd_rates(text: str) -> None:
    assert read_question(text.format(m=M)).absurd


@pytest.mark.parametrize(
    ("text", "ram"),
    [
        ("用 CPU 跑 {m}", None), ("没有显卡，64G 内存，跑 {m}", 64.0), ("只用 CPU，六十四G 内存 {m}", 64.0), ("{m} CPU 行吗", None), ("在 CPU 服务器上部署 {m} 内存 128G", 128.0), ("g8i 上跑 {m}", None), ("ecs.g8i.8xlarge 跑 {m}", None),
        ("{m} on CPU only, 64 GB RAM", 64.0), ("run {m} without a GPU, 128GB memory", 128.0), ("no GPU, can I run {m}?", None), ("{m} on a 32-core CPU", None), ("serve {m} on CPUs", None),
    ],
)  # fmt: skip
def test_served_by_the_processor(text: str, ram: float | None) -> None:
    reading = read_question(text.format(m=M))
    assert (reading.job, reading.ram_gib) == ("cpu_inference", ram)


@pytest.mark.parametrize("text", ["{m} 全参 优化器放 CPU", "full fine-tuning of {m}, optimizer states offloaded to CPU", "{m} on one A10 with 8 vCPU", "{m} 8 核 CPU 一张 A10"])
def test_a_processor_beside_a_card_is_not(text: str) -> None:
    assert read_question(text.format(m=M)).job != "cpu_inference"


@pytest.mark.parametrize(
    ("text", "quantity"),
    [
        ("A10 上最多能开多长上下文？", "context"), ("上下文最大能到多少", "context"), ("24GB 卡 int4 最长上下文", "context"), ("上下文 8k 能支持多少用户", "concurrency"), ("crop 512 时 batch 能开多大", "batch"), ("whisper 多少路", "concurrency"), ("8 并发时上下文能开多长", "context"), ("with an 8k context, how many users fit?", "concurrency"), ("at crop 512, what's the largest batch?", "batch"), ("能开多长的上下文", "context"), ("最长上下文是多少", "context"), ("能有多少 token 的上下文", "context"), ("longest context on one L20?", "context"), ("how long a context can I run?", "context"), ("what context length fits?", "context"), ("max context on A10", "context"),
        ("一台 gn7e 能支持多少并发", "concurrency"), ("最多几个用户同时用", "concurrency"), ("能撑几路并发", "concurrency"), ("支持多少用户", "concurrency"), ("how many users fit on one gn7e?", "concurrency"), ("how many concurrent 8k users can it serve?", "concurrency"), ("max concurrency on A10", "concurrency"),
        ("batch 最大能开多少", "batch"), ("最大 batch 是多少", "batch"), ("每卡最多能放几张图", "batch"), ("batch 该设多少", "batch"), ("what's the largest batch?", "batch"), ("how big a batch fits?", "batch"), ("how many images per GPU can I train with?", "batch"), ("max batch size", "batch"),
        ("crop 能开到多大", "crop"), ("最大能用多大的 crop", "crop"), ("能出多大的图", "crop"), ("largest crop on a V100?", "crop"), ("how large a crop can I use?", "crop"), ("what resolution can it do?", "crop"),
        ("rank 能开到多大", "lora_rank"), ("最大 rank 是多少", "lora_rank"), ("how high a rank can I use?", "lora_rank"), ("largest LoRA rank", "lora_rank"),
        ("2K 用户要几张卡", None), ("how many GPUs for 2K users?", None), ("T4 一秒能顶多少个请求", None), ("how many requests per second?", None), ("batch 4", None), ("32k 上下文", None), ("多少钱", None), ("how much is gn7i?", None), ("哪个好", None),
    ],
)  # fmt: skip
def test_what_is_solved_for(text: str, quantity: str | None) -> None:
    assert find_solve(text.lower()) == quantity


@pytest.mark.parametrize("text", ["A10 上最多能开多长上下文？", "how many users fit on one gn7e?", "batch 最大能开多少？QLoRA {m}，A10", "largest crop for SegFormer-B2 on a T4?"])
def test_solving_is_sizing(text: str) -> None:
    assert read_question(text.format(m=M)).intents[0] == "sizing"
