"""The word tables, and the small finders that read them."""

from collections import Counter

import pytest

from assistant.read.language import find_language, find_switch, has_language
from assistant.read.lexicon import Lexicon, both_languages, flatten, lexicon, read_table
from assistant.read.methods import find_engine, find_job, find_method, is_training
from assistant.read.money import find_budget
from assistant.read.networks import find_networks
from assistant.read.normalise import normalise
from assistant.read.others import find_closed, find_clouds
from assistant.read.precision import find_precisions
from assistant.read.regions import find_region, find_regions
from assistant.read.wishes import find_wish

TABLES = ("precision", "methods", "engines", "networks", "tasks", "jobs", "billing", "topics", "cues", "rates", "features", "wishes", "switch", "closed")


@pytest.mark.parametrize("table", TABLES)
def test_no_word_stands_twice_in_a_table(table: str) -> None:
    words = Counter(flatten(w) for row in both_languages(read_table(table)).values() for w in set(row))
    assert [word for word, count in words.items() if count > 1] == []


def test_intents_weigh_only_features_that_exist() -> None:
    cues = set(read_table("cues"))
    text = (read_table("intents"), cues)
    joint = {
        "subject", "network", "hardware", "unknown", "quantity", "topic", "no_topic", "billing", "wish", "size_of_job",
        "fit_of_job", "size_of_card", "size_in_job", "spec_of", "spec_in_general", "exist_of", "price_of", "budget_choice",
        "fact", "unknown_fact", "claim_of", "two_things", "subject_on_hardware", "training_of", "choice", "fit_in_general",
        "greeting_alone", "offtopic_alone", "vague_job", "model_choice_on", "cheapest", "card_for_dtype", "topical", "job_context",
        "duration_of", "budget_lasts", "fact_figure", "solve_on",
    }  # fmt: skip
    weighed = {name for row in text[0].values() if isinstance(row, dict) for name in row}
    assert weighed <= cues | joint


def test_words_may_touch_chinese_but_not_latin() -> None:
    small = Lexicon({"t": {"engine": ["vllm"], "space": ["没有 GPU"]}})
    assert [hit.name for hit in small.scan("用vllm跑，没有gpu")] == ["engine", "space"]
    assert small.scan("myvllm vllmx") == []
    assert [hit.end - hit.start for hit in small.scan("vllms")] == [5]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Qwen2.5-72B 32k 8并发 用什么卡", "zh"), ("What is 抢占式?", "en"), ("gn7i?", "en"), ("你好", "zh"),
        ("What is the difference between 包年包月 and 抢占式?", "en"), ("这个 error 怎么办: CUDA out of memory", "zh"), ("", "en"),
    ],
)  # fmt: skip
def test_language(text: str, language: str) -> None:
    assert find_language(text) == language


@pytest.mark.parametrize(
    ("text", "weights", "kv"),
    [
        ("bf16", ("bf16",), None), ("半精度", ("fp16",), None), ("half precision", ("fp16",), None), ("int8", ("int8",), None),
        ("4bit", ("int4",), None), ("4-bit", ("int4",), None), ("INT4 量化", ("int4",), None), ("AWQ", ("awq",), None),
        ("GPTQ-Int4", ("gptq",), None), ("gptq int8", ("int8",), None), ("不量化", ("bf16",), None), ("unquantised", ("bf16",), None),
        ("full precision", ("bf16",), None), ("Q4_K_M", ("q4_k_m",), None), ("nf4", ("nf4",), None), ("mxfp4", ("mxfp4",), None),
        ("kv cache fp8", (), "fp8"), ("fp8 KV", (), "fp8"), ("KV 用 int8，权重 fp16", ("fp16",), "int8"), ("KV缓存fp8", (), "fp8"),
        ("kv_cache_dtype=fp8", (), "fp8"), ("bf16, FP8 or INT4", ("bf16", "fp8", "int4"), None), ("half the users", (), None),
        ("单精度", ("fp32",), None), ("w8a8", ("int8",), None), ("用fp8跑", ("fp8",), None),
    ],
)  # fmt: skip
def test_precision(text: str, weights: tuple[str, ...], kv: str | None) -> None:
    found = find_precisions(text)
    assert (found.weights, found.kv) == (weights, kv)


