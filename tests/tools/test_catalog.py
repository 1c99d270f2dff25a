"""Names: types, families and cards as people write them, and what is said of names that are not in the catalog."""

from __future__ import annotations

from decimal import Decimal
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.errors import UnknownInstance
from knowledge.facts import CATALOG_READ_ON, families, gpus, instances, not_families, sources
from tools.cards import card_label, find_mentions
from tools.catalog import (
    exists,
    explain_none,
    find_cards,
    find_instances,
    instance_words,
    resolve_card,
    show_family,
    show_instance,
)
from tools.nearest import nearest_families, nearest_types, plain_name

A100 = ["a100-40gb", "a100-80gb"]


@pytest.mark.parametrize(
    ("name", "cards"),
    [
        ("A10", ["a10"]),
        ("nvidia-a10", ["a10"]),
        ("NVIDIA A10", ["a10"]),
        ("Tesla-T4", ["t4"]),
        ("英伟达T4", ["t4"]),
        ("Ａ１０", ["a10"]),
        ("8×A10", ["a10"]),
        ("2xA10", ["a10"]),
        ("A10x2", ["a10"]),
        ("T4s", ["t4"]),
        ("A100", A100),
        ("a100 80g", ["a100-80gb"]),
        ("A100-40GB", ["a100-40gb"]),
        ("A100（80GB版）", ["a100-80gb"]),
        ("A100*8 80G", ["a100-80gb"]),
        ("80GB的A100", ["a100-80gb"]),
        ("40G 显存的 A100", ["a100-40gb"]),
        ("A100-SXM4-80GB", ["a100-80gb"]),
        ("V100 32G", ["v100-32gb"]),
        ("Tesla-V100-SXM2-16GB", ["v100-16gb"]),
        ("V100", ["v100-16gb", "v100-32gb"]),
        ("A800", ["a800-80gb"]),
        ("H20", ["h20-96gb"]),
        ("L20", ["l20"]),
        ("L4", ["l4"]),
        ("L40S", ["l40s"]),
        ("A10G", ["a10g"]),
        ("4090", ["rtx-4090-24gb", "rtx-4090-48gb"]),
        ("RTX4090", ["rtx-4090-24gb", "rtx-4090-48gb"]),
        ("rtx-5090", ["rtx-5090"]),
        ("2080Ti", ["rtx-2080ti"]),
        ("RTX PRO 5000 72GB", ["rtx-pro-5000-72gb"]),
        ("RTX PRO 5000", ["rtx-pro-5000-72gb", "rtx-pro-5000-48gb"]),
        ("P4", ["p4"]),
        ("H800", []),
        ("", []),
        ("gn7i", []),
        ("A10 or T4", []),
    ],
)
def test_resolve_card(name: str, cards: list[str]) -> None:
    assert [gpu.gpu_id for gpu in resolve_card(name)] == [f"nvidia-{card}" for card in cards]


@pytest.mark.parametrize(
    ("text", "cards"),
    [
        ("T4、A10 和 A100 80G 哪个便宜？", ["t4", "a10", "a100-80gb"]),
        ("A100 80G vs A100 40G", ["a100-80gb", "a100-40gb"]),
        ("V100/T4", ["v100-16gb", "v100-32gb", "t4"]),
        ("gn7i（A10）跑 7B", ["a10"]),
        ("Is one A10 enough? A10s are cheap.", ["a10"]),
        ("两张4090能跑吗", ["rtx-4090-24gb", "rtx-4090-48gb"]),
    ],
)
def test_find_cards_in_a_sentence(text: str, cards: list[str]) -> None:
    assert [gpu.gpu_id for gpu in find_cards(text)] == [f"nvidia-{card}" for card in cards]


