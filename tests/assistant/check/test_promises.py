"""Assertions without a figure or a name: what no tool can back, what the catalog or the prices of the turn contradict."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from assistant.check.comparisons import bad_comparisons
from assistant.check.draft_text import DraftText
from assistant.check.numbers import bad_numbers
from assistant.check.odd_figures import bad_odd_figures
from assistant.check.problem import Problem
from assistant.check.promises import bad_promises
from assistant.check.properties import bad_properties
from assistant.check.support import Support
from assistant.evidence import Evidence, Finding, SourceRef

from .given import found, support_of


def _price(amount: str, region: str = "cn-hangzhou") -> dict[str, object]:
    return {"amount": amount, "amount_high": None, "currency": "CNY", "per": "hour", "billing": "payg", "region": region, "as_of": "2024-12-31", "source_id": "cloudpilot-prices-2024-12", "note": ""}


def _machine(name: str, gpu: str, amount: str) -> dict[str, object]:
    return {"instance_type": name, "family": name.split(".")[1].split("-")[0], "gpu_id": gpu, "gpu_count": 1, "instances": 1, "fits": True, "price": _price(amount)}


PICK = "ecs.gn7i-c8g1.2xlarge"
SIZING = Finding(
    tool="size_llm",
    args={"model": "Qwen2.5-7B"},
    data={"advice": {"recommendations": [_machine(PICK, "nvidia-a10", "9.5326"), _machine("ecs.gn6e-c12g1.3xlarge", "nvidia-v100-32gb", "19.739"), _machine("ecs.gn7e-c16g1.4xlarge", "nvidia-a100-80gb", "34.742")]}},
    sources=[SourceRef(source_id="cloudpilot-prices-2024-12", excerpt="公共 Linux 镜像免费，Windows Server 按规格收费。")],
)
SOLD = Finding(tool="where_sold", data={"places": [{"instance_type": PICK, "region": "cn-heyuan", "price": _price("8.5794", "cn-heyuan")}, {"instance_type": PICK, "region": "cn-beijing", "price": _price("9.5326", "cn-beijing")}]})
ASKED = {"zh": "Qwen2.5-7B bf16，8K，4 并发，用什么实例？", "en": "Which instance for Qwen2.5-7B in bf16 with 8K and 4 users?"}
SAID = {"zh": f"选 `{PICK}`（1 × A10 24 GB，杭州按量 9.5326 元/小时，2024-12-31 目录价）。", "en": f"Take `{PICK}` (1 × A10 24 GB; 9.5326 CNY/h in cn-hangzhou, as listed on 2024-12-31)."}


def _support(language: str) -> Support:
    return support_of(ASKED[language], reference=SAID[language], evidence=Evidence([SIZING, SOLD]))


def _parts(draft: DraftText, support: Support) -> Iterator[Problem]:
    for part in (bad_promises, bad_properties, bad_comparisons, bad_odd_figures):
        yield from part(draft, support)


def _found(text: str) -> list[Problem]:
    language = "zh" if any("一" <= character <= "鿿" for character in text) else "en"
    return found(_parts, f"{SAID[language]}\n\n{text}", _support(language))


BAD = """
现货充足，随时可买。
杭州没有货。
杭州这边货很多，不用抢。
所有地域都能买到。
It is sold in every region.
用它不会产生任何费用。
It's on the house.
以后都是这个价，不会变。
The price won't change next year.
我把配置保存好了。
I reserved one for you.
My tools told me so.
它带 RoCE 网络。
这款机器是物理机。
It is a dedicated physical server.
A10 刚发布不久。
省了三分之二的钱。
It is 2x cheaper than the V100.
gn6e 价格低一些。
换成 Qwen2.5-72B 同样够。
目前杭州可用区资源充足。
There is plenty of capacity right now.
这台机器不收费。
新用户首月只要一元。
I went ahead and ordered it.
稍后会有工程师联系您。
本模型由 OpenAI 训练。
工具 where_sold 的返回值显示如此。
这款机型自带 NVSwitch。
它的卡是 Hopper 架构。
Its GPU is a Hopper card.
它有四张卡。
It has 4 GPUs.
gn7i 已经不卖了。
A10 是阿里云最强的卡。
It is the most powerful card on Alibaba Cloud.
同一台还能跑 DeepSeek-V3。
It needs two dozen GiB.
Same price in Singapore.
北京已经售罄。
It is in stock and free.
The A10 is readily available in every region.
Stock is low at the moment.
这款实例现在免费。
新开的账号可以白送一个月。
It is free of charge for the first month.
You get unlimited traffic with it.
官方保证永不涨价。
价格保证最低。
The price is guaranteed and will never rise.
现在有限时优惠。
Use a coupon to pay less.
阿里云工程师推荐它。
业内公认这是好选择。
Alibaba Cloud engineers recommend it.
Most users choose this one.
不需要任何假设。
万无一失，放心买。
The result holds without any assumptions.
已为您下单。
我已经替你开通了实例。
实例已创建，请登录。
我会马上为您下单。
I have placed the order for you.
I've already launched the instance.
Your order has been confirmed.
I'll notify you when the price changes.
我是通义千问。
作为 AI，我建议您谨慎。
I am Qwen, made by Alibaba.
As an AI language model, I suggest the A10.
内部提示：路由到 size_llm 工具。
size_llm 返回的 JSON 里写着。
According to my tools' JSON it fits.
My instructions ask for short answers.
它有 RDMA 网络。
该实例支持 NVLink。
It has RDMA.
This card supports FP8.
它是裸金属服务器。
It is bare metal.
这张卡支持 MIG。
It supports MIG.
gn7i 已经停售。
它已经下架了。
gn7i is no longer sold.
The A10 has been discontinued.
A10 是最新一代的卡。
It is the newest generation.
它比 V100 快一倍。
便宜一半。
比按量便宜三成。
It is twice as fast as a V100.
It costs half as much.
That is an order of magnitude faster.
A third cheaper than the V100.
建议用 gn6e，它更便宜。
gn6e 比 gn7i 便宜。
gn6e is cheaper than gn7i.
T4 比 A10 快得多。
The T4 is faster than the A10.
最便宜的是 ecs.gn7e-c16g1.4xlarge。
ecs.gn6e-c12g1.3xlarge is the cheapest.
在新加坡也有这个价。
河源也是同样的价。
In Heyuan it is the same price.
它也放得下 Qwen2.5-72B。
It also fits Qwen2.5-72B.
这台也能跑 70B 的模型。
每卡要 1.67e1 GiB。
It needs XVI GiB.
It needs sixteen point seven GiB per card.
每卡要壹拾陆 GiB。
It needs 0x10 GiB.
这是 2025 年的价格。
These are 2026 prices.
""".strip().splitlines()  # fmt: skip

GOOD = """
有没有现货要看控制台。
库存以控制台为准。
价格记录不代表现在有货。
Check in the console whether it is in stock.
A price on record does not mean that it is in stock.
如果杭州没有货，就换可用区。
公共 Linux 镜像免费。
3.1 GiB stays free on the card.
About 3 GiB is free memory.
这不是免费的。
目录价不保证今天仍然有效。
There is no guarantee that the price still holds.
为保证余量，上下文别再加长。
已按 fp8 计算。
我帮您算了一下，放得下。
已为您算好各部分。
下单后再装驱动。
实例创建后登录控制台。
I have sorted the types by price.
I've ordered them by price.
To order it, open the console.
我无法为您下单，请到控制台购买。
I cannot place the order for you.
作为推理卡，A10 够用。
As an inference card the A10 will do.
内部网络带宽够用。
It can return JSON output with guided decoding.
系统提示词很长时可以用前缀缓存。
它没有 NVLink。
它只有一张卡。
It has one GPU.
它是 Ampere 架构。
Its card is an Ampere card.
提示库存不足时换一个可用区。
海外的 T4 更便宜。
gn6e 会不会更便宜？
Is gn6e cheaper?
这张卡不支持 FP8。
It has no RDMA.
This card does not support FP8.
它支持 bf16。
It supports bf16.
它是虚拟机，不是裸金属。
要裸金属就看 ebmgn7i。
It is not bare metal.
gn7i 仍在售，没有停售。
gn7i is still on sale, not discontinued.
A10 不是最新一代的卡。
It is not the newest generation.
它比 gn6e 便宜。
gn7i is cheaper than gn6e.
gn6e 更贵。
The V100 of gn6e is more expensive.
ecs.gn6e-c12g1.3xlarge 要 19.739 元/小时，大约贵一倍。
ecs.gn6e-c12g1.3xlarge is 19.739 CNY/h: about twice the price.
用 fp8 权重可以省一半显存。
4-bit weights need a quarter of the memory.
A10 比 T4 快得多。
The A10 is faster than the T4.
最便宜的是 ecs.gn7i-c8g1.2xlarge。
Of the 80 GB cards the cheapest is ecs.gn7e-c16g1.4xlarge.
北京也是同样的价。
In Beijing it costs the same.
它放得下 Qwen2.5-7B。
It fits Qwen2.5-7B.
它放不下 72B 的模型。
It does not fit Qwen2.5-72B.
It needs 16.7 GiB.
Use a learning rate of 2e-5.
这是 2024 年的目录价。
These are 2024 prices.
""".strip().splitlines()  # fmt: skip


@pytest.mark.parametrize("text", BAD)
def test_what_nothing_backs_is_found(text: str) -> None:
    problems = _found(text)
    assert problems
    assert all(problem.reason for problem in problems)
    assert all(problem.start >= len(SAID["en"]) or problem.start >= len(SAID["zh"]) for problem in problems)


@pytest.mark.parametrize("text", GOOD)
def test_what_is_backed_open_or_denied_passes(text: str) -> None:
    assert not _found(text)


def test_what_the_answer_itself_says_may_be_repeated() -> None:
    said = "现货充足，随时可买。"
    assert not found(bad_promises, said, support_of(reference=said))


def test_the_question_vouches_for_nothing() -> None:
    assert found(bad_promises, "杭州有现货。", support_of("杭州有现货"))


def test_a_statement_called_wrong_may_be_repeated() -> None:
    assert not found(bad_promises, "“gn7i 免费”这个说法是错误的。")


def test_of_two_machines_named_before_either_may_be_meant() -> None:
    text = "gn7e（A100）和 gn7i（A10）都可以。\n\n它有 NVLink。"
    assert not found(bad_properties, text)


LISTED = {
    "zh": f"**`{PICK}` 有记录的地域：**\n- 北京：按量 9.5326 元/小时\n- 杭州：按量 9.5326 元/小时\n\n- `ecs.gn7i-2x.8xlarge`：每卡需 10.6 GiB，上限 19.8，余 9.2",
    "en": f"**Regions with `{PICK}`:**\n- Beijing: 9.5326 CNY/h pay as you go\n- Hangzhou: 9.5326 CNY/h pay as you go\n\n- `ecs.gn7i-2x.8xlarge`: needs 10.6 GiB per GPU, limit 19.8, 9.2 to spare",
}


@pytest.mark.parametrize(
    ("language", "text", "bad"),
    [
        ("zh", "gn7e 只要 9.5326 元/小时。", True),
        ("zh", "A100 只要 9.5326 元/小时。", True),
        ("zh", "上限 19.8 GB。", True),
        ("zh", "gn7i 只要 9.5326 元/小时。", False),
        ("zh", "A10 只要 9.5326 元/小时。", False),
        ("zh", "上限 19.8 GiB。", False),
        ("en", "gn7e costs only 9.5326 CNY/h.", True),
        ("en", "An A100 costs 9.5326 CNY/h.", True),
        ("en", "The limit is 19.8 GB.", True),
        ("en", "An A10 costs 9.5326 CNY/h.", False),
        ("en", "The limit is 19.8 GiB.", False),
    ],
)
def test_a_price_below_a_heading_is_of_what_the_heading_names(language: str, text: str, bad: bool) -> None:
    assert bool(found(bad_numbers, text, support_of(ASKED[language], reference=LISTED[language], evidence=Evidence([SIZING])))) is bad
