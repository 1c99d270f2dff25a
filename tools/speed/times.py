"""Times of one request among others on one copy of a model, from the times of a step and of a prompt.

Continuous batching: every step gives all B sequences a token, and the prompts of those that join are read in between. In
steady state each of B requests sees the B prompts of all of them pass while it is answered:

    request     = output · step(B, mean context) + B · prompt
    first token = prompt + wait + one step;  wait = ρ/(1 − ρ) · prompt/2   (prompts queue: one server, even service times)
    ρ           = B · prompt / request, the share of the time that goes to prompts
"""

from __future__ import annotations

from dataclasses import dataclass

from knowledge.speed_facts import Efficiency

from .loads import Loads
from .roofline import Peak, prompt_s, step_s


@dataclass(frozen=True, slots=True)
class Times:
    """Seconds, of `concurrency` sequences at once on one copy."""

    concurrency: int
    output_tokens: int
    prompt_s: float
    step_s: float

    @property
    def request_s(self) -> float:
        """From the first to the last token of the answer, the others' prompts included."""
        return self.output_tokens * self.step_s + self.concurrency * self.prompt_s

    @property
    def first_token_s(self) -> float:
        """Until the first token, where requests arrive evenly; a burst of all at once waits for all prompts."""
        busy = self.concurrency * self.prompt_s / self.request_s
        queue = min(busy / (1 - busy) / 2, self.concurrency - 1) * self.prompt_s
        return self.prompt_s + queue + self.step_s

    @property
    def token_s(self) -> float:
        """Between two tokens of one answer, the pauses for the others' prompts included."""
        return self.step_s + (self.concurrency - 1) * self.prompt_s / self.output_tokens

    @property
    def tokens_per_s(self) -> float:
        """Answer tokens of all sequences."""
        return self.concurrency * self.output_tokens / self.request_s


def request_times(
    loads: Loads, peak: Peak, efficiency: Efficiency, *, concurrency: int, input_tokens: int, output_tokens: int
) -> Times:
    """Times of `concurrency` requests of that length at once."""
    mean = input_tokens + output_tokens / 2
    return Times(
        concurrency=concurrency,
        output_tokens=output_tokens,
        prompt_s=prompt_s(loads, peak, efficiency, tokens=max(1, input_tokens)),
        step_s=step_s(loads, peak, efficiency, batch=concurrency, context=mean),
    )
