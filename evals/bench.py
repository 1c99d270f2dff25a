"""Measures how fast and how large Xuanka is here: `python -m evals.bench` prints one table, `--trace` that of tracing, `--docs` that of adding documents.

CPU seconds are user and system time of a whole child process (POSIX only), medians over several runs, with the
bytecode of an installed package. A busy machine changes wall time more than CPU time, so goals are set in CPU seconds
where that is possible. The embedder has one thread everywhere.
Not an accuracy measure and no test: nothing here fails.
"""

from __future__ import annotations

import atexit
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution, requires
from importlib.resources import files
from itertools import product
from pathlib import Path
from statistics import median, quantiles

ROOT = Path(__file__).parents[1]
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "XUANKA_THREADS": "1"}
SIZES = {
    "llm": "--model Qwen2.5-72B --context 32k --concurrency 8",
    "train": "--model Qwen2.5-7B --method lora --seq 4096",
    "vision": "--arch SegFormer-B5 --crop 1024 --batch 2",
    "encoder": "--model bge-m3",
    "diffusion": "--model FLUX.1-dev",
    "asr": "--model whisper-large-v3",
    "cpu": "--model Qwen2.5-7B",
}
"""One command of each kind of job, without torch."""
TRACED = (
    "U-Net", "DeepLabV3+ R-101", "HRNet-W48", "SegFormer-B0", "SegFormer-B5", "Mask2Former Swin-T", "UPerNet Swin-L", "UPerNet ViT-B",
    "MobileNetV2", "ResNet-101", "EfficientNet-L2",
)  # fmt: skip
"""Networks that the source documents name, each traced in training at 512×512, batch 2."""
ASK = ("-m", "ui.cli", "ask", "Qwen2.5-72B int4，32K 上下文，8 并发，选什么实例？", "--json")
FACTS = """
import time, dataclasses
import knowledge.facts as facts
started = time.process_time()
for name in dir(facts):
    load = getattr(facts, name)
    if hasattr(load, "cache_info"):
        load()
print(time.process_time() - started)
"""
MODELS = ("Qwen2.5-7B", "Qwen2.5-72B", "Llama-3.1-8B", "DeepSeek-R1", "Qwen3-32B", "13B", "Mistral-7B")
SIZING = (
    "{model} int4，{context} 上下文，{users} 并发，选什么实例？",
    "{model} bf16, {context} context, {users} users: which instance?",
    "{model} 在 A10 上放得下吗？{users} 路，{context}",
    "Does {model} with {context} context and {users} users fit on 2 L20?",
)
CATALOG = (
    "A10 显存多大", "What is the GPU memory of the A100?", "gn7e 多少钱一小时", "price of ecs.gn7i-c8g1.2xlarge in Beijing",
    "有哪些支持 FP8 的实例", "which instances have NVLink", "gn7v 是什么规格", "Does the T4 support bf16?",
    "8 卡 A100 每月多少钱", "cheapest instance with 48 GB per card", "你好", "What is the weather?",
)  # fmt: skip


def environment(**more: str) -> dict[str, str]:
    """Of a child process: one thread, and bytecode kept beside the measurements whatever the caller has set."""
    inherited = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**inherited, **ONE_THREAD, "PYTHONPYCACHEPREFIX": _bytecode(), **more}


@cache
def _bytecode() -> str:
    folder = tempfile.mkdtemp(prefix="xuanka-bench-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def cpu_seconds(*arguments: str, runs: int = 9) -> float:
    """Median CPU seconds of `python ARGUMENTS`, each run a new process after one that fills the caches."""
    times = [_run(arguments, environment()) for _ in range(runs + 1)]
    return median(times[1:])


def _run(arguments: Sequence[str], surroundings: dict[str, str]) -> float:
    command = [sys.executable, *arguments]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, cwd=ROOT, env=surroundings)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}")
    return usage.ru_utime + usage.ru_stime


def first_ask(runs: int = 3) -> float:
    """CPU seconds of the first question of a new process with nothing in its data folder."""
    times = []
    for _ in range(runs):
        with tempfile.TemporaryDirectory() as folder:
            times.append(_run(ASK, environment(XUANKA_DATA_DIR=folder)))
    return median(times)


