"""Cards, families and instance types, those in no table included."""

import pytest

from assistant.read.names import find_names
from assistant.read.normalise import normalise

Row = tuple[str, str, bool, float | None, int | None]


def names(text: str) -> list[Row]:
    found = find_names(normalise(text).lower())
    return [(n.kind, n.mention.name, n.mention.known, n.mention.memory_gb, n.mention.count) for n in found]


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("A10 40GB 支持 FP8 吗", [("card", "nvidia-a10", True, 40, None)]),
        ("the A10 comes with 40 GB", [("card", "nvidia-a10", True, 40, None)]),
        ("4 张 A10", [("card", "nvidia-a10", True, None, 4)]),
        ("four A10s", [("card", "nvidia-a10", True, None, 4)]),
        ("2x A100 80GB", [("card", "nvidia-a100-80gb", True, 80, 2)]),
        ("８ｘＡ１００－８０Ｇ", [("card", "nvidia-a100-80gb", True, 80, 8)]),
        ("80G 的 A100", [("card", "nvidia-a100-80gb", True, 80, None)]),
        ("A100 40G", [("card", "nvidia-a100-40gb", True, 40, None)]),
        ("V100 32G", [("card", "nvidia-v100-32gb", True, 32, None)]),
        ("H20 8卡", [("card", "nvidia-h20-96gb", True, None, 8)]),
        ("8 卡 H20", [("card", "nvidia-h20-96gb", True, None, 8)]),
        ("eight 24 GB RTX 4090s", [("card", "nvidia-rtx-4090-24gb", True, 24, 8)]),
        ("RTX 6090", [("card", "rtx-6090", False, None, None)]),
        ("A200 显卡", [("card", "a200", False, None, None)]),
        ("一张 3060 12G", [("card", "3060", False, 12, 1)]),
        ("batch 32 V100 够吗", [("card", "nvidia-v100-16gb", True, None, None)]),
        ("for 32B: four A10", [("card", "nvidia-a10", True, None, 4)]),
        ("MI300X", [("card", "mi300x", False, None, None)]),
        ("TPU v5e", [("card", "tpu-v5e", False, None, None)]),
        ("GB300 有吗", [("card", "gb300", False, None, None)]),
        ("is GB200 NVL72 sold", [("card", "gb200", False, None, None)]),
        ("寒武纪 MLU370", [("card", "寒武纪-mlu370", False, None, None)]),
        ("昇腾 910B", [("card", "昇腾", False, None, None)]),
        ("需要几张 80G", [("memory", "", False, 80, None)]),
        ("A10G 有吗", [("card", "nvidia-a10g", True, None, None)]),
        ("约用A10跑", [("card", "nvidia-a10", True, None, None)]),
        ("4 张 80G", [("memory", "", False, 80, 4)]),
        ("一张 24G 显卡", [("memory", "", False, 24, 1)]),
        ("one 48 GB card", [("memory", "", False, 48, 1)]),
        ("24吉显存的卡", [("memory", "", False, 24, None)]),
        ("H20 是不是 141GB 显存", [("card", "nvidia-h20-96gb", True, 141, None)]),
        ("显卡 24G", [("memory", "", False, 24, None)]),
        ("12 GB card", [("memory", "", False, 12, None)]),
    ],
)
def test_cards(text: str, rows: list[Row]) -> None:
    assert names(text) == rows


@pytest.mark.parametrize(
    ("text", "kind", "name", "known"),
    [
        ("gn7i 是什么", "family", "gn7i", True), ("GN7i?", "family", "gn7i", True), ("gn7v", "family", "gn7v", False),
        ("gn8", "family", "gn8", False), ("gn99x", "family", "gn99x", False), ("ebmgn9x", "family", "ebmgn9x", False),
        ("sgn7", "family", "sgn7", False), ("g7 有 GPU 吗", "family", "g7", False), ("gn8v-tee", "family", "gn8v-tee", True),
        ("用gn7i跑", "family", "gn7i", True), ("ecs.gn7i", "family", "gn7i", True),
        ("ecs.whatever", "instance", "ecs.whatever", False), ("ecs.gn6i-p4?", "instance", "ecs.gn6i-p4", False),
        ("gn6i-c4g1.xlarge 多少钱", "instance", "ecs.gn6i-c4g1.xlarge", True),
        ("ecs.gn99x.huge", "instance", "ecs.gn99x.huge", False), ("ECS.GN8IS.2XLARGE", "instance", "ecs.gn8is.2xlarge", True),
        ("vgn6i-m4-vws.xlarge", "instance", "ecs.vgn6i-m4-vws.xlarge", True),
    ],
)  # fmt: skip
def test_families_and_instances(text: str, kind: str, name: str, known: bool) -> None:
    assert [row[:3] for row in names(text)] == [(kind, name, known)]


def test_pairs_and_lists() -> None:
    assert [row[1] for row in names("g6/g7")] == ["g6", "g7"]
    assert [row[1] for row in names("T4、A10、L20 怎么选")] == ["nvidia-t4", "nvidia-a10", "nvidia-l20"]


@pytest.mark.parametrize("text", ["Qwen3-30B-A3B", "SegFormer-B5", "nvidia driver 550", "HDD at 100%", "第 7 代", "v1.5"])
def test_no_names(text: str) -> None:
    assert names(text) == []


def test_a_card_without_size_keeps_its_alternatives() -> None:
    mention = find_names("a100")[0].mention
    assert {mention.name, *mention.alternatives} == {"nvidia-a100-40gb", "nvidia-a100-80gb"}
