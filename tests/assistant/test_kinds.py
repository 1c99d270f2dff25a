"""Other kinds of questions: several options, comparisons, costs over time, conditions, budgets, plain yes and no."""

from __future__ import annotations

import pytest

from assistant import Assistant


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("bf16、fp8、int4 跑 32B，一张 48 GB 卡放得下哪个", ("61.0", "32.0", "18.0", "L20 48 GB")),
        ("bf16, FP8 or INT4 for a 32B model on one 48 GB card?", ("61.0", "32.0", "18.0", "L20 48 GB")),
    ],
)
def test_precisions_side_by_side(assistant: Assistant, question: str, expected: tuple[str, ...]) -> None:
    answer = assistant.ask(question)
    assert answer.verified, answer.removed
    assert all(word in answer.text for word in expected)
    assert len([call for call in answer.calls if call.tool == "size_llm"]) == 3


@pytest.mark.parametrize(
    ("question", "cheaper", "dearer"),
    [
        ("4 张 A10 和 1 张 A100 哪个便宜", "34.742", "38.1305"),
        ("Which is cheaper: 4 x A10 or 1 x A100?", "34.742", "38.1305"),
    ],
)
def test_a_comparison_has_a_verdict(assistant: Assistant, question: str, cheaper: str, dearer: str) -> None:
    answer = assistant.ask(question)
    assert answer.verified and answer.kind == "comparison"
    first = answer.text.splitlines()[0]
    assert first.index(cheaper) < first.index(dearer)
    assert ("便宜" in first) or ("cheaper" in first)


@pytest.mark.parametrize(
    ("question", "total"),
    [
        ("gn7e-c16g1.32xlarge 跑 24 小时多少钱", "6,670"),
        ("how much does ecs.gn7e-c16g1.32xlarge cost for 24 hours?", "6,670"),
        ("gn6i-c4g1.xlarge 跑 3 天多少钱", "837"),
        ("cost of gn6i-c4g1.xlarge for 3 days", "837"),
    ],
)
def test_price_times_time(assistant: Assistant, question: str, total: str) -> None:
    answer = assistant.ask(question)
    assert answer.verified, answer.removed
    assert total in answer.text


@pytest.mark.parametrize(
    ("question", "amount"),
    [("一张 A10 一个月多少钱", "4,575.66"), ("what does an A10 cost per month?", "4,575.66")],
)
def test_a_month_is_a_month(assistant: Assistant, question: str, amount: str) -> None:
    answer = assistant.ask(question)
    assert answer.verified and amount in answer.text
    assert answer.text.index(amount) < answer.text.index("9.5326")


@pytest.mark.parametrize(
    ("question", "families", "others"),
    [
        ("哪些规格已经停售", ("gn5", "gn5i"), ("gn7e-",)),
        ("Which families are phased out?", ("gn5", "gn5i"), ("gn7e-",)),
        ("哪些实例的卡有 96GB 显存", ("gn8v",), ("gn7i-",)),
        ("Which instance family has 96 GB cards?", ("gn8v",), ("gn7i-",)),
        ("哪些实例有 RDMA", ("gn8is", "ebmgn7ex"), ("gn7i-c8",)),
        ("which instances have RDMA?", ("gn8is", "ebmgn7ex"), ("gn7i-c8",)),
    ],
)
def test_conditions(
    assistant: Assistant, question: str, families: tuple[str, ...], others: tuple[str, ...]
) -> None:
    answer = assistant.ask(question)
    assert answer.verified, answer.removed
    head = answer.text.split("| `ecs.")[0]
    assert all(name in head for name in families)
    table = "\n".join(line for line in answer.text.splitlines() if line.startswith("| `ecs."))
    assert not any(name in table for name in others)


@pytest.mark.parametrize(
    ("question", "fact"),
    [
        ("gn7i 支持 NVLink 吗", "没有 NVLink"),
        ("does gn7i have NVLink?", "no NVLink"),
        ("gn8v 有 NVLink 吗", "是的"),
        ("does gn8v have NVLink?", "Yes"),
    ],
)
def test_a_plain_question_gets_its_answer_first(assistant: Assistant, question: str, fact: str) -> None:
    answer = assistant.ask(question)
    assert answer.verified
    assert fact in answer.text.splitlines()[0]