def questions() -> Iterator[str]:
    """At least 100 questions of all kinds, half of them Chinese, none asked twice."""
    yield from CATALOG
    for number, (model, pattern) in enumerate(product(MODELS, SIZING)):
        context, users = ("8K", "32K", "4096", "16k")[number % 4], (1, 4, 8, 20, 64)[number % 5]
        yield pattern.format(model=model, context=context, users=users)
    lines = files("evals").joinpath("cases", "guidance.jsonl").read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines[:80]):
        yield json.loads(line)["question_zh" if number % 2 else "question_en"]


def warm_ask() -> dict[str, list[float]]:
    """Wall and CPU milliseconds (of all threads) of each question in this process, after a round of warm-up."""
    from assistant import Assistant

    assistant = Assistant("offline")
    assistant.library.search("warm-up")  # opens the index, which not every question does
    for warm in CATALOG[:4] + tuple(pattern.format(model="Yi-34B", context="8K", users=2) for pattern in SIZING):
        assistant.ask(warm)
    times: dict[str, list[float]] = {"wall": [], "cpu": []}
    for question in questions():
        wall, cpu = time.perf_counter(), time.process_time()
        assistant.ask(question)
        times["wall"].append((time.perf_counter() - wall) * 1000)
        times["cpu"].append((time.process_time() - cpu) * 1000)
    return times


def warm_search() -> list[float]:
    """Wall milliseconds of each search in this process, after one of warm-up; embedding of the query included."""
    from assistant.library import open_library
    from assistant.settings import read_settings

    library = open_library(read_settings())
    library.search("warm-up")
    times = []
    for question in questions():
        started = time.perf_counter()
        library.search(question)
        times.append((time.perf_counter() - started) * 1000)
    return times


def warm_judge(characters: int = 6000, runs: int = 9) -> list[float]:
    """CPU milliseconds of judging a text of that length about GPU instances, in either language by turns."""
    from tools.claims.check import check_claims

    names = ("segmentation-families", "deploy-summary", "saving-money", "rdma-and-nvlink")
    texts = {lang: "".join(_guide(f"{name}.{lang}.md") for name in names)[:characters] for lang in ("zh", "en")}
    times = []
    for language in ("zh", "en") * (runs + 1):
        started = time.process_time()
        check_claims(texts[language], language=language)
        times.append((time.process_time() - started) * 1000)
    return times[2:]


def _guide(name: str) -> str:
    return files("knowledge").joinpath("guides", name).read_text(encoding="utf-8")


def _in_child(call: str, module: str = "evals.bench") -> str:
    """What an expression of a module gives as JSON in a process of its own with one thread."""
    script = f"import json, {module} as bench; print(json.dumps(bench.{call}))"
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-c", script]
        return subprocess.check_output(command, cwd=ROOT, env=environment(XUANKA_DATA_DIR=folder), text=True)


def installed_megabytes() -> float:
    """Apparent size of Xuanka's run-time distributions and what they require, as recorded by their installation."""
    return sum(_size(name) for name in _closure(_own_requirements())) / 1e6


def _own_requirements() -> list[str]:
    try:
        return requires("xuanka") or []
    except PackageNotFoundError:
        import tomllib

        project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        return list(project["dependencies"])


def _closure(requirements: list[str]) -> set[str]:
    """Names of all distributions that the requirements bring here, extras that are not asked for left out."""
    from packaging.requirements import Requirement

    found: set[str] = set()
    waiting = [(text, "") for text in requirements]
    while waiting:
        text, extra = waiting.pop()
        wanted = Requirement(text)
        name = re.sub(r"[-_.]+", "-", wanted.name).lower()
        if wanted.marker and not wanted.marker.evaluate({"extra": extra}):
            continue
        for extra_of in (wanted.extras or {""}) if name not in found else wanted.extras:
            try:
                waiting += [(line, extra_of) for line in requires(name) or []]
                found.add(name)
            except PackageNotFoundError:
                break
    return found


def _size(name: str) -> int:
    places = (Path(str(file.locate())) for file in distribution(name).files or [])
    return sum(place.stat().st_size for place in places if place.is_file())


