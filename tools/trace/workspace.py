"""Memory that cuDNN takes while a convolution runs."""

from __future__ import annotations

from typing import Any

import torch

TILE = 4
TRANSFORMED = 36
"""Values per 4 × 4 output tile in F(4×4, 3×3): a 6 × 6 patch of input, filter and output each."""


def winograd_bytes(operation: str, args: tuple[Any, ...]) -> int:
    """Transform buffers of cuDNN's non-fused Winograd algorithm for fp32 3 × 3 convolutions with stride 1, undilated, ungrouped.

    36 values per tile and channel of input and output, and per pair of channels for the filters. The algorithm is Lavin
    and Gray, "Fast Algorithms for Convolutional Neural Networks" (2015); that cuDNN 7 and 8 choose it there is our reading
    of published V100 figures (evals/accuracy/vision_training.py), not documented.
    """
    backward = "backward" in operation
    source, filters = (args[1], args[2]) if backward else (args[0], args[1])
    if filters.dim() != 4 or source.dtype != torch.float32 or tuple(filters.shape[2:]) != (3, 3):
        return 0
    stride, _, dilation, transposed, _, groups = args[4:10] if backward else args[3:9]
    if list(stride) != [1, 1] or list(dilation) != [1, 1] or groups != 1 or transposed:
        return 0
    out_channels, in_channels = filters.shape[:2]
    batch, _, height, width = source.shape
    tiles = int(batch) * -(-int(height) // TILE) * -(-int(width) // TILE)
    return 4 * TRANSFORMED * (in_channels * tiles + out_channels * tiles + in_channels * out_channels)
