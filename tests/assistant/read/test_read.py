"""The whole Reading of a question; and any text gives one."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.read.models import split_config
from assistant.read.read import read_question

CONFIG = {
    "architectures": ["Qwen2ForCausalLM"], "hidden_size": 3584, "num_hidden_layers": 28, "num_attention_heads": 28,
    "rope_scaling": {"type": "yarn", "note": "a } in a string"}, "vocab_size": 152_064,
}  # fmt: skip


def test_a_full_question_in_chinese() -> None:
    reading = read_question("Qwen2.5-72B-Instruct，int4，32K 上下文，8 并发，KV 用 fp8，vLLM，杭州，用 4 张 A100 80G 可以吗？")
    assert reading.language == "zh"
    assert reading.intents[0] == "sizing"
    assert reading.job == "llm_inference"
    assert [m.model_id for m in reading.models] == ["Qwen2.5-72B-Instruct"]
    assert (reading.weight_dtype, reading.kv_dtype) == ("int4", "fp8")
    assert (reading.context, reading.concurrency, reading.gpus) == (32_768, 8, 4)
    assert [(c.name, c.count, c.memory_gb) for c in reading.cards] == [("nvidia-a100-80gb", 4, 80)]
    assert (reading.engine, reading.region) == ("vllm", "cn-hangzhou")
    assert reading.missing == []
    assert reading.carried == []


def test_the_same_question_in_english() -> None:
    reading = read_question("Qwen2.5-72B-Instruct in int4, 32K context, 8 users, fp8 KV cache, vLLM, Hangzhou: do 4x A100 80GB do?")
    assert reading.language == "en"
    assert (reading.weight_dtype, reading.kv_dtype, reading.context, reading.concurrency) == ("int4", "fp8", 32_768, 8)
    assert (reading.engine, reading.region, reading.gpus) == ("vllm", "cn-hangzhou", 4)


def test_language_can_be_overridden() -> None:
    assert read_question("gn7i 多少钱", language="en").language == "en"
    assert read_question("what is gn7i", language="zh").language == "zh"


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("想部署一个大模型，用哪种实例？", ["model", "precision", "context", "concurrency"]),
        ("I want to deploy a large model. Which instance?", ["model", "precision", "context", "concurrency"]),
        ("Qwen2.5-7B AWQ 用什么卡", ["context", "concurrency"]),
        ("训练 SegFormer-B5 用什么卡", []),
        ("T4 适合什么", []),
    ],
)
def test_missing(text: str, missing: list[str]) -> None:
    assert read_question(text).missing == missing


@pytest.mark.parametrize("around", ["用什么卡？\n{}", "{}\nWhich GPU does this need with 8 users?", "```json\n{}\n``` 32k 上下文"])
def test_a_pasted_config(around: str) -> None:
    pasted = json.dumps(CONFIG, indent=1)
    reading = read_question(around.format(pasted) if "```" not in around else around.replace("{}", pasted))
    assert reading.config_json is not None
    assert json.loads(reading.config_json) == CONFIG
    assert reading.intents[0] == "sizing"
    assert "hidden_size" not in reading.normal
    assert "model" not in reading.missing


@pytest.mark.parametrize("text", ["{}", "{no config}", '{"hidden_size": 1', "用 {gn7i} 吗", '}{"a": 1}{'])
def test_no_config(text: str) -> None:
    assert split_config(text) == (None, text)


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("-5 并发跑 Qwen2.5-7B", {"negative_quantity"}), ("Qwen2.5-7B for 0 users", {"zero_quantity"}),
        ("10^12 参数的模型要多少显存", {"huge_model"}), ("a model of 1e13 parameters", {"huge_model"}), ("一百万亿参数的模型怎么部署", {"huge_model"}),
        ("Qwen2.5-7B with 10^15 tokens of context", {"huge_context"}), ("Kimi-K2 1T 参数用什么卡", set()), ("Qwen2.5-7B batch 0", {"zero_quantity"}),
    ],
)  # fmt: skip
def test_absurd(text: str, codes: set[str]) -> None:
    reading = read_question(text)
    assert {fault.partition(":")[0] for fault in reading.absurd} == codes
    assert all("\x00" not in fault for fault in reading.absurd)


@pytest.mark.parametrize(
    ("text", "presumed"),
    [
        ("gn7v 是 A100 吗？", "gn7v 是 A100 吗?"), ("Is gn7v an A100?", "Is gn7v an A100?"),
        ("Qwen2.5-7B 用 A10 40GB 能跑吗", "A10 40GB"), ("Can a 7B run on an A10 40GB?", "A10 40GB"),
        ("Qwen2.5-72B 用 gn8 可以吗？", "gn8"), ("Qwen2.5-72B on gn99x?", "gn99x"),
        ("gn7v 有 8 张 A100，跑 70B 够吗", "gn7v 有 8 张 A100"),
    ],
)  # fmt: skip
def test_presumes(text: str, presumed: str) -> None:
    assert presumed in read_question(text).presumes


def test_a_true_question_presumes_nothing() -> None:
    assert read_question("Qwen2.5-7B 用 A10 能跑吗").presumes == []
    assert read_question("T4、A10、L20 做推理怎么选？").presumes == []
    assert read_question("T4 和 A10 价格差多少").presumes == []


@pytest.mark.parametrize(
    ("text", "job"),
    [
        ("Qwen2.5-VL-7B 的 LoRA", "llm_training"), ("FLUX.1-dev 要多少显存", "diffusion_inference"), ("bge-m3 用什么卡", "encoder_inference"), ("340M parameter BERT 用什么卡", "encoder_inference"),
        ("Whisper large-v3 转写", "asr_inference"), ("Qwen2.5-7B 只用 CPU 跑", "cpu_inference"), ("YOLOv8 训练用什么卡", "vision_training"),
        ("Mask2Former at 1024x1024, batch 16", "vision_training"), ("serve SegFormer-B0 on a T4", "vision_inference"), ("T4 的价格", None),
    ],
)  # fmt: skip
def test_job(text: str, job: str | None) -> None:
    assert read_question(text).job == job


def test_a_bare_length_beside_a_vision_network_is_its_crop() -> None:
    reading = read_question("训练 UNet 512 输入 batch 16 显存多少")
    assert (reading.network, reading.crop, reading.context) == ("UNet", (512, 512), None)
    assert read_question("Wan2.2 生成 720p 视频要多少显存").context is None


def test_a_model_on_a_cpu_family_is_served_by_the_cpu() -> None:
    assert read_question("Qwen2.5-1.5B int8 放 c8i 行吗").job == "cpu_inference"


def test_a_size_said_in_words_is_a_model() -> None:
    reading = read_question("三千万参数的模型用什么卡")
    assert [(m.model_id, m.params) for m in reading.models] == [(None, 30_000_000)]


WORDS = st.sampled_from(
    ["Qwen2.5-7B", "A10", "gn7v", "ecs.", "40GB", "32k", "-5", "并发", "上下文", "多少钱", "吗", "？", "10^15", "{", "}", '"hidden_size"',
     "忽略", "规则", "fp8", "KV", "$", "预算", "一半", "零", "那", "呢", "x", "×", "1e999", "²", "\x00", "\ud83d", "İ", "ß", "１２８"]
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(st.one_of(st.text(max_size=200), st.lists(WORDS, max_size=25).map(" ".join), st.lists(WORDS, max_size=25).map("".join)))
def test_any_text_gives_a_reading(text: str) -> None:
    reading = read_question(text)
    assert reading.intents
    assert len(set(reading.intents)) == len(reading.intents)
    following = read_question("那换成 INT4 呢？", previous=reading)
    assert following.intents
    assert type(reading).model_validate(reading.model_dump()) == reading


@pytest.mark.parametrize("text", ["9" * 10_000, "a10 40gb " * 2000, "那" * 10_000, '{"hidden_size":' * 13_000, "1,111" * 5000, "ignore a " * 3000])
def test_long_texts_are_read(text: str) -> None:
    assert read_question(text).intents


@pytest.mark.parametrize(
    ("text", "context"),
    [
        ("Yi-34B-200K 用什么卡", None), ("ChatGLM3-6B-32K 8 并发", None), ("GLM-4-9B-chat-1m which GPU", None), ("Qwen2.5-7B-Instruct-1M needs?", None),
        ("Qwen2.5-7B-32K 8 并发", 32_768), ("Qwen2.5-72B-128k which card", 131_072), ("Llama-4-Scout 10M 上下文", 10_485_760), ("Kimi-Linear-48B-A3B 1M", 1_048_576),
    ],
)  # fmt: skip
def test_a_length_behind_a_name_is_no_negative_number(text: str, context: int | None) -> None:
    reading = read_question(text)
    assert reading.absurd == []
    assert reading.context == context
    assert reading.models[0].model_id


@pytest.mark.parametrize(
    "text", ["Qwen3-8B 每秒多少 token", "Qwen3-8B 首字延迟", "Qwen3-8B tokens/s on A10", "TTFT of Qwen3-8B", "Qwen3-8B QPS 5", "5 requests per second with Qwen3-8B"]
)
def test_rates_make_speed_a_topic(text: str) -> None:
    assert "speed" in read_question(text).topics


@pytest.mark.parametrize(
    ("text", "machines", "hours", "months"),
    [
        ("2 台 gn7e 一年多少钱", 2, None, 12), ("3 instances of gn7i for a month", 3, None, 1), ("gn7i 一天多少钱", None, 24, None), ("how much is gn7i per day", None, 24, None),
        ("gn7i 每天 8 小时一个月多少钱", None, 240, None), ("gn7i 8 hours a day for a month, price?", None, 240, None), ("3 台 gn7i 跑满 30 天", 3, 720, None),
    ],
)  # fmt: skip
def test_what_a_cost_is_for(text: str, machines: int | None, hours: float | None, months: float | None) -> None:
    reading = read_question(text)
    assert (reading.machines, reading.hours, reading.months) == (machines, hours, months)
    assert reading.intents[0] == "price"


@pytest.mark.parametrize("text", ["100 美元能用多久 gn7i", "gn7i: how long can I run it with $100", "how long will 100 dollars last on gn7i", "gn7i 一百美元能跑多久"])
def test_how_long_a_sum_lasts(text: str) -> None:
    reading = read_question(text)
    assert reading.budget is not None
    assert (reading.budget.amount, reading.budget.currency, reading.budget.per) == (100, "USD", "once")
    assert reading.intents[0] == "price"


@pytest.mark.parametrize("text", ["部署 GPT-4 用什么卡", "Can I deploy Claude on gn7e?", "豆包要多少显存", "which GPU for Gemini"])
def test_a_closed_model_is_no_open_one(text: str) -> None:
    reading = read_question(text)
    assert reading.models == []
    assert len(reading.closed_models) == 1
    assert reading.intents[0] == "sizing"
    assert "model" in reading.missing


@pytest.mark.parametrize(
    ("text", "model", "context"),
    [
        ("phi-3-mini 128k context", "Phi-3-mini-128k-instruct", 131_072),
        ("phi 3 mini 128k，4 个用户", "Phi-3-mini-128k-instruct", 131_072),
        ("Qwen2.5-7B-Instruct-1M 1M 上下文", "Qwen2.5-7B-Instruct-1M", 1_048_576),
        ("glm-4-9b-chat-1m, 1M context, 1 user", "glm-4-9b-chat-1m", 1_048_576),
        ("Yi-34B-200K", "Yi-34B-200K", None),
        ("Phi-3-mini-128k-instruct with 64k", "Phi-3-mini-128k-instruct", 65_536),
    ],
)
def test_a_window_said_apart_from_the_name_is_the_context(text: str, model: str, context: int | None) -> None:
    reading = read_question(text)
    assert [m.model_id for m in reading.models] == [model]
    assert reading.context == context
