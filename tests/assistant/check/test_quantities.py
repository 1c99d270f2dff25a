"""Every way to write a figure is read: units, scales, numerals in words, ranges; and words that count nothing are none."""

from __future__ import annotations

import pytest

from assistant.check.known import fold
from assistant.check.quantities import Quantity, blank_for_figures, is_word, read_quantities

GIB = 1073741824.0


def read(text: str) -> list[Quantity]:
    return read_quantities(blank_for_figures(fold(text)))


@pytest.mark.parametrize(
    ("text", "dim", "value"),
    [
        ("权重约13.04GiB", "memory", 13.04 * GIB), ("seventy-two gibibytes", "memory", 72 * GIB), ("二十四 GB", "memory", 24e9),
        ("２４ GB", "memory", 24e9), ("22731 MiB", "memory", 22731 * 1048576), ("A100-80GB", "memory", 80e9), ("1.5TB 内存", "memory", 1.5e12),
        ("八张卡", "cards", 8), ("4×A10", "cards", 4), ("4x A10", "cards", 4), ("A10 × 8", "cards", 8), ("two GPUs", "cards", 2),
        ("两台", "machines", 2), ("3 nodes", "machines", 3), ("TP=4", "tp", 4), ("16 vCPU", "vcpu", 16), ("8 核", "vcpu", 8),
        ("五万块一个月", "money_CNY", 50_000), ("约 2.5 万元", "money_CNY", 25_000), ("¥34.742", "money_CNY", 34.742), ("$0.5", "money_USD", 0.5),
        ("九块五毛三一小时", "money_CNY", 9.53), ("3,600 USD", "money_USD", 3600), ("10.1w 元", "money_CNY", 101_000),
        ("三百二十小时", "time", 320 * 3600), ("2.5 ms", "time", 0.0025), ("10 天", "time", 864_000), ("3 个月", "months", 3),
        ("8K 上下文", "tokens", 8000), ("13,008 token", "tokens", 13_008), ("100B tokens", "tokens", 1e11), ("63.6 亿 token", "tokens", 6.36e9),
        ("16 路", "users", 16), ("8 concurrent users", "users", 8), ("864 GB/s", "bandwidth", 864e9), ("64 Gbps", "network", 64e9),
        ("125 TFLOPS", "compute", 125e12), ("312 GFLOPS", "compute", 312e9), ("350 W", "power", 350), ("80 层", "layers", 80), ("4-bit", "bits", 4), ("72B 参数", "parameters", 72e9),
        ("44%", "percent", 44), ("百分之八十", "percent", 80), ("1.44 倍", "times", 1.44), ("6 折", "discount", 6), ("768×768", "pixels", 768),
    ],
)  # fmt: skip
def test_unit_and_value(text: str, dim: str, value: float) -> None:
    found = read(text)[0]
    assert found.dim == dim
    assert any(abs(v - value) < 1e-9 * value for v in found.values)


@pytest.mark.parametrize("text", ["8K 上下文", "32K context", "128k"])
def test_k_of_a_length_is_both(text: str) -> None:
    values = read(text)[0].values
    assert len(values) == 2 and abs(values[1] / values[0] - 1.024) < 1e-9


@pytest.mark.parametrize(
    ("text", "dim", "values"),
    [
        ("53–60 元", "money_CNY", [53, 60]), ("1.5 到 2.1 GiB", "memory", [1.5 * GIB, 2.1 * GIB]), ("$0.5-1.2", "money_USD", [0.5]),
        ("19.3 万到 39.2 万元", "money_CNY", [193_000, 392_000]), ("5-6 万元", "money_CNY", [50_000, 60_000]), ("63.6 亿–160 亿 token", "tokens", [6.36e9, 1.6e10]),
        ("0.6 + 2.1 = 2.7 GiB", "memory", [0.6 * GIB, 2.1 * GIB, 2.7 * GIB]),
    ],
)  # fmt: skip
def test_ends_of_a_range_and_parts_of_a_sum_share_the_unit(text: str, dim: str, values: list[float]) -> None:
    found = read(text)[: len(values)]
    assert [item.dim for item in found] == [dim] * len(values)
    assert all(any(abs(v - want) < 1e-9 * want for v in item.values) for item, want in zip(found, values, strict=True))


def test_quotients_and_products_do_not_share_it() -> None:
    assert [item.dim for item in read("80 ÷ 2 = 40 GiB")] == ["", "", "memory"]


@pytest.mark.parametrize(("text", "per"), [("34.7 元/小时", "hour"), ("5 万块一个月", "month"), ("500 tokens/s", "second"), ("2 元每百万 token", "million"), ("69.5 CNY per hour", "hour")])
def test_what_a_rate_is_per(text: str, per: str) -> None:
    assert read(text)[0].per == per


@pytest.mark.parametrize("text", ["一般来说一样", "Qwen2.5-72B", "ecs.gn7i-c8g1.2xlarge", "FP8 与 BF16", "https://example.org/2024", "one thing", "见 [12]", "PL3"])
def test_words_and_names_are_no_figures(text: str) -> None:
    assert read(text) == []


@pytest.mark.parametrize("text", ["第 3 步", "方案 2", "Option 4", "5 种办法", "7 options", "四个方案", "at 10:30", "4 key points"])
def test_what_only_counts_the_text_is_a_word(text: str) -> None:
    plain = blank_for_figures(fold(text))
    assert all(is_word(plain, item) for item in read_quantities(plain))


@pytest.mark.parametrize("text", ["4 张卡", "5 台", "9 GiB", "7 路"])
def test_what_counts_machines_is_none(text: str) -> None:
    plain = blank_for_figures(fold(text))
    assert not any(is_word(plain, item) for item in read_quantities(plain))


def test_more_numbers_than_one_pass_reads() -> None:
    assert len(read(" ".join(f"{n} GiB;" for n in range(100, 900)))) == 800
