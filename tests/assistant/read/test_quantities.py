"""A number and its role, Chinese and English side by side."""

import pytest

from assistant.read.normalise import normalise
from assistant.read.quantities import Quantities, read_quantities
from assistant.read.read import read_question


def read(text: str) -> Quantities:
    return read_quantities(normalise(text).lower())


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("32K 上下文", 32_768), ("32K context", 32_768),
        ("上下文 8k", 8192), ("8k context", 8192),
        ("上下文长度开到 16384", 16_384), ("a context window of 16,384 tokens", 16_384),
        ("max_model_len 32768", 32_768), ("--max-model-len=32768", 32_768),
        ("3.2万 token", 32_000), ("4 thousand tokens each", 4000),
        ("一万二 token 的上下文", 12_000), ("50k-token contexts", 50_000),
        ("128k", 131_072), ("does 20k fit", 20_000),
        ("上下文一万六", 16_000), ("max sequence 20000", 20_000),
        ("cutoff_len 开到 32768", 32_768), ("seq len 4096", 4096),
        ("输入 4k 输出 1k", 5120), ("4k input and 1k output", 5120),
        ("１２８Ｋ上下文", 131_072), ("1M context", 1_048_576),
        ("FP8，256K 上下文", 262_144), ("fp8, 256K context", 262_144), ("4，8K", 8192), ("4, 8K", 8192),
        ("三点二万上下文", 32_000), ("一点六万 token", 16_000), ("10M 上下文", 10_485_760), ("a 10M token window", 10_485_760),
        ("int8 4096 单路", 4096), ("bf16, 32768, one user", 32_768), ("fp8 16384 八并发", 16_384), ("4k-8k context", 8192), ("8K 到 16K 上下文", 16_384),
        ("16K×32 并发", 16_384), ("16K * 32 users", 16_384),
        ("平均输入3000字输出500字", 3500), ("每次 3000 字", 3000), ("100 tokens", 100), ("64 token 的上下文", 64),
    ],
)  # fmt: skip
def test_context(text: str, tokens: int) -> None:
    assert read(text).context == tokens


@pytest.mark.parametrize(
    ("text", "users"),
    [
        ("8 并发", 8), ("8 concurrent requests", 8),
        ("８个用户", 8), ("8 users at once", 8),
        ("20 人同时用", 20), ("20 people use it together", 20),
        ("并发 50", 50), ("concurrency 50", 50),
        ("五十个人用", 50), ("fifty users", 50),
        ("20路并发", 20), ("with a concurrency of 20", 20),
        ("4-8 个用户", 8), ("4-8 users", 8),
        ("一百二十个用户", 120), ("two hundred users", 200),
        ("max_num_seqs=64", 64), ("one user at a time", 1),
        ("16 个客户同时", 16), ("16 customers at once", 16),
        ("有200个员工，同时在线大概20个", 20), ("200 employees; about 10 at the same time", 10), ("a team of 12 people", 12),
        ("同时有 30 人在线", 30), ("30 simultaneous sessions", 30),
        ("FP8，128并发", 128), ("fp8,128 concurrent", 128), ("bf16，8，128并发", 128), ("bf16, 8, 128 concurrent", 128),
        ("2百并发", 200), ("四路并发", 4), ("半打用户", 6), ("half a dozen users", 6), ("two dozen users", 24), ("1,200 users", 1200),
    ],
)  # fmt: skip
def test_concurrency(text: str, users: int) -> None:
    assert read(text).concurrency == users


@pytest.mark.parametrize(
    ("text", "people", "users"),
    [
        ("100个员工", True, 100), ("100 employees", True, 100), ("公司 200 人", True, 200), ("a 50-person company", True, 50),
        ("8 个用户", False, 8), ("8 users", False, 8), ("100个员工，8 并发", False, 8), ("100 employees, 8 at once", False, 8),
    ],
)  # fmt: skip
def test_people_are_told_from_requests(text: str, people: bool, users: int) -> None:
    found = read(text)
    assert (found.people, found.concurrency) == (people, users)


