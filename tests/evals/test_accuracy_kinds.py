"""Which format a file has, by its fields; and what is no truth file at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from evals.accuracy.kinds import KINDS, read_truth
from evals.accuracy.rows import flag, gib_of, need, number, row_id, text, units, whole
from evals.accuracy.run import shipped
from knowledge.errors import InputError


def test_every_format_is_shipped_and_told_by_its_fields(tmp_path: Path) -> None:
    found = {}
    for path in shipped():
        other_name = tmp_path / "rows.txt"
        other_name.write_bytes(path.read_bytes())
        truth = read_truth(other_name)
        found[path.stem] = truth.kind.name
        assert not truth.broken
    assert found == {kind.name: kind.name for kind in KINDS}


def test_fields_without_a_value_may_be_left_out(tmp_path: Path) -> None:
    path = tmp_path / "rows"
    path.write_text('{"model": "m", "kv_cache_tokens": 1, "gpu": "a", "peak_mem_total": null, "gpu_memory_utilization": 0.9}\n')
    assert read_truth(path).kind.name == "llm_inference"


def test_broken_lines_are_refused_one_by_one(tmp_path: Path) -> None:
    good = next(path for path in shipped() if path.stem == "llm_training").read_text(encoding="utf-8").splitlines()[0]
    path = tmp_path / "rows"
    path.write_text(f"{good}\n{{oops\n\n[1]\n{good}\n", encoding="utf-8")
    truth = read_truth(path)
    assert len(truth.rows) == 2
    assert [refusal.id for refusal in truth.broken] == ["line 2", "line 4"]
    path.write_text("section,model,mem_gb,train_s_per_iter\na,b,1,2\na,b,1\na,b,1,2,3\n")
    assert [refusal.id for refusal in read_truth(path).broken] == ["line 3", "line 4"]


@pytest.mark.parametrize(
    "content",
    [b"", b"  \n", b"\x00\x01\x02\xff", b"hello\nworld\n", b"a,b\n1,2\n", b'{"a": 1}\n', b"[", b"{" * 5000, "中文，逗号\n".encode()],
)
def test_foreign_files_get_one_sentence(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "rows"
    path.write_bytes(content)
    for language in ("zh", "en"):
        with pytest.raises(InputError) as error:
            read_truth(path, language=language)
        assert len(str(error.value).splitlines()) == 1


def test_missing_file_and_folder(tmp_path: Path) -> None:
    for path in (tmp_path / "none", tmp_path):
        with pytest.raises(InputError, match=tmp_path.name):
            read_truth(path)


@pytest.mark.parametrize(
    ("value", "unit", "source", "expected"),
    [
        (1, "GiB", "", 1),
        (1.073741824, "GB", "", 1),
        (1024, "MiB", "", 1),
        (1073.741824, "MB", "", 1),
        (2**30, "bytes", "", 1),
        (1, "GB as printed (GiB)", "", 1),
        (1.073741824, "GB (G as printed)", "", 1),
        (1.073741824, "GB (about)", "", 1),
        (2.95, "GB", "https://github.com/x/docs/source/benchmark/speed_benchmark.rst#l", 2.95),
    ],
)
def test_units(value: float, unit: str, source: str, expected: float) -> None:
    assert gib_of(value, unit, source=source) == pytest.approx(expected)


def test_unit_of_no_memory_is_named() -> None:
    with pytest.raises(InputError, match="tokens/s only"):
        gib_of(1, "tokens/s only")
    assert all(row.bytes > 0 and row.unit == row.unit.lower() for row in units())


def test_fields_of_either_format() -> None:
    row: dict[str, object] = {"a": None, "b": "", "c": "4.5", "d": 4, "e": "False", "f": True, "g": "None", "h": "x", "i": "1e999"}
    assert [text(row, name) for name in "abcdgz"] == [None, None, "4.5", "4", None, None]
    assert [number(row, name) for name in "abcdfhi"] == [None, None, 4.5, 4.0, None, None, None]
    assert [whole(row, name) for name in "cd"] == [None, 4]
    assert [flag(row, name) for name in "aefh"] == [None, False, True, None]
    with pytest.raises(InputError, match="missing: a, z"):
        need(row, "a", "c", "z")


def test_rows_without_id_are_named_by_what_they_are() -> None:
    assert row_id({"id": "x-1", "model": "m"}) == "x-1"
    assert row_id({"section": "RPN", "model": "R50", "lr_sched": "1x"}) == "RPN R50 1x"
    assert row_id({}) == "(no name)"
