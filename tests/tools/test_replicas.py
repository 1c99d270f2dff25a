"""Machines that share the users, each with a copy of the model: cheapest by trying every number of them."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from tools.advise import Wish
from tools.sizing import LlmRequest, size_llm
from tools.sizing_results import LlmSizing


def size(model: str, users: int, **asked: Any) -> LlmSizing:
    return size_llm(LlmRequest(model=model, concurrency=users, **asked))


def cheapest_by_trying(model: str, users: int, **asked: Any) -> Decimal:
    """Lowest cost of up to 64 machines with up to 8 copies each, from the advice for each share of the users."""
    costs = []
    for copies in range(2, 65):
        share = size(model, -(-users // copies), **asked).advice
        for row in share.recommendations:
            if row.price and row.status == "on_sale":
                costs.append(copies * row.price.amount)
    return min(costs)


@pytest.mark.parametrize(
    ("model", "users", "asked"),
    [
        ("Qwen2.5-72B-Instruct", 200, {"context": 8192}),
        ("Qwen2.5-72B-Instruct", 200, {"context": 32_768}),
        ("Qwen2.5-7B-Instruct", 1000, {"context": 8192}),
        ("Llama-3.1-8B", 2000, {"context": 4096}),
        ("Qwen2.5-32B", 400, {"context": 16_384, "weight_dtype": "awq"}),
    ],
)
def test_nothing_cheaper_shares_the_users(model: str, users: int, asked: dict[str, Any]) -> None:
    replicas = size(model, users, **asked).replicas
    assert replicas is not None
    row, copies = replicas.machine, replicas.copies * replicas.machine.instances
    assert row.price is not None and row.fits
    assert copies * replicas.users >= users > copies * (replicas.users - 1)
    assert replicas.copies * replicas.tensor_parallel <= row.gpu_count
    assert row.instances * row.price.amount <= cheapest_by_trying(model, users, **asked) * Decimal("1.01")


@pytest.mark.parametrize(("model", "users"), [("Qwen2.5-7B", 8), ("Qwen2.5-7B", 500), ("DeepSeek-V3", 1)])
def test_none_where_one_copy_is_as_cheap_or_not_even_one_user_fits(model: str, users: int) -> None:
    assert size(model, users, context=8192).replicas is None


def test_the_wish_holds_for_each_machine_and_the_budget_for_all() -> None:
    asked: dict[str, Any] = {"context": 8192}
    on_a10 = size("Qwen2.5-7B", 900, wish=Wish(gpu_ids=frozenset({"nvidia-a10"})), **asked).replicas
    assert on_a10 is not None and on_a10.machine.gpu_id == "nvidia-a10"
    free = size("Qwen2.5-72B-Instruct", 200, **asked).replicas
    assert free is not None and free.machine.price is not None
    total = free.machine.instances * free.machine.price.amount
    tight = size("Qwen2.5-72B-Instruct", 200, wish=Wish(max_hourly=total * Decimal("0.9")), **asked).replicas
    assert tight is None
    assert size("Qwen2.5-72B-Instruct", 200, wish=Wish(max_hourly=total), **asked).replicas is not None


def test_copies_lead_where_joined_machines_cost_more() -> None:
    sizing = size("Qwen2.5-7B-Instruct", 1000, context=8192)
    replicas = sizing.replicas
    assert replicas is not None and replicas.leads
    assert replicas.machine.instances == 1 and replicas.machine.gpu_count == 8  # half of what two joined machines cost
    assert sizing.concurrency == 1000 and sizing.shown_users == replicas.users
    assert sizing.estimate.gpus == replicas.tensor_parallel
    assert sizing.estimate.per_gpu_gib.best == pytest.approx(replicas.machine.required_gib_per_gpu)
    assert f"--data-parallel-size {replicas.copies}" in (sizing.estimate.command or "")
    assert "--pipeline-parallel-size" not in (sizing.estimate.command or "")


def test_copies_do_not_lead_before_a_machine_that_holds_all() -> None:
    sizing = size("Qwen2.5-7B-Instruct", 300, context=8192)
    assert sizing.advice.recommendations
    assert sizing.replicas is not None and not sizing.replicas.leads
    assert sizing.shown_users == 300