@pytest.mark.parametrize(
    "text",
    [
        "Qwen3-30B-A3B",
        "W4A16 量化",
        "ecs.gn6i-p4",
        "gn8i-l20",
        "花了 4090 元",
        "4090 tokens",
        "¥4090",
        "共 14090 个",
        "4090.5",
        "3090 小时",
        "DeepSeek-V3 671B",
        "ml20 t40",
    ],
)
def test_no_card_is_seen_where_there_is_none(text: str) -> None:
    assert find_cards(text) == ()


@pytest.mark.parametrize(
    ("text", "wrong"), [("A10 40GB", 40), ("A10 24GB", None), ("A100 24G", 24)]
)
def test_a_size_that_no_such_card_has(text: str, wrong: int | None) -> None:
    (mention,) = find_mentions(text)
    assert mention.wrong_gb == wrong
    assert mention.cards


@given(st.text(max_size=80))
def test_any_text_is_survived(text: str) -> None:
    for mention in find_mentions(text):
        assert mention.text
    check = exists(text)
    assert check.fact_zh
    assert check.fact_en


def test_hostile_length_is_cut() -> None:
    check = exists("gn" + "9" * 5000)
    assert not check.known
    assert len(check.fact_en) < 250
    assert find_cards("A" * 200_000 + " T4") == ()


@pytest.mark.parametrize(
    "name",
    [
        "ecs.gn7i-c8g1.2xlarge",
        "gn7i-c8g1.2xlarge",
        "ECS.GN7I-C8G1.2XLARGE",
        "ｅｃｓ．ｇｎ７ｉ－ｃ８ｇ１．２ｘｌａｒｇｅ",
        " `ecs.gn7i-c8g1.2xlarge` ",
        "「ecs.gn7i–c8g1.2xlarge」",
        "ecs.gn7i‑c8g1.2xlarge，",
    ],
)
def test_show_instance_in_any_spelling(name: str) -> None:
    assert show_instance(name).instance_type == "ecs.gn7i-c8g1.2xlarge"


def test_every_type_family_and_card_is_known_to_exists() -> None:
    for name in instances():
        assert (exists(name).kind, exists(name).known) == ("instance", True)
    for name in families():
        assert (exists(name).kind, exists(name).known) == ("family", True)
    for gpu_id in gpus():
        label = card_label(gpus()[gpu_id], "en")
        assert label


def test_every_rumour_is_refused_with_its_fact() -> None:
    for row in not_families().values():
        check = exists(row.name)
        assert (check.known, check.fact_en) == (False, row.fact_en)
        assert check.nearest == list(row.nearest)


@pytest.mark.parametrize(
    ("name", "kind", "known", "status", "words"),
    [
        ("gn7v", "family", False, None, "quota ids"),
        ("gn7v-c8g1.2xlarge", "instance", False, None, "quota ids"),
        ("ecs.gn6i-p4", "instance", False, None, "smallest T4 type"),
        ("gn8", "family", False, None, "gn8is"),
        ("g7", "family", False, None, "CPU family"),
        ("g7.2xlarge", "instance", False, None, "CPU family"),
        ("gn7i", "family", True, "on_sale", "A10"),
        ("ebmgn9t", "family", True, "name_only", "API name only, not on the public pages"),
        ("gn8e", "family", True, "name_only", "API name only, not on the public pages"),
        ("gn8v", "family", True, "contact_sales", "sales"),
        ("gn9gc", "family", True, "invite_only", "invitation"),
        ("gn5", "family", True, "phased_out", "No longer sold"),
        ("gn11", None, False, None, "not in the catalog"),
        ("gn7i-c9g1.2xlarge", "instance", False, None, "not an instance type of the catalog"),
        ("ecs.gn6i-c4g1.xlarge", "instance", True, "on_sale", "1 × T4 16 GB, 4 vCPU, 15 GiB"),
        ("ecs.ebmgn9t.48xlarge", "instance", True, "name_only", "unpublished"),
        ("T4", "card", True, "on_sale", "gn6i"),
        ("A100", "card", True, "on_sale", "gn7e"),
        ("H20", "card", True, "contact_sales", "by its specifications"),
        ("H100", "card", True, "not_offered", "comparison"),
        ("P4", "card", True, "phased_out", "retired"),
        ("H800", "card", False, None, "No public ECS page"),
        ("A10 40GB", "card", False, None, "none has 40 GB"),
        ("quantum", None, False, None, "not in the catalog"),
        ("", None, False, None, "No name"),
    ],
)
def test_exists(name: str, kind: str | None, known: bool, status: str | None, words: str) -> None:
    check = exists(name)
    assert (check.kind, check.known, check.status) == (kind, known, status)
    assert words in check.fact_en
    assert set(check.source_ids) <= set(sources())
    assert check.source_ids


