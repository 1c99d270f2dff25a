"""A statement that is wrong in part: the wrong part is quoted alone, and the right part is a statement of its own."""

from __future__ import annotations

import pytest

from tools.claims.check import check_claims
from tools.phrases import Language

SIZES = [
    ("zh", "gn6v 是 32G 的 V100", "32G", "16 GB", "V100"),
    ("zh", "gn7e 有 8 张 A100 40GB", "40GB", "80 GB", "gn7e 有 8 张"),
    ("zh", "gn7 上的 A100 是 80G 版本", "80G", "40 GB", "gn7 上的 A100"),
    ("zh", "gn6e 里的 V100 是 16GB", "16GB", "32 GB", "V100"),
    ("zh", "A100 80GB 在 gn7 上", "80GB", "40 GB", "A100"),
    ("en", "gn6v carries 32 GB V100s", "32 GB", "16 GB", "V100"),
    ("en", "gn7e has 8 x A100 40GB", "40GB", "80 GB", "A100"),
    ("en", "The V100 in gn6v has 32 GB", "32 GB", "16 GB", "V100"),
    ("en", "gn7e offers A100 40GB and 80GB", "40GB", "80 GB", "A100"),
]


@pytest.mark.parametrize(("language", "text", "wrong", "held", "right"), SIZES)
def test_a_wrong_size_is_parted_from_the_right_card(
    language: Language, text: str, wrong: str, held: str, right: str
) -> None:
    judged = check_claims(text, language=language).statements
    bad = [item for item in judged if item.verdict == "wrong"]
    assert len(bad) == 1
    assert wrong in bad[0].text and held in bad[0].fact
    assert text[bad[0].start : bad[0].end] == bad[0].text
    good = [item for item in judged if item.verdict == "true"]
    assert any(right in item.text for item in good)
    assert not any(wrong in item.text for item in good)


@pytest.mark.parametrize(
    ("text", "wrong", "held"),
    [
        ("ecs.gn7e-c16g1.4xlarge 是 A100 40G", "ecs.gn7e-c16g1.4xlarge 是 A100 40G", "80 GB"),
        (
            "ecs.gn7e-c16g1.4xlarge 是 40G 的 A100 吗",
            "ecs.gn7e-c16g1.4xlarge 是 40G 的 A100",
            "80 GB",
        ),
        (
            "ecs.gn7e-c16g1.4xlarge（1 张 A100 40G 显存）",
            "ecs.gn7e-c16g1.4xlarge（1 张 A100 40G 显存",
            "80 GB",
        ),
        (
            "ecs.gn7i-c8g1.2xlarge（gn7i，A10 40G）",
            "ecs.gn7i-c8g1.2xlarge（gn7i，A10 40G",
            "24 GB",
        ),
        ("ecs.gn7i-c8g1.2xlarge 是 A30 24G", "ecs.gn7i-c8g1.2xlarge 是 A30 24G", "1 x A10"),
        ("ecs.gn7i-c8g1.2xlarge 是 A30 40G", "ecs.gn7i-c8g1.2xlarge 是 A30 40G", "1 x A10"),
        (
            "ecs.gn6v-c8g1.2xlarge has a 32 GB V100",
            "ecs.gn6v-c8g1.2xlarge has a 32 GB V100",
            "16 GB",
        ),
        (
            "ecs.gn7e-c16g1.4xlarge has an A100 40GB",
            "ecs.gn7e-c16g1.4xlarge has an A100 40GB",
            "80 GB",
        ),
        (
            "ecs.gn7e-c16g1.4xlarge has 8 x A100 80GB",
            "ecs.gn7e-c16g1.4xlarge has 8 x A100 80GB",
            "1 x A100",
        ),
    ],
)
def test_a_card_with_its_count_and_size_is_one_detail_of_a_type(
    text: str, wrong: str, held: str
) -> None:
    (statement,) = check_claims(text, language="en").statements
    assert (statement.verdict, statement.text) == ("wrong", wrong)
    assert held in statement.fact


@pytest.mark.parametrize(
    "text",
    [
        "放不下：ecs.gn7i-8x.16xlarge（8 × A10 24 GB）",
        "ecs.gn7i-c8g1.2xlarge（1 张 A10 24 GB）：不含云盘和公网带宽",
        "Not chosen: ecs.gn7i-8x.16xlarge (8 x A10 24 GB)",
    ],
)
def test_a_label_before_or_a_remark_behind_denies_nothing(text: str) -> None:
    assert [item.verdict for item in check_claims(text, language="zh").statements] == ["true"]


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("ecs.gn7i-c8g1.2xlarge 没有 8 张 A10", "true"),
        ("ecs.gn7i-c8g1.2xlarge 不是 A10 24GB", "wrong"),
        ("ecs.gn7i-c8g1.2xlarge does not have an A10", "wrong"),
        ("ecs.gn7i-c8g1.2xlarge has 16 vCPU, which is wrong", "true"),
    ],
)
def test_details_of_a_type_are_denied(text: str, verdict: str) -> None:
    assert [item.verdict for item in check_claims(text, language="zh").statements] == [verdict]


