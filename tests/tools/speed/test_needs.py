"""Machines for a wished speed, price per token, the demand with its speed, and the sentences of both languages."""

from __future__ import annotations

import string
from dataclasses import replace
from decimal import Decimal

import pytest

from knowledge.errors import InputError
from knowledge.facts import gpus, instances
from tools.advise import advise
from tools.demand import Timed, Wish
from tools.llm_demand import PHRASES as RUNNING
from tools.llm_demand import make_demand
from tools.lookup import look_up_model
from tools.offers import card_of
from tools.phrases import Language, read_phrases
from tools.serving_job import ServingJob
from tools.sizing import LlmRequest, size_llm
from tools.speed.copies import SpeedNeed, users_at
from tools.speed.cost import token_price
from tools.speed.lanes import job_lane, split_context
from tools.speed.need_results import SpeedMachines
from tools.speed.needs import machines_for
from tools.speed.sentences import pick_sentence, price_sentence, speed_sentence, wish_sentence
from tools.speed.speed import serving_speed
from tools.speed.timed import TimedLlmDemand

A100 = "nvidia-a100-80gb"
LANGUAGES: tuple[Language, ...] = ("zh", "en")


def make_job(model: str = "Qwen2.5-7B-Instruct", precision: str = "bf16", users: int = 8, context: int = 4096) -> ServingJob:
    return ServingJob(look_up_model(model).model, precision, context=context, concurrency=users)


def slow_rate(row: SpeedMachines, job: ServingJob, prompt: int, answer: int) -> float:
    """Requests per second of all copies at the slow end, summed anew."""
    instance = instances()[row.instance_type]
    lane = job_lane(job, card_of(instance), tensor_parallel=row.tensor_parallel, nvlink=instance.nvlink)
    most = max(range(1, row.room_per_copy + 1), key=lambda users: users / lane.times(users, prompt, answer, slow=True).request_s)
    return row.copies * most / lane.times(most, prompt, answer, slow=True).request_s


