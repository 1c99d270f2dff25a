"""Evidence for tests of the check: one sizing with a pick and a machine that is too small, prices, a passage, a judged text."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from assistant.check.draft_text import DraftText
from assistant.check.problem import Problem
from assistant.check.support import Support
from assistant.evidence import Evidence, Finding, SourceRef
from assistant.read.read import read_question

Part = Callable[[DraftText, Support], Iterable[Problem]]
SIZING = Finding(
    tool="size_llm",
    args={"model": "Qwen2.5-72B-Instruct"},
    data={
        "model": {"model_id": "Qwen2.5-72B-Instruct", "layers": 80, "source_ids": ["litgpt-config"]},
        "estimate": {"parts": {"weights": 19.3, "kv_cache": 40.0}, "per_gpu_gib": {"best": 62.0}, "source_ids": ["litgpt-config", "vllm-startup-logs"]},
        "advice": {
            "recommendations": [{"instance_type": "ecs.gn7e-c16g1.8xlarge", "gpu_id": "nvidia-a100-80gb", "gpu_count": 2, "fits": True, "price": {"amount": "69.483", "source_id": "cloudpilot-prices-2024-12"}}],
            "near_misses": [{"instance_type": "ecs.gn7i-8x.16xlarge", "gpu_id": "nvidia-a10", "gpu_count": 8, "fits": False, "price": None}],
        },
    },
    sources=[
        SourceRef(source_id="litgpt-config", excerpt="Qwen2.5-72B-Instruct: 80 layers, weights 38.6 GiB in int4"),
        SourceRef(source_id="vllm-startup-logs", excerpt="vLLM's start-up account, per GPU: weights 19.30 GiB, kv_cache 40.00 GiB"),
        SourceRef(source_id="cloudpilot-prices-2024-12", excerpt="ecs.gn7e-c16g1.8xlarge, cn-hangzhou, payg: 69.483 CNY/hour, 2024-12-31"),
    ],
)  # fmt: skip
GUIDE = Finding(
    tool="search_guides",
    data=[{"kind": "guide", "point": "80 GB 加 NVLink 用 gn7e，48 GB 用 gn8is，24 GB 用 gn7i。", "text": "", "statements": [{"text": "包年包月可以随时全额退款", "verdict": "wrong", "fact": "包年包月退款要扣违约金。", "source_ids": ["doc-004"]}], "source_ids": ["doc-004"]}],
    sources=[SourceRef(source_id="doc-004", excerpt="80 GB 加 NVLink 用 gn7e，48 GB 用 gn8is，24 GB 用 gn7i。")],
)  # fmt: skip
EVIDENCE = Evidence([SIZING, GUIDE])
QUESTION = {"zh": "Qwen2.5-72B int4，32K 上下文，8 并发，选什么实例？", "en": "Which instance for Qwen2.5-72B in int4 with 32K context and 8 users?"}
REFERENCE = (
    "**选 `ecs.gn7e-c16g1.8xlarge`（2 × A100 80 GB，杭州按量 69.483 元/小时，目录价日期 2024-12-31 [3]）。**\n\n"
    "| 每卡显存（TP=2） | GiB |\n|---|---|\n| 权重 [1] | 19.3 |\n| KV 缓存 [2] | 40.0 |\n\n"
    "- 放不下：`ecs.gn7i-8x.16xlarge`（8 × A10 24 GB），每卡约需 62.0 GiB。\n- 80 GB 加 NVLink 用 gn7e，48 GB 用 gn8is，24 GB 用 gn7i。[4]"
)


def support_of(question: str = QUESTION["zh"], *, reference: str = REFERENCE, evidence: Evidence = EVIDENCE, **more: Any) -> Support:
    """What a chat model's draft on the question may rest on."""
    return Support(evidence, question=question, reference=reference, bound=True, reading=read_question(question), **more)


def found(part: Part, text: str, support: Support | None = None) -> list[Problem]:
    """The problems that one part of the check finds in a draft."""
    return list(part(DraftText.of(text), support or support_of()))
