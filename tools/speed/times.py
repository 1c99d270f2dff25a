"""Times of one request among others on one copy of a model, from the times of a step and of a prompt.

Continuous batching: every step gives all B sequences a token, and the prompts of those that join are read in between,
several short ones together (`STEP_TOKENS`). In steady state each of B requests sees the B prompts of all of them pass
while it is answered:

    request     = output · step(B, mean context) + B · shared prompt
    first token = prompt + wait + one step;  wait = ρ/(1 − ρ) · shared prompt/2   (a queue with even service times)
    ρ           = B · shared prompt / request, the share of the time that goes to prompts
"""

from __future__ import annotations

from dataclasses import dataclass

from knowledge.speed_facts import Efficiency

from .loads import Loads
from .roofline import Peak, prompt_s, step_s

STEP_TOKENS = 2048
"""Tokens of prompts that one step takes at most: vLLM's `max_num_batched_tokens` on most cards (engine_defaults.csv)."""


@dataclass(frozen=True)
class Times:
    """Seconds, of `concurrency` sequences at once on one copy. `shared_prompt_s` is a prompt's part of a step with others."""

    concurrency: int
    output_tokens: int
    prompt_s: float
    shared_prompt_s: float
    step_s: float

    @property
    def request_s(self) -> float:
        """From the start of a request to the last token of its answer, the others' prompts included."""
        return self.output_tokens * self.step_s + self.concurrency * self.shared_prompt_s

    @property
    def first_token_s(self) -> float:
        """Until the first token, where requests arrive evenly; a burst of all at once waits for all prompts."""
        busy = self.concurrency * self.shared_prompt_s / self.request_s
        queue = min(busy / (1 - busy) / 2, self.concurrency - 1) * self.shared_prompt_s
        return self.prompt_s + queue + self.step_s

    @property
    def token_s(self) -> float:
        """Between two tokens of one answer, the pauses for the others' prompts included."""
        return self.step_s + (self.concurrency - 1) * self.shared_prompt_s / self.output_tokens

    @property
    def tokens_per_s(self) -> float:
        """Answer tokens of all sequences."""
        return self.concurrency * self.output_tokens / self.request_s


def request_times(
    loads: Loads, peak: Peak, efficiency: Efficiency, *, concurrency: int, input_tokens: int, output_tokens: int
) -> Times:
    """Times of `concurrency` requests of that length at once."""
    mean, prompt = input_tokens + output_tokens / 2, max(1, input_tokens)
    together = max(1, min(concurrency, STEP_TOKENS // prompt))
    alone = prompt_s(loads, peak, efficiency, tokens=prompt)
    shared = alone if together == 1 else prompt_s(loads, peak, efficiency, tokens=prompt, prompts=together) / together
    return Times(
        concurrency=concurrency,
        output_tokens=output_tokens,
        prompt_s=alone,
        shared_prompt_s=shared,
        step_s=step_s(loads, peak, efficiency, batch=concurrency, context=mean),
    )
