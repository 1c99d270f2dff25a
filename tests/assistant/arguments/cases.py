"""Questions with the calls that a chat model rightly makes of them, in the words that models use; and ways to spoil an argument."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assistant.arguments.rules import Rule
from assistant.arguments.said import Said
from assistant.read.read import read_question
from assistant.read.reading import Reading

Args = dict[str, Any]
QUESTIONS = Path(__file__).parents[3] / "evals" / "cases" / "check_questions.jsonl"
T = "ecs.gn7i-c8g1.2xlarge"

RIGHT: list[tuple[str, str, Args]] = [
    ("Qwen2.5-72B 用 int4 推理，8 并发，8k 上下文", "size_llm", {"model": "Qwen2.5-72B", "weight_dtype": "int4", "concurrency": 8, "context": 8192}),
    ("Qwen2.5-72B 用 int4 推理，8 并发，8k 上下文", "size_llm", {"model": "Qwen/Qwen2.5-72B-Instruct", "weight_dtype": "awq", "concurrency": 8, "context": 8000}),
    ("Serve Llama-3.1-8B in fp8, 16 users, 32K context", "size_llm", {"model": "meta-llama/Llama-3.1-8B-Instruct", "weight_dtype": "fp8", "concurrency": 16, "context": 32768}),
    ("7B 模型在 A10 上能跑吗", "size_llm", {"model": "7B", "on": ["A10"]}),
    ("7B 模型在 A10 上能跑吗", "size_llm", {"model": "Qwen2.5-7B", "on": ["gn7i"]}),
    ("Does Qwen2.5-14B fit on 2 x A10 with 8 users?", "size_llm", {"model": "Qwen2.5-14B", "on": ["A10x2"], "concurrency": 8}),
    ("Does Qwen2.5-14B fit on 2 x A10 with 8 users?", "size_llm", {"model": "Qwen2.5-14B", "on": ["A10"], "gpu_count": 2, "concurrency": 8}),
    ("Qwen2.5-32B bf16 还是 fp8 好？每月预算 2 万", "size_llm", {"model": "Qwen2.5-32B", "weight_dtype": "fp8", "max_monthly": 20000}),
    ("上海地域部署 DeepSeek-R1 要几张卡", "size_llm", {"model": "DeepSeek-R1", "region": "cn-shanghai"}),
    ("A100 80G 上 Qwen2.5-32B 最多多少并发，4k 上下文", "size_llm", {"model": "Qwen2.5-32B", "on": ["A100 80G"], "solve": "concurrency", "context": 4096}),
    ("Qwen2.5-7B，KV cache fp8，vLLM，16k", "size_llm", {"model": "Qwen2.5-7B", "kv_dtype": "fp8", "context": 16384, "engine": "vllm"}),
    ("三万二千 token 上下文，二十个用户，Qwen3-8B", "size_llm", {"model": "Qwen3-8B", "context": 32000, "concurrency": 20}),
    ("Qwen2.5-7B QPS 5，首 token 500ms，输入 1000 输出 200", "size_speed", {"model": "Qwen2.5-7B", "qps": 5, "ttft_s": 0.5, "input_tokens": 1000, "output_tokens": 200}),
    ("Qwen2.5-7B at 40 tokens/s per user for 10 users", "size_speed", {"model": "Qwen2.5-7B", "tokens_per_s": 40, "concurrency": 10}),
    ("Fine-tune Llama-3-8B with LoRA rank 16, seq 4k, batch 4 on 2 x A10", "size_train", {"model": "Llama-3-8B", "method": "lora", "lora_rank": 16, "seq": 4096, "micro_batch": 4, "gpus": 2, "on": ["A10"]}),
    ("QLoRA 微调 Qwen2.5-14B，序列 8k", "size_train", {"model": "Qwen2.5-14B", "method": "qlora", "seq": 8192}),
    ("全参微调 7B，ZeRO-3，8 卡 A100 80G，adamw", "size_train", {"model": "7B", "method": "full", "sharding": "zero3", "gpus": 8, "on": ["A100 80GB"], "optimizer": "adamw"}),
    ("SegFormer-B5 训练 1024x1024 batch 8 混合精度", "size_vision", {"arch": "SegFormer-B5", "crop": [1024, 1024], "batch": 8, "precision": "amp"}),
    ("Train YOLOv8-l at 640, batch 16, on one T4", "size_vision", {"arch": "YOLOv8-l", "crop": [640, 640], "batch": 16, "on": ["T4"], "gpus": 1}),
    ("bge-m3 向量化，一次 64 条，每条 512 token", "size_encoder", {"model": "bge-m3", "batch": 64, "seq": 512}),
    ("FLUX.1-dev 生成 1024x1024 要多大显存", "size_diffusion", {"model": "black-forest-labs/FLUX.1-dev", "resolution": [1024, 1024]}),
    ("Wan2.1 生成 5 秒视频要多大显存", "size_diffusion", {"model": "Wan2.1-T2V-14B", "frames": 81}),
    ("whisper-large-v3 on a T4, batch 8", "size_asr", {"model": "whisper-large-v3", "on": ["T4"], "batch": 8}),
    ("没有 GPU，用 CPU 跑 Qwen2.5-7B q4_k_m", "size_cpu", {"model": "Qwen2.5-7B", "dtype": "q4_k_m"}),
    ("ktransformers 跑 DeepSeek-R1 q4_k_m，一张 A10", "size_hybrid", {"model": "DeepSeek-R1", "dtype": "q4_k_m", "engine": "ktransformers", "on": ["A10x1"]}),
    ("gn7i 和 gn7e 有什么区别", "look_up_names", {"names": ["gn7i", "gn7e"]}),
    ("gn7i 和 gn7e 有什么区别", "look_up_names", {"names": ["gn7i"]}),
    ("Is there an A100 on Alibaba Cloud?", "look_up_names", {"names": ["A100"]}),
    ("杭州 gn7i 包月多少钱", "get_prices", {"names": ["gn7i"], "region": "cn-hangzhou"}),
    ("price of ecs.gn7i-c8g1.2xlarge in Singapore", "get_prices", {"names": [T], "region": "ap-southeast-1"}),
    ("有 NVLink 的 8 卡实例有哪些", "find_instances", {"nvlink": True, "gpu_count": 8}),
    ("instances with a 48 GB card under 40 yuan an hour", "find_instances", {"min_card_memory_gb": 48, "max_hourly": 40}),
    ("gn7i 每月用 200 小时，按量还是包月划算", "compare_costs", {"name": "gn7i", "hours": 200, "months": 1}),
    ("A10 租 3 个月怎么付最省", "compare_costs", {"name": "A10", "months": 3}),
    ("API 每千 token 0.02 元，租 A10 跑 Qwen2.5-7B 划算吗", "rent_or_api", {"name": "A10", "model": "Qwen2.5-7B", "api_input": 20, "api_output": 20}),
    ("10 亿 token LoRA 微调 7B，在 A100 80G 上要多少钱", "training_cost", {"name": "A100 80G", "model": "7B", "method": "lora", "tokens": 1_000_000_000}),
    ("订两台 ecs.gn7i-c8g1.2xlarge，包月 3 个月", "order_instance", {"name": T, "machines": 2, "billing": "month", "months": 3}),
    ("Order a gn7i spot instance in Beijing with Terraform", "order_instance", {"name": "gn7i", "billing": "spot", "region": "cn-beijing"}),
    ("gn7e 在新加坡有卖吗", "where_sold", {"name": "gn7e", "regions": ["ap-southeast-1"]}),
    ("价格是哪天的", "catalog_state", {}),
    ("有人说 gn7i 用的是 A100，对吗", "check_claims", {"text": "gn7i 用的是 A100"}),
    ("怎么装 GPU 驱动", "search_guides", {"query": "GPU 驱动 安装"}),
]  # fmt: skip
"""What honest models call; none of it may be told back."""

WRONG: list[tuple[str, str, Args, str, str, Any]] = [
    ("Qwen2.5-72B 用 int4 推理，8 并发，8k 上下文", "size_llm", {"model": "Qwen2.5-72B", "weight_dtype": "int4", "concurrency": 8000, "context": 8192}, "concurrency", "differs", 8),
    ("Qwen2.5-72B 用 int4 推理，8 并发，8k 上下文", "size_llm", {"model": "72", "weight_dtype": "int4", "concurrency": 8, "context": 8192}, "model", "differs", "Qwen2.5-72B"),
    ("Qwen2.5-72B 用 int4 推理，8 并发，8k 上下文", "size_llm", {"model": "Qwen2.5-7B", "weight_dtype": "int4", "concurrency": 8, "context": 8192}, "model", "differs", "Qwen2.5-72B"),
    ("Qwen2.5-72B 用 int4 推理，8 并发，8k 上下文", "size_llm", {"model": "Qwen2.5-72B", "weight_dtype": "fp16", "concurrency": 8, "context": 8192}, "weight_dtype", "differs", "int4"),
    ("Qwen2.5-72B 用 int4 推理，8 并发，32K 上下文", "size_llm", {"model": "Qwen2.5-72B", "weight_dtype": "int4", "concurrency": 8}, "context", "omitted", 32768),
    ("Qwen2.5-7B bf16 on what?", "size_llm", {"model": "Qwen2.5-7B", "weight_dtype": "fp16"}, "weight_dtype", "differs", "bf16"),
    ("Qwen2.5-7B 用什么卡", "size_llm", {"model": "Qwen2.5-7B", "concurrency": 64}, "concurrency", "unsaid", None),
    ("Qwen2.5-7B 用什么卡", "size_llm", {"model": "Qwen2.5-7B", "on": ["H20"]}, "on", "unsaid", None),
    ("Qwen2.5-7B 用什么卡", "size_llm", {"model": "Qwen2.5-7B", "region": "cn-beijing"}, "region", "unsaid", None),
    ("Qwen2.5-7B 用什么卡", "size_llm", {"model": "Qwen2.5-7B", "kv_dtype": "fp8"}, "kv_dtype", "unsaid", None),
    ("Qwen2.5-7B bf16 用什么卡", "size_llm", {"model": "Qwen2.5-7B", "weight_dtype": "bf16", "concurrency": 16}, "concurrency", "unsaid", None),
    ("4 users of Qwen2.5-7B", "size_llm", {"model": "Qwen2.5-7B", "concurrency": 4, "tensor_parallel": 4}, "tensor_parallel", "unsaid", None),
    ("Qwen2.5-7B，每月预算 3000 元", "size_llm", {"model": "Qwen2.5-7B", "max_hourly": 3000, "max_monthly": 3000}, "max_hourly", "differs", None),
    ("Qwen2.5-7B，预算每月 1000 美元", "size_llm", {"model": "Qwen2.5-7B", "max_monthly": 1000}, "max_monthly", "currency", None),
    ("Qwen2.5-7B on an A10", "size_llm", {"model": "Qwen2.5-7B", "on": ["A100"]}, "on", "differs", ["nvidia-a10"]),
    ("Qwen2.5-7B 首 token 500ms", "size_speed", {"model": "Qwen2.5-7B", "ttft_s": 500}, "ttft_s", "differs", 0.5),
    ("Fine-tune Qwen2.5-7B with QLoRA", "size_train", {"model": "Qwen2.5-7B", "method": "lora"}, "method", "differs", "qlora"),
    ("Fine-tune Qwen2.5-7B with LoRA, seq 4k", "size_train", {"model": "Qwen2.5-7B", "method": "lora", "seq": 400}, "seq", "differs", 4096),
    ("SegFormer-B5 训练 1024x1024 batch 8", "size_vision", {"arch": "SegFormer-B0", "crop": [1024, 1024], "batch": 8}, "arch", "differs", "SegFormer-B5"),
    ("SegFormer-B5 训练 1024x1024 batch 8", "size_vision", {"arch": "SegFormer-B5", "crop": [512, 512], "batch": 8}, "crop", "differs", [1024, 1024]),
    ("bge-m3 batch 64", "size_encoder", {"model": "bge-m3", "batch": 6400}, "batch", "differs", 64),
    ("FLUX.1-dev 1024x1024", "size_diffusion", {"model": "SDXL", "resolution": [1024, 1024]}, "model", "differs", "FLUX.1-dev"),
    ("whisper-large-v3, batch 8", "size_asr", {"model": "whisper-large-v3", "batch": 80}, "batch", "differs", 8),
    ("没有 GPU，用 CPU 跑 Qwen2.5-7B q4_k_m", "size_cpu", {"model": "Qwen2.5-7B", "dtype": "bf16"}, "dtype", "differs", "q4_k_m"),
    ("ktransformers 跑 DeepSeek-R1 q4_k_m", "size_hybrid", {"model": "DeepSeek-V2", "dtype": "q4_k_m", "engine": "ktransformers"}, "model", "differs", "DeepSeek-R1"),
    ("gn7i 是什么卡", "look_up_names", {"names": ["gn7e"]}, "names", "differs", ["gn7i"]),
    ("gn7i 包月多少钱", "get_prices", {"names": ["gn6i"]}, "names", "differs", ["gn7i"]),
    ("有 NVLink 的 8 卡实例有哪些", "find_instances", {"gpu_count": 8}, "nvlink", "omitted", True),
    ("gn7i 每月用 200 小时，按量还是包月划算", "compare_costs", {"name": "gn7i", "hours": 20, "months": 1}, "hours", "differs", 200),
    ("API 每千 token 0.02 元，租 A10 跑 Qwen2.5-7B 划算吗", "rent_or_api", {"name": "A10", "model": "Qwen2.5-7B", "api_input": 0.02, "api_output": 20}, "api_input", "differs", 20),
    ("租 A10 跑 Qwen2.5-7B 比用 API 划算吗", "rent_or_api", {"name": "A10", "model": "Qwen2.5-7B", "api_input": 2, "api_output": 20}, "api_input", "unsaid", None),
    ("10 亿 token LoRA 微调 7B，在 A100 80G 上要多少钱", "training_cost", {"name": "A100 80G", "model": "7B", "method": "lora", "tokens": 1e6}, "tokens", "differs", 1e9),
    ("订两台 ecs.gn7i-c8g1.2xlarge，包月 3 个月", "order_instance", {"name": "ecs.gn7i-c8g1.4xlarge", "machines": 2, "billing": "month", "months": 3}, "name", "differs", T),
    ("订两台 ecs.gn7i-c8g1.2xlarge，包月 3 个月", "order_instance", {"name": T, "machines": 1, "billing": "month", "months": 3}, "machines", "differs", 2),
    ("订两台 ecs.gn7i-c8g1.2xlarge，包月 3 个月", "order_instance", {"name": T, "machines": 2, "billing": "payg"}, "billing", "differs", "month"),
    ("gn7e 在新加坡有卖吗", "where_sold", {"name": "gn7i", "regions": ["ap-southeast-1"]}, "name", "differs", "gn7e"),
    ("gn7e 在新加坡有卖吗", "where_sold", {"name": "gn7e", "regions": ["us-west-1"]}, "regions", "differs", ["ap-southeast-1"]),
    ("有人说 gn7i 用的是 A100，对吗", "check_claims", {"text": "gn7i 用的是 A10"}, "text", "differs", "有人说 gn7i 用的是 A100，对吗"),
    ("价格是哪天的", "catalog_state", {"language": "en"}, "language", "differs", "zh"),
]  # fmt: skip
"""Question, call, and the argument that is wrong with its code and what takes its place."""

OTHER: dict[str, list[Any]] = {
    "model": ["Llama-3.1-405B", "Qwen2.5-0.5B"], "network": ["YOLOX-S", "SegFormer-B0"], "diffusion": ["SDXL", "Wan2.2-T2V-A14B"],
    "encoder": ["bge-m3", "bert-large-uncased"], "speech": ["whisper-tiny", "SenseVoiceSmall"], "precision": ["fp32", "q2_k"],
    "places": [["nvidia-p100"], ["gn5"]], "region": ["us-west-1", "eu-central-1"], "regions": [["us-west-1"]], "sides": [[333, 777]], "choice": ["zzz"],
}  # fmt: skip
"""Other values of a kind."""


@dataclass(frozen=True)
class Turn:
    """A question of a conversation, as the rules read it, and what was said before it."""

    question: str
    reading: Reading
    said: Said


def turns() -> Iterator[Turn]:
    """All turns of the questions by which the check is measured, follow-ups with what they carry."""
    for line in QUESTIONS.read_text(encoding="utf-8").splitlines():
        previous: Reading | None = None
        earlier: list[str] = []
        for question in json.loads(line)["turns"]:
            previous = read_question(question, previous=previous)
            yield Turn(question, previous, Said(question, tuple(earlier)))
            earlier.append(question)


def spoilt(rule: Rule, value: Any) -> Iterator[Any]:
    """Wrong values in place of a right one."""
    if rule.kind in OTHER:
        yield from (other for other in OTHER[rule.kind] if other != value)
    elif rule.kind == "flag":
        yield not value
    elif isinstance(value, (int, float)):
        yield from (value * 1000, value * 10, value + 1 if value < 50 else value * 2)
    elif rule.kind == "name":
        yield from (_one_off(value), "nvidia-p100")
    elif rule.kind == "names":
        yield [_one_off(name) for name in value]
    elif rule.kind == "quote":
        yield f"{value} 77"


def _one_off(name: str) -> str:
    return re.sub(r"\d", lambda digit: str((int(digit[0]) + 1) % 10), name, count=1)
