"""Training a language model as a demand on cards: what `advise` asks about, without knowing what is trained."""

from __future__ import annotations

from dataclasses import dataclass, field

from knowledge.rows import Gpu
from tools.demand import Wish
from tools.phrases import Language
from tools.places import catalog_counts
from tools.results import Estimate
from tools.units import from_gib
from tools.usable import usable_gib

from .compatibility import blocked, cautions
from .estimate import make_estimate
from .host import disk_gib, host_gib
from .job import Layout, Offload, TrainingJob
from .peak import TrainingSum, training_sum
from .plans import plan

LARGEST_MACHINE = 8
"""Cards of a machine where the catalog has none of the kind."""


@dataclass(frozen=True)
class TrainingDemand:
    """One training job asked of many cards; each (card, cards, machines) is summed once.

    `asked` is the way of cutting that the user fixed; None takes the plainest that fits. `gpus` is the number of cards
    that was asked for.
    """

    job: TrainingJob
    language: Language = "en"
    asked: Layout | None = None
    offload: Offload = "none"
    gpus: int | None = None
    utilization: float = Wish().utilization
    _seen: dict[tuple[str, int | None, float, int, int], tuple[Estimate, ...]] = field(
        default_factory=dict, repr=False, compare=False
    )
    _sums: dict[Layout, TrainingSum] = field(default_factory=dict, repr=False, compare=False)

    def layout_on(self, gpu: Gpu, gpus: int) -> Layout | None:
        """How it is cut over that many cards; on more than were asked for, over as many as asked."""
        used = min(gpus, self.gpus) if self.gpus else gpus
        if self.gpus and gpus < self.gpus:
            return None
        limit = self.utilization * from_gib(usable_gib(gpu))
        return plan(
            self.job, used, asked=self.asked, offload=self.offload, fits=lambda way: self.account(way).total <= limit
        )

    def account(self, layout: Layout) -> TrainingSum:
        """The sum of a layout, which is the same on every card."""
        if layout not in self._sums:
            self._sums[layout] = training_sum(self.job, layout, language=self.language)
        return self._sums[layout]

    def estimates(self, gpu: Gpu, gpus: int) -> tuple[Estimate, ...]:
        """The way it is cut over that many cards; more than one machine has are those of several."""
        most = max(catalog_counts(gpu.gpu_id), default=LARGEST_MACHINE)
        machines = gpus // most if gpus > most and gpus % most == 0 else 1
        return self.estimates_across(gpu, gpus // machines, machines)

    def estimates_across(self, gpu: Gpu, gpus: int, machines: int) -> tuple[Estimate, ...]:
        """The way it is cut over `machines` machines of `gpus` cards each."""
        key = (gpu.gpu_id, gpu.usable_mib, gpu.memory_gb, gpus, machines)
        if key not in self._seen:
            layout = self.layout_on(gpu, gpus * machines)
            self._seen[key] = () if layout is None else (
                make_estimate(self.job, layout, gpu, self.account(layout), language=self.language, machines=machines),
            )  # fmt: skip
        return self._seen[key]

    def blocked(self, gpu: Gpu) -> str | None:
        """Code of the reason why the card cannot run the job at all."""
        return blocked(self.job, gpu)

    def cautions(self, gpu: Gpu, gpus: int) -> list[str]:
        """Codes of what bites on that card at that count."""
        return self.cautions_across(gpu, gpus, 1)

    def cautions_across(self, gpu: Gpu, gpus: int, machines: int) -> list[str]:
        """Codes of what bites on machines of that many cards."""
        layout = self.layout_on(gpu, gpus * machines)
        return [] if layout is None else cautions(self.job, gpu, layout, machines)

    @property
    def disk_gib(self) -> float:
        """Disk for weights, saved states and system."""
        return disk_gib(self.job)

    @property
    def host_memory_gib(self) -> float:
        """Main memory for loading."""
        return host_gib(self.job, Layout())

    @property
    def resident_gib(self) -> float:
        """Main memory of what is offloaded."""
        return 0.0 if self.offload == "none" else host_gib(self.job, Layout(offload=self.offload))
