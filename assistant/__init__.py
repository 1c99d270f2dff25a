"""Xuanka's Python API: `from assistant import Assistant, Answer, ask`."""

from __future__ import annotations
