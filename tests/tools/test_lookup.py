"""Names of models as people type them, in both languages, alone and inside questions."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from knowledge.errors import InputError, UnknownModel
from knowledge.facts import models
from tools.lookup import find_models, look_up_model
from tools.model_names import fold, names_as_written
from tools.phrases import Language

KNOWN = {
    "Qwen2.5-72B-Instruct": [
        "qwen2.5 72b", "Qwen2.5-72B-Instruct", "qwen 2.5-72b int4", "QWEN_2.5_72B", "Qwen2.5（72B）", "qwen2.5:72b",
        "通义千问2.5 72B", "千问2.5-72B", "72B 的千问2.5", "Qwen/Qwen2.5-72B-Instruct", "ＱＷＥＮ２.５－７２Ｂ", "Qwen2.5-720亿",
    ],
    "Meta-Llama-3-70B-Instruct": ["llama3-70b", "Llama 3 70B", "llama3:70b", "羊驼3 70B", "70B Llama 3", "meta-llama/Meta-Llama-3-70B"],
    "Llama-3.1-8B-Instruct": ["llama-3.1-8b instruct", "llama3.1:8b", "unsloth/Meta-Llama-3.1-8B-Instruct"],
    "DeepSeek-R1": ["DeepSeek R1", "deepseekr1", "R1", "deepseek-r1 671b", "DeepSeek-R1 满血版", "深度求索R1"],
    "DeepSeek-R1-Distill-Qwen-32B": ["deepseek-r1:32b", "R1 蒸馏 32B", "deepseek r1 distill 32b", "DeepSeek-R1 蒸馏版 32B"],
    "DeepSeek-V3": ["deepseek v3 671b", "DeepSeek_V3", "deepseek-ai/DeepSeek-V3-0324", "deepseek v3"],
    "chatglm3-6b": ["chatglm3", "ChatGLM3-6B", "THUDM/chatglm3-6b"],
    "Yi-34B-Chat": ["Yi-34B", "零一万物 34B", "01-ai/Yi-34B-Chat-4bits"],
    "Mixtral-8x7B-v0.1": ["Mixtral 8x7B", "mixtral-8×7b-instruct", "mistralai/Mixtral-8x7B-Instruct-v0.1"],
    "gpt-oss-120b": ["gpt-oss 120b", "GPT OSS 120B", "gptoss-120b", "gpt-oss:120b"],
    "Qwen3-30B-A3B": ["qwen3-30b-a3b", "qwen3 30b", "通义千问3-30B-A3B"],
    "QwQ-32B": ["QwQ", "qwq-32b", "qwq:32b"],
    "Qwen-72B-Chat": ["Qwen-72B", "Qwen-72B-Chat", "Qwen/Qwen-72B"],
    "Qwen1.5-72B-Chat": ["qwen1.5-72b", "通义千问1.5-72B"],
    "Llama-4-Scout-17B-16E-Instruct": ["llama 4 scout", "meta-llama/Llama-4-Scout-17B-16E"],
    "Qwen2.5-7B-Instruct": ["qwen25-7b", "通義千問2.5 7B", "Qwen 2.5 系列 7B"],
    "DeepSeek-R1-0528-Qwen3-8B": ["deepseek-r1-0528 8b", "deepseek-r1:8b"],
    "stable-diffusion-v1-5": ["sd1.5", "SD 1.5"],
}  # fmt: skip
PAIRS = [(name, model_id) for model_id, names in KNOWN.items() for name in names]


@pytest.mark.parametrize("name, model_id", PAIRS)
def test_a_name_finds_its_row_exactly(name: str, model_id: str) -> None:
    match = look_up_model(name)
    assert match.how == "exact" and match.alternatives == ()
    assert match.model.params_total == models()[model_id].params_total
    assert match.model.attention == models()[model_id].attention


def test_every_name_of_the_table_finds_a_row_of_its_kind() -> None:
    for row in models().values():
        for name in (row.id, row.hf_id, *row.aliases):
            match = look_up_model(name)
            assert match.model.id == row.id or row.id in match.alternatives or match.model.family == row.family, name


@pytest.mark.parametrize(
    "name, model_id, other",
    [
        ("千问72B", "Qwen2.5-72B-Instruct", "Qwen-72B-Chat"),
        ("通义千问 72B", "Qwen2.5-72B-Instruct", "Qwen2-72B-Instruct"),
        ("qwen 72b", "Qwen2.5-72B-Instruct", "Qwen1.5-72B-Chat"),
        ("720亿参数的千问", "Qwen2.5-72B-Instruct", "Qwen-72B-Chat"),
        ("qwen 32b", "Qwen3-32B", "Qwen2.5-32B-Instruct"),
        ("llama 70b", "Llama-3.3-70B-Instruct", "Llama-2-70b-hf"),
        ("羊驼 70B", "Llama-3.3-70B-Instruct", "Meta-Llama-3-70B-Instruct"),
        ("gemma 27b", "gemma-3-27b-it", "gemma-2-27b-it"),
    ],
)
def test_a_name_without_generation_takes_the_newest_common_one(name: str, model_id: str, other: str) -> None:
    match = look_up_model(name)
    assert (match.model.id, match.how) == (model_id, "newest_common")
    assert other in match.alternatives and model_id not in match.alternatives


@pytest.mark.parametrize(
    "name, dtype",
    [
        ("Qwen2.5-72B-Instruct", None),
        ("Qwen2.5-72B-Instruct-AWQ", "awq"),
        ("Qwen2.5-72B-Instruct-GPTQ-Int4", "gptq"),
        ("Qwen2.5-72B-Instruct-GPTQ-Int8", "gptq_int8"),
        ("Qwen2.5-72B-Instruct-FP8", "fp8"),
        ("Qwen2.5-72B-Instruct-FP8-dynamic", "fp8"),
        ("Qwen2.5-72B-Instruct-quantized.w4a16", "int4"),
        ("qwen2.5:72b-instruct-q4_K_M", "q4_k_m"),
        ("Qwen2.5-72B-Instruct-GGUF Q5_K_M", "q5_k_m"),
        ("Qwen2.5-72B-Instruct-GGUF", "q4_k_m"),
        ("千问2.5 72B int4", "int4"),
        ("unsloth/Qwen2.5-72B-Instruct-bnb-4bit", "nf4"),
    ],
)
def test_the_suffix_says_the_weight_type(name: str, dtype: str | None) -> None:
    match = look_up_model(name)
    assert match.weight_dtype == dtype
    assert match.model.params_total == models()["Qwen2.5-72B-Instruct"].params_total


@pytest.mark.parametrize(
    "name, nearest",
    [
        ("qwne2.5-72b", "Qwen2.5-72B-Instruct"),
        ("lama3-70b", "Meta-Llama-3-70B-Instruct"),
        ("deepsek r1", "DeepSeek-R1"),
        ("mixtrl 8x7b", "Mixtral-8x7B-v0.1"),
        ("Qwen2.5", "Qwen2.5-7B-Instruct"),
        ("Llama 4", "Llama-4-Scout-17B-16E-Instruct"),
        ("千问", "Qwen3-32B"),
    ],
)
def test_a_misspelt_name_or_one_without_its_size_is_refused_with_the_nearest(name: str, nearest: str) -> None:
    with pytest.raises(UnknownModel) as caught:
        look_up_model(name)
    assert nearest in caught.value.nearest


@pytest.mark.parametrize("name", ["", "   ", "A10", "T4", "gn7i", "ecs.gn7i-c8g1.2xlarge", "你好", "8K", "int4", "!!!", "a" * 300])
def test_what_names_no_model_is_refused(name: str) -> None:
    with pytest.raises(InputError):
        look_up_model(name)


@pytest.mark.parametrize(
    "name, billions",
    [
        ("13B", 13), ("7b", 7.242), ("70 B", 70.55), ("1.5B", 1.544), ("0.5b", 0.494), ("72亿", 7.2), ("720亿参数", 72),
        ("千亿", 100), ("七十亿", 7.242), ("1万亿", 1000), ("175 billion", 175), ("8x7B", 46.7), ("MyCorp-13B", 13),
        ("一个 7b 的模型", 7.242), ("Qwen2.5-70B", 70.55), ("bigscience/mt0-7b1", 7.1), ("１３Ｂ", 13), ("１３Ｂ 模型", 13),
    ],
)  # fmt: skip
def test_a_size_alone_gets_a_typical_shape(name: str, billions: float) -> None:
    match = look_up_model(name)
    assert match.how == "typical"
    assert match.model.params_total / 1e9 == pytest.approx(billions, rel=0.001)
    assert match.model.layers and match.model.kv_heads and match.model.head_dim


@pytest.mark.parametrize(
    "name, billions",
    [("Qwen2.5-Omni-14B", 14.770033664), ("mistral edge 12b", 12), ("llama3.2 vision 12b", 12), ("deepseek coder 16b", 16)],
)
def test_a_variant_is_not_the_model_it_is_named_after(name: str, billions: float) -> None:
    match = look_up_model(name)
    assert (match.how, match.model.params_total) == ("typical", round(billions * 1e9))


@pytest.mark.parametrize(
    "name, model_id, like, context",
    [
        ("Yi-34B-200K", "Yi-34B-200K", "Yi-34B-Chat", 200_000), ("零一万物 Yi-6B-200K", "Yi-6B-200K", "Yi-6B-Chat", 200_000),
        ("ChatGLM3-6B-32K", "chatglm3-6b-32k", "chatglm3-6b", 32_768), ("THUDM/chatglm3-6b-128k", "chatglm3-6b-128k", "chatglm3-6b", 131_072),
        ("Phi-3-mini-128k-instruct", "Phi-3-mini-128k-instruct", "Phi-3-mini-4k-instruct", 131_072),
        ("phi 3 mini 128k", "Phi-3-mini-128k-instruct", "Phi-3-mini-4k-instruct", 131_072),
        ("Qwen2.5-7B-Instruct-1M", "Qwen2.5-7B-Instruct-1M", "Qwen2.5-7B-Instruct", 1_010_000),
        ("千问2.5-14B-Instruct-1M", "Qwen2.5-14B-Instruct-1M", "Qwen2.5-14B-Instruct", 1_010_000),
        ("Qwen3-235B-A22B-Thinking-2507", "Qwen3-235B-A22B-Thinking-2507", "Qwen3-235B-A22B", 262_144),
        ("通义千问3-30B-A3B-Thinking-2507", "Qwen3-30B-A3B-Thinking-2507", "Qwen3-30B-A3B", 262_144),
    ],
)  # fmt: skip
def test_a_name_with_another_window_keeps_the_shape(name: str, model_id: str, like: str, context: int) -> None:
    model, shape = look_up_model(name).model, models()[like]
    assert (model.id, model.max_context, model.params_total) == (model_id, context, shape.params_total)
    assert (model.layers, model.kv_heads, model.head_dim) == (shape.layers, shape.kv_heads, shape.head_dim)
    assert model.hf_id.lower().endswith(model_id.lower())


def test_the_long_glm_has_more_heads_in_its_cache() -> None:
    long, short = look_up_model("glm-4-9b-chat-1m").model, look_up_model("glm-4-9b-chat").model
    assert (long.kv_heads, short.kv_heads) == (4, 2)
    assert long.params_total > short.params_total
    assert long.max_context == 1_048_576


@pytest.mark.parametrize("text", ["Qwen2.5-7B 1M 上下文", "Qwen2.5-7B with 1M context", "Yi-34B 200K 上下文", "Llama-4-Scout 10M 上下文", "Llama 4 Scout, 10M tokens"])
def test_a_length_apart_from_the_name_is_no_part_of_it(text: str) -> None:
    (span,) = find_models(text)
    assert span.match is not None and span.match.how == "exact"
    assert not span.text.lower().endswith(("k", "m"))


@pytest.mark.parametrize("name", ["MiniMax-Text-01", "MiniMax M1", "MiniMax-VL-01", "稀宇 MiniMax-M1", "QwQ-Plus", "DeepSeek-R1-Lite"])
def test_a_name_of_its_own_is_not_the_model_it_begins_with(name: str) -> None:
    with pytest.raises(UnknownModel) as caught:
        look_up_model(name)
    assert caught.value.nearest


@pytest.mark.parametrize("name", ["GLM-4.4V", "Qwen-Omni", "DeepSeek-V3-Lite", "mistral edge"])
def test_a_variant_without_a_size_is_unknown(name: str) -> None:
    with pytest.raises(UnknownModel):
        look_up_model(name)


def test_an_unknown_mixture_keeps_what_is_active() -> None:
    model = look_up_model("Sunlight-16B-A3B-Instruct").model
    assert (model.params_total, model.params_active) == (16_000_000_000, 3_000_000_000)


@pytest.mark.parametrize("name", ["0B", "0.0b", "9999B", "6万亿", "100x100000B"])
def test_an_absurd_size_is_refused_with_the_limit(name: str) -> None:
    with pytest.raises(InputError, match="5000 billion"):
        look_up_model(name)


@pytest.mark.parametrize(
    "text, found",
    [
        ("部署Qwen2.5-72B需要什么显卡？", {"Qwen2.5-72B": "Qwen2.5-72B-Instruct"}),
        ("Qwen2.5-72B fp8 KV cache, 8K", {"Qwen2.5-72B": "Qwen2.5-72B-Instruct"}),
        ("跑 Qwen2.5-72B-Instruct-AWQ，用 A10", {"Qwen2.5-72B-Instruct-AWQ": "Qwen2.5-72B-Instruct"}),
        ("compare qwen2.5-7b, Llama 3 8B", {"qwen2.5-7b": "Qwen2.5-7B-Instruct", "Llama 3 8B": "Meta-Llama-3-8B-Instruct"}),
        ("Qwen2.5 7B/14B 和 72B", {"Qwen2.5 7B": "Qwen2.5-7B-Instruct", "14B": "Qwen2.5-14B-Instruct", "72B": "Qwen2.5-72B-Instruct"}),
        ("DeepSeek V3/R1 怎么选", {"DeepSeek V3": "DeepSeek-V3", "R1": "DeepSeek-R1"}),
        ("13B 模型要多少显存", {"13B": "13B"}),
        ("Can a 70B run on two H20?", {"70B": "70B"}),
        ("一个 7b 的模型，24GB 够吗", {"7b": "7B"}),
        ("百亿参数的大模型", {"百亿": "10B"}),
        ("部署七十二B的模型", {"七十二B": "72B"}),
        ("a 13 billion parameter model", {"13 billion": "13B"}),
        ("our MyCorp-13B on gn7i", {"MyCorp-13B": "MyCorp-13B"}),
        ("7B/13B/70B 模型", {"7B": "7B", "13B": "13B", "70B": "70B"}),
        ("https://huggingface.co/Qwen/Qwen3-8B", {"Qwen/Qwen3-8B": "Qwen3-8B"}),
    ],
)  # fmt: skip
def test_finds_names_and_sizes_in_a_question(text: str, found: dict[str, str]) -> None:
    spans = find_models(text)
    assert {span.text: span.match.model.id for span in spans if span.match} == found
    assert all(text[span.start : span.end] == span.text for span in spans)


@pytest.mark.parametrize(
    "text",
    [
        "用 A10、T4、V100、L20、H20、A100-80G 还是 RTX 4090？",
        "ecs.gn7i-c8g1.2xlarge or gn6v, ebmgn8v, ecs.r1.large",
        "use fp8, bf16, int4, 8-bit, w4a16 with 8K context and 32k tokens",
        "24GB memory, 2TB ssd, 10 Gbps, 100M 带宽, 1T 硬盘",
        "预算 70亿，10 亿用户，3 亿条数据，paid $70B",
        "训练 SegFormer-B5，1024×1024，batch 8，ResNet-50",
        "每个参数 2B，4B/param",
        "llama.cpp, LLaMA-Factory, vLLM, ollama, DeepSpeed ZeRO-3",
        "E5-2682 v4 CPU, 4x A100, 8*A10",
        "https://github.com/QwenLM/Qwen3-8B/issues/7",
    ],
)
def test_takes_no_card_family_precision_or_money_for_a_model(text: str) -> None:
    assert find_models(text) == ()


@pytest.mark.parametrize(
    "text, name, nearest",
    [
        ("想跑 qwne2.5-72b 推理", "qwne2.5-72b", "Qwen2.5-72B-Instruct"),
        ("is deepsek r1 fine?", "deepsek r1", "DeepSeek-R1"),
        ("Qwen2.5 用什么卡", "Qwen2.5", "Qwen2.5-7B-Instruct"),
        ("部署通义千问要多少钱", "通义千问", "Qwen3-32B"),
    ],
)
def test_a_doubtful_name_in_a_question_is_kept_with_the_nearest(text: str, name: str, nearest: str) -> None:
    (span,) = find_models(text)
    assert (span.text, span.match) == (name, None)
    assert nearest in span.nearest


PIECES = st.sampled_from([
    "qwen", "Qwen2.5", "-72B", "千问", "llama", " 3 ", "70b", "R1", "8x7B", "亿", "百亿", "参数", "模型", "-AWQ", "0B", "(", "的",
    "/", ":", "A3B", "v", "99999B", "https://", "q4_K_M", "deepsek", "４", "\u3000", "İ", "\x00", "é", "a_a_", "7b1", "my-7b", "万亿",
])  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(st.lists(PIECES | st.text(max_size=3), max_size=12).map("".join))
def test_spans_stay_in_order_and_nothing_crashes(text: str) -> None:
    end = 0
    for span in find_models(text):
        assert end <= span.start < span.end <= len(text)
        assert span.text == text[span.start : span.end]
        end = span.end
    try:
        assert look_up_model(text).model.params_total > 0
    except InputError as error:
        assert str(error)


def test_the_short_way_finds_what_the_index_finds() -> None:
    short = names_as_written()
    written = {name for row in models().values() for name in (row.id, row.hf_id, *row.aliases) if fold(name) in short}
    assert len(written) > 1000
    for name in written:
        match = next(span.match for span in find_models(name) if span.match)
        assert (match.model.id, match.how, match.alternatives, match.weight_dtype) == (short[fold(name)], "exact", (), None), name


@pytest.mark.parametrize(("language", "words"), [("zh", "表里没有叫"), ("en", "No model called")])
def test_an_unknown_model_is_told_in_the_language_of_the_question(language: Language, words: str) -> None:
    with pytest.raises(UnknownModel, match=words):
        look_up_model("unheard-of", language=language)


@pytest.mark.parametrize(
    ("size", "model_id", "how"),
    [("671B", "DeepSeek-V3", "newest_common"), ("235B", "Qwen3-235B-A22B", "newest_common"), ("405B", "405B", "typical"), ("72B", "72B", "typical")],
)
def test_a_bare_size_that_only_one_mixture_of_experts_has_means_it(size: str, model_id: str, how: str) -> None:
    match = look_up_model(size)
    assert (match.model.id, match.how) == (model_id, how)
    assert all("DeepSeek-V2" not in name for name in match.alternatives)
