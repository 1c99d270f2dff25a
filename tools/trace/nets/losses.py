"""Losses of segmentation heads, for the tensors that they keep."""

from __future__ import annotations

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor

IGNORED = 255


def cross_entropy(scores: Tensor, labels: Tensor) -> Tensor:
    return F.cross_entropy(scores, labels, reduction="none", ignore_index=IGNORED).mean()


def sigmoid_cross_entropy(scores: Tensor, labels: Tensor) -> Tensor:
    """One yes or no per class: labels spelled out as integers, as floats, and with their weights."""
    spelled = torch.zeros(scores.shape, dtype=torch.long, device=scores.device)
    known = (labels >= 0) & (labels != IGNORED)
    weights = known.unsqueeze(1).expand(scores.shape).float()
    loss = F.binary_cross_entropy_with_logits(scores, spelled.float(), reduction="none")
    return (loss * weights).mean()


def dice(scores: Tensor, labels: Tensor) -> Tensor:
    """One minus the overlap, class by class, over softmax scores."""
    shares = torch.softmax(scores, 1)
    spelled = F.one_hot(labels.clamp(0, scores.shape[1] - 1), scores.shape[1])
    valid = (labels != IGNORED).long()
    total = scores.new_zeros(())
    for k in range(scores.shape[1]):
        share = shares[:, k].reshape(scores.shape[0], -1)
        truth, seen = spelled[..., k].reshape(scores.shape[0], -1), valid.view(scores.shape[0], -1)
        overlap = torch.sum(torch.mul(share, truth) * seen, 1)
        both = torch.sum(share.pow(2) + truth.pow(2), 1)
        total = total + (1 - (2 * overlap + 1) / (both + 1)).mean()
    return total / scores.shape[1]


def hard_cross_entropy(scores: Tensor, labels: Tensor) -> Tensor:
    """Cross entropy of the hardest pixels, found by sorting the scores of the right classes; pixels are picked by index."""
    loss = F.cross_entropy(scores, labels, reduction="none", ignore_index=IGNORED).contiguous().view(-1)
    truth = F.softmax(scores, 1).gather(1, labels.unsqueeze(1)).view(-1)
    known = torch.empty(truth.shape, dtype=torch.long, device=truth.device)
    order = truth[known].contiguous().sort()[1]
    return loss[known][order].mean()


def sampled_cross_entropy(scores: Tensor, labels: Tensor) -> Tensor:
    """Cross entropy with weights of 0 and 1 that keep the hardest pixels (mmsegmentation's OHEMPixelSampler)."""
    with torch.no_grad():
        shares = F.softmax(scores, 1)
        truth = shares.gather(1, labels.unsqueeze(1)).squeeze(1)
        order = truth.flatten().sort()[0]
        del shares, truth, order
    loss = F.cross_entropy(scores, labels, reduction="none", ignore_index=IGNORED)
    return (loss * torch.ones_like(loss)).mean()


def count_right(scores: Tensor, labels: Tensor) -> Tensor:
    """The accuracy that training logs: the best class of every pixel."""
    with torch.no_grad():
        best = scores.topk(1, dim=1)[1]
        return (best.transpose(0, 1) == labels.unsqueeze(0)).float().sum()


LOSSES: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "cross_entropy": cross_entropy, "sigmoid": sigmoid_cross_entropy, "dice": dice, "ohem": hard_cross_entropy, "sampled": sampled_cross_entropy,
}  # fmt: skip