@pytest.mark.parametrize(
    ("text", "method"),
    [
        ("全参微调 14B", "full"), ("full fine-tuning", "full"), ("LoRA", "lora"), ("4bit LoRA", "qlora"), ("QLoRA", "qlora"),
        ("GRPO", "rlhf"), ("从头训练", "pretrain"), ("推理", None),
    ],
)  # fmt: skip
def test_method(text: str, method: str | None) -> None:
    assert find_method(lexicon().scan(text), []) == method


def test_lora_on_four_bit_weights_is_qlora() -> None:
    assert find_method(lexicon().scan("LoRA"), ["int4"]) == "qlora"
    assert find_method(lexicon().scan("LoRA"), ["bf16"]) == "lora"


@pytest.mark.parametrize(
    ("text", "training"),
    [("训练 SegFormer", True), ("fine-tune it", True), ("训练好的模型上线", False), ("a pretrained model", False), ("SFT", True), ("not train it", False)],
)
def test_training(text: str, training: bool) -> None:
    assert is_training(lexicon().scan(text)) is training


@pytest.mark.parametrize(
    ("text", "network"),
    [
        ("训练 SegFormer-B5，", "SegFormer-B5"), ("DeepLabV3+ R-101 769x769", "DeepLabV3+ R-101"), ("UPerNet Swin-B 512×512", "UPerNet Swin-B"),
        ("SeMask-Tiny Mask2Former", "SeMask-Tiny Mask2Former"), ("nnU-Net 3d_fullres", "nnU-Net 3d_fullres"), ("yolov9e-seg", "yolov9e-seg"),
        ("ResNet-50 推理", "ResNet-50"), ("Qwen2.5", None),
    ],
)  # fmt: skip
def test_network(text: str, network: str | None) -> None:
    found = find_networks(text, lexicon().scan(text))
    assert (found[0].text if found else None) == network


def test_engine_and_region() -> None:
    assert find_engine(lexicon().scan("用vLLM跑")) == "vllm"
    assert find_engine(lexicon().scan("with llama.cpp")) == "llama.cpp"
    assert find_region("杭州有 gn7e 吗") == "cn-hangzhou"
    assert find_region("in Jakarta, please") == "ap-southeast-5"
    assert find_region("印度尼西亚") == "ap-southeast-5"
    assert find_region("cn-shanghai") == "cn-shanghai"
    assert find_region("nowhere") is None


@pytest.mark.parametrize(
    ("text", "job"),
    [
        ("语义分割模型推理", "vision_inference"), ("训练目标检测模型", "vision_training"), ("SDXL 出图", "diffusion_inference"),
        ("语音识别", "asr_inference"), ("embedding service", "encoder_inference"), ("部署大模型", "llm_inference"),
        ("fine-tune an LLM", "llm_training"), ("纯 CPU 跑", "cpu_inference"), ("什么盘", None),
    ],
)  # fmt: skip
def test_job(text: str, job: str | None) -> None:
    found = find_job(lexicon().scan(text), modality=None, has_network=False, sized=False, about_llm=False)
    assert found == job


@pytest.mark.parametrize(
    ("text", "amount", "currency", "per"),
    [
        ("预算每小时 15 块以内", 15, "CNY", "hour"), ("at most 15 yuan per hour", 15, "CNY", "hour"),
        ("每月 5000 以内", 5000, "CNY", "month"), ("under $2/h", 2, "USD", "hour"), ("每小时不超过 $1.5", 1.5, "USD", "hour"), ("月预算 8000 元", 8000, "CNY", "month"),
        ("预算每个月两万", 20_000, "CNY", "month"), ("budget 500 USD per month", 500, "USD", "month"), ("预算 1 万", 10_000, "CNY", "once"),
    ],
)  # fmt: skip
def test_budget(text: str, amount: float, currency: str, per: str) -> None:
    found = find_budget(normalise(text).lower())
    assert found is not None
    assert (found[0].amount, found[0].currency, found[0].per) == (amount, currency, per)


