from pathlib import Path

import pytest

from knowledge.documents import guides, parse_guide, read_guides
from knowledge.errors import DataError
from knowledge.facts import sources

FIXTURES = Path(__file__).parent / "fixtures" / "guides"
GOOD = (FIXTURES / "fruit.zh.md").read_text(encoding="utf-8")


def test_a_guide_is_read_whole() -> None:
    guide = next(guide for guide in read_guides(FIXTURES) if guide.lang == "zh")
    apples = guide.sections[0]
    assert (guide.guide_id, guide.title) == ("fruit", "水果店的存货")
    assert (apples.slug, apples.title, apples.lang) == ("apples", "苹果放多久会坏", "zh")
    assert apples.published_on == "2026-01-02"  # the comment behind it is no part of it
    assert apples.topics == ("disk", "order")
    assert apples.items == ("001:1:1", "001:1:2")
    assert apples.source_ids == ("shop-notes", "official-fruit")
    assert apples.asked_as == ("苹果能存几天？", "苹果放久了还能吃吗")
    assert apples.point.startswith("苹果在冷库能放四个月")
    assert apples.body == "冷库温度要在零度左右。常温下只有两三周。"
    assert guide.sections[1].verdict == ""


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("---\nid: fruit", "id: fruit", "broken.md:1: front matter must start"),
        ("lang: zh", "lang: fr", "lang is 'fr'"),
        ("trust: blog", "trust: rumour", "trust is 'rumour'"),
        ("topics: [disk, order]", "topics: [disk, fruit]", "unknown topics fruit"),
        ("trust: blog\n", "", "front matter lacks trust"),
        ("id: fruit", "name: fruit", "broken.md:2: expected one of"),
        (" {#apples}", "", "broken.md:11: a section is headed"),
        ("> verdict: partly", "> verdict: maybe", "unknown verdict 'maybe'"),
        ("> point: 先减小 batch。\n", "", "section vram has no point"),
        ("> items: 001:1:1; 001:1:2", "> things: 1", "broken.md:12: expected one of"),
        ("> verdict: partly", "> verdict: partly\n> verdict: wrong", "verdict stands twice"),
        ("{#vram}", "{#apples}", "section apples stands twice"),
        ("## 苹果", "Lost words.\n\n## 苹果", "broken.md:11: text before the first section"),
    ],
)
def test_a_broken_guide_names_file_and_line(old: str, new: str, message: str) -> None:
    assert old in GOOD
    with pytest.raises(DataError) as error:
        parse_guide(GOOD.replace(old, new, 1), name="broken.md")
    assert message in str(error.value)
    assert "broken.md" in str(error.value)


def test_the_same_guide_twice_is_refused(tmp_path: Path) -> None:
    for name in ("a.md", "b.md"):
        (tmp_path / name).write_text(GOOD, encoding="utf-8")
    with pytest.raises(DataError, match="fruit stands twice in zh"):
        read_guides(tmp_path)


def test_shipped_guides_stand_in_both_languages_with_the_same_sections() -> None:
    by_key = {(guide.guide_id, guide.lang): guide for guide in guides()}
    assert by_key
    for guide_id, lang in by_key:
        twin = by_key[guide_id, "en" if lang == "zh" else "zh"]
        own = [section.slug for section in by_key[guide_id, lang].sections]
        assert own == [section.slug for section in twin.sections]


def test_sources_of_shipped_guides_exist() -> None:
    used = {
        source_id
        for guide in guides()
        for section in guide.sections
        for source_id in (section.origin, *section.source_ids)
    }
    assert used - set(sources()) == set()