@pytest.mark.parametrize(
    "text",
    [
        "gn6e 是 32G 的 V100",
        "gn6v 是 16G 的 V100",
        "gn7e 有 8 张 A100 80GB",
        "gn7 的 A100 显存 40GB",
        "gn7 和 gn7e 分别是 A100 40GB 和 80GB",
        "gn7e 有 8 张 A100，显存共 640GB",
        "gn6v 不是 32G 的 V100",
        "ecs.gn7e-c16g1.4xlarge 是 80G 的 A100 吗",
        "ecs.gn7e-c16g1.8xlarge 显存共 160GB",
        "gn7-c12g1.3xlarge 有 40GB",
        "gn6e is a 32 GB V100",
        "gn6v is not a 32 GB V100",
        "does gn6e come with 32 GB V100s?",
        "The A100s in gn7e are the 80 GB version",
        "ecs.gn7e-c16g1.4xlarge has an A100 80GB",
        "ecs.gn7e-c16g1.8xlarge has 160 GB of GPU memory",
    ],
)
def test_the_own_size_is_right(text: str) -> None:
    verdicts = {item.verdict for item in check_claims(text, language="zh").statements}
    assert verdicts == {"true"}


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("gn7-c12g1.3xlarge 有 80GB", "80GB"),
        ("ecs.gn7e-c16g1.4xlarge 的显存是 40GB", "40GB"),
        ("gn7i-c8g1.2xlarge 有 32G 内存吧", "32G 内存"),
        ("gn7i-c8g1.2xlarge 有 30G 显存", "30G 显存"),
        ("gn6v 有 32G 显存", "32G"),
        ("Does ecs.gn7-c12g1.3xlarge have 80 GB of GPU memory?", "80 GB of GPU memory"),
        ("does gn7i-c8g1.2xlarge have 24 GB of RAM?", "24 GB of RAM"),
        ("is gn7e 40GB?", "40GB"),
    ],
)
def test_a_size_alone_is_held_to_the_type_or_family(text: str, wrong: str) -> None:
    (statement,) = check_claims(text, language="en").statements
    assert statement.verdict == "wrong" and wrong in statement.text


@pytest.mark.parametrize(
    ("text", "wrong", "right"),
    [
        ("A100 有 FP8 和 BF16 吧", "FP8", "BF16"),
        ("T4 能跑 BF16 和 INT8 吗", "BF16", "INT8"),
        ("can the A100 do FP8 and BF16?", "FP8", "BF16"),
        ("gn7e supports FP8 and BF16", "FP8", "BF16"),
    ],
)
def test_precisions_are_parted(text: str, wrong: str, right: str) -> None:
    judged = {item.verdict: item.text for item in check_claims(text, language="zh").statements}
    assert judged == {"wrong": wrong, "true": right}


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("gn6v 是 16G 的 V100", "gn6v 搭载 V100 16 GB。"),
        ("gn7e 搭载 A100 80GB", "gn7e 搭载 A100 80 GB。"),
        ("gn7e carries the A100 80GB", "gn7e 搭载 A100 80 GB。"),
        ("gn6e is a 32 GB V100", "gn6e 搭载 V100 32 GB。"),
    ],
)
def test_overlapping_statements_of_one_fact_are_one(text: str, fact: str) -> None:
    judged = check_claims(text, language="zh").statements
    assert [item.fact for item in judged] == [fact]
    assert judged[0].text == text


@pytest.mark.parametrize(
    "text",
    [
        "ecs.gn7i-c8g1.2xlarge + 500 GB ESSD PL1",
        "ecs.gn7e-c16g1.4xlarge 挂 500GB 云盘",
        "ecs.gn7e-c16g1.4xlarge 加载 140GB 模型",
        "A100 有 40GB（gn7）和 80GB（gn7e）",
        "A100 (40 GB on gn7, 80 GB on gn7e)",
        "V100 32GB 需要 gn6e，gn6v 只有 16GB",
        "我们本地有 H100 80GB，云上用 gn8v",
        "从 H100 迁移到 gn8v",
        "gn8v is not an H100",
        "Our own H100 80GB runs this in 3 s; on gn8v it takes 5 s",
        "Do I need NVLink at 900 GB/s or is gn7e fine?",
        "gn7i vs gn8is：gn8is 支持 FP8，gn7i 不支持",
    ],
)
def test_nothing_is_said_against_what_is_right(text: str) -> None:
    assert not {item.verdict for item in check_claims(text, language="en").statements} & {
        "wrong",
        "not_in_catalog",
        "partly",
    }


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("V100 32GB（gn6v）", "32GB"),
        ("A10（24GB / 40GB）性价比高", "40GB"),
        ("The A10 comes with 24 GB or 40 GB", "40 GB"),
        ("gn7e 和 gn7 都是 A100 80GB", "80GB"),
        ("A100 80GB (gn7) and A10 24GB (gn7i)", "80GB"),
        ("ecs.gn7i-c8g1.2xlarge 8 vCPU 32 GiB 1 x A10 24GB", "32 GiB"),
    ],
)
def test_the_one_wrong_size_of_several(text: str, wrong: str) -> None:
    judged = check_claims(text, language="en").statements
    assert [item.text for item in judged if item.verdict == "wrong"] == [wrong]
