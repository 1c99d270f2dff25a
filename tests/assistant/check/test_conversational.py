"""Figures as people say them in a talk: what is left of a limit, parts put together, a day of a price, examples. Each with a wrong one beside it."""

import pytest

from .test_numbers import check

PAIRS = [
    ("每卡只要 62.0 GiB，离 71.2 GiB 的上限还有约 9 GiB。", "每卡只要 62.0 GiB，离 71.2 GiB 的上限还有约 12 GiB。"),
    ("需要 62.0 GiB，上限 71.2，余 9.2 GiB。", "需要 62.0 GiB，上限 71.2，余 8.2 GiB。"),
    ("一共约 62 GiB，上限 71.2 GiB，80 GB 的卡还有 9 GiB 左右富余。", "一共约 62 GiB，上限 71.2 GiB，96 GB 的卡还有 9 GiB 左右富余。"),
    ("| 项目 | GiB |\n|---|---|\n| 激活＋引擎 | 2.7 |", "| 项目 | GiB |\n|---|---|\n| 激活＋引擎 | 3.7 |"),
    ("| 项目 | GiB |\n|---|---|\n| 其他 | 2.7 |", "| 项目 | GiB |\n|---|---|\n| 其他 | 5.7 |"),
    ("按 69.483 元/小时，跑 10 小时约 695 元，跑一整天约 1,668 元。", "按 69.483 元/小时，跑 10 小时约 659 元，跑一整天约 1,668 元。"),
    ("| | A100 |\n|---|---|\n| 按量 | 69.483 元/小时 |\n| 跑一天 | 约 1,668 元 |", "| | A100 |\n|---|---|\n| 按量 | 69.483 元/小时 |\n| 跑一天 | 约 1,868 元 |"),
    ("单卡 69.483 元/小时，\n8 张 V100 是 211.68 元/小时，是前者的 3.0 倍。", "单卡 69.483 元/小时，\n8 张 V100 是 211.68 元/小时，是前者的 4.0 倍。"),
    ("一秒最多吐两三个字。", "一秒最多吐七百个字。"),
    ("训练脚本每隔几百步存一次检查点。", "训练脚本每隔 700 步存一次检查点。"),
    ("请告诉我并发数（比如 16 路、32 路）。", "它支持 17 路。"),
    ("把 `--gpu-memory-utilization` 调低一点，例如 0.85。", "`--gpu-memory-utilization` 是 0.85。"),
]


@pytest.mark.parametrize("honest", [pair[0] for pair in PAIRS])
def test_what_follows_plainly_holds(honest: str) -> None:
    assert [(p.text, p.reason) for p in check(honest)] == []


@pytest.mark.parametrize("wrong", [pair[1] for pair in PAIRS])
def test_one_wrong_figure_in_it_does_not(wrong: str) -> None:
    assert check(wrong)
