"""Runs: what is answered and refused, that one bad row ends nothing, and what is shown of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from evals.accuracy.kinds import KINDS, Truth
from evals.accuracy.published import README, figures_of, fill, publish, read_results, tables
from evals.accuracy.report import report, report_text
from evals.accuracy.rows import Measure, Refusal, Row
from evals.accuracy.run import run_truth
from evals.accuracy.split import by_half, half, rows_of
from evals.accuracy.stats import Figures
from knowledge.errors import InputError
from ui.eval import app

TRAINING = next(kind for kind in KINDS if kind.name == "llm_training")
VISION = next(kind for kind in KINDS if kind.name == "vision_training")
JSON_KEYS = {"file", "rows", "answered", "quantities", "by", "refused", "worst"}
FIGURE_KEYS = {"n", "median_abs_pct", "mean_abs_pct", "p90_abs_pct", "max_abs_pct", "bias_pct", "in_band"}


def truth(*rows: Row, broken: tuple[Refusal, ...] = (), kind: object = TRAINING) -> Truth:
    return Truth("rows.jsonl", kind, list(rows), list(broken))  # type: ignore[arg-type]


def row(name: str, peak: float | None = 10.0, **more: object) -> Row:
    return {"id": name, "model": name, "method": "LoRA", "peak_mem": peak, **more}


def ten_percent_more(row: Row) -> list[Measure] | Refusal:
    peak = row["peak_mem"]
    if peak is None:
        return Refusal(str(row["id"]), "missing: peak_mem")
    assert isinstance(peak, float)
    return [Measure(str(row["id"]), "peak", peak, 1.1 * peak, peak, 1.2 * peak, {"method": str(row["method"])}, "because | of")]


def test_answered_refused_and_carried() -> None:
    run = run_truth(truth(row("a"), row("b", None), broken=(Refusal("line 3", "not a JSON object"),)), adapters={"memory": ten_percent_more})
    found = report(run)
    assert (found.rows, found.answered) == (3, 1)
    assert [(r.id, r.reason) for r in found.refused] == [("line 3", "not a JSON object"), ("b", "missing: peak_mem")]
    peak = found.quantities["peak"]
    assert isinstance(peak, Figures)
    assert (peak.n, peak.carried, peak.in_band) == (1, 1, 1.0)
    assert peak.bias_pct == pytest.approx(10)
    assert [(p.id, p.note) for p in found.worst] == [("a", "because | of")]


def test_one_bad_row_ends_nothing() -> None:
    def breaks(row: Row) -> list[Measure] | Refusal:
        if row["id"] == "bad":
            raise ZeroDivisionError("by zero")
        if row["id"] == "unknown":
            raise InputError("No model called 'unknown'.")
        if row["id"] == "zero":
            return [Measure("zero", "peak", 0.0, 1.0)]
        return ten_percent_more(row)

    run = run_truth(truth(row("bad"), row("unknown"), row("zero"), row("good")), adapters={"memory": breaks})
    assert run.answered == 1
    assert [refusal.reason for refusal in run.refused] == [
        "error: ZeroDivisionError: by zero", "No model called 'unknown'.", "no measured figure above zero",
    ]  # fmt: skip
    assert "1 rows broke the sum itself" in report_text(run, "en")
    assert "有 1 行在计算时出错" in report_text(run, "zh")


def test_a_program_that_always_says_yes_fails() -> None:
    """Rows that ran out of memory must be judged so; the share of all rows would hide it, the failed ones do not."""

    def always_yes(row: Row) -> list[Measure] | Refusal:
        return [Measure(str(row["id"]), "fits", float(row["outcome"] == "ok"), 1.0, note="says yes")]

    rows = [row(f"ran-{n}", outcome="ok") for n in range(9)] + [row("oom", outcome="OOM")]
    found = report(run_truth(truth(*rows), adapters={"memory": always_yes}))
    fits = found.model_dump()["quantities"]["fits"]
    assert fits == {"n": 10, "agree": 9, "ran": {"n": 9, "agree": 9}, "failed": {"n": 1, "agree": 0}}
    assert [pair.id for pair in found.disagreements] == ["oom"]


def test_two_ways_of_predicting_the_same_stand_side_by_side() -> None:
    """The first way that gives a quantity counts; each is shown by itself. A row that only the second answers is answered."""

    def exact(row: Row) -> list[Measure] | Refusal:
        return Refusal(str(row["id"]), "unknown network") if row["id"] == "b" else [Measure(str(row["id"]), "peak", 10, 10)]

    def rough(row: Row) -> list[Measure] | Refusal:
        return [Measure(str(row["id"]), "peak", 10, 12)]

    rows = (row("a", mem_gb="10"), row("b", mem_gb="10"))
    run = run_truth(truth(*rows, kind=VISION), adapters={"traced": exact, "coefficients": rough})
    found = report(run).model_dump()
    assert found["answered"] == 2
    assert found["quantities"]["peak"]["max_abs_pct"] == 0
    assert found["by"]["basis: coefficients"]["peak"]["median_abs_pct"] == pytest.approx(20)
    assert found["refused_in_part"] == [{"id": "b", "reason": "unknown network"}]


def test_worst_rows_of_each_quantity() -> None:
    """A quantity with large errors must not push the others out."""

    def both(row: Row) -> list[Measure] | Refusal:
        name = str(row["id"])
        return [Measure(name, "tokens_per_s", 10, 100 + len(name)), Measure(name, "peak", 10, 10.1)]

    found = report(run_truth(truth(*(row("x" * n) for n in range(1, 9))), adapters={"memory": both}))
    assert [pair.quantity for pair in found.worst] == ["tokens_per_s"] * 5 + ["peak"] * 5
    assert found.worst[0].id == "x" * 8


def test_only_figures_that_a_row_prints_are_missed() -> None:
    """Of a row without a speed nobody needs to hear that its speed cannot be predicted."""
    kind = next(kind for kind in KINDS if kind.name == "llm_inference")

    def none(row: Row) -> list[Measure] | Refusal:
        return Refusal(str(row["id"]), "missing: tp")

    rows = [row("a", weights_mem=1.0), row("b", speed_tokens_per_s=1.0)]
    run = run_truth(truth(*rows, kind=kind), adapters={"memory": ten_percent_more, "speed": none})
    assert [refusal.id for refusal in run.partly] == ["b"]
    run = run_truth(truth(*rows, kind=kind), adapters={"memory": none, "speed": none})
    assert [refusal.reason for refusal in run.refused] == ["missing: tp", "missing: tp"]


def test_json_has_the_promised_keys() -> None:
    found = json.loads(report(run_truth(truth(row("a"), row("b")), adapters={"memory": ten_percent_more})).model_dump_json())
    assert set(found) >= JSON_KEYS
    assert set(found["quantities"]["peak"]) >= FIGURE_KEYS
    assert set(found["by"]["method: LoRA"]["peak"]) >= FIGURE_KEYS
    assert set(found["worst"][0]) >= {"id", "measured", "predicted", "error_pct"}


def test_zero_rows_and_no_answers() -> None:
    for run in (run_truth(truth(), adapters={"memory": ten_percent_more}), run_truth(truth(row("a", None)), adapters={"memory": ten_percent_more})):
        found = report(run)
        assert (found.answered, found.quantities, found.worst) == (0, {}, [])
        for language in ("zh", "en"):
            assert report_text(run, language).startswith("**rows.jsonl**")


def test_limit_and_progress() -> None:
    steps: list[tuple[int, int]] = []
    run = run_truth(
        truth(row("a"), row("b"), row("c")), limit=2, adapters={"memory": ten_percent_more}, progress=lambda *step: steps.append(step)
    )
    assert (run.rows, run.answered, steps) == (2, 2, [(1, 2), (2, 2)])
    assert run_truth(truth(row("a")), limit=10**30, adapters={"memory": ten_percent_more}).rows == 1


def test_a_part_without_its_library_is_skipped_and_named() -> None:
    part = VISION.parts[0]
    assert part.needs == "torch"
    run = run_truth(truth(kind=VISION), adapters=None)
    assert set(run.skipped) | {part.name for part in run.parts} == {part.name for part in VISION.parts}
    for name, missing in run.skipped.items():
        assert f"There is no {missing} here, so the part “{name}” was not run." in report_text(run, "en")


def test_halves_are_stable_and_share_no_model() -> None:
    assert [half(name) for name in ("Qwen2.5-7B", "qwen2.5-7b ", "Llama-3.1-8B")] == ["A", "A", "B"]
    rows = [row(f"model-{n}") for n in range(40)]
    first, second = ({r["model"] for r in rows_of(rows, chosen)} for chosen in ("A", "B"))
    assert first and second and not first & second
    found = by_half(truth(*rows), ten_percent_more)
    assert found["A"]["peak"].n + found["B"]["peak"].n == 40


def test_publishing_keeps_what_was_not_run(tmp_path: Path) -> None:
    results, readme = tmp_path / "results.json", tmp_path / "README.md"
    readme.write_text("before\n<!-- accuracy -->\nold\n<!-- end -->\nafter\n", encoding="utf-8")
    for name in ("traced", "coefficients"):
        publish(run_truth(truth(row("a"), kind=VISION), adapters={name: ten_percent_more}), results=results, readme=readme)
    text = readme.read_text(encoding="utf-8")
    assert text.startswith("before\n<!-- accuracy -->\n") and text.endswith("<!-- end -->\nafter\n")
    assert "old" not in text
    assert "segmentation training, peak memory (GiB), traced" in text
    assert "segmentation training, peak memory (GiB), coefficients" in text
    assert set(read_results(results)["vision_training"]) == {"traced", "coefficients"}


def test_readme_shows_the_kept_figures() -> None:
    text = README.read_text(encoding="utf-8")
    assert "<!-- accuracy -->" in text and "traced" in text
    assert fill(text, read_results()) == text


def test_tables_of_nothing() -> None:
    assert tables({}) == ""
    assert figures_of(run_truth(truth(), adapters={"memory": ten_percent_more})) == {}


@pytest.mark.parametrize("arguments", [(), ("--json",), ("--limit", "1"), ("--lang", "zh")])
def test_command(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    path = tmp_path / "anything.txt"
    path.write_text("workload,model,gpu_count,level,verdict,use_in_tests\nllm_inference,m,1,minimum,ok,false\n")
    result = CliRunner().invoke(app, ["accuracy", "--truth", str(path), *arguments], catch_exceptions=False)
    assert result.exit_code == 0
    assert "use_in_tests is false" in result.stdout
    if "--json" in arguments:
        assert json.loads(result.stdout)["rows"] == 1


@pytest.mark.parametrize("arguments", [("--limit", "0"), ("--limit", "-5")])
def test_absurd_limits(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    with pytest.raises(InputError, match="at least 1|至少"):
        CliRunner().invoke(app, ["accuracy", "--truth", str(tmp_path), *arguments], catch_exceptions=False)
