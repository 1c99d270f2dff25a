"""What is traced to fit the coefficients of a vision network: sizes, batches and classes of each row of the table."""

from __future__ import annotations

from dataclasses import dataclass, replace

from knowledge.vision_facts import VisionNetwork

MANY_CLASSES, FEWER_CLASSES, FEW_CLASSES = 150, 100, 2
"""Classes at which the peak is in the loss (two, for the slope), and at which it is in the network itself."""


@dataclass(frozen=True)
class Point:
    """One traced setting."""

    side: int
    width: int
    batch: int
    classes: int


@dataclass(frozen=True)
class Combination:
    """What one row of coefficients is of."""

    era: str
    phase: str
    precision: str
    checkpointing: bool = False

    @property
    def name(self) -> str:
        """"modern training amp checkpointing"."""
        return " ".join([self.era, self.phase, self.precision, *(["checkpointing"] if self.checkpointing else [])])


USUAL_METHODS = (
    "fcn", "pspnet", "deeplabv3", "deeplabv3plus", "unet", "upernet", "segformer", "mask2former", "ocrnet", "classifier",
    "bisenetv1", "bisenetv2", "fastscnn",
)  # fmt: skip
"""Methods whose networks get rows of checkpointing and of inference in mixed precision too; others can be traced."""
OLD_MIXED_METHODS = ("bisenetv2",)
OLD_MIXED = tuple(
    [f"{method}/r101-d8" for method in ("fcn", "pspnet", "deeplabv3", "deeplabv3plus")]
    + [f"upernet/{backbone}" for backbone in ("convnext-t", "convnext-s", "convnext-b", "convnext-l", "convnext-xl", "mae-b", "beit-l")]
)
"""Networks with published runs in mixed precision of old PyTorch."""
COMBINATIONS = (
    Combination("modern", "training", "fp32"), Combination("modern", "training", "amp"),
    Combination("modern", "training", "fp32", True), Combination("modern", "training", "amp", True),
    Combination("modern", "inference", "fp32"), Combination("modern", "inference", "amp"),
    Combination("legacy", "training", "fp32"), Combination("legacy", "training", "amp"),
)  # fmt: skip
Line = tuple[Point, ...]
"""Two points of one size (batch and its double), and a larger picture where attention may bend the line."""


@dataclass(frozen=True)
class Plan:
    """What is traced for a row: the line of the loss (with fewer classes for its slope), that of the body, unseen points."""

    loss: Line
    fewer: Point | None
    body: Line
    unseen: tuple[Point, ...]

    @property
    def points(self) -> tuple[Point, ...]:
        return tuple(dict.fromkeys((*self.loss, *([self.fewer] if self.fewer else []), *self.body)))

    def with_more(self, times: int) -> Plan:
        """The same points with larger batches."""

        def grown(line: Line) -> Line:
            return tuple(replace(point, batch=times * point.batch) for point in line)

        return Plan(grown(self.loss), grown((self.fewer,))[0] if self.fewer else None, grown(self.body), grown(self.unseen))


def plan_of(task: str, combination: Combination, *, bent: bool) -> Plan:
    """The first combination of a network tells whether its lines are bent and what a class costs; the others trace less.

    Without gradients the peak of large pictures may be elsewhere than that of small ones, so each has a line of its own.
    """
    first = combination == COMBINATIONS[0]
    if task == "classification":
        line = (Point(224, 224, 16, 1000), Point(224, 224, 32, 1000), *([Point(448, 448, 8, 1000)] if bent or first else []))
        return Plan(line, Point(224, 224, 32, 500) if first else None, line, (Point(288, 288, 24, 1000),) if first else ())
    if combination.phase == "inference":
        small = (Point(512, 512, 1, 19), Point(512, 512, 2, 19))
        large = (Point(1024, 1024, 1, 19), Point(1024, 1024, 2, 19), *([Point(1536, 1536, 1, 19)] if bent else []))
        return Plan(small, None, large, (Point(512, 1024, 1, 19),))
    many, few = (_line_points(classes, bent=bent or first) for classes in (MANY_CLASSES, FEW_CLASSES))
    tells_class = first or combination.era == "legacy"
    unseen = (Point(512, 1024, 2, 19), Point(768, 768, 2, 60)) if first else (Point(512, 1024, 2, 19),)
    return Plan(many, Point(512, 512, 4, FEWER_CLASSES) if tells_class else None, few, unseen)


def _line_points(classes: int, *, bent: bool) -> Line:
    """Two large pictures, as BatchNorm wants two values."""
    return (Point(512, 512, 2, classes), Point(512, 512, 4, classes), *([Point(1024, 1024, 2, classes)] if bent else []))


def is_wanted(row: VisionNetwork, combination: Combination) -> bool:
    """Rows cost time: old runs in mixed precision only where they were published, what a rare network needs and no more."""
    if (combination.era, combination.precision) == ("legacy", "amp"):
        return row.method in OLD_MIXED_METHODS or row.network in OLD_MIXED
    rarely = combination.checkpointing or (combination.phase, combination.precision) == ("inference", "amp")
    return row.method in USUAL_METHODS or not rarely
