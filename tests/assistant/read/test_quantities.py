"""A number and its role, Chinese and English side by side."""

import pytest

from assistant.read.normalise import normalise
from assistant.read.quantities import Quantities, read_quantities


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
    ],
)  # fmt: skip
def test_concurrency(text: str, users: int) -> None:
    assert read(text).concurrency == users


@pytest.mark.parametrize("text", ["QPS 5", "5 QPS", "每秒 5 个请求", "5 requests per second", "20 tokens/s", "每秒20个token"])
def test_rates_are_no_users_and_no_context(text: str) -> None:
    found = read(text)
    assert found.concurrency is None
    assert found.context is None


@pytest.mark.parametrize(
    ("text", "batch"),
    [("batch 8", 8), ("bs=4", 4), ("每卡 2 张图", 2), ("2 images per GPU", 2), ("batch size 设成 16", 16), ("micro-batch 1", 1), ("批大小为 32", 32)],
)
def test_batch(text: str, batch: int) -> None:
    assert read(text).batch == batch


@pytest.mark.parametrize(
    ("text", "gpus"), [("双卡", 2), ("两张卡", 2), ("8卡", 8), ("on four GPUs", 4), ("单卡", 1), ("2 cards", 2), ("八块显卡", 8)]
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
    ],
)  # fmt: skip
def test_hours(text: str, hours: float) -> None:
    assert read(text).hours == hours


@pytest.mark.parametrize("text", ["多少钱一小时", "15 块一小时", "每小时", "per hour"])
def test_an_hour_of_a_price_is_no_length(text: str) -> None:
    assert read(text).hours is None


@pytest.mark.parametrize(("text", "months"), [("三个月", 3), ("3 months", 3), ("半年", 6), ("一年", 12), ("2 years", 24)])
def test_months(text: str, months: float) -> None:
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


@pytest.mark.parametrize("text", ["gn7-8x", "4-8 个用户", "A10-24G", "Qwen2.5-7B 8 users", "bs=-"])
def test_dashes_are_no_minus(text: str) -> None:
    assert read(text).absurd == []


def test_tensor_parallel() -> None:
    assert read("tp=4").tensor_parallel == 4
    assert read("tensor parallel 8").tensor_parallel == 8
    assert read("张量并行 2").tensor_parallel == 2
