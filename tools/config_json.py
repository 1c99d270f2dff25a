"""Reads a Hugging Face config.json."""

from __future__ import annotations

from knowledge.errors import InputError
from knowledge.rows import Model


def read_config(text: str) -> tuple[Model, str | None]:
    """The model that a config.json describes, and the weight type its `quantization_config` names."""
    raise InputError(f"Reading a config.json ({len(text)} characters) is not possible in this version.")
