from __future__ import annotations

import shlex

import pytest

from tests.ui.running import is_one_sentence, run, run_json
from tools.order.results import Order

A10 = "ecs.gn7i-c8g1.2xlarge"


def order(*arguments: str) -> Order:
    return Order.model_validate(run_json("instances", "order", *arguments))


@pytest.mark.parametrize(
    ("lang", "words"),
    [
        ("zh", ["2 台", "目录价每台", "合计", "配额", "2 张卡", "aliyun 命令行", "Terraform", "来源"]),
        ("en", ["2 × ", "List price", "in all", "Quota", "2 (counted in GPU cards)", "aliyun command line", "Terraform", "Sources"]),
    ],
)
def test_an_order_shows_all_ways(lang: str, words: list[str]) -> None:
    shown = run("instances", "order", A10, "--machines", "2", "--lang", lang).stdout
    assert all(word.lower() in shown.lower() for word in words)
    assert "https://ecs-buy.aliyun.com/" in shown and "aliyun ecs RunInstances" in shown and "--DryRun true" in shown


def test_a_bare_form_is_that_form_alone() -> None:
    command = run("instances", "order", A10, "--format", "cli").stdout
    assert shlex.split(command.replace("\\\n", " "), comments=True)[-2:] == ["--DryRun", "true"]
    assert run("instances", "order", A10, "--format", "terraform").stdout.startswith("terraform {")
    assert run("instances", "order", A10, "--format", "link").stdout.strip().startswith("https://ecs-buy.aliyun.com/")


@pytest.mark.parametrize("form", ["cli", "terraform", "link"])
@pytest.mark.parametrize(("lang", "word"), [("zh", "商务"), ("en", "sales")])
def test_a_type_that_cannot_be_ordered_has_no_bare_form(form: str, lang: str, word: str) -> None:
    result = run("instances", "order", "ecs.gn8v.4xlarge", "--format", form, "--lang", lang)
    assert result.exit_code == 2 and not result.stdout
    assert is_one_sentence(result.stderr) and word in result.stderr and "gn7e" in result.stderr


def test_it_is_told_what_to_do_instead() -> None:
    shown = run("instances", "order", "gn8v.4xlarge", "--lang", "zh").stdout
    assert "商务" in shown and "RunInstances" not in shown and "ecs.gn7e-c16g1.8xlarge" in shown


def test_months_alone_mean_a_subscription() -> None:
    made = order(A10, "--months", "3")
    assert (made.billing, made.months) == ("month", 3)
    assert order(A10, "--billing", "spot").billing == "spot" and order(A10).billing == "payg"


def test_disk_and_region_as_people_type_them() -> None:
    made = order("GN7I-C8G1.2XLARGE", "--disk", "１５０ GiB", "--region", "上海")
    assert (made.system_disk_gib, made.region) == (150, "cn-shanghai")


@pytest.mark.parametrize(
    "arguments",
    [
        ["--months", "3", "--billing", "spot"], ["--months", "13"], ["--machines", "0"], ["--machines", "1000"],
        ["--region", "mars"], ["--zone", "cn-hangzhou-a;id"], ["--disk", "999999"],
    ],
)  # fmt: skip
@pytest.mark.parametrize("lang", ["zh", "en"])
def test_what_is_no_order_is_one_sentence(arguments: list[str], lang: str) -> None:
    result = run("instances", "order", A10, "--lang", lang, *arguments)
    assert result.exit_code == 2 and is_one_sentence(result.stderr)


@pytest.mark.parametrize("name", ["gn7v", "gn7i", "A10", "ecs.gn7i;reboot", "😀", " "])
def test_unknown_types_are_one_sentence(name: str) -> None:
    result = run("instances", "order", name)
    assert result.exit_code == 2 and not result.stdout and is_one_sentence(result.stderr)
