"""Names of a chat model's draft: held by evidence, belonging together, kept in copies; what is not there only to say so."""

from __future__ import annotations

from random import Random

import pytest

from assistant import Assistant
from assistant.check.names import bad_names
from evals.check.mutate_names import cards, families, misspelt, types
from evals.check.turns import Rules

from .given import found, support_of


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("建议用 ecs.gn7e-c16g1.32xlarge。", "ecs.gn7e-c16g1.32xlarge"),  # of the catalog, but of no result
        ("Take ecs.gn7e-c16g1.32xlarge.", "ecs.gn7e-c16g1.32xlarge"),
        ("也可以选 ecs.gn7i-c8g1.3xlarge", "ecs.gn7i-c8g1.3xlarge"),
        ("选gn9x就够", "gn9x"),
        ("gn８vx 更好", "gn8vx"),
        ("gn7i\u2011c99g1.2xlarge 更便宜", "gn7i\u2010c99g1.2xlarge"),  # a non-breaking hyphen, which NFKC folds to a plain one
        ("选 gn7і，便宜", "gn7і"),  # Cyrillic і
        ("选 gn7\u200bi，便宜", "gn7\u200bi"),
        ("hfc8i 也行", "hfc8i"),
        ("用 ml.gn7e-c16g1.8xlarge 提交任务", "ml.gn7e-c16g1.8xlarge"),
        ("like p5.48xlarge on AWS", "p5.48xlarge"),
        ("like Standard_NC24ads_A100_v4", "Standard_NC24ads_A100_v4"),
        ("like an a2-highgpu-1g", "a2-highgpu-1g"),
        ("选H900更快", "H900"),
        ("选h900更快", "h900"),
        ("昇腾910B 也能跑", "昇腾910B"),
        ("RTX4095 也能跑", "RTX4095"),
        ("用 P800 跑", "P800"),
        ("改用 gn7r 更便宜", "gn7r"),  # in the catalog, recommended without a result
        ("gn8te 也行", "gn8te"),  # of which the catalog has no more than the name
    ],
)
def test_a_name_that_no_result_holds(text: str, name: str) -> None:
    assert [p.text for p in found(bad_names, text)] == [name]


@pytest.mark.parametrize(
    "text",
    [
        "选 `ecs.gn7e-c16g1.8xlarge`（2 × A100 80 GB）。",
        "选gn7e-c16g1.8xlarge，两张 A100-80GB，比gn7i宽裕。",
        "Take `ecs.gn7e‑c16g1.8xlarge` (two A100 80 GB cards).",
        "ｇｎ７ｅ 有 NVLink，T4 和 V100 是更早的卡。",
        "ResNet50、ViT-L/16、SegFormer-B5、DeepSeek-V3、T5-XXL、P99、H.264、W4A16、TP=2、PL1、CUDA 12.4、v0.6.3 都不是实例名。",
        "4 张 A10（96 GB）合起来也不够。",
        "Qwen2.5-72B 用 int4；Qwen2.5-72B-Instruct 也一样，Qwen 2.5 72B 亦然。",
        "也可以换成 Qwen3-32B。",
    ],
)
def test_names_that_evidence_or_catalog_hold(text: str) -> None:
    assert not found(bad_names, text)


@pytest.mark.parametrize(
    ("question", "text", "wrong"),
    [
        ("gn9 选哪个", "选 gn9，性能最好。", True),
        ("gn9 选哪个", "目录里没有 gn9，最接近的是 gn9gc。", False),
        ("gn9 选哪个", "gn9 没有问题，可以放心选。", True),
        ("gn9 选哪个", "您是想问 gn9gc 吗？gn9 是指哪一个？", False),
        ("is gn7v an A100 family?", "gn7v has A100 cards.", True),
        ("is gn7v an A100 family?", "There is no family gn7v in the catalog.", False),
        ("is gn7v an A100 family?", "gn7v does not exist.", False),
        ("A10 40GB 够吗", "A10 40GB 够用。", True),
        ("A10 40GB 够吗", "A10 没有 40 GB 的版本，“A10 40GB”是错的，只有 24 GB。", False),
        ("Is an A10 40GB enough?", "The A10 40GB is enough.", True),
        ("p5.48xlarge 对应哪个实例", "p5.48xlarge 的位置上可以看 gn8v。", False),
        ("昇腾 910B 能租吗", "可以租昇腾910B。", True),
        ("昇腾 910B 能租吗", "目录里没有昇腾910B。", False),
    ],
)
def test_what_is_not_there_is_named_only_to_say_so(question: str, text: str, wrong: bool) -> None:
    assert bool(found(bad_names, text, support_of(question, reference=""))) == wrong


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("`ecs.gn7i-8x.16xlarge`（8 × T4 16 GB）放不下。", "T4 16 GB"),
        ("`ecs.gn7i-8x.16xlarge` (4 × A10 24 GB) is too small.", "A10 24 GB"),
        ("gn6i 搭载 A10。", "A10"),
        ("gn7e uses the L20.", "L20"),
        ("A10（gn7i、gn6i）", "gn6i"),
        ("| `ecs.gn7e-c16g1.8xlarge` | 2 张 A10 24 GB | 34 |", "A10 24 GB"),
        ("ecs.gn7i-8x.16xlarge 属于 gn7e", "gn7e"),
    ],
)
def test_neighbours_that_do_not_belong_together(text: str, name: str) -> None:
    problems = found(bad_names, text, support_of(reference=""))
    assert name in [p.text for p in problems]
    assert all(p.reason for p in problems)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("80 GB 加 NVLink 用 gn8is，48 GB 用 gn8is，24 GB 用 gn7i。", "gn8is"),
        ("- 放不下：`ecs.gn7e-c16g1.8xlarge`（8 × A10 24 GB），每卡约需 62.0 GiB。", "ecs.gn7e-c16g1.8xlarge"),
        ("选 `ecs.gn7i-8x.16xlarge`。", "ecs.gn7i-8x.16xlarge"),  # the sum says that it does not fit
        ("Take `ecs.gn7i-8x.16xlarge`.", "ecs.gn7i-8x.16xlarge"),
        ("Qwen2.5-27B 要两张卡", "Qwen2.5-27B"),
        ("Qwen2.5-32B 要两张卡", "Qwen2.5-32B"),  # one digit off the model that was sized
        ("Llama-9-80B 也放得下", "Llama-9-80B"),
        ("用 gni 更便宜", "gni"),
        ("n7i 便宜", "n7i"),
    ],
)
def test_names_that_are_another_one_than_in_the_results(text: str, name: str) -> None:
    assert name in [p.text for p in found(bad_names, text)]


@pytest.mark.parametrize("question", ["Qwen2.5-7B bf16 8K 8 并发，选什么实例", "A10 vs L20", "哪些实例有 RDMA", "can I order ecs.gn6i-p4?"])
def test_spoilt_names_of_real_answers_are_found(assistant: Assistant, question: str) -> None:
    judged = Rules(assistant.library).play((question,))
    support = support_of(question, reference=judged.composed, evidence=judged.evidence)
    assert not found(bad_names, judged.composed, support)
    changes = [change for spoil in (types, families, cards, misspelt) for change in spoil(judged.composed, Random(1))]
    missed = [c for c in changes if not found(bad_names, judged.composed[: c.start] + c.new + judged.composed[c.start + len(c.old) :], support)]
    assert len(missed) <= 0.01 * len(changes), missed
