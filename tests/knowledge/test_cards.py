import re

import pytest

from knowledge import facts
from knowledge.cards import cards
from knowledge.chunks import Passage, card_passages

BY_ID = {passage.passage_id: passage for passage in card_passages(cards())}
CJK = re.compile(r"[\u4e00-\u9fff]")


def test_every_row_has_a_card_in_both_languages() -> None:
    rows = [
        *(("family", row) for row in facts.families()),
        *(("gpu", row) for row in facts.gpus()),
        *(("model", row) for row in facts.models()),
        *(("disk", row) for row in facts.disks()),
    ]
    assert {f"{kind}:{row}:{lang}" for kind, row in rows for lang in ("zh", "en")} == set(BY_ID)


@pytest.mark.parametrize(
    ("passage_id", "wanted"),
    [
        ("family:gn7i:zh", ["A10 24 GB", "在售", "12 个", "ecs.gn7i-c8g1.2xlarge", "没有 NVLink"]),
        ("family:gn7i:en", ["A10 24 GB", "On sale", "types (12)", "8 vCPU and 30 GiB"]),
        ("family:gn8v:en", ["H20 by its specifications", "Contact sales", "eRDMA"]),
        ("gpu:nvidia-h20-96gb:zh", ["按规格应为 H20", "96 GB", "NVLink 900 GB/s", "gn8v"]),
        ("gpu:nvidia-t4:en", ["16 GB", "no BF16", "gn6i"]),
        ("gpu:nvidia-l4:zh", ["没有搭载它的规格族"]),
        ("disk:ESSD PL1:zh", ["50,000 IOPS", "350 MB/s", "20 GiB"]),
        ("disk:ESSD PL1:en", ["50,000 IOPS", "350 MB/s", "20 GiB"]),
        ("disk:ESSD Entry:zh", ["GPU 实例用不了"]),
    ],
)
def test_a_card_says_the_key_figures(passage_id: str, wanted: list[str]) -> None:
    passage = BY_ID[passage_id]
    said = f"{passage.title} {passage.point} {passage.text}"
    assert [words for words in wanted if words not in said] == []


def test_cards_are_whole_sentences_in_one_language() -> None:
    assert [faults for faults in map(_faults, BY_ID.values()) if faults] == []


def _faults(card: Passage) -> list[str]:
    """What is wrong with a card; its id first."""
    said = f"{card.title}\n{card.point}\n{card.text}"
    odd = re.findall(r"\bNone\b(?!:)|[{}]|。。|\.\.|  ", said)
    if not card.point.endswith(("。", ".")):
        odd.append("no end")
    if bool(CJK.search(card.point + card.title)) != (card.lang == "zh"):
        odd.append("language")
    if not card.source_ids or set(card.source_ids) - set(facts.sources()):
        odd.append("sources")
    return [card.passage_id, *odd] if odd else []


def test_names_known_only_by_name_claim_no_network() -> None:
    assert "RDMA" not in BY_ID["family:gn8t:zh"].text