@pytest.mark.parametrize("qps", [0.5, 5.0, 50.0])
def test_machines_keep_up_with_the_rate_and_one_copy_less_would_not(qps: float) -> None:
    job = make_job()
    answer = machines_for(SpeedNeed(qps=qps, input_tokens=1000, output_tokens=300), job)
    assert answer.machines
    for row in answer.machines[:4]:
        rate = slow_rate(row, job, 1000, 300)
        assert rate >= qps
        assert row.copies == 1 or rate * (row.copies - 1) / row.copies < qps
        assert row.instances == -(-row.copies // (row.gpu_count // row.tensor_parallel))


def test_requests_open_at_once_follow_from_rate_and_time() -> None:
    """Little's law: requests per second times seconds of a request."""
    row = machines_for(SpeedNeed(qps=4, input_tokens=1000, output_tokens=300), make_job()).machines[0]
    slow = row.speed.request_s.high
    assert row.concurrency_per_copy >= 4 / row.copies * slow - 1e-6
    assert row.concurrency_per_copy - 1 < 4 / row.copies * slow
    assert row.concurrency_per_copy <= row.room_per_copy


def test_ranked_by_price_and_more_never_costs_less() -> None:
    costs = []
    for qps in (1.0, 10.0, 100.0):
        rows = machines_for(SpeedNeed(qps=qps, input_tokens=1000, output_tokens=300), make_job()).machines
        priced = [row.hourly for row in rows if row.hourly is not None and row.status == "on_sale"]
        assert priced == sorted(priced)
        costs.append(priced[0])
    assert costs == sorted(costs) and costs[0] < costs[-1]


def test_total_tokens_are_requests_times_their_answers() -> None:
    by_rate = machines_for(SpeedNeed(qps=10, input_tokens=1000, output_tokens=300), make_job()).machines[0]
    by_tokens = machines_for(SpeedNeed(total_tokens_per_s=3000, input_tokens=1000, output_tokens=300), make_job()).machines[0]
    assert (by_rate.instance_type, by_rate.copies) == (by_tokens.instance_type, by_tokens.copies)


def test_a_wish_for_each_user_is_kept_by_the_slow_end() -> None:
    answer = machines_for(SpeedNeed(tokens_per_s=20, ttft_s=2, concurrency=40, input_tokens=1500, output_tokens=400), make_job("Qwen3-14B"))
    assert answer.machines and answer.concurrency == 40
    for row in answer.machines:
        assert row.speed.tokens_per_s_per_user.low >= 20
        assert row.copies * row.concurrency_per_copy >= 40
        assert 0 < row.load <= 1


@pytest.mark.parametrize(("language", "word"), [("zh", "达不到"), ("en", "short of")])
def test_what_no_card_can_do_is_said_card_by_card(language: Language, word: str) -> None:
    answer = machines_for(SpeedNeed(tokens_per_s=5000), make_job("Qwen2.5-72B-Instruct", "awq"), language=language)
    assert answer.machines == []
    assert word in answer.too_slow[A100]


BROKEN = (
    (SpeedNeed(), "speed was asked", "没有说要多快"),
    (SpeedNeed(qps=0), "above 0", "大于 0"),
    (SpeedNeed(qps=-3), "above 0", "大于 0"),
    (SpeedNeed(ttft_s=10**12), "at most", "不超过"),
    (SpeedNeed(tokens_per_s=float("nan")), "above 0", "大于 0"),
    (SpeedNeed(qps=1, input_tokens=-1), "positive", "正数"),
    (SpeedNeed(qps=1, output_tokens=10**12), "at most", "不超过"),
    (SpeedNeed(ttft_s=1, concurrency=-2), "between 1", "1 到"),
)


@pytest.mark.parametrize(("need", "english", "chinese"), BROKEN)
def test_absurd_wishes_get_one_sentence(need: SpeedNeed, english: str, chinese: str) -> None:
    with pytest.raises(InputError, match=english):
        machines_for(need, make_job(), language="en")
    with pytest.raises(InputError, match=chinese):
        machines_for(need, make_job(), language="zh")


def test_a_wish_of_the_machine_holds() -> None:
    wish = Wish(gpu_ids=frozenset({"nvidia-a10"}), max_hourly=Decimal(80))
    answer = machines_for(SpeedNeed(qps=1, input_tokens=500, output_tokens=200), make_job(), wish=wish)
    assert {row.gpu_id for row in answer.machines} == {"nvidia-a10"}
    assert all(row.hourly is not None and row.hourly <= 80 for row in answer.machines if row.price)


def test_price_per_million_is_rent_over_tokens() -> None:
    row = machines_for(SpeedNeed(qps=10, input_tokens=900, output_tokens=300), make_job()).machines[0]
    assert row.price is not None and row.hourly is not None
    price = token_price(row.price, row.speed, copies=row.copies, instances=row.instances)
    expected = float(row.hourly) * 1e6 / (row.copies * row.speed.tokens_per_s.best * 3600)
    assert price.answer.best == pytest.approx(expected)
    assert price.all_tokens.best == pytest.approx(expected * 300 / 1200)
    assert price.answer.low < price.answer.best < price.answer.high
    assert (price.currency, price.as_of) == (row.price.currency, row.price.as_of)


def test_a_demand_with_its_speed_is_advised_like_the_one_without() -> None:
    job = make_job(context=8192)
    plain = make_demand(job, language="en", gpu=gpus()[A100])
    timed = TimedLlmDemand(plain)
    assert isinstance(timed, Timed) and not isinstance(plain, Timed)
    with_speed, without = (advise(demand, language="en", phrase_table=RUNNING) for demand in (timed, plain))
    assert [row.instance_type for row in with_speed.recommendations] == [row.instance_type for row in without.recommendations]
    first = with_speed.recommendations[0]
    assert first.tokens_per_s is not None and 0 < first.tokens_per_s.low < first.tokens_per_s.high


def test_no_speed_is_told_for_machines_in_a_pipeline_or_an_engine_without_tables() -> None:
    job = make_job("DeepSeek-V3", "fp8")
    demand, gpu = make_demand(job, language="en", gpu=gpus()[A100]), gpus()["nvidia-h20-96gb"]
    assert TimedLlmDemand(demand).tokens_per_s(gpu, demand.estimates_across(gpu, 8, 2)[0]) is None
    other = ServingJob(look_up_model("Qwen3-8B").model, "q4_k_m", engine="llama.cpp")
    with pytest.raises(InputError, match=r"llama\.cpp"):
        serving_speed(other, gpus()[A100], tensor_parallel=1)


def test_users_at_a_speed_and_lengths_of_a_context() -> None:
    lane = job_lane(make_job(), gpus()[A100], tensor_parallel=1)
    most = users_at(lane, 30, 1000, 300, room=200)
    assert 1 / lane.times(most, 1000, 300, slow=True).token_s >= 30 > 1 / lane.times(most + 1, 1000, 300, slow=True).token_s
    assert split_context(4096, None, None) == (3072, 1024)
    assert split_context(400, None, None) == (300, 100)
    assert split_context(4096, None, 96) == (4000, 96)
    assert split_context(4096, 500, None) == (500, 1024)


@pytest.mark.parametrize("language", LANGUAGES)
def test_sentences_carry_the_figures(language: Language) -> None:
    answer = machines_for(SpeedNeed(qps=3, ttft_s=2, input_tokens=1000, output_tokens=300), make_job(), language=language)
    row = answer.machines[0]
    assert row.token_price is not None
    assert row.instance_type in pick_sentence(answer, language)
    assert "1,000" in wish_sentence(answer, language) and "300" in speed_sentence(row.speed, language)
    assert row.token_price.as_of in price_sentence(row.token_price, language)


def test_every_sentence_takes_the_same_arguments_in_both_languages() -> None:
    for code, row in read_phrases("tools", "phrases/speed.toml").items():
        fields = [{name for _, name, _, _ in string.Formatter().parse(row[language]) if name} for language in LANGUAGES]
        assert fields[0] == fields[1], code
        assert any("\u4e00" <= letter <= "\u9fff" for letter in row["zh"]) or code in ("unit.CNY",), code


@pytest.mark.parametrize(("language", "words"), [("zh", "超过 1,000 台的上限"), ("en", "more than the 1,000 that are planned for")])
def test_a_rate_beyond_a_thousand_machines_says_how_many_it_would_take(language: Language, words: str) -> None:
    answer = machines_for(SpeedNeed(qps=10_000), make_job(context=8192), language=language)
    assert not answer.machines
    assert words in answer.too_slow[A100]


def test_of_a_card_that_is_too_slow_the_largest_copy_speaks() -> None:
    answer = machines_for(SpeedNeed(ttft_s=0.01, input_tokens=7168, output_tokens=1024), make_job("Qwen2.5-72B-Instruct"))
    assert answer.too_slow[A100].startswith("on 8 cards a copy")


def test_the_most_users_at_a_speed_are_fewer_than_memory_holds() -> None:
    request = LlmRequest(model="Qwen2.5-7B-Instruct", context=4096, solve="concurrency", on=("nvidia-a100-80gbx1",))
    held, kept, none = (size_llm(replace(request, tokens_per_s=rate)).solved[0] for rate in (None, 20.0, 5000.0))
    assert 0 < kept.value < held.value and none.value == 0
    assert kept.tokens_per_s == 20.0 and kept.required_gib is not None and held.required_gib is not None
    assert kept.required_gib < held.required_gib
    job = make_job(users=kept.value)
    lane = job_lane(job, gpus()[A100], tensor_parallel=1)
    prompt, answer = split_context(4096, None, None)
    speeds = [1 / lane.times(users, prompt, answer, slow=True).token_s for users in (kept.value, kept.value + 1)]
    assert speeds[0] >= 20.0 > speeds[1]
