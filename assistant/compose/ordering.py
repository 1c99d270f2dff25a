"""One short paragraph under a sizing: where its pick is sold, as far as is known, and how it is ordered."""

from __future__ import annotations

from assistant.evidence import Evidence
from assistant.read.reading import Reading
from knowledge import facts
from tools.order.instead import can_be_ordered
from tools.order.make import BUY
from tools.site import current_site

from . import words
from .draft import Voice
from .machine_view import MachineView
from .sold import picked_where


def ordering(view: MachineView, reading: Reading, evidence: Evidence) -> str:
    """Empty where nothing is picked, the hardware is the user's own, or orders and regions are answered in full anyway."""
    if not view.picks or view.owned or {"order", "where_sold"} & {*reading.intents}:
        return ""
    pick, voice = view.picks[0], Voice("orders", reading.language)
    parts = [picked_where(reading, evidence, home=view.asked_region, derived=view.derived)]
    if can_be_ordered(facts.instances()[pick.instance_type]):
        region = words.region(view.asked_region, reading.language)
        parts.append(voice("closing", name=pick.instance_type, region=region, link=BUY[reading.site or current_site()]))
    else:
        parts.append(voice("closing_sales", name=pick.instance_type))
    return ("" if reading.language == "zh" else " ").join(part for part in parts if part)