@pytest.mark.parametrize(
    ("text", "tokens", "users"),
    [
        ("4 并发 32k bf16", 32_768, 4), ("4并发32k上下文", 32_768, 4), ("并发 4 32k", 32_768, 4), ("8k 并发 16", 8192, 16),
        ("上下文 8192 并发 16", 8192, 16), ("上下文 3000 并发 16", 3000, 16), ("8k 并发 16 路", 8192, 16), ("４ 并发 ３２Ｋ", 32_768, 4),
        ("4 用户 32k bf16", 32_768, 4), ("2用户 16k fp16", 16_384, 2), ("16 用户 bf16 4k", 4096, 16), ("200k 1 用户 bf16", 204_800, 1), ("4 会话 32k", 32_768, 4),
        ("4 users 32k bf16", 32_768, 4), ("4 concurrent 32k bf16", 32_768, 4), ("4 concurrent users 32k", 32_768, 4), ("16 users bf16 4k", 4096, 16),
        ("32 concurrency 8k", 8192, 32), ("8k concurrency 32", 8192, 32), ("32-way concurrency, 8k", 8192, 32), ("8 in flight 16k", 16_384, 8),
        ("32 x 8k", 8192, 32), ("8k x32", 8192, 32), ("8k × 32 路", 8192, 32), ("32×8K", 8192, 32), ("32路×8K", 8192, 32), ("32@8k", 8192, 32),
        ("64 x 8192", 8192, 64), ("128 x 64k", 65_536, 128), ("32k/4 并发", 32_768, 4), ("4并发/32k", 32_768, 4),
        ("8k x 2 张卡", 8192, None), ("8k x 2 GPUs", 8192, None), ("32k - 8 users", 32_768, 8), ("32kb context, 4 users", 32_768, 4), ("上下文 32KB 8 并发", 32_768, 8),
        ("4k 输入 1k 输出 8 用户", 5120, 8), ("4k input 1k output 8 users", 5120, 8),
    ],
)  # fmt: skip
def test_context_and_users_side_by_side(text: str, tokens: int, users: int | None) -> None:
    found = read(text)
    assert (found.context, found.concurrency, found.absurd) == (tokens, users, [])


@pytest.mark.parametrize(
    ("text", "users"),
    [
        ("并发10到20", 20), ("4～8 并发", 8), ("4〜8 并发", 8), ("10-20 users", 20), ("10—20 用户", 20), ("10 至 20 人", 20), ("concurrency 10 to 20", 20), ("用户加到 4-8", 8), ("increase the users to 16", 16),
        ("between 10 and 20 users", 20), ("10 和 20 个用户之间", 20), ("4个用户到8个用户", 8), ("4 users to 8 users", 8), ("4-8，bf16 并发 10-20", 20),
        ("1.5 users", 2), ("1.5 个用户", 2), ("two hundred and fifty users", 250), ("twenty-four users", 24), ("one thousand two hundred users", 1200), ("2千5 并发", 2500), ("1 千 2 百 用户", 1200),
    ],
)  # fmt: skip
def test_the_larger_end_and_the_whole_number_of_users(text: str, users: int) -> None:
    found = read(text)
    assert (found.concurrency, found.concurrencies, found.absurd) == (users, [users], [])


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("3 万 2 千 上下文", 32_000), ("3万2 上下文", 32_000), ("3万2千上下文", 32_000), ("3万二千 token", 32_000), ("1w5 上下文", 15_000), ("thirty-two thousand tokens", 32_000), ("8k~16k", 16_384), ("from 8k to 32k context", 32_768), ("KV cache 一个 token 占多少？32K 一条要多少 GB？", 32_768), ("KV of one token, and of 32K?", 32_768)],
)
def test_compound_and_ranged_contexts(text: str, tokens: int) -> None:
    assert read(text).contexts == [tokens]


@pytest.mark.parametrize(
    ("text", "tokens", "users"),
    [
        ("how many concurrent 8K users can it serve", 8192, None), ("How many 4K users fit on one A10?", 4096, None), ("how many 16K users", 16_384, None),
        ("how many simultaneous 32k requests", 32_768, None), ("the number of 8K sessions", 8192, None),
        ("多少个 8K 用户", 8192, None), ("几路 32K 会话", 32_768, None), ("能支持多少 16K 的用户", 16_384, None), ("8K 用户能跑多少个", 8192, None), ("8K 会话最多能带几路", 8192, None),
        ("12 路 8K 会话", 8192, 12), ("4 个 8K 用户", 8192, 4), ("十个 32K 会话", 32_768, 10), ("10 32K users", 32_768, 10), ("12 concurrent 8K sessions", 8192, 12), ("int4 2K users", None, 2000),
        ("1k users", None, 1000), ("2K 用户同时", None, 2000), ("16K users", None, 16_000),
        ("how many GPUs for 2K users", None, 2000), ("多少张卡能撑 2K 用户", None, 2000), ("2K 用户要几张卡", None, 2000), ("2K 用户能用几张卡撑", None, 2000),
    ],
)  # fmt: skip
def test_how_many_users_of_a_length(text: str, tokens: int | None, users: int | None) -> None:
    found = read(text)
    assert (found.context, found.concurrency) == (tokens, users)