def rows() -> Iterator[tuple[str, str, str]]:
    """What is measured, the figure, the goal."""
    for kind, options in SIZES.items():
        seconds = cpu_seconds("-m", "ui.cli", "size", kind, *options.split())
        yield f"cold `xuanka size {kind}`", f"{seconds:.2f} s CPU", "0.45"
    find = median(cpu_seconds("-m", "ui.cli", "instances", "find", "--gpu", "A10", "--count", "2") for _ in range(5))
    yield "cold `xuanka instances find`", f"{find:.2f} s CPU", "0.30"
    yield "import assistant", f"{cpu_seconds('-c', 'import assistant'):.2f} s CPU", "0.40"
    yield "first `ask`, new process, empty data folder", f"{first_ask():.2f} s CPU", "4.00"
    ask = json.loads(_in_child("warm_ask()"))
    for kind in ("wall", "cpu"):
        p95 = quantiles(ask[kind], n=20)[-1]
        goal = "60 / 150" if kind == "wall" else ""
        yield f"warm offline `ask`, {len(ask[kind])} questions, 1 thread", f"p50 {median(ask[kind]):.0f} p95 {p95:.0f} ms {kind}", goal
    search = json.loads(_in_child("warm_search()"))
    yield "search", f"p50 {median(search):.1f} ms wall", ""
    yield "judge 6,000 characters, warm", f"{median(json.loads(_in_child('warm_judge()'))):.0f} ms CPU", "150"
    checked = json.loads(_in_child("medians()", "evals.check.bench"))
    yield "check of a draft, 4,000 characters", f"p50 {checked['check_p50']:.1f} p95 {checked['check_p95']:.1f} ms CPU", "5"
    yield "agent around a chat model, after 50 turns", f"{checked['overhead']:.0f} ms wall", "30"
    facts = [float(subprocess.check_output([sys.executable, "-c", FACTS], cwd=ROOT, env=environment())) for _ in range(5)]
    yield "all fact tables", f"{median(facts) * 1000:.0f} ms CPU", ""
    yield "installed, without dev tools", f"{installed_megabytes():.0f} MB", "750"


def trace_rows() -> Iterator[tuple[str, str, str]]:
    """CPU seconds of one trace of each named network in a warm process (importing torch is no part of a trace)."""
    from tools.trace.front import trace
    from tools.trace.request import TraceRequest

    for name in ("FCN R-50", *TRACED):  # the first one warms up
        started = time.process_time()
        result = trace(TraceRequest(network=name, height=512, width=512, batch=2))
        if name in TRACED:
            yield f"trace of {name}", f"{time.process_time() - started:.1f} s CPU, {result.allocated / 2**30:.1f} GiB", "3.0"


def docs_rows(sections: int = 1000) -> Iterator[tuple[str, str, str]]:
    """Memory and time of `docs add` on a folder of so many passages of about 400 characters, embedding included."""
    sentence = "第 {number} 次压测：gn7i 搭载 A10，显存 24 GB，首 token 延迟 {number} 毫秒，吞吐每秒 {number} token，编号 {number}-{part}。"
    with tempfile.TemporaryDirectory() as folder:
        notes = Path(folder, "notes")
        notes.mkdir()
        for start in range(0, sections, 100):
            texts = (f"## 第 {n} 节\n\n" + "".join(sentence.format(number=n, part=part) for part in range(5)) for n in range(start, start + 100))
            Path(notes, f"{start}.md").write_text("\n\n".join(texts), encoding="utf-8")
        started = time.perf_counter()
        command = [sys.executable, "-m", "ui.cli", "docs", "add", str(notes)]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, cwd=ROOT, env=environment(XUANKA_DATA_DIR=str(Path(folder, "data"))))
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    unit = 1e6 if sys.platform == "darwin" else 1e3  # ru_maxrss is bytes there, KiB here
    yield f"docs add, {sections:,} passages, 1 thread", f"{usage.ru_maxrss / unit:.0f} MB peak", "700"
    yield "", f"{time.perf_counter() - started:.0f} s wall, {usage.ru_utime + usage.ru_stime:.0f} s CPU", ""


def main() -> None:
    """Prints the table, each row when it is measured."""
    sys.stdout.write(f"{'what':46}{'measured':>26}{'goal':>12}\n")
    measured_rows = trace_rows() if "--trace" in sys.argv else docs_rows() if "--docs" in sys.argv else rows()
    for what, measured, goal in measured_rows:
        sys.stdout.write(f"{what:46}{measured:>26}{goal:>12}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
