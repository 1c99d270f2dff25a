"""What answers on jobs say first, and what they compare: read as a person would, Chinese and English side by side."""

from __future__ import annotations

import pytest

from assistant import Answer, Assistant


def asked(assistant: Assistant, question: str, *, thread: str | None = None) -> Answer:
    answer = assistant.ask(question, thread)
    assert answer.verified, answer.removed
    return answer


def first_line(answer: Answer) -> str:
    return answer.text.splitlines()[0]


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("微调 whisper-large-v3 需要多少显存", ("whisper-large-v3",)),
        ("How much memory does fine-tuning whisper-large-v3 take?", ("whisper-large-v3",)),
        ("CLIP ViT-L/14 训练要多少显存", ("表里没有叫",)),
    ],
)
def test_why_there_is_no_sum_comes_first(assistant: Assistant, question: str, words: tuple[str, ...]) -> None:
    assert all(word in first_line(asked(assistant, question)) for word in words)


@pytest.mark.parametrize(
    ("question", "tool", "rows"),
    [
        ("Qwen2.5-7B 全参、LoRA、QLoRA 各要多少显存", "size_train", 3), ("Compare LoRA, QLoRA and full fine-tuning for Qwen2.5-7B", "size_train", 3), ("PSPNet R50 vs DeepLabV3 R50 memory at 512x1024", "size_vision", 2), ("whisper medium 和 large-v3 显存对比", "size_asr", 2),
    ],
)  # fmt: skip
def test_several_subjects_are_a_table_with_its_gist_first(assistant: Assistant, question: str, tool: str, rows: int) -> None:
    answer = asked(assistant, question)
    assert [call.tool for call in answer.calls].count(tool) == rows
    assert first_line(answer).startswith("**") and first_line(answer).count("GiB") == rows
    assert answer.text.count("\n| ") >= rows


@pytest.mark.parametrize("question", ["QLoRA 微调 70B，A10、L20、A100 哪个行", "Can I QLoRA a 70B on an A10, an L20 or an A100?"])
def test_several_places_are_a_table_with_the_verdict_first(assistant: Assistant, question: str) -> None:
    answer = asked(assistant, question)
    assert first_line(answer).startswith(("**放得下", "**It fits")) and "A10 24 GB" in first_line(answer)


@pytest.mark.parametrize(
    ("question", "word"),
    [
        ("推理 SegFormer-B0 1080p 30fps，T4 够不够", "速度没有算"), ("Serve bge-m3 at 500 texts per second: which card?", "Speed is not worked out"),
        ("LoRA 微调 7B 要多久", "多久没有算"), ("How long does it take to LoRA fine-tune an 8B model?", "How long the training takes"),
    ],
)  # fmt: skip
def test_what_is_not_worked_out_is_said(assistant: Assistant, question: str, word: str) -> None:
    assert word in asked(assistant, question).text


@pytest.mark.parametrize("question", ["LoRA 微调 7B 用什么卡", "Which card for LoRA fine-tuning a 7B?"])
def test_nothing_is_excused_that_was_not_asked(assistant: Assistant, question: str) -> None:
    text = asked(assistant, question).text
    assert "没有算" not in text and "not worked out" not in text


@pytest.mark.parametrize(
    ("question", "word"),
    [("RTX 3060 12G 跑 SDXL", "放不下"), ("Can an RTX 3060 12GB run SDXL?", "does not fit"), ("8G 显存的笔记本跑 whisper-large-v3", "放得下"), ("Can my laptop with 8GB VRAM run whisper-large-v3?", "fits")],
)
def test_a_card_that_no_table_has_is_held_against_the_sum(assistant: Assistant, question: str, word: str) -> None:
    assert word in first_line(asked(assistant, question))


@pytest.mark.parametrize(
    ("question", "size"),
    [("一张 A10 能微调多大的模型", "14B"), ("家里一台 12G 显存的电脑能微调多大的模型", "7B"), ("What is the largest model I can fine-tune on an A10?", "14B")],
)
def test_the_largest_that_can_be_trained(assistant: Assistant, question: str, size: str) -> None:
    assert size in first_line(asked(assistant, question))


@pytest.mark.parametrize("question", ["DeepSeek-V3 int4 ktransformers 需要多大内存", "How much RAM does DeepSeek-V3 take with ktransformers?"])
def test_main_memory_comes_first_where_the_model_lives_there(assistant: Assistant, question: str) -> None:
    assert "内存" in first_line(asked(assistant, question)) or "main memory" in first_line(asked(assistant, question))