@pytest.mark.parametrize(
    "question",
    ["Qwen2.5-7B bf16 8K 8 并发需要多少显存", "How much VRAM do Qwen2.5-7B's bf16 weights and 8K for 8 users take?"],
)
def test_amounts_come_first_when_asked_for(assistant: Assistant, question: str) -> None:
    answer = assistant.ask(question)
    assert answer.verified
    first = answer.text.splitlines()[0]
    assert "14.2 GiB" in first and "56 KiB" in first and "3.5 GiB" in first


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("Qwen2.5-7B 在 gn7i 上每秒多少 token", "每用户约"),
        ("how many tokens per second does Qwen2.5-7B reach on gn7i?", "for each user"),
    ],
)
def test_speed_is_told_with_what_it_rests_on(assistant: Assistant, question: str, words: str) -> None:
    answer = assistant.ask(question)
    assert answer.verified and words in answer.text
    assert "roofline" in answer.text


@pytest.mark.parametrize(
    ("question", "opening"),
    [
        ("ecs.gn7i-c8g1.2xlarge 有 32G 内存吗", "不是，ecs.gn7i-c8g1.2xlarge：8 vCPU、30 GiB 内存"),
        ("ecs.gn7i-c16g1.4xlarge 是 16 核 64G 吗", "不是，ecs.gn7i-c16g1.4xlarge：16 vCPU、60 GiB 内存"),
        ("does ecs.gn6v-c8g1.2xlarge have 4 V100s?", "No: ecs.gn6v-c8g1.2xlarge has 8 vCPU, 32 GiB of memory and 1 x V100"),
        ("does ecs.gn6v-c8g1.2xlarge have 1 V100?", "Yes: ecs.gn6v-c8g1.2xlarge has 8 vCPU, 32 GiB of memory and 1 x V100"),
        ("ecs.gn6v-c8g1.8xlarge 是 4 卡的吗", "是的，ecs.gn6v-c8g1.8xlarge：32 vCPU、128 GiB 内存、4 张 V100"),
    ],
)
def test_one_wrong_detail_of_a_type_makes_the_answer_no(assistant: Assistant, question: str, opening: str) -> None:
    answer = assistant.ask(question)
    assert answer.verified
    assert answer.text.replace("**", "").startswith(opening)


@pytest.mark.parametrize(
    ("question", "weights"),
    [
        ("ollama 跑 qwen2.5:32b 单用户要多少显存", "18.7 GiB"),
        ("how much VRAM does llama.cpp need for Qwen2.5-32B, one user?", "18.7 GiB"),
        ("ollama 跑 qwen2.5:32b-instruct-q8_0，单用户", "32.4 GiB"),
    ],
)
def test_engines_of_gguf_files_load_four_bits_unless_told_otherwise(assistant: Assistant, question: str, weights: str) -> None:
    answer = assistant.ask(question)
    assert answer.verified and weights in answer.text
    assert ("q4_k_m" in answer.text) is ("q8_0" not in question)


@pytest.mark.parametrize("question", ["Qwen2.5-7B bf16，8K 上下文，1000 路并发，用什么实例", "Qwen2.5-7B bf16 with 8K context for 1000 concurrent users"])
def test_users_beyond_one_copy_are_shared_by_several(assistant: Assistant, question: str) -> None:
    answer = assistant.ask(question)
    assert answer.verified
    first = answer.text.splitlines()[0]
    assert "ecs.gn7e-c16g1.32xlarge" in first and "277.933" in first and "1000" in first
    assert "--data-parallel-size 8" in answer.text and "pipeline-parallel" not in answer.text
    assert [(r.instance_type, r.instances) for r in answer.recommendations[:1]] == [("ecs.gn7e-c16g1.32xlarge", 1)]


@pytest.mark.parametrize("question", ["Qwen2.5-7B bf16 8K 8 并发，每小时预算 5 元", "Qwen2.5-7B bf16, 8K for 8 users, at most 5 CNY per hour"])
def test_what_is_over_the_budget_is_no_way_to_save(assistant: Assistant, question: str) -> None:
    answer = assistant.ask(question)
    assert answer.verified
    assert "9.5326" in answer.text.splitlines()[0]
    assert "9.5326" not in "\n".join(answer.text.splitlines()[1:])


