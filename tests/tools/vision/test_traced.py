"""Vision jobs that are traced: a user's own module, and named networks held against their coefficients."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tools.vision.ask import vision_ask
from tools.vision.job import VisionJob
from tools.vision.memory import vision_account
from tools.vision.network import network_of
from tools.vision.request import VisionRequest
from tools.vision.traced import trace_request

MODULE = """
import torch

def make():
    return torch.nn.Sequential(torch.nn.Conv2d(3, 32, 3, padding=1), torch.nn.ReLU(), torch.nn.Conv2d(32, 2, 1))
"""


def test_a_request_carries_the_settings_and_old_runs_their_workspace() -> None:
    job = VisionJob(network=network_of("unet/s5-psp"), batch=4, height=128, width=256, classes=2, precision="fp16", optimizer="adamw")
    request = trace_request(job)
    assert (request.network, dict(request.options)) == ("unet unet-s5", {"head": "psp"})
    assert (request.batch, request.height, request.width, request.precision) == (4, 128, 256, "fp16")
    assert not request.workspace and not request.old_torch
    assert trace_request(replace(job, era="legacy")).workspace


@pytest.mark.torch
def test_a_module_of_the_user_is_traced(tmp_path: Path) -> None:
    file = tmp_path / "net.py"
    file.write_text(MODULE, encoding="utf-8")
    ask = vision_ask(VisionRequest(module=f"{file}:make", crop=(128, 128), batch=2, classes=2))
    assert ask.settings["traced"] and ask.settings["network"] is None
    demand = ask.demand
    from knowledge.facts import gpus

    (estimate,) = demand.estimates(gpus()["nvidia-a10"], 1)
    assert estimate.basis == "traced" and 0.5 < estimate.per_gpu_gib.best < 1.0
    assert estimate.command is not None and "net.py:make" in estimate.command


@pytest.mark.torch
@pytest.mark.parametrize("name", ["fcn/r18-d8", "unet/s5-fcn", "segformer/mit-b0"])
@pytest.mark.parametrize("precision", ["fp32", "fp16"])
def test_coefficients_agree_with_a_trace_of_another_size(name: str, precision: str) -> None:
    job = VisionJob(network=network_of(name), batch=3, height=512, width=768, classes=21, precision=precision)  # type: ignore[arg-type]
    coefficients, traced = vision_account(job), vision_account(replace(job, trace=True))
    assert coefficients.allocated == pytest.approx(traced.allocated, rel=0.04)
