"""Fits the parts of detectors on published rows: `python -m evals.detection_coefficients vision_detection.csv vision_other.csv`.

Writes knowledge/data/vision_parts.csv (with `--write`) and prints how parts fitted on half of the models predict the other
half. What a backbone keeps is known from tracing it alone (column traced_bytes_per_px, first stage frozen, old PyTorch);
the fit finds what methods and options add, and by how much a backbone is off. It is a ridge regression of relative
errors, repeated with smaller weights for rows far off, as a few published figures are slips.
"""

from __future__ import annotations

import argparse
import csv
import random
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path

from evals.accuracy.detection_rows import DetectionRow, detectron2_row, mmdet_row
from evals.accuracy.rows import Row, number, text
from knowledge.errors import InputError
from knowledge.vision_facts import VisionPart
from tools.units import from_gib
from tools.vision.account import ELEMENT
from tools.vision.detection import CROWD
from tools.vision.job import OPTIMIZER_COPIES

RIDGE = 0.03
"""Pull of each part towards what is known without it (the traced backbone, the mean of methods, no option), in units of a relative error: a part seen once is pulled by some
percent, one seen ten times hardly."""
SLIP = 0.06
"""Relative error from which a row loses weight: twice as far off, it counts a quarter. Chosen, with the pull, by the rows
left out."""
FREE = 0.01
"""Share of the pull on what nothing but the rows tells."""
ROUNDS = 12
CROWDS = ("objects365", "openimages", "crowdhuman")
"""Options that count once on a card and not for every image (tools/vision/detection.py)."""
PARAMETERS = Path("evals/accuracy/detector_parameters.csv")


@dataclass(frozen=True)
class Sample:
    """One published row: its parts by kind and name, and the bytes that the parts must explain."""

    row: DetectionRow
    parts: tuple[tuple[str, str], ...]
    static: float
    measured: float

    @property
    def dynamic(self) -> float:
        return self.measured - self.static


def read_samples(paths: Sequence[Path]) -> list[Sample]:
    """All rows that name a method, a backbone and a batch."""
    parameters = read_parameters()
    samples = []
    for path in paths:
        for raw in csv.DictReader(path.read_text(encoding="utf-8").splitlines()):
            row: Row = dict(raw)
            try:
                found = detectron2_row(row) if "detectron2" in (text(row, "source") or "") else mmdet_row(row)
            except InputError:
                continue
            samples.append(_sample(found, from_gib(number(row, "mem_gb") or 0.0), parameters))
    return samples


def read_parameters() -> dict[str, float]:
    """Millions of parameters by the name of a method or a backbone, counted from the shapes."""
    lines = PARAMETERS.read_text(encoding="utf-8").splitlines()
    return {row["name"]: float(row["parameters_m"]) for row in csv.DictReader(lines)}


def read_traced() -> dict[str, float]:
    """Bytes per pixel that a backbone keeps, as traced alone; those that the tracer does not know are left out."""
    lines = PARAMETERS.read_text(encoding="utf-8").splitlines()
    rows = csv.DictReader(lines)
    return {row["name"]: float(row["traced_bytes_per_px"]) for row in rows if row["traced_bytes_per_px"]}


def _sample(row: DetectionRow, measured: float, parameters: dict[str, float]) -> Sample:
    job = row.job
    assert job.network is not None
    method, backbone = job.network.method.method, job.network.backbone
    count = 1e6 * (parameters.get(backbone, 0.0) + parameters.get(method, parameters["other-method"]))
    copies = 2 + OPTIMIZER_COPIES[job.optimizer] + (1 if job.data_parallel else 0)
    options = tuple((kind_of(name), name) for name in job.options)
    return Sample(row, (("backbone", backbone), ("method", method), *options), copies * ELEMENT * count, measured)


def fit(samples: Sequence[Sample]) -> tuple[dict[tuple[str, str], float], float]:
    """Bytes per pixel of each part, and the factor of mixed precision.

    The factor comes from rows whose parts have full-precision rows too; then all rows are fitted together.
    """
    parts = _solve([sample for sample in samples if not sample.row.job.amp], 1.0)
    shares = [
        sample.dynamic / dynamic_of(sample, parts)
        for sample in samples
        if sample.row.job.amp and all(part in parts for part in sample.parts)
    ]
    factor = statistics.median(shares) if shares else 1.0
    return _solve(samples, factor), factor


def _solve(samples: Sequence[Sample], factor: float) -> dict[tuple[str, str], float]:
    """Bytes per pixel of each part: the traced figure of a backbone plus what the rows add to it."""
    import numpy as np

    traced = {("backbone", name): value for name, value in read_traced().items()}
    names = sorted({part for sample in samples for part in sample.parts})
    place = {name: index for index, name in enumerate(names)}
    matrix = np.zeros((len(samples), len(names) + 1))
    wanted = np.zeros(len(samples))
    for index, sample in enumerate(samples):
        share = (factor if sample.row.job.amp else 1.0) / sample.measured
        known = sum(traced.get(part, 0.0) * pixels_of(part, sample) for part in sample.parts)
        wanted[index] = sample.dynamic / sample.measured - known * share
        matrix[index, [place[part] for part in sample.parts]] = [pixels_of(part, sample) * share for part in sample.parts]
        matrix[index, -1] = sample.row.job.pixels * share  # what every method adds: no pull on it
    pull = RIDGE * float(np.mean(matrix[:, -1])) * np.diag([*(FREE if _is_free(name, traced) else 1.0 for name in names), FREE])
    weights = np.ones(len(samples))
    for _ in range(ROUNDS):
        rows = np.vstack([matrix * weights[:, None], pull])
        found = np.linalg.lstsq(rows, np.concatenate([wanted * weights, np.zeros(len(names) + 1)]), rcond=None)[0]
        errors = np.abs(matrix @ found - wanted)
        weights = np.minimum(1.0, SLIP / np.maximum(errors, 1e-9))
    parts = {name: float(found[place[name]]) + traced.get(name, 0.0) for name in names}
    every = float(found[-1])
    return {name: value + (every if name[0] == "method" else 0.0) for name, value in parts.items()}


