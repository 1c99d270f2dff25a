"""Snapshots on disk: whole or not there, whatever happens to the writer."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from knowledge.errors import DataError
from knowledge.snapshot_rows import FORMAT, PlanRate, Snapshot
from knowledge.snapshots import list_snapshots, newest_snapshot, read_snapshot, write_snapshot

from .snapshot_samples import A10, manifest, offered, price, snapshot, spot

ROOT = Path(__file__).parents[2]


def rows_of(kept: Snapshot) -> Snapshot:
    """A snapshot as it was before it was written: without counts and digests."""
    return replace(kept, manifest=replace(kept.manifest, rows={}, sha256={}))


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    path = write_snapshot(tmp_path, snapshot())
    assert path == tmp_path / "2026-12-05T08-00-00Z"
    kept = read_snapshot(path)
    assert rows_of(kept) == snapshot()
    assert kept.manifest.rows == {
        "types.csv": 1, "offered.csv": 1, "prices.csv": 1, "spot.csv": 1, "advice.csv": 1, "plans.csv": 1,
    }  # fmt: skip
    assert sorted(kept.manifest.sha256) == sorted(kept.manifest.rows)


CELLS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
AMOUNTS = st.decimals(min_value=0, max_value=10**9, places=4)
NUMBERS = st.none() | st.integers(0, 10**12)
FLOATS = st.none() | st.floats(0, 1e12)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    types=st.lists(
        st.builds(
            replace,
            st.just(A10),
            gpu_spec=CELLS,
            vcpu=NUMBERS,
            memory_gib=FLOATS,
            local_disk_gib=FLOATS,
        ),
        max_size=4,
    ),
    prices=st.lists(st.builds(price, amount=AMOUNTS, note=CELLS, region=CELLS), max_size=4),
    spots=st.lists(st.builds(spot, payg_per_hour=st.none() | AMOUNTS), max_size=4),
)
def test_any_rows_are_read_back_as_they_were(
    tmp_path: Path, types: list[object], prices: list[object], spots: list[object]
) -> None:
    made = snapshot(types=tuple(types), prices=tuple(prices), spot=tuple(spots), plans=())
    assert rows_of(read_snapshot(write_snapshot(tmp_path, made))) == made


def test_the_newest_counts_and_the_order_is_of_time(tmp_path: Path) -> None:
    taken = ("2026-12-06T08:00:00Z", "2026-12-05T23:30:00+00:00", "2026-12-07T01:00:00+08:00")
    for moment in taken:
        write_snapshot(tmp_path, snapshot(moment))
    names = [path.name for path in list_snapshots(tmp_path)]
    assert names == ["2026-12-06T17-00-00Z", "2026-12-06T08-00-00Z", "2026-12-05T23-30-00Z"]
    newest = newest_snapshot(tmp_path)
    assert newest is not None
    assert newest.manifest.taken_at == taken[2]


def test_a_second_one_of_the_same_second_stands_beside_the_first(tmp_path: Path) -> None:
    first = write_snapshot(tmp_path, snapshot())
    others = [write_snapshot(tmp_path, snapshot(prices=(price(note=str(n)),))) for n in range(11)]
    assert list_snapshots(tmp_path) == (*reversed(others), first)
    newest = newest_snapshot(tmp_path)
    assert newest is not None
    assert newest.prices[0].note == "10"


def test_no_folder_and_an_empty_one_hold_no_snapshot(tmp_path: Path) -> None:
    assert newest_snapshot(tmp_path / "none") is None
    assert list_snapshots(tmp_path) == ()
    (tmp_path / "file").write_text("", encoding="utf-8")
    assert list_snapshots(tmp_path / "file") == ()
    assert newest_snapshot(tmp_path) is None


def cut_table(path: Path) -> None:
    file = path / "prices.csv"
    file.write_bytes(file.read_bytes()[:-5])


def change_price(path: Path) -> None:
    file = path / "prices.csv"
    file.write_text(file.read_text(encoding="utf-8").replace("9.5326", "0.5326"), encoding="utf-8")


def lose_table(path: Path) -> None:
    (path / "spot.csv").unlink()


def lose_manifest(path: Path) -> None:
    (path / "manifest.json").unlink()


def change_manifest(path: Path, **fields: object) -> None:
    file = path / "manifest.json"
    raw = json.loads(file.read_text(encoding="utf-8"))
    file.write_text(json.dumps(raw | fields), encoding="utf-8")


def other_format(path: Path) -> None:
    change_manifest(path, format=FORMAT + 1)


def other_site(path: Path) -> None:
    change_manifest(path, site="mars")


def bad_lists(path: Path) -> None:
    change_manifest(path, regions="cn-hangzhou", sha256=[])


def no_object(path: Path) -> None:
    (path / "manifest.json").write_text("[1]", encoding="utf-8")


def no_json(path: Path) -> None:
    (path / "manifest.json").write_bytes(b"\xff\xfe{")


def forged(path: Path) -> None:
    """A table that does not convert, under a digest that fits."""
    import hashlib

    table = (path / "plans.csv").read_bytes().replace(b"83.6", b"cheap")
    (path / "plans.csv").write_bytes(table)
    raw = json.loads((path / "manifest.json").read_text(encoding="utf-8"))
    digests = raw["sha256"] | {"plans.csv": hashlib.sha256(table).hexdigest()}
    change_manifest(path, sha256=digests)


BREAKS = [
    cut_table, change_price, lose_table, lose_manifest, other_format, other_site, bad_lists, no_object,
    no_json, forged,
]  # fmt: skip


@pytest.mark.parametrize("break_it", BREAKS)
def test_a_broken_snapshot_is_said_and_the_one_before_it_counts(
    tmp_path: Path, break_it: object
) -> None:
    assert callable(break_it)
    write_snapshot(tmp_path, snapshot("2026-12-01T08:00:00Z"))
    broken = write_snapshot(tmp_path, snapshot("2026-12-02T08:00:00Z"))
    break_it(broken)
    with pytest.raises(DataError) as said:
        read_snapshot(broken)
    assert "\n" not in str(said.value)
    newest = newest_snapshot(tmp_path)
    assert newest is not None
    assert newest.manifest.as_of == "2026-12-01"


def test_a_field_that_a_later_version_added_is_passed_over(tmp_path: Path) -> None:
    path = write_snapshot(tmp_path, snapshot())
    change_manifest(path, weather="fine")
    assert read_snapshot(path).prices == snapshot().prices


@pytest.mark.parametrize(
    "made",
    [
        snapshot(plans=(PlanRate("gn7i", "cn-hangzhou", "ecs", 1, "zero", float("nan"), "x"),)),
        snapshot(prices=(price(amount=Decimal("Infinity")),)),
        snapshot(prices=(price(note="\ud800"),)),
        snapshot(prices=(price(note="x" * 200_000),)),
        snapshot("yesterday"),
        snapshot("../../2026-12-05"),
    ],
    ids=["nan", "infinite", "surrogate", "long", "no-time", "path"],
)
def test_what_could_not_be_read_back_is_not_kept(tmp_path: Path, made: Snapshot) -> None:
    before = write_snapshot(tmp_path, snapshot("2026-12-01T08:00:00Z"))
    with pytest.raises(DataError):
        write_snapshot(tmp_path, made)
    assert [path.name for path in tmp_path.iterdir() if path.name != ".lock"] == [before.name]


def test_a_place_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("", encoding="utf-8")
    with pytest.raises(DataError, match="could not be written"):
        write_snapshot(file / "snapshots", snapshot())


def in_a_process(script: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", script, *map(str, arguments)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


KILLED_AT = """
import os, signal, sys
from pathlib import Path
from knowledge.snapshots import newest_snapshot, write_snapshot
from tests.knowledge.snapshot_samples import snapshot

