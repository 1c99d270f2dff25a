"""Fact tables of vision networks, loaded once each: names, networks, memory by coefficients, detectors, presets."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from .tables import read_csv


@dataclass(frozen=True, slots=True)
class VisionMethod:
    """A network family. `sizes` maps a suffix of the name to a backbone: `b5=mit-b5`. `needs_backbone`: the name is also a
    word or an abbreviation of something else, and counts only beside a backbone.

    `task` is segmentation | detection | classification; `framework` is empty where nothing is known but the name.
    `height`, `width`, `classes` and `optimizer` are what its published configs use.
    """

    method: str
    label: str
    task: str
    framework: str
    height: int
    width: int
    classes: int
    optimizer: str
    needs_backbone: bool
    sizes: tuple[str, ...]
    spellings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class VisionBackbone:
    """A backbone; `alone` is the method meant where it is named without one."""

    backbone: str
    label: str
    alone: str
    spellings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class VisionNetwork:
    """A method on a backbone. The first row of a method is its default; `config` is a file of the training framework.

    `traced_as` is what the tracer calls it, with `trace_options` as `name=value`.
    """

    network: str
    method: str
    backbone: str
    traced_as: str
    trace_options: tuple[str, ...]
    config: str


@dataclass(frozen=True, slots=True)
class VisionMemory:
    """Bytes that one training step or forward pass needs beside what stands, as our own tracer counts them.

        loss = loss_a + (loss_b + loss_k · classes) · pixels + loss_c · pixels² / images
        body = body_a + body_b · pixels + body_c · pixels² / images            (pixels of all images of the batch)

    The peak is the larger. `era`: modern (current PyTorch) | legacy (before 1.11: softmax keeps input and output, cuDNN's
    Winograd buffers of fp32 convolutions, gradients live from step to step). `parameters` and `trained` count elements,
    `buffers` bytes. `heldout_pct` is the largest error against traces that the fit did not see.
    """

    network: str
    era: str
    phase: str  # training | inference
    precision: str  # fp32 | amp
    checkpointing: bool
    classes: int  # of the fit
    parameters: int
    trained: int
    parameters_per_class: float
    buffers: int
    loss_a: float
    loss_b: float
    loss_k: float
    loss_c: float
    body_a: float
    body_b: float
    body_c: float
    cached_pct: float  # reserved over allocated, percent
    points: int
    heldout_pct: float


@dataclass(frozen=True, slots=True)
class VisionPart:
    """What a backbone, a method or an option adds to a detector's training memory, fitted on published rows.

    `bytes_per_px` counts every pixel of every image; `parameters_m` are millions, counted from the shape.
    """

    framework: str  # mmdet | detectron2
    kind: str  # backbone | method | option
    name: str
    parameters_m: float
    bytes_per_px: float
    factor: float  # on the bytes per pixel of all parts; 1 but for mixed precision
    rows: int


@dataclass(frozen=True, slots=True)
class VisionPreset:
    """A published figure of a fixed training preset, as nvidia-smi showed it: looked up, never computed."""

    method: str
    shown_gb: float
    gpu: str
    card_gb: float | None  # the card that the planner aims at
    command: str
    source_ids: tuple[str, ...]


MemoryKey = tuple[str, str, str, str, bool]
"""network, era, phase, precision, checkpointing"""


@cache
def vision_methods() -> dict[str, VisionMethod]:
    """Methods by id."""
    return {row.method: row for row in read_csv(VisionMethod, "vision_methods.csv")}


@cache
def vision_backbones() -> dict[str, VisionBackbone]:
    """Backbones by id; where an id stands twice, the first row."""
    rows: dict[str, VisionBackbone] = {}
    for row in read_csv(VisionBackbone, "vision_backbones.csv"):
        rows.setdefault(row.backbone, row)
    return rows


@cache
def vision_networks() -> dict[str, VisionNetwork]:
    """Networks by `method/backbone`, defaults first."""
    return {row.network: row for row in read_csv(VisionNetwork, "vision_networks.csv")}


@cache
def vision_memory() -> dict[MemoryKey, VisionMemory]:
    """Coefficients of one network, era, phase, precision, with or without checkpointing."""
    rows = read_csv(VisionMemory, "vision_memory.csv")
    return {(row.network, row.era, row.phase, row.precision, row.checkpointing): row for row in rows}


@cache
def vision_parts() -> dict[tuple[str, str, str], VisionPart]:
    """Parts of detectors by framework, kind and name."""
    return {(row.framework, row.kind, row.name): row for row in read_csv(VisionPart, "vision_parts.csv")}


@cache
def vision_presets() -> dict[str, VisionPreset]:
    """Presets with a published figure, by method."""
    return {row.method: row for row in read_csv(VisionPreset, "vision_presets.csv")}
