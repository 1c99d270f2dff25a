"""The judged statements of the first two documents, each as a sentence by itself, in both languages."""

from __future__ import annotations

import pytest

from knowledge import facts
from tools.claims.check import check_claims
from tools.phrases import Language

ALARM = {"wrong", "not_in_catalog"}
OUT_OF_CONTEXT = {"B29", "B34"}
"""Sentences that name their subject only in the line before ("That type has …", "They carry …")."""


@pytest.mark.parametrize("language", ["zh", "en"])
def test_wrong_statements_are_found(language: Language) -> None:
    missed = {
        row.id
        for row in facts.claims().values()
        if row.verdict == "wrong"
        and not ALARM & _verdicts(row.claim_zh if language == "zh" else row.claim_en, language)
    }
    assert missed <= OUT_OF_CONTEXT


@pytest.mark.parametrize("language", ["zh", "en"])
def test_correct_statements_raise_no_alarm(language: Language) -> None:
    for row in facts.claims().values():
        claim = row.claim_zh if language == "zh" else row.claim_en
        if row.verdict == "correct":
            assert not ALARM & _verdicts(claim, language), row.id


def _verdicts(text: str, language: Language) -> set[str]:
    return {item.verdict for item in check_claims(text, language=language).statements}