@pytest.mark.parametrize(
    "text",
    ["一个 token 的 KV 多大", "一个 token 占多少", "每个 token 多大", "1 个 token 占几 KB", "KV per token", "KV of one token", "a single token", "per 1 token", "cost per 1M tokens", "每 1000 token 多少钱", "每百万 token 成本"],
)  # fmt: skip
def test_one_token_or_a_price_for_many_is_no_context(text: str) -> None:
    assert read(text).context is None


@pytest.mark.parametrize("text", ["8 GB context", "8GB 的上下文", "context of 8 GB", "上下文=8GB", "a 2 MB context window"])
def test_a_context_in_gigabytes_is_doubted(text: str) -> None:
    found = read(text)
    assert [fault.partition(":")[0] for fault in found.absurd] == ["context_in_bytes"]
    assert found.context is None


@pytest.mark.parametrize("text", ["24 GB 显存 上下文能开多大", "32k 上下文 24GB 显存够吗", "80GB 上下文能到多少", "8 GB for a 32k context", "24 GB context 32k", "24GB card, context 8k", "gn7-8x", "4-8 个用户", "A10-24G", "Qwen2.5-7B 8 users", "bs=-"])
def test_memory_beside_a_context_and_a_dash_are_not(text: str) -> None:
    assert read(text).absurd == []


@pytest.mark.parametrize("text", ["上下文 8", "context 8", "上下文长度 64", "ctx=16", "100M 带宽", "100 Mbps"])
def test_a_few_tokens_not_called_so_are_no_context(text: str) -> None:
    assert read(text).context is None


@pytest.mark.parametrize(
    ("text", "contexts", "users"),
    [
        ("8K上下文，16K上下文，哪个便宜", [8192, 16_384], []), ("8K or 32K context?", [8192, 32_768], []),
        ("8、16、32 并发", [], [8, 16, 32]), ("8 or 64 users", [], [8, 64]), ("8K，4 并发", [8192], [4]),
    ],
)  # fmt: skip
def test_all_that_are_named_are_kept_in_order(text: str, contexts: list[int], users: list[int]) -> None:
    found = read(text)
    assert (found.contexts, found.concurrencies) == (contexts, users)
    assert found.context == (contexts[0] if contexts else None)
    assert found.concurrency == (users[0] if users else None)


@pytest.mark.parametrize(
    ("text", "machines"),
    [("两台", 2), ("3 instances", 3), ("开 4 台机器", 4), ("two servers", 2), ("2 个节点", 2), ("单卡", None), ("5台式机", None)],
)
def test_machines(text: str, machines: int | None) -> None:
    assert read(text).machines == machines


@pytest.mark.parametrize("text", ["QPS 5", "5 QPS", "每秒 5 个请求", "5 requests per second", "20 tokens/s", "每秒20个token"])
def test_rates_are_no_users_and_no_context(text: str) -> None:
    found = read(text)
    assert found.concurrency is None
    assert found.context is None


@pytest.mark.parametrize(
    ("text", "batch"),
    [("batch 8", 8), ("bs=4", 4), ("每卡 2 张图", 2), ("2 images per GPU", 2), ("batch size 设成 16", 16), ("micro-batch 1", 1), ("2048 batch 4", 4), ("16 batch", 16), ("批大小为 32", 32), ("16 batch 8k", 16), ("8k batch 16", 16), ("batch size 24", 24), ("bs=32 8k", 32)],
)
def test_batch(text: str, batch: int) -> None:
    assert read(text).batch == batch


@pytest.mark.parametrize(
    ("text", "gpus"), [("双卡", 2), ("两张卡", 2), ("8卡", 8), ("on four GPUs", 4), ("单卡", 1), ("2 cards", 2), ("八块显卡", 8), ("3万2张卡", 2)]
)
def test_gpus(text: str, gpus: int) -> None:
    assert read(text).gpus == gpus


