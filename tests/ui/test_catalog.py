from __future__ import annotations

import pytest

from assistant.found import FoundInstances
from tests.ui.running import is_one_sentence, run, run_json
from tools.catalog import exists, resolve_card
from tools.describe import Described


def find(*arguments: str) -> FoundInstances:
    return FoundInstances.model_validate(run_json("instances", "find", *arguments))


def test_list_has_whole_cards_on_offer_only() -> None:
    rows = FoundInstances.model_validate(run_json("instances", "list")).types
    assert len(rows) > 50
    assert all(row.gpu_count >= 1 for row in rows)
    assert not {row.status for row in rows} & {"phased_out", "name_only"}


def test_list_all_has_more() -> None:
    everything = FoundInstances.model_validate(run_json("instances", "list", "--all")).types
    assert {row.status for row in everything} >= {"phased_out", "on_sale"}
    assert len(everything) > len(FoundInstances.model_validate(run_json("instances", "list")).types)


@pytest.mark.parametrize(
    ("arguments", "holds"),
    [
        (["--gpu", "A10"], lambda row: row.gpu_id == "nvidia-a10"),
        (["--gpu", "英伟达T4", "--count", "2"], lambda row: row.gpu_id == "nvidia-t4" and row.gpu_count == 2),
        (["--card-memory", "48GB"], lambda row: row.gpu_memory_gb_each >= 48),
        (["--memory", "160"], lambda row: row.gpu_memory_gb_total >= 160),
        (["--vcpu", "64", "--ram", "500GiB"], lambda row: row.vcpu >= 64 and row.memory_gib >= 500),
        (["--rdma"], lambda row: row.rdma != "none"),
        (["--nvlink"], lambda row: row.nvlink),
        (["--no-nvlink"], lambda row: not row.nvlink),
        (["--max-price", "¥20"], lambda row: row.price.amount <= 20),
        (["--max-price", "30", "--region", "上海"], lambda row: row.price.amount <= 30 and row.price.region == "cn-shanghai"),
        (["--status", "invite_only"], lambda row: row.status == "invite_only"),
        (["--family", "gn7e"], lambda row: row.family == "gn7e"),
        (["--precision", "fp8"], lambda row: row.gpu_id not in ("nvidia-a10", "nvidia-t4", "nvidia-a100-80gb")),
    ],
)  # fmt: skip
def test_each_condition_holds_for_all_found(arguments: list[str], holds: object) -> None:
    rows = find(*arguments).types
    assert rows and callable(holds)
    assert all(holds(row) for row in rows)


def test_priced_types_come_first_and_cheapest_first() -> None:
    prices = [row.price.amount if row.price else None for row in find("--card-memory", "24").types]
    priced = [price for price in prices if price is not None]
    assert priced == sorted(priced) and prices[: len(priced)] == priced


@pytest.mark.parametrize(("lang", "word"), [("zh", "不超过 1"), ("en", "at most 1 CNY an hour")])
def test_nothing_found_names_the_condition_to_give_up(lang: str, word: str) -> None:
    arguments = ("--card-memory", "80", "--max-price", "1", "--lang", lang)
    found = find(*arguments)
    assert not found.types and found.nearest and word in found.none
    assert found.none in run("instances", "find", *arguments).stdout


@pytest.mark.parametrize("name", ["gn7i", "ecs.gn7i-c8g1.2xlarge", "GN7I-C8G1.2XLARGE", "A10", "ａ１０"])
def test_show_knows_types_families_and_cards(name: str) -> None:
    described = Described.model_validate(run_json("instances", "show", name))
    assert described.check.known
    assert [card.gpu_id for card in described.cards] == ["nvidia-a10"]
    assert described.types and "A10" in run("instances", "show", name).stdout


@pytest.mark.parametrize("command", [["instances", "show"], ["price"], ["instances", "list", "--family"]])
@pytest.mark.parametrize("name", ["gn7v", "gn8", "ecs.gn7i-c999.2xlarge", "drop table", "😀", " "])
def test_unknown_names_are_one_sentence_and_exit_code_2(command: list[str], name: str) -> None:
    result = run(*command, name)
    assert result.exit_code == 2 and not result.stdout
    assert is_one_sentence(result.stderr)


