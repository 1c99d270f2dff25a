"""A user's own module: traced in a process of its own, refused in one sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

pytestmark = pytest.mark.torch
pytest.importorskip("torch")

from knowledge.errors import InputError  # noqa: E402
from tools.trace.front import trace  # noqa: E402
from tools.trace.limits import run_worker  # noqa: E402
from tools.trace.request import TraceRequest  # noqa: E402

HEAD = "import torch\nfrom torch import nn\n"
SMALL = """
print("noise before the answer")
def make():
    return nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.Conv2d(8, 5, 1))
"""
REFUSED = {
    "needs_weights": ("def make():\n    return open('/nowhere/weights.pt')", "make() 建不出模型", "make() does not build a model: FileNotFoundError"),
    "no_module": ("def make():\n    return 3", "返回的是 int", "returns a int, not an nn.Module"),
    "no_factory": ("def other():\n    pass", "没有名为 make", "called make"),
    "broken_file": ("import not_a_library_at_all", "不能导入", "cannot be imported: ModuleNotFoundError"),
    "dynamic": (
        "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.c = nn.Conv2d(3, 2, 1)\n"
        "    def forward(self, x):\n        y = self.c(x)\n        return y * int(y.sum().item())\nmake = Net",
        "读取了张量的值", "reads values of tensors",
    ),
    "wrong_shape": ("def make():\n    return nn.Conv2d(7, 2, 1)", "接受不了 2×3×64×64", "does not take an input of 2×3×64×64"),
    "no_gradient": ("def make():\n    return nn.Identity()", "没有可求导", "nothing|no tensor that can be differentiated"),
}  # fmt: skip


def write(folder: Path, code: str) -> str:
    path = folder / "net.py"
    path.write_text(HEAD + code, encoding="utf-8")
    return f"{path}:make"


def test_a_small_module_is_traced(tmp_path: Path) -> None:
    result = trace(TraceRequest(module=write(tmp_path, SMALL), height=64, width=64, batch=4))
    assert result.parameters == 3 * 8 * 9 + 8 + 16 + 8 * 5 + 5
    assert result.parts.total == result.allocated
    assert "loss_of_module" in result.notes
    one = 4 * 64 * 64 * 4  # bytes of one channel
    assert result.saved >= (3 + 8 + 8 + 5) * one  # input, inputs of norm and last convolution, scores after softmax


def test_inference_of_a_module(tmp_path: Path) -> None:
    module = write(tmp_path, SMALL)
    train = trace(TraceRequest(module=module, height=64, width=64))
    infer = trace(TraceRequest(module=module, height=64, width=64, training=False))
    assert infer.allocated < train.allocated and infer.notes == ("workspace",)


def test_norms_over_all_cards_are_taken(tmp_path: Path) -> None:
    code = SMALL.replace("nn.BatchNorm2d", "nn.SyncBatchNorm")
    plain = trace(TraceRequest(module=write(tmp_path, SMALL), height=64, width=64))
    assert trace(TraceRequest(module=write(tmp_path, code), height=64, width=64)).allocated == plain.allocated


@pytest.mark.parametrize("case", list(REFUSED))
def test_what_cannot_be_traced_gets_one_sentence(tmp_path: Path, case: str) -> None:
    code, zh, en = REFUSED[case]
    request = TraceRequest(module=write(tmp_path, code), height=64, width=64)
    with pytest.raises(InputError, match=en.replace("(", r"\(").replace(")", r"\)")) as caught:
        trace(request)
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 600
    if case in ("dynamic", "no_module"):
        with pytest.raises(InputError, match=zh):
            trace(request, language="zh")


def test_time_and_memory_have_limits(tmp_path: Path) -> None:
    endless = TraceRequest(module=write(tmp_path, "def make():\n    while True: pass"))
    with pytest.raises(InputError, match="longer than the limit of 6 seconds"):
        run_worker(endless, seconds=6)
    (tmp_path / "large").mkdir()
    large = TraceRequest(module=write(tmp_path / "large", "import numpy\ndef make():\n    return bytearray(60 << 30)"))
    with pytest.raises(InputError, match="limit of 8 GiB|does not build"):
        run_worker(large, memory_gib=8)


@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        ("import atexit\natexit.register(lambda: print('bye'))\nprint('{\"error\": \"forged\"}')\n", ""),
        ("import subprocess\nsubprocess.Popen(['sleep', '60'])\n", ""),
        ("import os\nprint('{\"error\": \"forged\"}', flush=True)\nos._exit(0)\n", "stopped early"),
    ],
)
def test_what_the_code_prints_or_starts_does_not_matter(code: str, sentence: str, tmp_path: Path) -> None:
    request = TraceRequest(module=write(tmp_path, code + "import torch.nn as nn\ndef make():\n    return nn.Conv2d(3, 5, 1)"), height=64, width=64)
    if sentence:
        with pytest.raises(InputError, match=sentence):
            run_worker(request, seconds=40)
    else:
        assert run_worker(request, seconds=40).parameters == 20


def test_files_beside_one_do_not_take_the_place_of_pythons_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "random.py").write_text("raise SystemExit('not yours')", encoding="utf-8")
    (tmp_path / "net").mkdir()
    module = write(tmp_path / "net", "import torch.nn as nn\ndef make():\n    return nn.Conv2d(3, 5, 1)")
    monkeypatch.chdir(tmp_path)
    assert run_worker(TraceRequest(module=module, height=64, width=64), seconds=40).parameters == 20
