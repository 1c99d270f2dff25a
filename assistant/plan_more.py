"""The second round of tool calls: what only the findings of the first one tell."""

from __future__ import annotations

from tools.sizing_results import LlmSizing

from .evidence import Evidence
from .filters import intents_of, picks_of
from .plan import PlannedCall
from .read.reading import Reading

SIZED = "size_llm"


def more_calls(reading: Reading, evidence: Evidence, *, region: str) -> list[PlannedCall]:
    """A follow-up about money: all prices of the machine that the sum chose. Empty when they are there already."""
    asks = "price" in intents_of(reading) and reading.models and reading.carried
    sized = evidence.of_tool(SIZED)
    if not asks or len(sized) != 1 or any(finding.tool == "get_prices" for finding in evidence.findings):
        return []
    shared = {"region": reading.region or region, "language": reading.language}
    return [
        PlannedCall("get_prices", {"names": [pick.instance_type], **shared})
        for pick in picks_of(sized[0].read(LlmSizing))[:1]
    ]
