"""`xuanka size`: the memory of a job and the machines it fits on, one command a kind of job. Needs no agent, no search."""

from __future__ import annotations

import typer

from .lazy import LazyGroup


class _Kinds(LazyGroup):
    commands_by_name = {
        "llm": "ui.size_llm:llm",
        "train": "ui.size_train:train",
        "vision": "ui.size_vision:vision",
        "encoder": "ui.size_encoder:encoder",
        "diffusion": "ui.size_diffusion:diffusion",
        "asr": "ui.size_asr:asr",
        "cpu": "ui.size_cpu:cpu",
    }


app = typer.Typer(cls=_Kinds, no_args_is_help=True, help="Memory of a job, and the instances it fits on.")


@app.callback()
def _group() -> None:
    """Memory of a job, and the instances it fits on."""