def test_a_name_that_circulates_is_answered_with_the_nearest_real_ones() -> None:
    assert "gn7e" in run("instances", "show", "gn7v").stderr


def test_prices_carry_region_date_and_source() -> None:
    described = Described.model_validate(run_json("price", "gn7e"))
    prices = [price for row in described.types for price in row.prices]
    assert prices and all(price.region and price.as_of and price.source_id for price in prices)
    shown = run("price", "gn7e").stdout
    assert "cn-hangzhou" in shown and "2024-12-31" in shown and "https://" in shown


@pytest.mark.parametrize("billing", ["payg", "month", "spot"])
def test_only_the_billing_asked_for(billing: str) -> None:
    described = Described.model_validate(run_json("price", "A10", "--billing", billing))
    kinds = {price.billing for row in described.types for price in row.prices}
    assert kinds == {billing}


@pytest.mark.parametrize("region", ["cn-beijing", "北京", "Beijing"])
def test_only_the_region_asked_for(region: str) -> None:
    described = Described.model_validate(run_json("price", "gn7i", "--region", region))
    assert {price.region for row in described.types for price in row.prices} == {"cn-beijing"}


def test_the_default_region_is_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XUANKA_REGION", "cn-beijing")
    row = find("--gpu", "A10", "--count", "1").types[0]
    assert row.price is not None and row.price.region == "cn-beijing"


@pytest.mark.parametrize(("lang", "word"), [("zh", "没有"), ("en", "No ")])
def test_no_price_is_said_not_guessed(lang: str, word: str) -> None:
    result = run("price", "gn8v", "--region", "cn-hangzhou", "--lang", lang)
    assert result.exit_code == 0 and word in result.stdout


@pytest.mark.parametrize("arguments", [["--gpu", "RTX9999"], ["--status", "sold"], ["--region", "mars"]])
def test_wrong_conditions_are_one_sentence(arguments: list[str]) -> None:
    result = run("instances", "find", *arguments)
    assert result.exit_code == 2 and is_one_sentence(result.stderr)


def test_types_without_gpu_are_not_offered_but_said() -> None:
    found = find("--count", "0", "--vcpu", "4")
    assert not found.types and "no GPU" in found.none


def test_a_family_shows_the_default_region_and_where_else_there_are_prices() -> None:
    shown = run("price", "gn7e").stdout
    table = [line for line in shown.splitlines() if line.startswith("ecs.")]
    assert table and all("cn-hangzhou" in line for line in table)
    assert "more prices are of other regions" in shown and "cn-wulanchabu" in shown


def test_a_type_shows_all_regions() -> None:
    regions = {line.split()[-4] for line in run("price", "ecs.gn7e-c16g1.4xlarge", "--billing", "payg").stdout.splitlines() if line.startswith("ecs.")}
    assert len(regions) > 2


@pytest.mark.parametrize("card", ["H100", "L40S", "A10G", "Ｈ１００", "P100", "A800", "RTX 3090"])
@pytest.mark.parametrize("command", ["list", "find"])
@pytest.mark.parametrize(("lang", "said"), [("zh", "没有"), ("en", "No public ECS page")])
def test_a_card_that_no_family_on_offer_carries_is_said(command: str, card: str, lang: str, said: str) -> None:
    found = FoundInstances.model_validate(run_json("instances", command, "--gpu", card, "--lang", lang))
    fact = exists(card).fact_zh if lang == "zh" else exists(card).fact_en
    assert not found.types and found.none.startswith(fact)
    memory = min(gpu.memory_gb for gpu in resolve_card(card))
    assert found.nearest and all((row.gpu_memory_gb_each or 0) >= memory for row in found.nearest)
    assert ("--all" in found.none) is (card in ("P100", "A800")) and (said in fact or card in ("P100", "A800", "RTX 3090"))
    assert found.none in run("instances", command, "--gpu", card, "--lang", lang).stdout