folder = Path(sys.argv[1])
import filelock

def write(taken_at, step):
    steps = 0
    def count(event, arguments):
        nonlocal steps
        if event in {"open", "os.rename", "os.chmod", "os.mkdir", "shutil.rmtree"}:
            steps += 1
            if steps == step:
                os.kill(os.getpid(), signal.SIGKILL)
    sys.addaudithook(count)
    write_snapshot(folder, snapshot(taken_at))
    os._exit(0)

write_snapshot(folder, snapshot("2026-12-01T00:00:00Z"))
for step in range(1, 500):
    taken_at = f"2026-12-02T00:{step // 60:02}:{step % 60:02}Z"
    if not (child := os.fork()):
        write(taken_at, step)
    killed = os.waitpid(child, 0)[1] != 0
    newest = newest_snapshot(folder)
    print(step, killed, newest.manifest.taken_at, newest.manifest.taken_at == taken_at)
    if not killed:
        break
write_snapshot(folder, snapshot("2026-12-03T00:00:00Z"))
print(*sorted(path.name for path in folder.iterdir() if path.name.startswith(".half")))
"""


def test_a_writer_killed_at_any_step_leaves_a_whole_snapshot(tmp_path: Path) -> None:
    done = in_a_process(KILLED_AT, tmp_path)
    assert done.returncode == 0, done.stderr
    *steps, halves = done.stdout.splitlines()
    kept = [line.split()[2] for line in steps]
    assert len(steps) > 15, "the writer was killed at each of its steps"
    assert steps[0].endswith("True 2026-12-01T00:00:00Z False"), (
        "killed at once: the one of before"
    )
    assert steps[-1].split()[1] == "False", "the last one was not killed"
    assert steps[-1].endswith("True"), "and is kept"
    assert kept == sorted(kept), "never back to an older one"
    assert halves == "", "the next writer cleans up"


FULL = """
import resource, sys
from pathlib import Path
from knowledge.errors import DataError
from knowledge.snapshots import write_snapshot
from tests.knowledge.snapshot_samples import price, snapshot

resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
try:
    write_snapshot(Path(sys.argv[1]), snapshot(prices=(price(note="x" * 100),) * 2_000))
except DataError as error:
    print(error)
"""


def test_a_full_disk_is_one_sentence_and_the_one_of_before_stays(tmp_path: Path) -> None:
    before = write_snapshot(tmp_path, snapshot("2026-12-01T08:00:00Z"))
    done = in_a_process(FULL, tmp_path)
    assert "could not be written" in done.stdout, done.stderr
    assert len(done.stdout.splitlines()) == 1
    assert list_snapshots(tmp_path) == (before,)
    assert sorted(path.name for path in tmp_path.iterdir()) == [".lock", before.name]


def test_several_writers_at_once_keep_all_of_theirs(tmp_path: Path) -> None:
    made = [snapshot(prices=(price(note=str(n)),) * 50) for n in range(8)]
    with ThreadPoolExecutor(8) as pool:
        paths = list(pool.map(lambda one: write_snapshot(tmp_path, one), made))
    assert sorted(paths) == sorted(list_snapshots(tmp_path))
    assert sorted(read_snapshot(path).prices[0].note for path in paths) == list("01234567")


def test_work_of_others_in_the_folder_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / ".work").mkdir()
    (tmp_path / ".work" / "journal.jsonl").write_text("{}", encoding="utf-8")
    (tmp_path / "notes").mkdir()
    write_snapshot(tmp_path, snapshot())
    assert (tmp_path / ".work" / "journal.jsonl").is_file()
    assert len(list_snapshots(tmp_path)) == 1


def test_the_manifest_names_its_day_and_source() -> None:
    assert manifest().as_of == "2026-12-05"
    assert manifest().source_id == "ecs-api-2026-12-05"
    assert offered().as_of == manifest().as_of