def test_unknown_is_worded_by_the_day_of_the_catalog() -> None:
    for name in ("gn11", "gn7i-c9g1.2xlarge", "H800"):
        check = exists(name)
        assert CATALOG_READ_ON in check.fact_en
        assert CATALOG_READ_ON in check.fact_zh
        assert "not exist" not in check.fact_en
        assert "不存在" not in check.fact_zh


@pytest.mark.parametrize(
    ("language", "words"), [("en", "not an instance type"), ("zh", "不是目录里的实例规格")]
)
def test_show_instance_refuses_with_the_nearest(language: Literal["zh", "en"], words: str) -> None:
    with pytest.raises(UnknownInstance, match=words) as caught:
        show_instance("gn7i-c9g1.2xlarge", language=language)
    assert caught.value.nearest[0] == "ecs.gn7i-c8g1.2xlarge"
    assert caught.value.nearest[0] in str(caught.value)


@pytest.mark.parametrize(
    ("name", "words"),
    [("gn7v", "quota ids"), ("gn7i", "is a family"), ("", "No name"), ("g6.xlarge", "CPU family")],
)
def test_show_instance_says_why(name: str, words: str) -> None:
    with pytest.raises(UnknownInstance, match=words):
        show_instance(name)


def test_show_family_lists_types_from_small_to_large() -> None:
    listing = show_family("GN7E")
    assert [row.gpu_count for row in listing.types] == [1, 2, 4, 8]
    assert show_family("ecs.gn7e-c16g1.8xlarge").family.family == "gn7e"
    assert show_family("gn8e").types == ()
    with pytest.raises(UnknownInstance, match="not a family of the catalog"):
        show_family("gn77")


@pytest.mark.parametrize(
    ("name", "first"),
    [
        ("gn7i-c8g1.4xlarge", "ecs.gn7i-c16g1.4xlarge"),
        ("gn7e-c16g1.64xlarge", "ecs.gn7e-c16g1.4xlarge"),
        ("gn6i", "ecs.gn6i-c4g1.xlarge"),
    ],
)
def test_nearest_types_stay_in_the_family(name: str, first: str) -> None:
    near = nearest_types(name)
    assert near[0].startswith(first.rpartition("-")[0])
    assert len(near) == 3
    assert set(near) <= set(instances())


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("gn7x", "gn7"),
        ("gn6x", "gn6e"),
        ("ebmgn7z", "ebmgn7"),
        ("c8", "c8i"),
        ("A10 family", "gn7i"),
    ],
)
def test_nearest_families(name: str, expected: str) -> None:
    near = nearest_families(name)
    assert expected in near
    assert all(families()[family].status != "name_only" for family in near)


def test_nothing_is_near_to_nonsense() -> None:
    assert nearest_families("xxxxxxxx") == ()


def test_plain_name_keeps_one_line() -> None:
    assert plain_name("ecs.GN7i\n-c8g1 .2xlarge\x00") == "gn7i-c8g1.2xlarge"


@pytest.mark.parametrize(
    ("name", "en", "zh"),
    [
        ("ecs.gn7i-2x.8xlarge", "2 × A10 24 GB", "2 张 A10 24 GB"),
        ("ecs.vgn6i-m4-vws.xlarge", "a 1/4 slice of T4 16 GB", "T4 16 GB 的 1/4 切片"),
        ("ecs.c8i.large", "no GPU", "没有 GPU"),
    ],
)
def test_instance_words(name: str, en: str, zh: str) -> None:
    row = instances()[name]
    assert (instance_words(row, "en"), instance_words(row, "zh")) == (en, zh)


