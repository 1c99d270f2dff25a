"""Macs, and counts of cards below zero."""

import pytest

from assistant.read.apple import find_mac
from assistant.read.read import read_question


@pytest.mark.parametrize(
    ("text", "memory"),
    [
        ("mac m2 ultra 192g 能跑吗", 192.0), ("my macbook pro has 64gb unified memory", 64.0), ("mac mini m4 16g 跑 qwen3-8b", 16.0), ("macbook with a 512gb ssd and 32 gb", 32.0), ("苹果笔记本能跑吗", None),
    ],
)  # fmt: skip
def test_a_mac_and_its_memory(text: str, memory: float | None) -> None:
    mac = find_mac(text)
    assert mac is not None and mac.memory_gib == memory


@pytest.mark.parametrize("text", ["machine with 64 gb", "macro batch", "m.2 disk", "一张 a10 24g"])
def test_no_mac(text: str) -> None:
    assert find_mac(text) is None


@pytest.mark.parametrize("text", ["我有一台 Mac M2 Ultra 192G，能跑 DeepSeek-R1 671B 吗", "Can my 192 GB Mac Studio run DeepSeek-R1 671B?"])
def test_a_mac_runs_without_a_card(text: str) -> None:
    reading = read_question(text)
    assert (reading.job, reading.ram_gib, reading.unified, reading.owned, reading.card_memory_gb) == ("cpu_inference", 192.0, True, True, None)


@pytest.mark.parametrize(
    ("text", "absurd"),
    [("用 -3 张 A100 训练 7B", True), ("train 7B on -3 GPUs", True), ("用 1-3 张 A100 训练 7B", False), ("LoRA 7B on A10-4 cards", False)],
)
def test_a_count_below_zero(text: str, absurd: bool) -> None:
    assert any(code.startswith("negative_quantity") for code in read_question(text).absurd) is absurd
