"""Training a language model as a demand on cards: what `advise` asks about, without knowing what is trained."""

from __future__ import annotations

from dataclasses import dataclass, field

from knowledge.rows import Gpu
from tools.demand import Wish
from tools.phrases import Language
from tools.results import Estimate

from .compatibility import blocked, cautions
from .estimate import estimate_training
from .host import disk_gib, host_gib
from .job import Layout, Offload, TrainingJob
from .plans import plan


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

    def layout_on(self, gpu: Gpu, gpus: int) -> Layout | None:
        """How it is cut over that many cards; on more than were asked for, over as many as asked."""
        used = min(gpus, self.gpus) if self.gpus else gpus
        if self.gpus and gpus < self.gpus:
            return None
        return plan(self.job, gpu, used, asked=self.asked, offload=self.offload, utilization=self.utilization)

    def estimates(self, gpu: Gpu, gpus: int) -> tuple[Estimate, ...]:
        """The way it is cut over that many cards of one machine."""
        return self.estimates_across(gpu, gpus, 1)

    def estimates_across(self, gpu: Gpu, gpus: int, machines: int) -> tuple[Estimate, ...]:
        """The way it is cut over `machines` machines of `gpus` cards each."""
        key = (gpu.gpu_id, gpu.usable_mib, gpu.memory_gb, gpus, machines)
        if key not in self._seen:
            layout = self.layout_on(gpu, gpus * machines)
            self._seen[key] = () if layout is None else (
                estimate_training(self.job, layout, gpu, language=self.language, machines=machines),
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
        """Main memory for loading, and for what is offloaded."""
        return host_gib(self.job, Layout(offload=self.offload))
