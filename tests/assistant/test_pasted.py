"""A pasted article is checked, whatever stands around it: counts first, then what is wrong, in the language of the user's own words."""

from __future__ import annotations

import pytest

from assistant import Assistant
from assistant.read.pasted import find_pasted

ARTICLE_ZH = """# 我们的选卡笔记

上个季度把推理服务搬到了阿里云，记几条经验。

- gn6i 是 T4，单卡 16GB，跑 7B 的 int4 够了。
- T4 也支持 BF16，代码不用改。
- gn8is 的 L20 有 48GB 显存。
- gn9i 最近很火，性价比高。
- 抢占式实例永远不会被回收，离线任务全放上去了。

Qwen2.5-72B 的 int4 用两张 L20，32K 上下文，8 个人同时用，每月预算 3 万元。
"""
ARTICLE_EN = """# Notes on GPU machines

We moved our inference to Alibaba Cloud last quarter.

- gn6i is the T4 family with 16 GB per card.
- The T4 supports BF16, so no code had to change.
- The L20 in gn8is has 48 GB.
- gn9i is popular these days.
- Spot instances are never reclaimed, so all batch jobs run there.

Qwen2.5-72B in int4 took two L20 cards with 32k context and 8 users, for 30,000 CNY a month.
"""
FALSE = ("BF16", "gn9i", "spot")
"""Subjects of the three statements that are not so."""


@pytest.mark.parametrize("article", [ARTICLE_ZH, ARTICLE_EN])
@pytest.mark.parametrize(
    ("around", "language"),
    [
        ("核对一下：{}", "zh"), ("帮我看看这篇有没有错\n\n{}", "zh"), ("{}\n以上哪些说法不对？", "zh"), ("下面这篇文章靠谱吗？\n{}", "zh"),
        ("check this: {}", "en"), ("Please verify the following article.\n\n{}", "en"), ("{}\n\nWhich of these statements are wrong?", "en"), ("Fact-check:\n{}", "en"),
        ("ｃｈｅｃｋ ｔｈｉｓ：\n{}", "en"), ("{}", ""),
    ],
)  # fmt: skip
def test_an_article_is_checked_in_the_language_of_the_users_own_words(assistant: Assistant, article: str, around: str, language: str) -> None:
    answer = assistant.ask(around.format(article))
    assert (answer.kind, answer.verified) == ("claim_check", True)
    assert answer.language == (language or ("zh" if article is ARTICLE_ZH else "en"))
    assert answer.estimate is None and not answer.recommendations
    assert [call.tool for call in answer.calls] == ["check_claims"]
    first, *lines = [line for line in answer.text.splitlines() if line]
    assert ("不对 2 条" in first and "目录里没有 1 条" in first) if answer.language == "zh" else ("2 wrong" in first and "1 not in the catalog" in first)
    assert len(lines) == 3 and all("[" in line for line in lines)
    assert [caution.code for caution in answer.cautions] == ["wrong", "wrong", "not_in_catalog"]


RIGHT = "核对下面这段话：\ngn7i 搭载 A10，单卡 24GB 显存。\ngn7e 搭载 A100，单卡 80GB，多卡规格有 NVLink。\nT4 不支持 BF16，L20 支持 FP8；别的参数以官网为准。\n"


def test_an_article_without_errors_is_not_called_right_as_a_whole(assistant: Assistant) -> None:
    answer = assistant.ask(RIGHT)
    assert answer.text.startswith("**没有查出错误。**") and "不代表都对" in answer.text and not answer.cautions


@pytest.mark.parametrize(("text", "said"), [("核对这篇文章：\n今天去爬山，风景很好。\n" + "山上的云很白，水也很清，大家都很开心，明年还要再来。\n" * 4, "没有能核对的说法"), ("Check this article:\nWe went hiking.\n" + "The clouds were white and the water was clear, and all had a good day.\n" * 3, "Nothing in this text")])
def test_a_text_of_something_else_is_said_to_hold_nothing_to_check(assistant: Assistant, text: str, said: str) -> None:
    answer = assistant.ask(text)
    assert answer.kind == "claim_check" and said in answer.text


def test_what_an_article_asks_is_no_statement(assistant: Assistant) -> None:
    faq = "核对：\n## gn7i 有没有 NVLink？\n没有，gn7i 走 PCIe。\n## T4 支持 BF16 吗？\n不支持，T4 只能用 FP16。\n## A10 多大显存？\nA10 是 24GB 显存，gn7i 用的就是它。\n"
    assert not assistant.ask(faq).cautions


def test_short_statements_are_told_with_their_line(assistant: Assistant) -> None:
    answer = assistant.ask("核对：\n常用的卡：T4（16GB/32GB）适合入门推理，A10（24GB）适合一般推理。\nL20（48GB）适合 FP8 推理，A100（40GB/80GB）适合训练。\n")
    assert "T4（16GB/32GB）" in answer.text


REQUESTS = [
    "帮我检查下面的配置够不够：\nQwen2.5-72B int4\n32K 上下文，8 并发\n2 张 L20\nvLLM 0.6\n杭州\n预算 30 元/小时\n系统盘 100G，数据盘 500G ESSD PL1，再加一台备机做高可用",
    "Is this setup correct?\nmodel: Qwen2.5-72B int4\ncontext: 32k\nusers: 8\ncards: 2 x L20\nengine: vLLM\nregion: Hangzhou, budget 30 CNY per hour",
    "我们想部署 Qwen2.5-72B，int4 量化，32K 上下文，8 路并发。\n现在用的是 gn7i，A10 24GB，4 卡。\ngn7e 单卡 80GB 用不完。\nL20 有 48GB。\n预算每月 2 万，杭州，求推荐一台合适的机器。" + "业务是客服问答，白天忙晚上闲。" * 10,
    "We run a chat bot on gn7i today, the A10 has 24 GB.\nThe L20 has 48 GB and FP8, gn7e has NVLink.\nTraffic doubles next year, with 32k context and 40 users at peak hours.\nBudget is 20,000 CNY a month in Hangzhou.\nWhich instance should we take for Qwen2.5-72B int4?",
    "A10 支持 FP8 吗？",
    "check: the A10 supports FP8",
    "核对：gn7v 搭载 A100",
]


@pytest.mark.parametrize("text", REQUESTS)
def test_requests_and_single_statements_are_no_articles(text: str) -> None:
    assert find_pasted(text) is None


@pytest.mark.parametrize("text", ["", " ", "\n" * 500, "。" * 500, "check this:" * 100, "核对：" * 200, "核对：\n" + "#" * 300, "a" * 8000, "check this:\n" + "\u0000" * 200])
def test_odd_texts_are_read_without_error(text: str) -> None:
    found = find_pasted(text)
    assert found is None or 0 <= found.start <= found.end <= len(text)
