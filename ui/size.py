"""`xuanka size`: the memory of a job and the machines it fits on, one command a kind of job. Needs no agent, no search."""

from __future__ import annotations

import typer

from .size_asr import asr
from .size_cpu import cpu
from .size_diffusion import diffusion
from .size_encoder import encoder
from .size_llm import llm
from .size_train import train
from .size_vision import vision

app = typer.Typer(no_args_is_help=True, help="Memory of a job, and the instances it fits on.")
for name, command in (
    ("llm", llm), ("train", train), ("vision", vision), ("encoder", encoder), ("diffusion", diffusion), ("asr", asr), ("cpu", cpu),
):  # fmt: skip
    app.command(name)(command)
