"""The second round of tool calls: what only the findings of the first one tell."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal

from tools.jobs.results import JobSizing
from tools.prices import NoPrice, hourly, monthly_within, region_id
from tools.results import Recommendation
from tools.site import site_currency
from tools.sizing_results import LlmSizing
from tools.speed.need_results import SpeedAnswer

from .evidence import Evidence, Finding
from .filters import intents_of, picks_of
from .named_type import choose_type
from .plan import PlannedCall
from .plan_costs import Chosen, machine_calls
from .plan_jobs import names_subject
from .read.reading import Reading

SIZED, SPEED, PRICES = "size_llm", "size_speed", "get_prices"
AFTER = ("compare_costs", "rent_or_api", "training_cost", "order_instance", "where_sold")
"""Tools of the second round; of the first where a machine is named."""
JOBS = ("size_train", "size_vision", "size_encoder", "size_diffusion", "size_asr", "size_hybrid")
"""Tools whose findings are sizings of one form."""


def more_calls(reading: Reading, evidence: Evidence, *, region: str) -> list[PlannedCall]:
    """What the sum chose, looked at once more: its prices, costs, order and regions, or the memory of one copy at the load
    it has to carry.

    Empty when that is there already, so that there are two rounds at most.
    """
    shared = {"region": reading.region or region, "language": reading.language}
    if evidence.of_tool(SPEED) and not _called(evidence, SIZED):
        return [_copy_call(finding, shared) for finding in evidence.of_tool(SPEED) if finding.read(SpeedAnswer).machines]
    elsewhere = _elsewhere(reading, evidence)
    if elsewhere is not None:
        return [elsewhere]
    picks = sized_picks(evidence)[:1]
    if not picks or _called(evidence, *AFTER):
        return []
    pick = _named_pick(evidence, region_id(shared["region"])) if reading.cards or reading.families or reading.instances else None
    pick = pick or Chosen(picks[0].instance_type, machines=picks[0].instances, weight_dtype=_dtype(evidence))
    calls = [PlannedCall(*call) for intent in _of_pick(reading) for call in machine_calls(intent, reading, pick, shared)]
    if "price" in intents_of(reading) and names_subject(reading) and reading.carried and not _called(evidence, PRICES):
        calls.append(PlannedCall(PRICES, {"names": [pick.name], **shared}))
    return calls


def _elsewhere(reading: Reading, evidence: Evidence) -> PlannedCall | None:
    """The same sum in the region with the most subscriptions within the budget, where that of the settings has nothing within a
    budget by the month and no region was named."""
    sums = [finding for name in (SIZED, *JOBS) for finding in evidence.of_tool(name)]
    most = sums[0].args.get("max_monthly") if len(sums) == 1 else None
    if most is None or reading.regions or sized_picks(evidence):
        return None
    regions = Counter(price.region for _, price in monthly_within(Decimal(str(most)), currency=site_currency()))
    found = next((region for region, _ in regions.most_common() if region != sums[0].args.get("region")), None)
    return PlannedCall(sums[0].tool, {**sums[0].args, "region": found}) if found else None


def _named_pick(evidence: Evidence, region: str) -> Chosen | None:
    """Of the named cards and types that hold the job the smallest with a price, where a job was summed on them."""
    sums = [finding.read(JobSizing) for name in JOBS for finding in evidence.of_tool(name)]
    fits = [check for sizing in sums for check in sizing.checks if check.fits and check.in_catalog]
    named = [Chosen(check.instance_type or check.gpu_id, gpu_count=None if check.instance_type else check.gpus) for check in fits]
    return min(named, key=lambda one: (not _is_priced(one, region), one.gpu_count or 1), default=None)


def _is_priced(chosen: Chosen, region: str) -> bool:
    """Whether its type has an hourly price in the region."""
    choice = choose_type(chosen.name, region=region, gpu_count=chosen.gpu_count, language="en")
    return not isinstance(hourly(choice.instance_type, region=region), NoPrice)


def _of_pick(reading: Reading) -> list[str]:
    """What is to be looked up of the pick: what the question asks of a machine, else where it is sold."""
    asked = [intent for intent in intents_of(reading) if intent in ("cost", "order", "api_cost", "run_cost", "where_sold")]
    return asked or ([] if reading.owned else ["where_sold"])


def _dtype(evidence: Evidence) -> str | None:
    """The precision of the weights that were summed."""
    return next((finding.read(LlmSizing).weight_dtype for finding in evidence.of_tool(SIZED)), None)


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


def _called(evidence: Evidence, *tools: str) -> bool:
    return any(finding.tool in tools for finding in evidence.findings)
