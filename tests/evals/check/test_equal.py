from __future__ import annotations

import pytest

from assistant.evidence import Evidence, Finding, SourceRef
from assistant.read.read import read_question
from evals.check.change import Change, Kind
from evals.check.equal import Truths, claim_before
from evals.check.turns import JudgedBy

EVIDENCE = Evidence(
    [
        Finding(
            tool="get_prices",
            data={"weights_gib": 38.649, "price": "9.5326"},
            sources=[
                SourceRef(source_id="prices", excerpt="ecs.gn7i-c8g1.2xlarge, payg: 9.5326 CNY/hour, 2024-12-31\necs.gn7i-c16g1.4xlarge, payg: 10.0934 CNY/hour"),
                SourceRef(source_id="cards", excerpt="T4 16 GB is in these families: gn6i, ebmgn6i. A10 24 GB, 600 GB/s"),
                SourceRef(source_id="words", excerpt="Checkpoints are saved in time."),
            ],
        )
    ]
)
JUDGED = JudgedBy(question="?", evidence=EVIDENCE, composed="`ecs.gn7i-c8g1.2xlarge` (1 × A10 24 GB)", reading=read_question("?"), reference="")


def change(text: str, kind: Kind, old: str, new: str) -> str:
    return Truths(JUDGED).why_true(text, Change(kind, text.index(old), old, new))


@pytest.mark.parametrize(
    ("text", "kind", "old", "new", "why"),
    [
        ("weights 38.6 GiB", "digit", "38.6", "38.7", ""),
        ("weights 38.65 GiB", "digit", "38.65", "38.64", ""),
        ("weights 38 GiB", "digit", "38", "39", ""),
        ("`ecs.gn7i-c8g1.2xlarge` at 9.5326 CNY/hour", "digit", "9.5326", "9.5327", ""),
        ("the A10 has 24 GB", "digit", "24", "16", ""),
        ("the A10 has 24 GB", "unit", "GB", "GiB", ""),
        ("the A10 has 24 GB and 600 GB/s", "digit", "600", "24", ""),
        ("the T4 is in gn6i", "family", "gn6i", "ebmgn6i", "said"),
        ("the T4 is in gn6i", "family", "gn6i", "gn7i", ""),
        ("`ecs.gn7i-c8g1.2xlarge` at 9.5326", "type", "ecs.gn7i-c8g1.2xlarge", "ecs.gn7i-c16g1.4xlarge", ""),
        ("gn6i carries the T4 [2].", "mark_other", "[2]", "[3]", ""),
        ("It costs 9.53 CNY [1].", "mark_other", "[1]", "[2]", ""),
        ("It costs 9.53 CNY [2].", "mark_other", "[2]", "[1]", "held"),
        ("Save checkpoints [3].", "mark_other", "[3]", "[1]", "nothing to hold"),
        ("price [1]", "mark_unknown", "[1]", "[9]", ""),
    ],
)
def test_a_change_is_apart_only_when_the_evidence_says_it_too(text: str, kind: Kind, old: str, new: str, why: str) -> None:
    assert change(text, kind, old, new) == why


def test_two_roundings_of_one_figure_are_the_same() -> None:
    judged = JudgedBy(question="?", evidence=Evidence([Finding(tool="x", data={"a": 26.65})]), composed="", reading=JUDGED.reading, reference="")
    assert Truths(judged).why_true("26.6 GiB", Change("digit", 0, "26.6", "26.7")) == "rounded"


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        ("第一句。A10 有 24 GB[1]。", "A10 有 24 GB"),
        ("One thing. The A10 has 24 GB [1][2].", "The A10 has 24 GB "),
        ("| A10 | 24 GB [1] | 9.5 [2] |", "| A10 | 24 GB  | 9.5  |"),
        ("A10[1]、T4[2]", "A10、T4"),
    ],
)
def test_the_claim_of_a_mark(text: str, claim: str) -> None:
    assert claim_before(text, text.rindex("[")) == claim
