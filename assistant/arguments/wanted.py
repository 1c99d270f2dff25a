"""What the rules would give a tool for the same question: the yardstick for a chat model's arguments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assistant.filters import conditions_of
from assistant.plan import plan_calls
from assistant.plan_costs import Chosen, currency_of, machine_calls, named_machines
from assistant.plan_jobs import job_calls
from assistant.plan_places import budget_of, gpu_ids_of, names_of, places_of
from assistant.plan_serving import size_call, speed_calls
from assistant.read.reading import Reading

from .rules import SERVING, SIZES

JOBS = {
    "size_train": "llm_training", "size_vision": "vision_training", "size_encoder": "encoder_inference", "size_diffusion": "diffusion_inference",
    "size_asr": "asr_inference", "size_cpu": "cpu_inference",
}  # fmt: skip
"""The job that each tool is for, where the reading tells of another one: a question may be about several."""
COSTS = {"compare_costs": "cost", "rent_or_api": "api_cost", "training_cost": "run_cost", "order_instance": "order", "where_sold": "where_sold"}
"""The intent that each of these tools answers."""
SEQUENCE = {"weight_dtype": "dtype"}
"""Arguments of `size_llm` by their names in `size_hybrid`."""
Args = dict[str, Any]


class Wanted:
    """The arguments that the rules give for one tool; of several calls of it, those that are the same in all, and `calls`."""

    def __init__(self, tool: str, reading: Reading, region: str) -> None:
        planned = plan_calls(reading, region=region)
        self.tool = tool
        self.is_planned = any(call.tool == tool for call in planned)
        self.is_asked = self.is_planned or _is_akin(tool, {call.tool for call in planned})
        self.calls = [call.args for call in planned if call.tool == tool] or [_made(tool, reading, region)]
        self._all = {name: [args.get(name) for args in self.calls] for name in {name for args in self.calls for name in args}}

    def values(self, argument: str) -> list[Any]:
        """The values of an argument in all calls that give it, each once, without empty ones."""
        kept: list[Any] = []
        for value in self._all.get(argument, ()):
            if value not in (None, "", []) and value not in kept:
                kept.append(value)
        return kept

    def is_in_all(self, argument: str) -> bool:
        """Whether every call gives it."""
        return all(value not in (None, "", [], False) for value in self._all.get(argument, (None,)))

    def shared(self) -> Mapping[str, Any]:
        """Arguments with one value in all calls."""
        return {name: values[0] for name in self._all if len(values := self.values(name)) == 1 and self.is_in_all(name)}


def _is_akin(tool: str, planned: set[str]) -> bool:
    """Whether a tool is asked the same as a planned one: what is said of serving holds for every sum of it."""
    if tool in SERVING:
        return bool(planned & SERVING) or not planned & SIZES
    return tool not in SIZES and tool not in COSTS and tool != "find_instances"


def _made(tool: str, reading: Reading, region: str) -> Args:
    """The arguments as they would be if the question was one for this tool."""
    placed = {"region": reading.region or region, "language": reading.language}
    if tool == "size_llm":
        return size_call(reading, "", placed)[1]
    if tool == "size_speed":
        return next(speed_calls(reading, [""], placed))[1]
    if tool in JOBS:
        return _of_job(tool, reading, placed)
    if tool == "size_hybrid":
        return {SEQUENCE.get(name, name): value for name, value in size_call(reading, "", placed)[1].items()}
    if tool in COSTS:
        return _of_cost(tool, reading, placed)
    if tool == "find_instances":
        return {**conditions_of(reading), **placed}
    return {"names": names_of(reading), **placed}


def _of_job(tool: str, reading: Reading, placed: Args) -> Args:
    job = JOBS[tool]
    if tool in ("size_vision", "size_diffusion") and (reading.inference is False or (reading.job or "").endswith("training")):
        job = job.replace("inference", "training")
    elif tool == "size_vision" and (reading.inference or (reading.job or "").endswith("inference")):
        job = "vision_inference"
    alone = reading.model_copy(update={"job": job, "models": reading.models[:1], "methods": [], "networks": reading.networks[:1]})
    found = job_calls(alone, places=places_of(reading), budget=budget_of(reading.budget), shared=placed)
    args = next((args for name, args in found if name == tool), {})
    return {name: value for name, value in args.items() if name not in ("model", "arch", "training", "inference")}


def _of_cost(tool: str, reading: Reading, placed: Args) -> Args:
    named = named_machines(reading) or [Chosen("")]
    found = dict(machine_calls(COSTS[tool], reading, named[0], placed))
    return found.get(tool, {"currency": currency_of(reading), **placed})


def machines_of(reading: Reading) -> list[str]:
    """The types, families and cards that are named, as the tools take them and as typed."""
    names = [*names_of(reading), *(one.name for one in named_machines(reading))]
    cards = [gpu_id for card in reading.cards for gpu_id in gpu_ids_of(card) or [card.text]]
    return list(dict.fromkeys(name for name in [*names, *cards] if name))
