"""Memory that an operation takes on CUDA while it runs, and that the meta device does not show."""

from __future__ import annotations

from typing import Any

import torch

TILE = 4
TRANSFORMED = 36
"""Values per 4 × 4 output tile in F(4×4, 3×3): a 6 × 6 patch of input, filter and output each."""

FEWEST_TILES = 32
"""Below this cuDNN takes another algorithm: fitted on U-Net rows with crops of 64, where the buffer would be 25 % of all."""


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
    if tiles < FEWEST_TILES:
        return 0
    return 4 * TRANSFORMED * (in_channels * tiles + out_channels * tiles + in_channels * out_channels)


def temporary_bytes(operation: str, args: tuple[Any, ...], *, old: bool) -> int:
    """Tensors that live only inside an operation of PyTorch's CUDA code (aten/src/ATen/native).

    softmax backward multiplies gradient and output first (cuda/SoftMax.cu). Binary cross entropy with scores is put together
    from single operations (Loss.cpp): besides its result one tensor today, four before 1.11 (our count of its expression).
    """
    if operation.startswith("aten._softmax_backward_data"):
        return _bytes(args[1])
    if operation.startswith("aten.binary_cross_entropy_with_logits"):
        return _bytes(args[0]) * (4 if old else 1)
    return 0


def _bytes(tensor: torch.Tensor) -> int:
    return tensor.numel() * tensor.element_size()
