"""The guides restate every item of guidance of the first two documents, and every billing fact, in both languages."""

from __future__ import annotations

import json
import re
import unicodedata
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from knowledge import facts
from knowledge.documents import Section, guides

CASES = Path(__file__).parents[2] / "evals" / "cases" / "guidance.jsonl"
ITEMS: list[dict[str, Any]] = [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines()]
NAMES_OF_DOCUMENTS = {"zh": ("文档",), "en": ("guide", "document")}
WRONG_NAMES = ("gn7v", "gn8i", "gn9", "PL4", "gn6i-p4", "gn7i-c1g1")


@cache
def sections(language: str) -> tuple[Section, ...]:
    return tuple(section for guide in guides() if guide.lang == language for section in guide.sections)


def folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).lower()


def holds(text: str, term: str) -> bool:
    term = folded(term)
    if re.fullmatch(r"[\d.,]+", term):
        return re.search(rf"(?<![\d.]){re.escape(term)}(?!\d)", text) is not None
    return term in text


def test_there_are_94_items() -> None:
    assert len({item["id"] for item in ITEMS}) == 94


@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize("item", ITEMS, ids=lambda item: str(item["id"]))
def test_every_item_has_its_passage(item: dict[str, Any], language: str) -> None:
    found = [section for section in sections(language) if item["id"] in section.items]
    assert found, f"no section restates {item['id']}"
    point = folded(found[0].point)
    for group in item[f"must_terms_{language}"]:
        assert any(holds(point, term) for term in group), f"{group} not in: {found[0].point}"


@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize("item", [i for i in ITEMS if i["verdict"] == "wrong"], ids=lambda item: str(item["id"]))
def test_a_wrong_item_says_what_the_document_says(item: dict[str, Any], language: str) -> None:
    section = next(section for section in sections(language) if item["id"] in section.items)
    assert any(word in section.point for word in NAMES_OF_DOCUMENTS[language])
    assert section.verdict in ("wrong", "partly", "outdated")
    assert len(section.source_ids) > 1, "the document and the source of the truth"


@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize("fact_id", sorted(facts.billing_facts()))
def test_every_billing_fact_has_its_passage(fact_id: str, language: str) -> None:
    assert any(fact_id in section.facts for section in sections(language))


def test_both_languages_have_the_same_sections() -> None:
    keys = {lang: [(s.guide_id, s.slug, s.verdict, s.source_ids) for s in sections(lang)] for lang in ("zh", "en")}
    assert sorted(keys["zh"]) == sorted(keys["en"])


@pytest.mark.parametrize("language", ["zh", "en"])
def test_sources_resolve(language: str) -> None:
    for section in sections(language):
        assert section.source_ids, section.slug
        assert set(section.source_ids) <= set(facts.sources()), section.slug


@pytest.mark.parametrize("language", ["zh", "en"])
def test_questions_are_really_different(language: str) -> None:
    for section in sections(language):
        assert len({folded(question) for question in section.asked_as}) >= 5, section.slug


@pytest.mark.parametrize("name", WRONG_NAMES)
@pytest.mark.parametrize("language", ["zh", "en"])
def test_wrong_names_are_only_named_to_be_corrected(name: str, language: str) -> None:
    pattern = re.compile(rf"(?<![A-Za-z0-9]){re.escape(name)}(?![A-Za-z0-9])")
    said = re.compile(r"开头|starting with|没有|不在|有误|不对|不是|写的|写成|错|no |not |wrong|only|lists|says|unknown|does not|instead", re.I)
    for section in sections(language):
        if pattern.search(section.point):
            assert said.search(section.point), section.point