def _is_free(part: tuple[str, str], traced: dict[tuple[str, str], float]) -> bool:
    """Whether nothing but the rows tells of it: a backbone that was not traced."""
    return part[0] == "backbone" and part not in traced


def kind_of(option: str) -> str:
    """crowd | option"""
    return CROWD if option in CROWDS else "option"


def pixels_of(part: tuple[str, str], sample: Sample) -> int:
    """Pixels that a part's bytes count for: of all images of the batch, or of one."""
    job = sample.row.job
    return job.height * job.width if part[0] == CROWD else job.pixels


def dynamic_of(sample: Sample, parts: dict[tuple[str, str], float]) -> float:
    """Bytes beside weights, gradients and optimizer states, in full precision."""
    return sum(parts[part] * pixels_of(part, sample) for part in sample.parts)


def off(train: Sequence[Sample], test: Sequence[Sample]) -> list[float]:
    """Published over predicted of the test rows whose parts the training rows hold, less 1, in percent."""
    parts, factor = fit(train)
    parts = {("backbone", name): value for name, value in read_traced().items()} | parts
    found = []
    for sample in test:
        if all(part in parts for part in sample.parts):
            dynamic = dynamic_of(sample, parts) * (factor if sample.row.job.amp else 1.0)
            found.append(100 * (sample.measured / (sample.static + dynamic) - 1))
    return found


def errors(train: Sequence[Sample], test: Sequence[Sample]) -> list[float]:
    """The same without signs."""
    return [abs(value) for value in off(train, test)]


def folds_report(samples: Sequence[Sample], *, folds: int = 5) -> str:
    """Every row predicted by parts fitted on the other four fifths: what to expect of rows that nobody has seen, and the
    5th and 95th percentile that error_bands.csv carries.
    """
    shuffled = list(samples)
    random.Random(0).shuffle(shuffled)
    found: list[float] = []
    for fold in range(folds):
        train = [sample for index, sample in enumerate(shuffled) if index % folds != fold]
        found += off(train, shuffled[fold::folds])
    found.sort()
    low, high = (found[int(share * (len(found) - 1))] for share in (0.05, 0.95))
    absolute = sorted(map(abs, found))
    return (
        f"rows left out, a fifth at a time: {len(found)} of {len(samples)} answered, median {statistics.median(absolute):.1f} %, "
        f"mean {statistics.mean(absolute):.1f} %, 90th percentile {absolute[int(0.9 * len(absolute))]:.1f} %; "
        f"published over predicted {low:+.1f} % to {high:+.1f} %"
    )


def split_report(samples: Sequence[Sample], *, seeds: int = 6) -> str:
    """How parts fitted on half of the models predict the other half, over several splits."""
    lines = []
    models = sorted({sample.parts for sample in samples})
    for seed in range(seeds):
        shuffled = list(models)
        random.Random(seed).shuffle(shuffled)
        seen_models = set(shuffled[: len(shuffled) // 2])
        train = [sample for sample in samples if sample.parts in seen_models]
        test = [sample for sample in samples if sample.parts not in seen_models]
        found = errors(train, test)
        lines.append(
            f"split {seed}: {len(found)} of {len(test)} rows answered, median {statistics.median(found):.1f} %, "
            f"mean {statistics.mean(found):.1f} %, 90th percentile {sorted(found)[int(0.9 * len(found))]:.1f} %"
        )
    seen = errors(samples, samples)
    lines.append(f"all rows, fitted and tested: {len(seen)}, median {statistics.median(seen):.1f} %, mean {statistics.mean(seen):.1f} %")
    return "\n".join(lines)


def table(samples: Sequence[Sample], framework: str) -> list[VisionPart]:
    """Rows of vision_parts.csv."""
    parameters = read_parameters()
    parts, factor = fit(samples)
    counts = {part: sum(part in sample.parts for sample in samples) for part in parts}
    rows = [
        VisionPart(framework, kind, name, _parameters(kind, name, parameters), round(value, 1), 1.0, counts[kind, name])
        for (kind, name), value in parts.items()
    ]
    unseen = [name for name in read_traced() if ("backbone", name) not in parts] if framework == "mmdet" else []
    rows += [VisionPart(framework, "backbone", name, parameters[name], read_traced()[name], 1.0, 0) for name in unseen]
    halves = sum(sample.row.job.amp for sample in samples)
    return [*rows, VisionPart(framework, "option", "amp", 0.0, 0.0, round(factor, 3), halves)] if halves else rows


def _parameters(kind: str, name: str, parameters: dict[str, float]) -> float:
    if kind in ("option", CROWD):
        return 0.0
    return parameters.get(name, parameters["other-method"] if kind == "method" else 0.0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("truth", nargs="+", type=Path)
    parser.add_argument("--write", type=Path, help="write the table here")
    asked = parser.parse_args()
    samples = read_samples(asked.truth)
    rows: list[VisionPart] = []
    for framework in ("mmdet", "detectron2"):
        own = [sample for sample in samples if sample.row.framework == framework]
        if own:
            print(framework, split_report(own), folds_report(own), sep="\n")  # noqa: T201
            rows += table(own, framework)
    if asked.write:
        with asked.write.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow([item.name for item in fields(VisionPart)])
            writer.writerows([[getattr(row, item.name) for item in fields(VisionPart)] for row in rows])


if __name__ == "__main__":
    main()