@pytest.mark.parametrize(
    ("question", "verdict"),
    [
        ("我有一台 Mac M2 Ultra 192G，能跑 DeepSeek-R1 671B 吗", "放不下"), ("Can a MacBook with 64 GB run Llama 3.3 70B in q4?", "it fits"), ("CPU 跑 70B 现实吗", "很慢"), ("Is it realistic to run a 70B on CPU only?", "slowly"),
    ],
)  # fmt: skip
def test_a_machine_without_a_card_gets_a_verdict_first(assistant: Assistant, question: str, verdict: str) -> None:
    assert verdict in first_line(asked(assistant, question))


@pytest.mark.parametrize("question", ["我有两张 4090，QLoRA 70B 行吗", "I own 2 RTX 4090, can I QLoRA a 70B?"])
def test_renting_is_the_other_way_for_those_who_own(assistant: Assistant, question: str) -> None:
    text = asked(assistant, question).text
    assert "要是租云上的机器" in text or "To rent a machine instead" in text


@pytest.mark.parametrize("question", ["H100 80G 训练 70B LoRA 要几张", "How many H100 80GB for LoRA of a 70B?"])
def test_a_card_that_cannot_be_had_is_named(assistant: Assistant, question: str) -> None:
    text = asked(assistant, question).text
    assert "目录里没有 H100" in text or "has no H100" in text


@pytest.mark.parametrize(
    ("question", "right"),
    [("既然 A10 有 NVLink，用 4 张 A10 全参微调 7B 行吗", "A10 没有 NVLink"), ("Since T4 supports bf16, can I LoRA a 7B in bf16 on a T4?", "does not support BF16")],
)
def test_a_wrong_ground_is_set_right_before_the_sum(assistant: Assistant, question: str, right: str) -> None:
    answer = asked(assistant, question)
    assert right in first_line(answer) and answer.estimate is not None


@pytest.mark.parametrize(("first", "second"), [("SegFormer-B5 训练 batch 8，512", "一个月多少钱"), ("Train SegFormer-B5 with batch 8 at 512", "how much per month?")])
def test_the_price_of_what_a_job_chose(assistant: Assistant, first: str, second: str) -> None:
    asked(assistant, first, thread=first)
    answer = asked(assistant, second, thread=first)
    assert "get_prices" in [call.tool for call in answer.calls] and "730" in answer.text


@pytest.mark.parametrize("question", ["视频生成用什么卡", "Which GPU for image segmentation training?", "Which instance for speech to text?", "embedding 服务用什么实例"])
def test_common_ones_give_a_feel_where_nothing_is_named(assistant: Assistant, question: str) -> None:
    answer = asked(assistant, question)
    assert answer.kind == "clarify" and answer.text.count("`ecs.") >= 2


@pytest.mark.parametrize(("question", "cards"), [("两台 8 卡 A100 80G 全参微调 Qwen2.5-32B 行吗", 16), ("Full fine-tuning of Qwen2.5-32B on two machines of 8 A100 80GB?", 16)])
def test_machines_train_together(assistant: Assistant, question: str, cards: int) -> None:
    answer = asked(assistant, question)
    assert answer.estimate is not None and answer.estimate.gpus == cards


@pytest.mark.parametrize(
    ("question", "card"),
    [
        ("Qwen2.5-7B A10 单路每秒多少 token", "A10 24 GB"), ("How many tokens per second will Llama-3.1-70B AWQ give on 2x A100 80GB?", "2 × A100 80 GB"), ("how fast is Qwen3-8B on an L20?", "L20 48 GB"), ("What does a million tokens cost with Qwen3-32B on A100 80GB?", "A100 80 GB"),
    ],
)  # fmt: skip
def test_the_speed_on_the_named_card_comes_first(assistant: Assistant, question: str, card: str) -> None:
    assert card in first_line(asked(assistant, question)) and "tokens/s" in first_line(asked(assistant, question))


@pytest.mark.parametrize(("first", "second"), [("Qwen2.5-72B 每秒 5 个请求，输入 2000 输出 500", "每百万 token 多少钱"), ("Qwen2.5-72B at 5 requests per second, 2000 in, 500 out", "what is the cost of a million tokens?")])
def test_the_price_of_tokens_in_a_thread(assistant: Assistant, first: str, second: str) -> None:
    asked(assistant, first, thread=first)
    line = first_line(asked(assistant, second, thread=first))
    assert "每百万" in line or "million" in line


@pytest.mark.parametrize(("question", "size"), [("我预算一个月 1 万，能微调多大的模型", "14B"), ("My budget is 20 CNY per hour: what is the largest model I can fine-tune?", "32B")])
def test_the_largest_for_a_budget(assistant: Assistant, question: str, size: str) -> None:
    assert size in first_line(asked(assistant, question))


def test_words_of_the_catalog_are_no_strange_names(assistant: Assistant) -> None:
    asked(assistant, "How many GPUs to full-finetune Qwen2.5-72B with DeepSpeed ZeRO-3 and CPU offload?")
