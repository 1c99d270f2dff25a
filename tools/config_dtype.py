"""The weight type that a config.json states: `torch_dtype`, `quantization_config`."""

from __future__ import annotations

from .config_fields import Config, part, word

NATIVE = ("bfloat16", "float16", "float32")
PLAIN_METHODS = {
    "fp8": "fp8", "fbgemm_fp8": "fp8", "mxfp4": "mxfp4", "nvfp4": "nvfp4", "modelopt_fp4": "nvfp4",
    "modelopt_fp8": "fp8", "fp_quant": "nvfp4",
}  # fmt: skip
"""Methods that fix the precision by their name."""
BY_BITS = {
    ("awq", 4): "awq", ("awq", 8): "int8", ("gptq", 4): "gptq", ("gptq", 8): "int8", ("auto-round", 4): "int4",
    ("auto-round", 8): "int8", ("compressed-tensors", 4): "int4", ("compressed-tensors", 8): "int8",
}  # fmt: skip


def native_dtype(config: Config) -> str | None:
    """The data type of the weights as published, None when not said."""
    dtype = word(config, "torch_dtype", "dtype").removeprefix("torch.")
    return dtype if dtype in NATIVE else None


def quantized_dtype(config: Config) -> str | None:
    """A precision of precisions.csv, None when the weights are not quantised or by a method not known here."""
    quantization = part(config, "quantization_config") or part(config, "compression_config")
    method = word(quantization, "quant_method").lower().replace("_", "-").replace("autoround", "auto-round")
    if method.replace("-", "_") in PLAIN_METHODS:
        return PLAIN_METHODS[method.replace("-", "_")]
    if method == "bitsandbytes":
        return _bitsandbytes(quantization)
    if method == "modelopt":
        return PLAIN_METHODS.get(word(quantization, "quant_algo").lower())
    weights = _weights(quantization)
    if word(weights, "type") == "float":
        return {8: "fp8", 4: "nvfp4"}.get(_bits(weights))
    return BY_BITS.get((method, _bits(weights)))


def _bitsandbytes(quantization: Config) -> str | None:
    if quantization.get("load_in_4bit") is True:
        return "nf4_dq" if quantization.get("bnb_4bit_use_double_quant") is True else "nf4"
    return "int8" if quantization.get("load_in_8bit") is True else None


def _weights(quantization: Config) -> Config:
    """The weight scheme: the first group of compressed-tensors, else the object itself."""
    groups = part(quantization, "config_groups")
    first = next((group for group in groups.values() if isinstance(group, dict)), {})
    return part(first, "weights") or quantization


def _bits(weights: Config) -> int:
    bits = next((weights[k] for k in ("num_bits", "bits", "w_bit") if isinstance(weights.get(k), int)), 0)
    return int(bits)
