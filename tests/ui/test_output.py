from __future__ import annotations

import errno
import io
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from tests.ui.running import ROOT, is_one_sentence, run, run_process
from ui.bars import Bar, draw, shade
from ui.blocks import Bars, Lines, Markdown, Table, Title
from ui.plain import cell_width, columns, plain, plain_markdown, printable
from ui.screen import os_sentence
from ui.terminal import draw_blocks

BAR = Bar("ecs.x", {"weights": 40.0, "kv_cache": 20.0}, limit_gib=72.0, usable_gib=80.0)
HOSTILE = "a\x1b[31mred\x1b]0;title\x07\u202egnp.exe"


def test_a_bar_shows_parts_free_space_and_the_limit_to_scale() -> None:
    cells = "".join(shade(segment) for segment in draw(BAR, cells=80))
    assert cells == "█" * 40 + "▓" * 20 + "·" * 12 + "│" + "·" * 7


def test_a_need_beyond_the_card_runs_over_the_mark() -> None:
    bar = Bar("x", {"weights": 100.0}, limit_gib=72.0, usable_gib=80.0)
    cells = "".join(shade(segment) for segment in draw(bar, cells=80))
    assert len(cells) == 80 and cells[72] == "│" and cells[-1] == "▶"


@given(
    parts=st.lists(st.floats(0, 1e6), max_size=8),
    usable=st.floats(0.1, 200),
    share=st.floats(0.1, 1),
    cells=st.integers(4, 120),
)
def test_a_bar_never_outgrows_its_cells(parts: list[float], usable: float, share: float, cells: int) -> None:
    bar = Bar("x", {str(at): size for at, size in enumerate(parts)}, share * usable, usable)
    segments = draw(bar, cells=cells)
    assert 1 <= sum(segment.cells for segment in segments) <= cells
    assert sum(segment.kind == "limit" for segment in segments) <= 1


def test_plain_markdown_keeps_the_words_and_drops_the_marks() -> None:
    text = "**选 `ecs.x`** [1]\n\n| 每卡显存 | GiB |\n|---|---|\n| 权重 | 33.9 |\n| KV | 2 |\n\n```bash\nvllm serve `a` **b**\n```"
    assert plain_markdown(text) == (
        "选 ecs.x [1]\n\n每卡显存  GiB\n权重      33.9\nKV        2\n\nvllm serve `a` **b**"
    )


def test_columns_count_chinese_characters_double() -> None:
    lines = columns([["规格", "价"], ["ecs.x", "1.00"]], right=frozenset({1})).splitlines()
    assert [cell_width(line) for line in lines] == [11, 11]


@pytest.mark.parametrize("block", [Markdown(HOSTILE), Lines([HOSTILE]), Table([HOSTILE], [[HOSTILE]]), Markdown(f"|a|\n|---|\n|{HOSTILE}|")])
def test_control_characters_reach_neither_pipe_nor_terminal(block: Markdown | Lines | Table) -> None:
    screen = io.StringIO()
    draw_blocks([block], Console(file=screen, width=100, no_color=True, highlight=False))
    for output in (plain([block]), screen.getvalue()):
        assert not any(bad in output for bad in ("\x1b[31m", "\x1b]0", "\x07", "\u202e"))
        assert "red" in output


def test_printable_keeps_chinese_tabs_and_line_breaks() -> None:
    assert printable("选卡\t1\n2") == "选卡\t1\n2"


def test_a_terminal_gets_colour_and_the_same_figures() -> None:
    screen = io.StringIO()
    console = Console(file=screen, width=100, force_terminal=True, color_system="standard", highlight=False)
    draw_blocks([Title("t"), Markdown("**b**"), Bars([BAR], {}, "limit")], console)
    assert "\x1b[" in screen.getvalue() and "60.0 / 72.0 GiB" in screen.getvalue()


@pytest.mark.parametrize("locale", ["C", "en_US.ISO-8859-1", "zh_CN.GBK"])
def test_output_is_utf8_in_every_locale(locale: str) -> None:
    done = run_process("instances", "show", "gn7i", "--lang", "zh", LC_ALL=locale, LANG=locale, PYTHONUTF8="0", PYTHONIOENCODING="ascii")
    assert done.returncode == 0 and "规格" in done.stdout.decode("utf-8")


def test_a_question_in_a_pipe_is_read_as_utf8() -> None:
    done = run_process("check", "-", stdin="A10 支持 FP8。", PYTHONIOENCODING="ascii", LC_ALL="C")
    assert done.returncode == 1 and "[错]" in done.stdout.decode()


def test_a_reader_that_leaves_is_no_error() -> None:
    command = [sys.executable, "-m", "ui.cli", "instances", "list", "--all", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT, env={**os.environ}) as process:
        assert process.stdout and process.stderr
        process.stdout.read(10)
        process.stdout.close()
        assert process.stderr.read() == b""


def test_errors_in_a_process() -> None:
    done = run_process("instances", "show", "gn7v")
    assert done.returncode == 2 and done.stdout == b"" and is_one_sentence(done.stderr.decode())


@pytest.mark.parametrize(("debug", "traceback"), [("0", False), ("1", True)])
def test_a_bug_names_itself_and_shows_its_traceback_on_request(debug: str, traceback: bool) -> None:
    # A bug is made by a face that asks for a phrase that is not there.
    script = (
        "import typer, ui.cli; from ui.speech import say\n"
        "ui.cli.app.command('broken')(lambda: say('no such phrase', 'en'))\n"
        "ui.cli.main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, "broken"], capture_output=True, cwd=ROOT, env={**os.environ, "XUANKA_DEBUG": debug}, check=False
    )
    assert (b"Traceback" in done.stderr) is traceback
    if not traceback:
        assert done.returncode == 70 and is_one_sentence(done.stderr.decode()) and b"XUANKA_DEBUG=1" in done.stderr


@pytest.mark.parametrize(
    "command", [[], ["size"], ["instances"], ["docs"], *([name] for name in ("ask", "chat", "price", "check", "doctor"))]
)
def test_help_is_text(command: list[str]) -> None:
    result = run(*command, "--help")
    assert result.exit_code == 0 and "Usage:" in result.stdout and "\x1b" not in result.stdout


def test_no_command_is_exit_code_2() -> None:
    assert run("nope").exit_code == 2


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a disk that is always full")
@pytest.mark.parametrize("command", [["instances", "list", "--all", "--json"], ["price", "A10"]])
def test_a_full_disk_is_one_sentence_and_exit_code_2(command: list[str]) -> None:
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        done = subprocess.run(
            [sys.executable, "-m", "ui.cli", *command], stdout=full, stderr=subprocess.PIPE, cwd=ROOT, env={**os.environ}, check=False
        )
    assert done.returncode == 2 and is_one_sentence(done.stderr.decode()) and b"full" in done.stderr


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (PermissionError(errno.EACCES, "Permission denied", "/x/y"), ["/x/y", "Permission denied"]),
        (OSError(errno.ENOSPC, "No space left on device", "/x/y"), ["/x/y", "free some space"]),
        (FileNotFoundError(errno.ENOENT, "No such file or directory", str(ROOT / "ui" / "words.toml")), ["words.toml", "xuanka doctor"]),
        (OSError("odd"), ["odd"]),
    ],
)
def test_what_the_system_refuses_names_path_and_way_out(
    error: OSError, said: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    sentence = os_sentence(error)
    assert all(part in sentence for part in said) and sentence.endswith(".")
