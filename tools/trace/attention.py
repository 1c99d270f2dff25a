"""Attention as CUDA's fused kernels keep it: no matrix of scores. On the meta device PyTorch would fall back to plain sums."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F


def fused_attention(
    query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, attn_mask: torch.Tensor | None = None,
    dropout_p: float = 0.0, is_causal: bool = False, **options: Any,
) -> Any:  # fmt: skip
    """scaled_dot_product_attention: the flash kernel for half precision without a mask, else the memory-efficient one."""
    if query.dim() != 4:
        return F.scaled_dot_product_attention(query, key, value, attn_mask, dropout_p, is_causal, **options)
    scale = options.get("scale")
    if attn_mask is None and query.dtype in (torch.float16, torch.bfloat16):
        flash = torch.ops.aten._scaled_dot_product_flash_attention
        return flash(query, key, value, dropout_p, is_causal, False, scale=scale)[0]
    bias = attn_mask
    if bias is not None:
        kept = torch.zeros_like(bias, dtype=query.dtype) if bias.dtype == torch.bool else bias.to(query.dtype)
        bias = kept.expand(query.shape[0], query.shape[1], query.shape[2], key.shape[2])
    efficient = torch.ops.aten._scaled_dot_product_efficient_attention
    return efficient(query, key, value, bias, torch.is_grad_enabled(), dropout_p, is_causal, scale=scale)[0]


def multi_head_attention(
    query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, width: int, heads: int, weight: torch.Tensor | None,
    bias: torch.Tensor | None, *rest: Any, **options: Any,
) -> tuple[Any, Any]:  # fmt: skip
    """nn.MultiheadAttention's function in single steps, so that each of them is cast as autocast casts it.

    Dropout of the attention weights, bias_k, bias_v and zero attention are left out; masks are added as they come.
    """
    _, _, _, _, out_weight, out_bias = rest[:6]
    need_weights = options.get("need_weights", True)
    if weight is None:
        weights = (options["q_proj_weight"], options["k_proj_weight"], options["v_proj_weight"])
    else:
        weights = weight.chunk(3)
    biases = bias.chunk(3) if bias is not None else (None, None, None)
    q, k, v = (F.linear(x, w, b) for x, w, b in zip((query, key, value), weights, biases, strict=True))
    length, batch = query.shape[:2]
    q, k, v = (x.reshape(x.shape[0], batch * heads, width // heads).transpose(0, 1) for x in (q, k, v))
    mask = options.get("attn_mask")
    if need_weights:
        scores = torch.bmm(q * (width // heads) ** -0.5, k.transpose(1, 2))
        shares = torch.softmax(scores if mask is None else scores + mask, -1)
        mixed = torch.bmm(shares, v)
    else:
        shares = None
        split = (x.view(batch, heads, -1, width // heads) for x in (q, k, v))
        mixed = F.scaled_dot_product_attention(*split, attn_mask=mask)
    joined = mixed.reshape(batch * heads, length, width // heads).transpose(0, 1).reshape(length, batch, width)
    result = F.linear(joined, out_weight, out_bias)
    if shares is None:
        return result, None
    return result, shares.view(batch, heads, length, -1).mean(1)