def test_a_retired_card_is_listed_on_request() -> None:
    rows = FoundInstances.model_validate(run_json("instances", "list", "--gpu", "P100", "--all")).types
    assert {row.status for row in rows} == {"phased_out"}


@pytest.mark.parametrize(
    "arguments",
    [
        ["--gpu", "H20", "--max-price", "1"],
        ["--card-memory", "80", "--max-price", "1", "--precision", "fp8"],
        ["--card-memory", "96", "--nvlink", "--max-price", "10"],
        ["--card-memory", "96", "--nvlink", "--max-price", "100"],
        ["--gpu", "H20", "--count", "16", "--rdma"],
        ["--count", "16"],
        ["--gpu", "A10", "--precision", "fp8"],
    ],
)
def test_a_type_without_a_price_is_never_called_the_cheapest(arguments: list[str]) -> None:
    nearest = find(*arguments).nearest
    unpriced = [row.price is None for row in nearest]
    assert nearest and unpriced == sorted(unpriced)
    shown = run("instances", "find", *arguments).stdout
    assert ("cheapest" in shown) is not all(unpriced)
    assert ("Nearest, without a public price" in shown) is any(unpriced)


def test_the_nearest_have_a_price_where_giving_up_another_condition_finds_one() -> None:
    nearest = find("--card-memory", "96", "--nvlink", "--max-price", "100").nearest
    assert nearest[0].price is not None and nearest[0].price.amount <= 100 and nearest[0].nvlink


@pytest.mark.parametrize(
    ("arguments", "holds"),
    [
        (["--bare-metal"], lambda row: row.instance_type.startswith(("ecs.ebm", "ecs.scc"))),
        (["--no-local-disk", "--precision", "int8"], lambda row: "v100" not in row.gpu_id),
        (["--precision", "fp4"], lambda row: "rtx-pro-5000" in row.gpu_id),
        (["--sold-here", "--region", "上海"], lambda row: row.family not in ("gn8v", "gn9gc")),
        (["--max-monthly", "5000元", "--region", "cn-shanghai"], lambda row: row.monthly.amount <= 5000),
    ],
)  # fmt: skip
def test_more_conditions_hold_for_all_found(arguments: list[str], holds: object) -> None:
    rows = find(*arguments).types
    assert rows and callable(holds)
    assert all(holds(row) for row in rows)


def test_sort_by_memory_and_by_price_per_gb() -> None:
    sizes = [row.gpu_memory_gb_total for row in find("--sort", "memory", "--sold-here").types]
    assert sizes == sorted(sizes, key=lambda size: -(size or 0)) and len(set(sizes)) > 5
    per_gb = [float(row.price.amount) / (row.gpu_memory_gb_total or 1) for row in find("--sort", "price-per-gb").types if row.price]
    assert per_gb == sorted(per_gb)


@pytest.mark.parametrize(("lang", "words"), [("zh", ["估算", "不是包月价", "cn-"]), ("en", ["an estimate", "not a subscription price", "cn-"])])
def test_a_monthly_estimate_is_shown_apart_and_called_one(lang: str, words: list[str]) -> None:
    found = find("--max-monthly", "8000", "--lang", lang)
    assert not found.types and found.estimated and found.none and not found.nearest
    assert all(row.monthly and row.monthly.note for row in found.estimated)
    shown = run("instances", "find", "--max-monthly", "8000", "--lang", lang).stdout
    assert all(word in shown for word in words)


def test_a_subscription_of_another_region_is_named_with_its_region() -> None:
    found = find("--max-monthly", "5000", "--gpu", "A10", "--lang", "zh")
    assert not found.types and "4575.66" in found.none and "不能互相推算" in found.none


def test_two_conditions_that_each_rule_out_all_are_both_named_with_the_nearest() -> None:
    found = find("--gpu", "H20", "--count", "16", "--max-price", "1", "--lang", "zh")
    assert "16 张卡" in found.none and "不超过 1 元" in found.none and found.nearest
