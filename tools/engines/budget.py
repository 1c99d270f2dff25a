"""What an engine takes of the GPU that counts, whatever the engine is."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Budget:
    """Bytes besides weights and cache.

    `activation`, `engine` and `graphs` must fit within the limit together with weights and cache; `outside` is taken
    beside it (CUDA graphs of older vLLM, the working memory of SGLang). `per_token` is working memory that grows with
    every token of every sequence, as in engines without a fixed step; it is contained in `activation`.
    """

    activation: int
    engine: int
    graphs: int = 0
    outside: int = 0
    per_token: float = 0.0
    max_num_seqs: int = 1
    step_tokens: int = 0