@pytest.mark.parametrize(
    ("text", "crop"),
    [("crop 1024×1024", (1024, 1024)), ("1024x2048", (1024, 2048)), ("640 分辨率", (640, 640)), ("imgsz 1280", (1280, 1280)), ("512*512", (512, 512))],
)
def test_crop(text: str, crop: tuple[int, int]) -> None:
    assert read(text).crop == crop


def test_product_of_cards_is_no_crop() -> None:
    assert read("8×24=192G").crop is None


@pytest.mark.parametrize(
    ("text", "hours"),
    [
        ("跑 3 天", 72), ("for 3 days", 72), ("8 小时", 8), ("8 hours", 8), ("两周", 336), ("two weeks", 336),
        ("每天 8 小时，跑两个月", 480), ("2 hours a day, 20 days", 40),
        ("每天 8 小时一个月", 240), ("8 hours a day for a month", 240), ("跑满 30 天", 720), ("24 小时", 24), ("一天", 24),
        ("多少钱一天", 24), ("for a week", 168),
    ],
)  # fmt: skip
def test_hours(text: str, hours: float) -> None:
    assert read(text).hours == hours


@pytest.mark.parametrize("text", ["多少钱一小时", "15 块一小时", "每小时", "per hour"])
def test_an_hour_of_a_price_is_no_length(text: str) -> None:
    assert read(text).hours is None


@pytest.mark.parametrize(("text", "months"), [("三个月", 3), ("3 months", 3), ("半年", 6), ("一年", 12), ("2 years", 24), ("多少钱一年", 12), ("for a year", 12), ("每天 8 小时一个月", None)])
def test_months(text: str, months: float | None) -> None:
    assert read(text).months == months


@pytest.mark.parametrize(("text", "gib"), [("500G 系统盘", 500), ("2TB disk", 2048), ("数据盘 200GB", 200), ("a disk of 1 TB", 1024)])
def test_disk(text: str, gib: float) -> None:
    assert read(text).disk_gib == gib


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("-5 并发", "negative_quantity"), ("minus 5 users", "negative_quantity"), ("负五个用户", "negative_quantity"),
        ("0 users", "zero_quantity"), ("batch 0", "zero_quantity"), ("零个用户", "zero_quantity"),
        ("10^15 tokens", "huge_context"), ("10¹⁵ tokens 上下文", "huge_context"), ("1e15 tokens", "huge_context"),
    ],
)  # fmt: skip
def test_absurd(text: str, code: str) -> None:
    assert [fault.partition(":")[0] for fault in read(text).absurd] == [code]


@pytest.mark.parametrize(("text", "size"), [("tp=4", 4), ("tensor parallel 8", 8), ("张量并行 2", 2)])
def test_tensor_parallel(text: str, size: int) -> None:
    assert read(text).tensor_parallel == size


@pytest.mark.parametrize(
    ("text", "users"),
    [
        ("Qwen2.5-7B bs=32 8k", 32), ("Qwen2.5-7B batch size 24", 24), ("Qwen2.5-7B 推理 批大小 16", 16), ("serve Qwen2.5-7B, batch 32", 32),
        ("Qwen2.5-7B batch 32, 8 users", 8), ("LoRA 微调 Qwen2.5-7B batch 16", None), ("fine-tune Qwen2.5-7B, batch 16", None),
    ],
)  # fmt: skip
def test_a_batch_of_a_served_model_is_its_users(text: str, users: int | None) -> None:
    assert read_question(text).concurrency == users


def test_a_batch_said_anew_replaces_the_users_before() -> None:
    first = read_question("Qwen2.5-7B bs=32 8k")
    second = read_question("改成 batch 64", previous=first)
    assert (second.concurrency, second.context) == (64, 8192)
    assert read_question("16k 呢", previous=read_question("并发 8 呢", previous=second)).concurrency == 8


@pytest.mark.parametrize(("first", "then"), [("Qwen2.5-72B 32k 8 并发", "一个 token 的 KV 多大？"), ("Qwen2.5-72B 32k 8 users", "how big is the KV of one token?")])
def test_one_token_asked_about_after_a_model(first: str, then: str) -> None:
    found = read_question(then, previous=read_question(first))
    assert (found.intents, found.context, [model.text for model in found.models]) == (["sizing"], 32_768, ["Qwen2.5-72B"])
    assert read_question(then).intents == ["sizing"]
