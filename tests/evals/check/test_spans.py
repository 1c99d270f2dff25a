from __future__ import annotations

import pytest

from evals.check.spans import find_dates, find_figures, find_marks, line_of


@pytest.mark.parametrize(
    ("text", "figures"),
    [
        ("每卡约13.04GiB，共24核", ["13.04", "24"]),
        ("1,250.5 元，8×32K，1/2/4/8 GPUs", ["1,250.5", "8", "32", "1", "2", "4", "8"]),
        ("ecs.gn7i-c8g1.2xlarge with A10, Qwen2.5-72B, PL1, R-101, bge-m3", []),
        ("vllm serve x --max-model-len 32768 --dtype half", ["32768"]),
        ("见 https://a.example/12?x=3 和 [4]，2024-12-31", []),
        ("1. 两张卡\n2) three\n### 3. x\n- 4 张", ["4"]),
        ("17.1–19.8，-15% 到 +20%", ["17.1", "19.8", "15", "20"]),
        ("CUDA 12.4.1 and 0.5", ["0.5"]),
        ("TP=2, batch_size=8", ["2", "8"]),
    ],
)
def test_figures(text: str, figures: list[str]) -> None:
    assert [span.text for span in find_figures(text)] == figures


@pytest.mark.parametrize(
    ("text", "dates"),
    [
        ("2024-12-31，2023-06", ["2024-12-31", "2023-06"]),
        ("2026 年 11 月 30 日与 2026年", ["2026 年 11 月 30 日", "2026年"]),
        ("on December 31, 2024 and June 2023", ["December 31, 2024", "June 2023"]),
        ("2,024 tokens, 2048", []),
    ],
)
def test_dates(text: str, dates: list[str]) -> None:
    assert [span.text for span in find_dates(text)] == dates


def test_marks_of_prose_and_not_of_code_or_links() -> None:
    text = "价格[3][12]。\n```\nx = a[1]\n```\n[2](https://a.example) [x]"
    assert [span.text for span in find_marks(text)] == ["[3]", "[12]"]


def test_a_line_is_found_wherever_the_place_is() -> None:
    assert [line_of("ab\ncd\nef", place) for place in (0, 4, 7)] == ["ab", "cd", "ef"]