@pytest.mark.parametrize(
    ("question", "fits", "elsewhere"),
    [
        ("Qwen2.5-14B bf16 8K 4 并发，用 L20 可以吗", "对应规格 `ecs.gn8is.2xlarge`", "不限卡型的话"),
        ("Qwen2.5-14B bf16, 8K, 4 users on an L20: does it fit?", "Its type is `ecs.gn8is.2xlarge`", "With any card"),
    ],
)
def test_the_type_of_a_named_card_is_told_before_what_is_cheaper(assistant: Assistant, question: str, fits: str, elsewhere: str) -> None:
    answer = assistant.ask(question)
    assert answer.verified
    assert fits in answer.text.splitlines()[0]
    assert answer.text.index(fits) < answer.text.index(elsewhere)


@pytest.mark.parametrize("question", ["Qwen2.5-72B bf16 8K 2 并发", "Qwen2.5-72B bf16, 8K, 2 users"])
def test_a_near_miss_says_which_flag_makes_room(assistant: Assistant, question: str) -> None:
    line = next(x for x in assistant.ask(question).text.splitlines() if "ecs.gn7e-c16g1.8xlarge" in x and "72.9" in x)
    assert "--gpu-memory-utilization 0.95" in line


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("什么是 PagedAttention", "PagedAttention"),
        ("what is GQA?", "GQA"),
        ("机器关了还扣钱吗", "停"),
        ("two cards are slower than one, why", "slower"),
        ("Xid 48、63、94 是坏卡吗", "Xid"),
    ],
)
def test_a_question_in_no_word_of_ours_is_answered_where_a_passage_plainly_does(assistant: Assistant, question: str, words: str) -> None:
    answer = assistant.ask(question)
    assert answer.kind == "guidance" and answer.verified
    assert words in answer.text and answer.citations


@pytest.mark.parametrize(
    "question",
    ["写一首关于秋天的诗", "北京到上海的高铁多少钱", "git rebase 和 merge 有什么区别", "一加一等于几", "帮我起个名字", "手机哪个牌子好",
     "write me a poem about autumn", "how to lose weight", "will the stock market go up", "how to write a resume", "who won the world cup"],
)  # fmt: skip
def test_other_fields_are_declined(assistant: Assistant, question: str) -> None:
    answer = assistant.ask(question)
    assert answer.kind == "out_of_scope" and not answer.citations


@pytest.mark.parametrize(
    ("question", "said"),
    [("L20和A10哪个显存大", "48"), ("A10 和 L20 谁的带宽高", "864"), ("A100 80G 和 H20 比，哪个显存大？", "96"), ("which has more memory, the L20 or the A10?", "48")],
)
def test_which_of_two_cards_has_more(assistant: Assistant, question: str, said: str) -> None:
    answer = assistant.ask(question)
    assert answer.kind == "comparison" and answer.verified
    assert said in answer.text.splitlines()[0]


@pytest.mark.parametrize("question", ["1.5B 模型用 CPU 能跑吗", "can a 1.5B model run on CPU only?"])
def test_a_job_without_a_card_gets_no_card(assistant: Assistant, question: str) -> None:
    answer = assistant.ask(question)
    assert answer.verified and not answer.recommendations


@pytest.mark.parametrize("question", ["24G 显存最大能跑多大的模型", "what is the largest model that a 24 GB card can run?"])
def test_the_largest_model_is_that_of_one_user(assistant: Assistant, question: str) -> None:
    first = assistant.ask(question).text.splitlines()[0]
    assert "14B" in first and "32B" not in first


@pytest.mark.parametrize("question", ["显存 24MB 的卡能跑 7B 吗", "24 MB 显存够不够跑 7B", "I have 48 MB of VRAM. Does Qwen2.5-32B int4 fit?"])
def test_megabytes_of_a_card_are_a_slip(assistant: Assistant, question: str) -> None:
    answer = assistant.ask(question)
    assert answer.kind == "error" and "GB" in answer.text and not answer.recommendations


@pytest.mark.parametrize("question", ["显存 24576MB 的卡能跑 Qwen2.5-7B 吗", "Qwen2.5-7B 的 vLLM 报错还差 500MB 显存", "Qwen2.5-7B 的 vLLM 报错还差 100 MB 显存", "Qwen2.5-7B on 24 GB of VRAM, 8K, one user"])
def test_other_megabytes_are_none(assistant: Assistant, question: str) -> None:
    assert assistant.ask(question).kind != "error"
