"""Xuanka's Python API.

    from assistant import Assistant, ask

    answer = ask("Qwen2.5-72B bf16，32K 上下文，8 并发，选什么实例？")
    print(answer.text, answer.recommendations[0].instance_type)
"""

from .answer import Answer, Call, Caution, Citation
from .assistant import Assistant, ask

__all__ = ["Answer", "Assistant", "Call", "Caution", "Citation", "ask"]
