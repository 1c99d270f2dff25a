"""The second round of tool calls: what only the findings of the first one tell."""

from __future__ import annotations

from tools.jobs.results import JobSizing
from tools.results import Recommendation
from tools.sizing_results import LlmSizing
from tools.speed.need_results import SpeedAnswer

from .evidence import Evidence, Finding
from .filters import intents_of, picks_of
from .plan import PlannedCall
from .plan_jobs import names_subject
from .read.reading import Reading

SIZED, SPEED, PRICES = "size_llm", "size_speed", "get_prices"
JOBS = ("size_train", "size_vision", "size_encoder", "size_diffusion", "size_asr", "size_hybrid")
"""Tools whose findings are sizings of one form."""


def more_calls(reading: Reading, evidence: Evidence, *, region: str) -> list[PlannedCall]:
    """What the sum chose, looked at once more: all its prices, or the memory of one copy at the load it has to carry.

    Empty when that is there already, so that there are two rounds at most.
    """
    shared = {"region": reading.region or region, "language": reading.language}
    if evidence.of_tool(SPEED) and not _called(evidence, SIZED):
        return [_copy_call(finding, shared) for finding in evidence.of_tool(SPEED) if finding.read(SpeedAnswer).machines]
    asks = "price" in intents_of(reading) and names_subject(reading) and reading.carried
    if not asks or _called(evidence, PRICES):
        return []
    return [PlannedCall(PRICES, {"names": [pick.instance_type], **shared}) for pick in sized_picks(evidence)[:1]]


def sized_picks(evidence: Evidence) -> list[Recommendation]:
    """The machines that the only sum of a turn recommends, the first one first."""
    sized = [(finding, name) for name in (SIZED, *JOBS) for finding in evidence.of_tool(name)]
    if len(sized) != 1:
        return []
    finding, name = sized[0]
    if name == SIZED:
        return picks_of(finding.read(LlmSizing))
    advice = finding.read(JobSizing).advice
    return [*(advice.recommendations or advice.multi)]


def _copy_call(finding: Finding, shared: dict[str, str]) -> PlannedCall:
    """The memory of one copy of the model on the machine that was chosen for its speed."""
    row, args = finding.read(SpeedAnswer).machines[0], finding.args
    kept: dict[str, object] = {name: args[name] for name in ("model", "config_json", "weight_dtype", "kv_dtype", "context") if name in args}
    if "context" not in kept:
        kept["context"] = row.speed.input_tokens + row.speed.output_tokens
    copy = {"concurrency": row.concurrency_per_copy, "tensor_parallel": row.tensor_parallel}
    return PlannedCall(SIZED, {**kept, **copy, "on": [row.instance_type], **shared})


def _called(evidence: Evidence, tool: str) -> bool:
    return any(finding.tool == tool for finding in evidence.findings)
