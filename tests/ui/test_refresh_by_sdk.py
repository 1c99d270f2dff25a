"""`xuanka refresh` with the real SDK against the stub: what is said, what is used afterwards, and what is never shown."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from assistant.catalog_in_use import snapshot_folder
from assistant.settings import read_settings
from knowledge.errors import XuankaError
from knowledge.facts import use_snapshots
from knowledge.refresh.journal import open_journal
from tests.knowledge.aliyun.stub import EMPTY, NO_RIGHT, PROXIES, UNKNOWN_KEY, Reply, Stub, failure
from tests.knowledge.refresh.market import ASKED, STEPS, open_market
from tests.knowledge.refresh.shop import LARGE, REQUEST, SMALL
from tests.ui.running import is_one_sentence, run, run_json
from tools.phrases import Language
from ui.refresh_run import failure_said

SECRETS = {
    "XUANKA_ALIYUN_ACCESS_KEY_ID": "very-secret-key-id",
    "XUANKA_ALIYUN_ACCESS_KEY_SECRET": "very-secret-key",
    "XUANKA_ALIYUN_SECURITY_TOKEN": "very-secret-token",
}


@pytest.fixture
def market(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stub]:
    """A cloud on this machine and the settings that lead there."""
    for name in PROXIES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ALIBABA_CLOUD_ECS_METADATA_DISABLED", "true")
    for name, value in SECRETS.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("XUANKA_ALIYUN_CALLS_PER_SECOND", "100")
    with open_market() as stub:
        monkeypatch.setenv("XUANKA_ALIYUN_ENDPOINT", f"http://{stub.host}")
        monkeypatch.setenv("XUANKA_ALIYUN_BILLING_ENDPOINT", f"http://{stub.host}")
        read_settings.cache_clear()
        yield stub
    use_snapshots(None)


def folder() -> Path:
    return snapshot_folder(read_settings().data_dir)


def today() -> str:
    return datetime.now(UTC).date().isoformat()


def assert_nothing_secret(*outputs: str) -> None:
    files = [path.read_bytes().decode("utf-8", "replace") for path in read_settings().data_dir.rglob("*") if path.is_file()]
    assert not [text for text in (*files, *outputs) for secret in SECRETS.values() if secret in text]


def test_a_refresh_says_what_changed(market: Stub) -> None:
    result = run_json("refresh", *ASKED)
    assert result["written"] and result["taken_at"][:10] == today() and result["steps"] == STEPS == len(market.requests)
    assert result["regions"] == ["cn-hangzhou", "cn-shanghai"] and result["whole_families"] == ["gn7i", "ebmgn7e"]
    assert result["rows"]["prices.csv"] == 5 and result["left_out"] == [] and result["carried"] == []
    cheaper = {(row["instance_type"], row["region"]): row for row in result["changes"] if row["kind"] == "cheaper"}
    assert cheaper[SMALL, "cn-hangzhou"]["old"] == "9.5326" and cheaper[SMALL, "cn-hangzhou"]["new"] == "7.77"
    assert cheaper[SMALL, "cn-hangzhou"]["percent"] == "-18.49"
    assert_nothing_secret(str(result))


@pytest.mark.parametrize(("lang", "words"), [("zh", ("降价", "7.77 元/小时", "-18.5%")), ("en", ("Cheaper", "7.77 CNY/h", "-18.5%"))])
def test_a_refresh_in_words(market: Stub, lang: str, words: tuple[str, ...]) -> None:
    result = run("refresh", *ASKED, "--lang", lang)
    assert result.exit_code == 0 and all(word in result.stdout for word in words)
    assert result.stderr == ""  # no progress bar where nobody watches


def test_afterwards_every_command_uses_the_new_figures_and_cites_them(market: Stub) -> None:
    run_json("refresh", *ASKED)
    source = f"ecs-api-{today()}"
    here = [row for row in run_json("price", SMALL, "--region", "cn-hangzhou")["types"][0]["prices"] if row["billing"] == "payg"]
    assert [(row["amount"], row["as_of"], row["source_id"]) for row in here] == [("7.77", today(), source)]
    shown = run_json("instances", "show", SMALL)["types"][0]
    assert (shown["price"]["amount"], shown["price"]["source_id"]) == ("7.77", source)
    sized = run_json("size", "llm", "--model", "Qwen2.5-7B", "--on", SMALL)
    (pick,) = [row for row in sized["recommendations"] if row["instance_type"] == SMALL]
    assert (pick["price"]["amount"], pick["price"]["source_id"], pick["catalog_as_of"]) == ("7.77", source, today())
    for question in (f"{SMALL} 在杭州每小时多少钱？", f"How much is {SMALL} per hour in Hangzhou?"):
        answer = run_json("ask", question)
        assert "7.77" in answer["text"] and "9.53" not in answer["text"] and answer["verified"]
        assert source in {citation["source_id"] for citation in answer["citations"]}


def test_after_a_rollback_the_old_figures_count_again(market: Stub) -> None:
    run_json("refresh", *ASKED)
    run_json("refresh", "rollback")
    assert run_json("instances", "show", SMALL)["types"][0]["price"]["amount"] == "9.5326"


def test_a_second_refresh_tells_the_difference(market: Stub) -> None:
    run_json("refresh", *ASKED)
    with open_market(factor="1.1", sells={"cn-hangzhou": (SMALL,), "cn-shanghai": (SMALL,)}) as later:
        market.answers |= {name: later.answers[name] for name in ("DescribePrice", "DescribeAvailableResource")}
        changes = run_json("refresh", *ASKED)["changes"]
    assert {(row["kind"], row["instance_type"]) for row in changes} >= {("dearer", SMALL), ("not_sold", LARGE)}
    assert not [row for row in changes if row["kind"] in ("new", "gone", "priced")]


@pytest.mark.parametrize("lang", ["zh", "en"])
@pytest.mark.parametrize("reply", [UNKNOWN_KEY, NO_RIGHT, EMPTY, failure(400, "Zzz.Unknown", message="very-secret-key")])
def test_a_failure_is_one_sentence_that_names_the_day_of_the_catalog(market: Stub, reply: Reply, lang: str) -> None:
    market.always = reply
    result = run("refresh", *ASKED, "--lang", lang)
    assert result.exit_code == 2 and not result.stdout and is_one_sentence(result.stderr)
    assert "2026-11-30" in result.stderr
    assert run_json("refresh", "list")["snapshots"] == []
    listing = run("refresh", "list", "--lang", lang)
    assert ("没有成功" if lang == "zh" else "failed") in listing.stdout
    assert_nothing_secret(result.stderr, listing.stdout)


def test_the_catalog_of_the_last_refresh_stays_when_the_next_one_fails(market: Stub) -> None:
    run_json("refresh", *ASKED)
    market.always = UNKNOWN_KEY
    result = run("refresh", *ASKED, "--lang", "en")
    assert result.exit_code == 2 and today() in result.stderr
    assert run_json("instances", "show", SMALL)["types"][0]["price"]["amount"] == "7.77"


def test_a_refresh_that_gave_up_is_gone_on_with_unless_told_otherwise(market: Stub) -> None:
    good = market.answers["DescribePrice"]
    for options, resumed in (((), 4), (("--fresh",), 0)):
        market.answers["DescribePrice"] = EMPTY
        stopped = run("refresh", *ASKED, "--lang", "zh")
        assert stopped.exit_code == 2 and "4 步" in stopped.stderr and is_one_sentence(stopped.stderr)
        market.answers["DescribePrice"] = good
        assert run_json("refresh", *ASKED, *options)["resumed"] == resumed


def test_a_dropped_start_is_said(market: Stub) -> None:
    market.answers["DescribePrice"], good = EMPTY, market.answers["DescribePrice"]
    run("refresh", *ASKED)
    market.answers["DescribePrice"] = good
    result = run("refresh", *ASKED, "--monthly", "--lang", "zh")
    assert result.exit_code == 0 and "从头开始" in result.stdout


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_two_refreshes_do_not_run_at_once(market: Stub, lang: str) -> None:
    with open_journal(folder(), REQUEST, now=datetime.now(UTC)):
        result = run("refresh", *ASKED, "--lang", lang)
    assert result.exit_code == 2 and is_one_sentence(result.stderr) and not market.requests
    assert ("正在进行" if lang == "zh" else "is running") in result.stderr


@pytest.mark.parametrize(("language", "words"), [("zh", "被中断"), ("en", "interrupted")])
def test_an_interruption_is_one_sentence(language: Language, words: str, tmp_path: Path) -> None:
    with pytest.raises(XuankaError, match=words) as caught, failure_said(tmp_path, language):
        raise KeyboardInterrupt
    assert "2026-11-30" in str(caught.value)


@pytest.mark.parametrize("name", SECRETS)
@pytest.mark.parametrize("value", ["密钥", "very-secret\nkey", "very secret"])
def test_what_is_no_key_is_told_without_showing_it(market: Stub, name: str, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, value)
    read_settings.cache_clear()
    result = run("refresh", *ASKED, "--lang", "en")
    assert result.exit_code == 2 and is_one_sentence(result.stderr) and name in result.stderr
    assert not market.requests and value not in result.stderr and "very" not in result.stderr


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_nothing_kept_is_not_said_to_be_kept(market: Stub, lang: str) -> None:
    market.always = failure(400, "Zzz.Unknown")
    result = run("refresh", *ASKED, "--lang", lang)
    assert result.exit_code == 2 and "Zzz.Unknown" in result.stderr
    assert "0 步" not in result.stderr and "0 steps" not in result.stderr


def test_an_endpoint_without_encryption_is_refused_elsewhere(market: Stub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XUANKA_ALIYUN_ENDPOINT", "http://ecs.example.com")
    read_settings.cache_clear()
    result = run("refresh", *ASKED)
    assert result.exit_code == 2 and is_one_sentence(result.stderr) and "https" in result.stderr
