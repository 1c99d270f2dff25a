"""Answers over a refreshed catalog: the newest counts from the next question on, and an old one is said."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from assistant import Assistant
from assistant.catalog_in_use import snapshot_folder
from assistant.settings import Settings
from knowledge.facts import use_snapshots
from knowledge.snapshots import write_snapshot
from tests.knowledge.snapshot_samples import A10, price, snapshot

PRICE_ZH, PRICE_EN = "ecs.gn7i-c8g1.2xlarge 多少钱一小时？", "What does ecs.gn7i-c8g1.2xlarge cost per hour?"


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path
    use_snapshots(None)


def assistant(folder: Path, *, today: date = date(2026, 12, 6), **settings: object) -> Assistant:
    made = Settings(data_dir=folder, embedder="none", **settings)  # type: ignore[arg-type]
    return Assistant(settings=made, today=lambda: today)


@pytest.mark.parametrize("question", [PRICE_ZH, PRICE_EN, "Qwen2.5-7B 用什么实例？", "gn7i 是什么卡", "Which instance for Qwen2.5-7B?"])
def test_an_old_catalog_is_said_in_every_answer_that_uses_it(folder: Path, question: str) -> None:
    fresh = assistant(folder, stale_after_days=30).ask(question)
    assert "xuanka refresh" not in fresh.text
    answer = assistant(folder, stale_after_days=30, today=date(2027, 2, 1)).ask(question)
    said = [caution for caution in answer.cautions if caution.code == "stale_catalog"]
    assert len(said) == 1
    assert answer.text.endswith(said[0].text)
    assert "2026-11-30" in said[0].text
    assert "63" in said[0].text
    assert ("距今" in said[0].text) == (answer.language == "zh")
    assert answer.verified
    silent = assistant(folder, stale_after_days=0, today=date(2037, 2, 1)).ask(question)
    assert silent.text == fresh.text


@pytest.mark.parametrize("question", ["你好", "hello", "今天天气怎么样？", "抢占式实例适合什么场景？"])
def test_not_where_no_catalog_was_used(folder: Path, question: str) -> None:
    answer = assistant(folder, stale_after_days=1, today=date(2030, 1, 1)).ask(question)
    used = [call.tool for call in answer.calls if call.tool != "search_guides"]
    assert ("stale_catalog" in [c.code for c in answer.cautions]) == bool(used)


def test_a_refresh_made_meanwhile_counts_from_the_next_question_on(folder: Path) -> None:
    one = assistant(folder)
    before = one.ask(PRICE_EN)
    assert "9.5326" in before.text
    write_snapshot(snapshot_folder(folder), snapshot(prices=(price(amount=Decimal("8.88")),)))
    after = one.ask(PRICE_EN)
    assert "8.88" in after.text
    assert "2026-12-05" in after.text
    assert after.verified
    cited = [item for item in after.citations if item.source_id == "ecs-api-2026-12-05"]
    assert cited
    assert cited[0].trust == "official"
    write_snapshot(snapshot_folder(folder), snapshot("2026-12-06T01:00:00Z", prices=(price(amount=Decimal("7.77"), as_of="2026-12-06"),)))
    assert "7.77" in one.ask(PRICE_ZH).text


def test_recommendations_carry_the_day_of_their_type(folder: Path) -> None:
    write_snapshot(snapshot_folder(folder), snapshot())
    answer = assistant(folder).ask("Qwen2.5-7B fp16, 4K, 1 user: which instance?")
    days = {row.instance_type: row.catalog_as_of for row in answer.recommendations}
    assert days[A10.instance_type] == "2026-12-05"
    assert "2026-11-30" in days.values()


def test_a_type_no_longer_listed_is_not_the_pick_and_says_so(folder: Path) -> None:
    question = "Qwen2.5-7B fp16, 4K, 1 user: which instance?"
    first = assistant(folder).ask(question).recommendations[0]
    other = replace(A10, instance_type="ecs.gn7i-c999g1.2xlarge", family=first.family)
    listed = snapshot(types=(other,), prices=(), spot=())
    write_snapshot(snapshot_folder(folder), replace(listed, manifest=replace(listed.manifest, whole_families=(first.family,))))
    answer = assistant(folder).ask(question)
    assert answer.recommendations[0].instance_type != first.instance_type
    told = assistant(folder).ask(f"{first.instance_type} 是什么实例？")
    assert "不再列出" in told.text


def test_a_type_with_an_unknown_card_is_named_and_not_sized(folder: Path) -> None:
    odd = replace(A10, instance_type="ecs.gn77z-c8g1.2xlarge", family="gn77z", gpu_spec="NVIDIA Q9")
    write_snapshot(snapshot_folder(folder), snapshot(types=(A10, odd)))
    for question in ("ecs.gn77z-c8g1.2xlarge 是什么实例？", "What is ecs.gn77z-c8g1.2xlarge?"):
        answer = assistant(folder).ask(question)
        assert "NVIDIA Q9" in answer.text
        assert "2026-12-05" in answer.text
        assert answer.verified


def test_the_site_chooses_the_currency_and_nothing_is_converted(folder: Path) -> None:
    dollars = price(currency="USD", site="intl", amount=Decimal("1.43"))
    write_snapshot(snapshot_folder(folder), snapshot(prices=(price(amount=Decimal("9.99")), dollars)))
    china, abroad = assistant(folder, site="cn").ask(PRICE_EN), assistant(folder, site="intl").ask(PRICE_EN)
    assert china.text.index("9.99 CNY") < china.text.find("1.43 USD") or "1.43" not in china.text
    assert abroad.text.index("1.43 USD") >= 0
    assert "1.43 CNY" not in abroad.text + china.text
    assert "9.99 USD" not in abroad.text + china.text
    sized = assistant(folder, site="intl").ask("Qwen2.5-7B fp16, 4K, 1 user: which instance?")
    assert [row.price.currency for row in sized.recommendations if row.price][:1] == ["USD"]


def test_a_price_of_the_other_site_says_whose_it_is(folder: Path) -> None:
    for site, question, words in (
        ("cn", "ecs.gn8is-4x.16xlarge 在 us-east-1 多少钱？", "国际站美元价"),
        ("intl", "What does ecs.gn7i-c8g1.2xlarge cost in cn-hangzhou?", "China site"),
    ):
        answer = assistant(folder, site=site).ask(question)
        assert words in answer.text, answer.text
