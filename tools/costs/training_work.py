"""Operations of training a language model, per token.

    linear     2·N a pass: forward, inputs' gradients, weights' gradients          full: 3 passes (6ND)
               the frozen base of an adapter has no weight gradients               adapter: 2 passes (4ND)
    attention  2·L·q·s a pass (causal: half of 4·L·q·s), backward twice the forward: 3 passes, whatever is trained
    recompute  one forward pass more of both, where activations are checkpointed

N counts the parameters that a token passes through (of a mixture of experts the active ones), L layers, q the width of all
query heads, s tokens of a sequence. 6ND: Kaplan et al., arXiv 2001.08361; attention: Narayanan et al., arXiv 2104.04473.
"""

from __future__ import annotations

from dataclasses import dataclass

from knowledge.rows import Model
from tools.training.shape import shape_of

LINEAR_PASSES = {"full": 3, "adapter": 2}
ATTENTION_PASSES = 3


@dataclass(frozen=True)
class Work:
    """What one token costs. `layers` and `query` are 0 where the model's shape is not known."""

    parameters: int
    layers: int = 0
    query: int = 0

    def flop_per_token(self, kind: str, *, sequence: int, recompute: bool) -> float:
        """Operations of one token, for `kind` full or adapter."""
        linear, attention = 2.0 * self.parameters, 2.0 * self.layers * self.query * sequence
        again = 1 if recompute else 0
        return linear * (LINEAR_PASSES[kind] + again) + attention * (ATTENTION_PASSES + again)


def work_of(model: Model) -> Work:
    """The work of a model of the table."""
    shape = shape_of(model)
    active = (model.params_active or model.params_total) - (model.vision_params or 0)
    return Work(active, shape.layers, shape.query)