# ---- find_instances


def test_found_are_priced_first_and_by_price() -> None:
    found = find_instances(min_card_memory_gb=24)
    prices = [row.price.amount for row in found if row.price]
    assert prices == sorted(prices)
    assert [row.price is None for row in found] == sorted(row.price is None for row in found)
    assert all(row.no_price is not None for row in found if row.price is None)


def test_each_condition_is_kept() -> None:
    assert {r.instance.gpu_id for r in find_instances(gpu_id="nvidia-a10")} == {"nvidia-a10"}
    both = {"nvidia-a10", "nvidia-t4"}
    assert {r.instance.gpu_id for r in find_instances(gpu_id=both)} == both
    assert all(r.instance.gpu_count == 4 for r in find_instances(gpu_count=4))
    assert all(
        (r.instance.gpu_memory_gb_total or 0) >= 300 for r in find_instances(min_gpu_memory_gb=300)
    )
    assert all(
        (r.instance.gpu_memory_gb_each or 0) >= 72 for r in find_instances(min_card_memory_gb=72)
    )
    assert all(r.instance.vcpu >= 100 for r in find_instances(min_vcpu=100))
    assert all((r.instance.memory_gib or 0) >= 900 for r in find_instances(min_memory_gib=900))
    assert all(r.instance.rdma != "none" for r in find_instances(rdma=True))
    assert all(r.instance.rdma == "none" for r in find_instances(rdma=False))
    assert all(r.instance.nvlink for r in find_instances(nvlink=True))
    assert all(r.gpu and r.gpu.fp8 for r in find_instances(precision="fp8"))
    assert all(r.gpu and r.gpu.bf16 for r in find_instances(precision="bf16"))
    assert all(r.instance.family == "gn7i" for r in find_instances(family="gn7i"))
    assert all(r.instance.bare_metal for r in find_instances(bare_metal=True))
    assert all(not r.instance.vgpu for r in find_instances(vgpu=False))
    assert all(r.price and r.price.amount <= 10 for r in find_instances(max_price=Decimal(10)))
    assert {r.instance.status for r in find_instances(status="phased_out")} == {"phased_out"}


def test_retired_types_only_when_asked() -> None:
    assert not find_instances(family="gn5")
    assert find_instances(family="gn5", include_unavailable=True)


def test_price_is_that_of_the_region() -> None:
    (here,) = find_instances(family="gn6i", gpu_count=1, max_price=Decimal("11.63"), region="北京")
    assert here.price is not None
    assert (here.price.region, here.instance.instance_type) == (
        "cn-beijing",
        "ecs.gn6i-c4g1.xlarge",
    )


def test_an_unknown_condition_is_a_bug() -> None:
    with pytest.raises(TypeError, match="no such condition: colour"):
        find_instances(colour="red")  # type: ignore[call-arg]


def test_explain_none_names_the_condition_to_give_up() -> None:
    why = explain_none(precision="fp8", max_price=Decimal(20))
    assert why is not None
    assert why.culprit == "max_price"
    assert why.matches_without["max_price"] == len(find_instances(precision="fp8"))
    assert [r.instance for r in why.nearest] == [
        r.instance for r in find_instances(precision="fp8")
    ][:3]
    assert "at most 20 CNY an hour" in why.say("en")
    assert "每小时不超过 20" in why.say("zh")


def test_explain_none_when_no_single_condition_is_to_blame() -> None:
    why = explain_none(gpu_count=3, min_card_memory_gb=500)
    assert why is not None
    assert set(why.matches_without.values()) == {0}
    assert "nor all but one" in why.say("en")
    assert explain_none(family="gn7i") is None