@pytest.mark.parametrize("text", ["gn7i 是 10 元/小时吗", "8 users", "32k context", "要是预算砍一半呢"])
def test_no_budget(text: str) -> None:
    assert find_budget(normalise(text).lower()) is None


@pytest.mark.parametrize(
    ("text", "wish"),
    [
        ("再便宜点", "cheaper"), ("cheaper?", "cheaper"), ("太贵了", "cheaper"), ("too expensive", "cheaper"),
        ("有没有更快的", "faster"), ("anything faster", "faster"), ("稳妥一点", "safer"), ("something safer", "safer"),
        ("为什么不用 A10", "why_not"), ("why not A10", "why_not"), ("不知道", "defaults"), ("那就默认吧", "defaults"),
        ("I don't know", "defaults"), ("just use the defaults", "defaults"), ("为什么这么贵", "explain"), ("why so expensive", "explain"),
        ("KV 是怎么算出来的", "explain"), ("how did you get the KV number", "explain"),
        ("A10 和 T4 哪个更便宜，还是 L20", None), ("which is cheaper, A10 or T4", None), ("Qwen2.5-7B 用什么卡", None),
        ("我们团队不知道该用哪一种实例来部署这个模型，请推荐一下", None),
    ],
)  # fmt: skip
def test_wishes(text: str, wish: str | None) -> None:
    assert find_wish(text, lexicon().scan(text)) == wish


@pytest.mark.parametrize(
    ("text", "closed"),
    [
        ("部署 GPT-4 用什么卡", ["GPT-4"]), ("run gpt4o and Claude", ["GPT-4o", "Claude"]), ("豆包和文心一言", ["豆包", "文心一言"]), ("Gemini Pro?", ["Gemini"]),
        ("gpt-oss-120b", []), ("类似 ChatGPT 的服务", []), ("a ChatGPT-like bot", []), ("接 Claude Code", []), ("可灵活扩容", []),
    ],
)  # fmt: skip
def test_closed_models(text: str, closed: list[str]) -> None:
    assert find_closed(lexicon().scan(text)) == closed


@pytest.mark.parametrize(
    ("text", "clouds"),
    [
        ("腾讯云 gn10xp", ["tencent"]), ("gn10xp 多少钱", ["tencent"]), ("p4d.24xlarge vs gn7e", ["aws"]), ("azure nd96", ["azure"]),
        ("standard_nd96asr_v4", ["azure"]), ("华为云还是火山引擎", ["huawei", "volcengine"]), ("a2-highgpu-8g", ["gcp"]),
        ("gn7i 和 ebmgn7e", []), ("ecs.gn7i-c8g1.2xlarge", []), ("nvidia driver", []),
    ],
)  # fmt: skip
def test_other_clouds(text: str, clouds: list[str]) -> None:
    assert find_clouds(text) == clouds


@pytest.mark.parametrize(
    ("text", "regions"),
    [
        ("北京，新加坡，硅谷，东京", ["cn-beijing", "ap-southeast-1", "us-west-1", "ap-northeast-1"]),
        ("Beijing, Singapore and Tokyo", ["cn-beijing", "ap-southeast-1", "ap-northeast-1"]), ("杭州", ["cn-hangzhou"]), ("nowhere", []),
    ],
)  # fmt: skip
def test_regions_in_order(text: str, regions: list[str]) -> None:
    assert find_regions(text) == regions


@pytest.mark.parametrize(
    ("text", "says"),
    [("A10", False), ("7", False), ("👍", False), ("8 卡", False), ("bf16?", False), ("vLLM", False), ("and Tokyo?", True), ("cheaper?", True), ("多少钱", True), ("两台呢", True)],
)
def test_which_texts_say_their_language(text: str, says: bool) -> None:
    assert has_language(text, lexicon().scan(text), ["A10"]) is says


@pytest.mark.parametrize(
    ("text", "language"),
    [("中文回答", "zh"), ("改成英文", "en"), ("answer in Chinese", "zh"), ("in English please", "en"), ("English?", "en"), ("中文", "zh"), ("a model good at Chinese", None), ("多少钱", None)],
)
def test_an_order_to_change_the_language(text: str, language: str | None) -> None:
    assert find_switch(text, lexicon().scan(text)) == language
