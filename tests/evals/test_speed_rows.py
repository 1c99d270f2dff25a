"""The adapter of published speeds: what it reads, what it refuses, how near it comes; and the fit of the constants."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path

import pytest

from evals.accuracy import speed_table
from evals.accuracy.rows import Measure, Refusal, Row
from evals.accuracy.speed import predict, read_row
from evals.accuracy.speed_fit import SHARINGS, efficiency_of, fit, rounded
from knowledge.speed_facts import efficiencies

TRUTH = Path(__file__).parents[2] / "evals" / "truth" / "llm_inference.jsonl"

ROW: Row = {
    "id": "x", "model": "Qwen/Qwen2.5-7B-Instruct", "engine": "vllm", "engine_version": "0.6.3", "gpu": "A100 80GB", "tp": 1,
    "dtype": "bfloat16", "quantization": None, "batch_size": 1, "input_len": 1, "output_len": 2048, "speed_tokens_per_s": 84.28,
    "note": "speed in tokens/s as published", "source_date": "2025-04-22",
}  # fmt: skip


def measured(row: Row) -> Measure:
    found = predict(row)
    assert isinstance(found, list), found
    return found[0]


def test_a_row_is_predicted_with_its_band() -> None:
    found = measured(ROW)
    assert found.predicted == pytest.approx(84.28, rel=0.1)
    assert found.low is not None and found.high is not None and found.low < found.predicted < found.high
    assert found.groups["engine"] == "vllm 0.6.3"


def test_pages_that_count_the_prompt_are_counted_so() -> None:
    row = {**ROW, "input_len": 6144, "note": "TP=4; speed = (prompt+generated)/time on H20 page"}
    plain = measured({**row, "note": "speed in tokens/s as published"})
    assert measured(row).predicted == pytest.approx(plain.predicted * (6144 + 2048) / 2048)


def test_cards_of_transformers_work_one_after_the_other() -> None:
    row = {**ROW, "engine": "transformers", "engine_version": "4.46.0", "num_gpus": 2, "tp": 2}
    assert read_row(row).cards == 1
    assert read_row({**ROW, "tp": 2}).cards == 2


REFUSED = (
    ({"input_len": None}, "input_len"),
    ({"output_len": "", "input_len": None}, "input_len, output_len"),
    ({"speed_tokens_per_s": None}, "speed_tokens_per_s"),
    ({"engine": "litgpt"}, "litgpt"),
    ({"gpu": "Abacus 9"}, "Abacus 9"),
    ({"model": "nobody/knows-this"}, "knows-this"),
    ({"gpu": "PPU 810E"}, "bandwidth"),
    ({"batch_size": -1}, "not positive: batch_size"),
)


@pytest.mark.parametrize(("change", "word"), REFUSED)
def test_refusals_name_what_is_missing_or_unknown(change: Row, word: str) -> None:
    found = predict({**ROW, **change})
    assert isinstance(found, Refusal) and word in found.reason


def visible_rows() -> list[Row]:
    rows = [json.loads(line) for line in TRUTH.read_text(encoding="utf-8").splitlines()]
    return [row for row in rows if row.get("speed_tokens_per_s")]


MEDIANS = {"vllm": 0.04, "sglang": 0.04, "transformers": 0.05}


def test_published_single_streams_are_met() -> None:
    """Median by engine, and the share inside the printed band; the constants were fitted on these very rows."""
    errors: dict[str, list[float]] = defaultdict(list)
    inside, answered = 0, 0
    for row in visible_rows():
        found = predict(row)
        if isinstance(found, Refusal):
            continue
        measure, answered = found[0], answered + 1
        assert measure.low is not None and measure.high is not None
        inside += measure.low <= measure.measured <= measure.high
        errors[measure.groups["engine"].split()[0]].append(abs(measure.predicted / measure.measured - 1))
    assert answered >= 0.95 * len(visible_rows())
    assert inside >= 0.9 * answered
    for engine, most in MEDIANS.items():
        found_errors = sorted(errors[engine])
        assert found_errors[len(found_errors) // 2] <= most, engine


def test_the_table_is_what_the_fit_gives() -> None:
    """SGLang's rows, the quickest to fit: constants of the table are those of a new fit, within a tenth."""
    sharing = next(row for row in SHARINGS if row.engine == "sglang")
    samples = [sample for sample in speed_table.read_samples(TRUTH) if sample.row.engine == "sglang"]
    found = fit(samples, sharing)
    table = {(row.kind, row.arch): row for row in efficiencies() if row.engine == "sglang" and row.basis == "fitted"}
    for sample in samples:
        new, old = rounded(efficiency_of(sample, found, sharing)), table[sample.kind, sample.arch]
        assert new.weight_share == pytest.approx(old.weight_share, rel=0.1), (sample.kind, sample.arch)
        assert new.cache_share == pytest.approx(old.cache_share, rel=0.1)
