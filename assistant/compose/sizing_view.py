"""One answer about serving a language model in the making: what every part of it looks at."""

from __future__ import annotations

from assistant.evidence import Evidence, Finding
from assistant.filters import asks_token_price, asks_token_rate
from assistant.plan_serving import dtype_of_engine
from assistant.read.reading import Reading
from tools.sizing_results import LlmSizing

from . import words
from .machine_view import MachineView


class View(MachineView):
    """The sizing of a language model. Copies that share the users are the pick where they lead."""

    sizing: LlmSizing

    def __init__(self, reading: Reading, evidence: Evidence, finding: Finding) -> None:
        sizing = finding.read(LlmSizing)
        super().__init__(reading, evidence, finding, sizing)
        self.token_price = asks_token_price(reading)
        self.speed_first = self.token_price or asks_token_rate(reading)
        self.gguf_engine = reading.engine if dtype_of_engine(reading) else None
        advice, replicas, self.users = sizing.advice, sizing.replicas, sizing.concurrency
        self.copies = replicas if replicas and replicas.leads else None
        self.picks = advice.recommendations or [*([self.copies.machine] if self.copies else []), *advice.multi]

    def need(self) -> str:
        sizing = self.sizing
        return self.voice(
            "nothing_need",
            weights=words.gib(sizing.totals.weights_gib),
            kv=words.gib(sizing.totals.kv_gib),
            users=sizing.concurrency,
            context=words.tokens(sizing.context),
        )
