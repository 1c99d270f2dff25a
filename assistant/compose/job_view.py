"""One answer on a job in the making: what its parts look at."""

from __future__ import annotations

from assistant.evidence import Evidence, Finding
from assistant.read.reading import Reading
from knowledge import facts
from tools.jobs.results import JobSizing
from tools.phrases import read_phrases

from . import words
from .draft import Voice
from .machine_view import MachineView


class JobView(MachineView):
    """`voice` speaks of machines as all sizing answers do, `said` what only these answers say."""

    sizing: JobSizing

    def __init__(self, reading: Reading, evidence: Evidence, finding: Finding) -> None:
        super().__init__(reading, evidence, finding, finding.read(JobSizing))
        self.said = Voice("job", reading.language)
        self._parts = read_phrases("tools", "phrases/parts.toml")

    def title(self) -> str:
        """The job in a few words: what it is, and of what."""
        code = f"method_{self.sizing.settings.get('method')}"
        method = self.said(code) if self.said.has(code) else ""
        goal = f"goal_{self.sizing.settings.get('objective')}"
        job = self.said(goal) if self.said.has(goal) else self.said(f"job_{self.sizing.job}")
        return self.said("title", subject=self.sizing.subject, method=method, job=job)

    def part(self, name: str) -> str:
        """The words of a part of the memory."""
        return self._parts[name][self.language] if name in self._parts else name.replace("_", " ")

    def cards_of(self, gpu_id: str, count: int) -> str:
        return words.cards(facts.gpus()[gpu_id], count, self.language)

    def need(self) -> str:
        estimate = self.sizing.estimate
        return self.said("need", subject=self.title(), need=words.gib(estimate.per_gpu_gib.best), gpus=estimate.gpus)
