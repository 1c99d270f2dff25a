"""`xuanka refresh` as far as it needs no cloud: plan, policy, list, rollback, and what a report looks like."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from assistant.catalog_in_use import snapshot_folder
from assistant.settings import read_settings
from knowledge.errors import CloudError
from knowledge.refresh.changes import Known, find_changes
from knowledge.refresh.request import WHATS
from knowledge.refresh.shelf import note_failure
from knowledge.refresh.worker import RefreshReport, refresh
from tests.knowledge.refresh.shop import BARE, KNOWN, LARGE, NOW, REQUEST, SMALL, Shop, price
from tests.ui.running import is_one_sentence, run, run_json
from tools.phrases import Language
from ui.plain import plain
from ui.refresh_blocks import report_blocks

EVERYTHING = replace(REQUEST, what=WHATS)


def take(*, days: int = 0, shop: Shop | None = None) -> RefreshReport:
    """A snapshot in the folder of this test."""
    folder = snapshot_folder(read_settings().data_dir)
    return refresh(shop or Shop(), EVERYTHING, folder=folder, known=KNOWN, clock=lambda: NOW + timedelta(days=days))


@pytest.mark.parametrize("options", [(), ("--region", "cn-beijing", "--region", "上海"), ("--family", "gn7i", "--spot", "--monthly")])
def test_the_plan_needs_no_key_and_makes_no_call(options: tuple[str, ...]) -> None:
    plan = run_json("refresh", "--dry-run", *options)
    assert plan["calls"] >= plan["steps"] > 0 and plan["minutes"] > 0
    assert not snapshot_folder(read_settings().data_dir).exists()


def test_new_families_are_looked_for_unless_some_are_named() -> None:
    assert run_json("refresh", "--dry-run")["others"] is True
    assert run_json("refresh", "--dry-run", "--family", "gn7i")["others"] is False


def test_what_is_not_said_comes_from_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = run_json("refresh", "--dry-run")
    assert "cn-hangzhou" in plan["regions"] and {"gn7i", "gn8v", "ebmgn7e"} <= set(plan["families"])
    read_settings.cache_clear()
    monkeypatch.setenv("XUANKA_REFRESH_REGIONS", "cn-shanghai, 深圳")
    monkeypatch.setenv("XUANKA_REFRESH_FAMILIES", "gn7i,ecs.gn8v")
    plan = run_json("refresh", "--dry-run")
    assert (plan["regions"], plan["families"]) == (["cn-shanghai", "cn-shenzhen"], ["gn7i", "gn8v"])


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ((), ["types", "stock", "prices"]),
        (("--monthly", "--yearly"), ["types", "stock", "prices", "month", "year"]),
        (("--what", "types"), ["types"]),
        (("--what", "spot,types"), ["types", "spot"]),
        (("--what", "TYPES", "--spot"), ["types", "spot"]),
        (("--spot",), ["types", "stock", "prices", "spot"]),
    ],
)
def test_kinds(options: tuple[str, ...], what: list[str]) -> None:
    assert run_json("refresh", "--dry-run", *options)["what"] == what


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (("--region", "杭州"), ["cn-hangzhou"]),
        (("--region", "cn-hangzhou", "--region", "杭州"), ["cn-hangzhou"]),
        (("--region", "北京、上海"), ["cn-beijing", "cn-shanghai"]),
        (("--region", "ｃｎ-shanghai"), ["cn-shanghai"]),
    ],
)
def test_regions_by_any_name(given: tuple[str, ...], expected: list[str]) -> None:
    assert run_json("refresh", "--dry-run", *given)["regions"] == expected


@pytest.mark.parametrize("name", ["gn7i", "ecs.gn7i", "GN7I", "ｇｎ7i"])
def test_families_by_any_name(name: str) -> None:
    assert run_json("refresh", "--dry-run", "--family", name)["families"] == ["gn7i"]


def test_a_family_that_the_catalog_does_not_know_may_be_asked_for() -> None:
    assert run_json("refresh", "--dry-run", "--family", "gn10x")["families"] == ["gn10x"]


@pytest.mark.parametrize(
    "options",
    [
        ("--region", "atlantis"),
        ("--region", "cn-hangzhou/../x"),
        ("--region", "x" * 100_000),
        ("--family", "A10"),
        ("--family", "ecs.gn7i-c8g1.2xlarge"),
        ("--family", "gn7i\x00"),
        ("--family", "-1"),
        ("--what", "everything"),
        ("--what", "1e12"),
        ("--region", ",".join(["cn-hangzhou"] * 101)),
    ],
)
@pytest.mark.parametrize("lang", ["zh", "en"])
def test_nonsense_is_one_sentence(options: tuple[str, ...], lang: str) -> None:
    result = run("refresh", *options, "--lang", lang)
    assert result.exit_code == 2 and not result.stdout
    assert is_one_sentence(result.stderr) and len(result.stderr) < 600


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_missing_keys_are_one_sentence_with_the_variables(lang: str) -> None:
    result = run("refresh", "--lang", lang)
    assert result.exit_code == 2 and is_one_sentence(result.stderr) and not result.stdout
    for name in ("XUANKA_ALIYUN_ACCESS_KEY_ID", "XUANKA_ALIYUN_ACCESS_KEY_SECRET", "XUANKA_ALIYUN_USE_RAM_ROLE"):
        assert name in result.stderr
    assert not snapshot_folder(read_settings().data_dir).exists()  # it is no failed refresh either


@pytest.mark.parametrize(
    ("options", "rights"),
    [
        (("--what", "types"), {"ecs:DescribeInstanceTypes"}),
        ((), {"ecs:DescribeInstanceTypes", "ecs:DescribeAvailableResource", "ecs:DescribePrice"}),
        (("--what", "stock", "--what", "spot"), {"ecs:DescribeAvailableResource", "ecs:DescribeSpotAdvice", "ecs:DescribeSpotPriceHistory"}),
    ],
)
def test_the_policy_has_the_rights_that_are_needed_and_no_others(options: tuple[str, ...], rights: set[str]) -> None:
    policy = json.loads(run("refresh", "--policy", *options).stdout)
    (statement,) = policy["Statement"]
    assert set(statement["Action"]) == rights and statement["Effect"] == "Allow" and policy["Version"] == "1"


def test_the_price_list_needs_rights_of_billing() -> None:
    actions = json.loads(run("refresh", "--policy", "--bulk").stdout)["Statement"][0]["Action"]
    assert any(action.startswith("bss:") for action in actions) and "ecs:DescribePrice" in actions


def test_list_without_any_names_the_shipped_catalog() -> None:
    listing = run_json("refresh", "list")
    assert listing["snapshots"] == [] and listing["used"] is None and listing["last_failure"] is None
    assert "随软件附带" in run("refresh", "list", "--lang", "zh").stdout


def test_list_and_rollback() -> None:
    take()
    take(days=1)
    listing = run_json("refresh", "list")
    assert [row["taken_at"][:10] for row in listing["snapshots"]] == ["2026-12-06", "2026-12-05"]
    assert [row["used"] for row in listing["snapshots"]] == [True, False]
    assert run_json("refresh", "rollback")["used"] == listing["snapshots"][1]["name"]
    assert run_json("refresh", "list")["used"] == listing["snapshots"][1]["name"]
    assert "shipped catalog" in run("refresh", "rollback", "--lang", "en").stdout
    result = run("refresh", "rollback", "--lang", "zh")
    assert result.exit_code == 2 and is_one_sentence(result.stderr) and "没有可退回" in result.stderr


def test_list_names_what_cannot_be_read_and_how_the_last_try_failed() -> None:
    take()
    broken = take(days=1).path
    (broken / "prices.csv").write_text("x", encoding="utf-8")
    note_failure(broken.parent, at=NOW, error=CloudError("timeout", "no answer in time", zh="没有应答"))
    listing = run_json("refresh", "list")
    assert [row["readable"] for row in listing["snapshots"]] == [False, True]
    assert listing["used"] == listing["snapshots"][1]["name"]
    for lang, words in (("en", ("cannot be read", "no answer in time")), ("zh", ("读不出来", "没有应答"))):
        text = run("refresh", "list", "--lang", lang).stdout
        assert all(word in text for word in words)


@pytest.mark.parametrize(("language", "words"), [("zh", ("涨价", "新增规格", "没有取到", "权限")), ("en", ("Dearer", "New types", "Not fetched", "right"))])
def test_a_report_in_both_languages(language: Language, words: tuple[str, ...]) -> None:
    shop = Shop(fails=lambda method, region, name: CloudError("permission", "Forbidden.RAM: grant the right", zh="没有权限") if method == "plan_rates" else None)
    report = take(shop=shop)
    known = Known({}, (price(SMALL, "cn-hangzhou", "8", day="2024-12-31"),), ())
    text = plain(report_blocks(report, find_changes(known, report.snapshot, None), language))
    assert all(word in text for word in words)
    assert "+23.8%" in text and "2024-12-31" in text
    assert "9.90" in text and BARE in text and str(report.path) in text


def test_nothing_changed_is_said() -> None:
    take()
    report = take(days=1)
    changes = find_changes(Known({}, report.snapshot.prices, report.snapshot.spot), report.snapshot, report.previous)
    assert changes == () and "没有变化" in plain(report_blocks(report, changes, "zh"))


def test_long_lists_of_changes_are_cut_and_counted() -> None:
    report = take()
    known = Known({}, tuple(price(LARGE, f"region-{number}", "1", day="2024-12-31") for number in range(30)), ())
    rows = tuple(price(LARGE, f"region-{number}", "2") for number in range(30))
    changes = find_changes(known, replace(report.snapshot, prices=rows), None)
    text = plain(report_blocks(report, changes, "en"))
    assert "10 more" in text and text.count("+100.0%") == 20


def test_paths_stay_in_the_data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XUANKA_DATA_DIR", str(tmp_path / "data"))
    read_settings.cache_clear()
    take()
    assert {path.name for path in tmp_path.iterdir()} == {"data"}
