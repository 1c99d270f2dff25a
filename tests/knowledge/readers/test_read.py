from __future__ import annotations

import gzip
import os
import socket
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from knowledge.readers.files import find_files, read_bytes
from knowledge.readers.limits import ReadLimits, ReadText, Unreadable
from knowledge.readers.plain import read_plain
from knowledge.readers.read import DocumentReader
from tests.knowledge.readers.making import column, pdf_of

SENTENCE = "A10 有 24 GB 显存。"
LIMITS = ReadLimits(file_bytes=100_000, files=5, seconds=20)


def cause(act: Callable[[], object]) -> str:
    with pytest.raises(Unreadable) as caught:
        act()
    return caught.value.code


def read(data: bytes, name: str = "", limits: ReadLimits = LIMITS) -> ReadText:
    with DocumentReader(limits) as reader:
        return reader.read_data(data, name)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "gb18030"])
def test_text_in_all_encodings(encoding: str) -> None:
    text = f"云上选卡\r\n\r\n2026-07-19 11:00:24 分类：云知识\r\n\r\n{SENTENCE}\r\n相关推荐努力\r\n加油\r\n"
    assert read(text.encode(encoding)) == ReadText(f"云上选卡\n\n{SENTENCE}", "云上选卡", "2026-07-19")


def test_markdown_with_front_matter() -> None:
    text = f"---\ntitle: \"选卡\"\ndate: 2026-07-19T10:00:00Z\ntags: [gpu]\n---\n# 别的标题\n\n{SENTENCE}[价格](https://example.com/x) ![图](a.png)\n<!-- 忽略以上 -->\n"
    assert read(text.encode(), "a.md") == ReadText(f"# 别的标题\n\n{SENTENCE}价格 图", "选卡", "2026-07-19")


def test_a_line_of_dashes_is_no_front_matter_without_its_keys() -> None:
    assert read(f"---\n{SENTENCE}\n---\n正文".encode()).text == f"---\n{SENTENCE}\n---\n正文"


def test_nothing_steers_a_terminal() -> None:
    text = read_plain(f"\x1b[31m红\x1b[0m \x1b]0;title\x1b\\{SENTENCE}\u202egnihton\u200b".encode(), markdown=False, limits=LIMITS).text
    assert text == f"红 {SENTENCE}gnihton"


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "empty"), (b" \n\t ", "empty"), ("加油\n".encode(), "empty"), (b"x" * 100_001, "too_large"), (bytes(range(1, 32)) * 9, "binary"),
        (gzip.compress(b"x"), "archive"), (("中" * 30_000).encode(), "too_many_characters"),
    ],
)  # fmt: skip
def test_what_is_refused(data: bytes, code: str) -> None:
    assert cause(lambda: read(data, "a.txt", ReadLimits(file_bytes=100_000, characters=20_000))) == code


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Files, hidden ones, a folder in it, and what is no file."""
    for name in ("b.txt", "a.md", ".hidden.md", "deep/c.txt", ".git/d.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(SENTENCE, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(("recursive", "names"), [(True, ["a.md", "b.txt", "c.txt"]), (False, ["a.md", "b.txt"])])
def test_files_of_a_folder(folder: Path, recursive: bool, names: list[str]) -> None:
    assert [path.name for path in find_files(str(folder), recursive=recursive, limits=LIMITS)] == names


@pytest.mark.parametrize("name", ["http://example.com/a.pdf", "HTTPS://example.com", "ftp://x/y", "file:///etc/passwd", "www.example.com", "s3://bucket/x", "data:text/plain,x"])
def test_nothing_is_ever_fetched(name: str) -> None:
    assert cause(lambda: list(find_files(name, recursive=True, limits=LIMITS))) == "address"


@pytest.mark.parametrize("name", ["", " ", "nosuch.txt", "nosuch/", "a\0b", "x" * 5000, "~nobody-of-this-name/x"])
def test_what_is_not_there(name: str) -> None:
    assert cause(lambda: list(find_files(name, recursive=True, limits=LIMITS))) == "missing"


def test_too_many_files_and_none(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    for number in range(9):
        (folder / f"{number}.txt").write_text(SENTENCE, encoding="utf-8")
    assert cause(lambda: list(find_files(str(folder), recursive=True, limits=LIMITS))) == "too_many_files"
    assert cause(lambda: list(find_files(str(tmp_path_factory.mktemp("none")), recursive=True, limits=LIMITS))) == "empty_folder"


def test_links_are_not_followed(folder: Path) -> None:
    (folder / "link.txt").symlink_to(folder / "b.txt")
    (folder / "loop").symlink_to(folder, target_is_directory=True)
    found = [path.name for path in find_files(str(folder), recursive=True, limits=LIMITS)]
    assert found.count("c.txt") == 1
    assert cause(lambda: read_bytes(folder / "link.txt", LIMITS)) == "link"
    assert cause(lambda: read_bytes(folder / "loop", LIMITS)) == "link"


@pytest.mark.skipif(sys.platform == "win32", reason="no pipes and devices with names")
def test_pipes_devices_and_sockets_are_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.txt")
    server = socket.socket(socket.AF_UNIX)
    place = Path(os.path.relpath(tmp_path / "s"))  # names of sockets are short
    try:
        server.bind(str(place))
        assert cause(lambda: read_bytes(place, LIMITS)) in ("refused", "no_file")
    finally:
        server.close()
    assert cause(lambda: read_bytes(tmp_path / "pipe.txt", LIMITS)) == "no_file"
    assert cause(lambda: read_bytes(Path("/dev/zero"), LIMITS)) == "no_file"
    assert cause(lambda: read_bytes(tmp_path, LIMITS)) in ("refused", "no_file")


def test_programs_in_a_folder_are_passed_over_unless_named(tmp_path: Path) -> None:
    (tmp_path / "run.py").write_text("import os  # A10", encoding="utf-8")
    with DocumentReader(LIMITS) as reader:
        assert cause(lambda: reader.read(tmp_path / "run.py", named=False)) == "no_document"
        assert reader.read(tmp_path / "run.py").text == "import os  # A10"


def test_one_worker_reads_many_files_and_survives_bad_ones() -> None:
    pytest.importorskip("pypdfium2")
    good = pdf_of([column([SENTENCE])])
    with DocumentReader(LIMITS) as reader:
        for _ in range(2):
            assert reader.read_data(good).text == SENTENCE
            assert cause(lambda: reader.read_data(b"%PDF-1.7 broken")) == "broken"
        assert reader.read_data(good).text == SENTENCE


@pytest.mark.parametrize(("limits", "code"), [(ReadLimits(seconds=1), "out_of_time"), (ReadLimits(seconds=60, memory_bytes=250 * 2**20), "out_of_memory")])
def test_a_file_that_takes_too_much_is_given_up_and_the_next_one_read(limits: ReadLimits, code: str) -> None:
    pytest.importorskip("bs4")
    pytest.importorskip("lxml")
    huge = b"<html><body>" + b"<p>The A10 has <b>24</b> GB.</p>" * 600_000
    with DocumentReader(limits) as reader:
        assert cause(lambda: reader.read_data(huge, "x.html")) == code
        if code == "out_of_time":
            return  # the next one would need its time as well on a busy machine
        assert "24 GB" in reader.read_data(b"<p>The A10 has 24 GB.</p>", "x.html").text
