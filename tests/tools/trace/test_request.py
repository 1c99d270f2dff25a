"""Requests and results without torch: limits in one sentence of either language, JSON both ways."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from knowledge.errors import InputError
from tools.phrases import Language
from tools.trace.front import has_torch, trace
from tools.trace.limits import run_worker
from tools.trace.request import TraceParts, TraceRequest, TraceResult, check_request, phrase_table


@pytest.mark.parametrize(
    ("request_", "zh", "en"),
    [
        (TraceRequest(), "二者只取其一", "one of the two"),
        (TraceRequest(network="unet", module="a.py:b"), "二者只取其一", "one of the two"),
        (TraceRequest(network="unet", height=0), "16 到 16384", "between 16 and 16384"),
        (TraceRequest(network="unet", width=10**12), "16 到 16384", "between 16 and 16384"),
        (TraceRequest(network="unet", batch=-1), "1 到 4096", "between 1 and 4096"),
        (TraceRequest(network="unet", classes=0), "1 到 100000", "between 1 and 100000"),
        (TraceRequest(network="unet", channels=0), "1 到 1000", "between 1 and 1000"),
        (TraceRequest(network="unet", optimizer="magic"), "没有名为 'magic' 的优化器", "No optimizer is called 'magic'"),
        (TraceRequest(network="unet", accumulate=0), "至少为 1", "at least 1"),
        (TraceRequest(network="unet", precision="int8"), "没有名为 'int8' 的训练精度", "No training precision is called 'int8'"),  # type: ignore[arg-type]
    ],
)
def test_absurd_requests_get_one_sentence(request_: TraceRequest, zh: str, en: str) -> None:
    for language, words in (("zh", zh), ("en", en)):
        with pytest.raises(InputError) as caught:
            check_request(request_, language=language)  # type: ignore[arg-type]
        assert words in str(caught.value)
        assert str(caught.value).count("\n") == 0


def test_a_usual_request_is_taken() -> None:
    check_request(TraceRequest(network="unet", height=1024, width=512, batch=8, precision="bf16", optimizer="adamw"))


def test_requests_survive_json() -> None:
    request = TraceRequest(network="unet", classes=3, options={"head": "psp", "aux": False})
    assert TraceRequest.from_json(json.loads(json.dumps(request.as_json()))) == request


def test_unknown_fields_are_named() -> None:
    with pytest.raises(InputError, match="has no field pixels, colour|has no field colour, pixels"):
        TraceRequest.from_json({"network": "unet", "pixels": 3, "colour": 1})


def test_results_survive_json() -> None:
    parts = TraceParts(weights=1, gradients=2, optimizer=3, buckets=4, activations=5, workspace=6)
    result = TraceResult("n", 7, parts, 21, 30, 5, "backward", "aten.add", 0.1, ("workspace",))
    assert TraceResult.from_json(json.loads(json.dumps(result.as_json()))) == result
    assert parts.total == 21


def test_every_sentence_is_in_both_languages() -> None:
    for code, row in phrase_table().items():
        assert set(row) == {"zh", "en"}, code
        assert any("\u4e00" <= char <= "\u9fff" for char in row["zh"]), code
        assert row["en"].isascii() or "×" in row["en"], code


def test_the_front_door_imports_no_torch() -> None:
    code = "import sys, tools.trace, tools.trace.front, tools.trace.networks, tools.trace.limits; print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


@pytest.mark.skipif(has_torch(), reason="torch is installed here")
@pytest.mark.parametrize(("language", "words"), [("zh", "请先运行 pip install"), ("en", "run pip install")])
def test_without_torch_it_says_how_to_get_it(language: Language, words: str) -> None:
    with pytest.raises(InputError) as caught:
        trace(TraceRequest(network="unet"), language=language)
    assert words in str(caught.value) and "xuanka[trace]" in str(caught.value)


@pytest.mark.parametrize(
    ("module", "zh", "en"),
    [
        ("net.py", "file.py:factory", "file.py:factory"),
        ("net:make", "file.py:factory", "file.py:factory"),
        ("net.py:make it", "file.py:factory", "file.py:factory"),
        ("/nowhere/net.py:make", "找不到文件 /nowhere/net.py", "There is no file /nowhere/net.py"),
    ],
)
def test_modules_are_given_as_file_and_factory(module: str, zh: str, en: str) -> None:
    for language, words in (("zh", zh), ("en", en)):
        with pytest.raises(InputError) as caught:
            run_worker(TraceRequest(module=module), language=language)  # type: ignore[arg-type]
        assert words in str(caught.value)
