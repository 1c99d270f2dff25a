"""What a user says about a vision job, and the job made of it: defaults said as assumptions."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from typing import TypeVar

from knowledge.errors import InputError
from tools.demand import Wish
from tools.phrases import Language, read_phrases, say

from .job import PHRASES, Precision, VisionJob, check_job
from .names import named_whole, nearest_names, networks_in
from .network import Network

T = TypeVar("T")

DEFAULT_BATCH = 2
"""Images per card, as in most published configs of segmentation and detection."""
DEFAULT_CLASSIFIER_BATCH = 32
MOST_CARDS = 1024
LONGEST_NAME = 60
LEAST_REST = 5
"""Letters beside a backbone from which they are held against the names of methods."""
AMP_NAMES = {"amp": "fp16", "fp16": "fp16", "half": "fp16", "mixed": "fp16", "bf16": "bf16", "float16": "fp16", "bfloat16": "bf16"}
FP32_NAMES = ("fp32", "tf32", "float32", "full", "single")
OPTIMIZER_NAMES = {"adam-w": "adamw", "sgd-momentum": "sgd", "momentum": "sgd", "sgdm": "sgd"}
TASKS = {
    "segmentation": ("segmentation", "语义分割", "分割", "seg"),
    "detection": ("detection", "目标检测", "检测", "det", "instance segmentation", "实例分割"),
    "classification": ("classification", "分类", "图像分类", "cls"),
}


@dataclass(frozen=True)
class VisionRequest:
    """What the user said; None was not said.

    `crop` is (height, width). `batch` is per card where `gpus`, `ddp` or `batch_per_card` says so; else it is the batch of
    the whole job and is divided over the cards of a machine. `module` is "file.py:factory".
    """

    arch: str = ""
    module: str = ""
    task: str | None = None
    crop: tuple[int, int] | None = None
    batch: int | None = None
    classes: int | None = None
    precision: str | None = None
    optimizer: str | None = None
    training: bool = True
    checkpointing: bool = False
    accumulate: int | None = None
    ddp: bool = False
    batch_per_card: bool = False
    trace: bool = False
    gpus: int | None = None
    on: tuple[str, ...] = ()
    wish: Wish = field(default_factory=Wish)

    @property
    def batch_is_per_card(self) -> bool:
        return self.gpus is not None or self.ddp or self.batch_per_card


def make_job(request: VisionRequest, *, language: Language = "en") -> tuple[VisionJob, tuple[str, ...]]:
    """The job on one card, and the codes of what was assumed. InputError for what cannot be asked for."""
    if request.gpus is not None and not 1 <= request.gpus <= MOST_CARDS:
        raise InputError(say(read_phrases("tools", PHRASES), "gpus_out_of_range", language, most=MOST_CARDS, gpus=request.gpus))
    network = _network(request, language)
    method = network.method if network else None
    said = _Assumed()
    height, width = request.crop or said.take("assume_crop", (method.height, method.width) if method else (512, 512))
    job = VisionJob(
        network=network,
        batch=request.batch if request.batch is not None else said.take("assume_batch", _default_batch(network)),
        height=height,
        width=width,
        classes=request.classes if request.classes is not None else said.take("assume_classes", method.classes if method else 19),
        precision=read_precision(request.precision, language) if request.precision else said.take("assume_precision", "fp32"),
        training=request.training,
        optimizer=_optimizer(request, method.optimizer if method else "adamw", said),
        checkpointing=request.checkpointing and request.training,
        accumulate=1 if request.accumulate is None else request.accumulate,
        data_parallel=request.training and (request.ddp or (request.gpus or 1) > 1),
        module=request.module,
        trace=request.trace,
    )
    if network and network.preset is not None:
        said.codes = []
    elif network and not network.given and network.backbone and network.backbone != network.method.method:
        said.codes.insert(0, "assume_backbone")
    check_job(job, language=language)
    return job, tuple(said.codes)


def read_precision(name: str, language: Language = "en") -> Precision:
    """fp32, fp16 or bf16 of what people write; AMP without a type is fp16. InputError for anything else."""
    plain = name.strip().lower()
    if plain in FP32_NAMES:
        return "fp32"
    if plain in AMP_NAMES:
        return AMP_NAMES[plain]  # type: ignore[return-value]
    raise InputError(say(read_phrases("tools", PHRASES), "unknown_precision", language, precision=repr(name[:40])))


def read_crop(text: str, language: Language = "en") -> tuple[int, int]:
    """512 → (512, 512); 1024x512, 1333*800, 512×1024 → (height, width) in the order given."""
    found = re.fullmatch(r"\s*(\d{1,6})(?:\s*[x×*,]\s*(\d{1,6}))?\s*(?:px|像素)?\s*", unicodedata.normalize("NFKC", text).lower())
    if found is None:
        raise InputError(say(read_phrases("tools", PHRASES), "unreadable_crop", language, given=repr(text[:40])))
    height = int(found[1])
    return height, int(found[2]) if found[2] else height


class _Assumed:
    """Collects the codes of what the user did not say."""

    def __init__(self) -> None:
        self.codes: list[str] = []

    def take(self, code: str, value: T) -> T:
        self.codes.append(code)
        return value


def _default_batch(network: Network | None) -> int:
    return DEFAULT_CLASSIFIER_BATCH if network and network.task == "classification" else DEFAULT_BATCH


def _optimizer(request: VisionRequest, default: str, said: _Assumed) -> str:
    if request.optimizer:
        plain = request.optimizer.strip().lower().replace("_", "-")
        return OPTIMIZER_NAMES.get(plain, plain)
    return said.take("assume_optimizer", default) if request.training else default


def _network(request: VisionRequest, language: Language) -> Network | None:
    table = read_phrases("tools", PHRASES)
    if bool(request.arch.strip()) == bool(request.module.strip()):
        raise InputError(say(table, "names_one", language))
    if request.module:
        return None
    network = _found(request.arch)
    if network is None:
        raise InputError(_unknown(request.arch.strip()[:LONGEST_NAME], language))
    task = _task(request.task, language)
    if task is not None and network.task != task:
        raise InputError(say(table, "other_task", language, network=network.label, task=network.task, asked=task))
    return network


def _found(arch: str) -> Network | None:
    """The network that is named. A backbone beside a misspelt method ("mask rcn r50") is not meant alone."""
    mentions = networks_in(arch)
    if not mentions:
        return named_whole(arch)
    first = mentions[0]
    rest = _without_backbone(arch)
    misspelt = first.network.task == "classification" and len(rest.strip()) >= LEAST_REST and nearest_names(rest)
    return None if misspelt else first.network


def _without_backbone(given: str) -> str:
    mentions = networks_in(given)
    return given[: mentions[0].start] + given[mentions[0].end :] if mentions else given


def _unknown(given: str, language: Language) -> str:
    rest = _without_backbone(given)
    near = nearest_names(given) or nearest_names(rest)
    code = "unknown_network_near" if near else "unknown_network"
    return say(read_phrases("tools", PHRASES), code, language, given=repr(given), near=(" / " if language == "en" else "、").join(near))


def _task(given: str | None, language: Language) -> str | None:
    if not given:
        return None
    plain = given.strip().lower()
    found = next((task for task, names in TASKS.items() if plain in names), None)
    if found is None:
        table = read_phrases("tools", PHRASES)
        raise InputError(say(table, "unknown_task", language, given=repr(given[:40]), known=", ".join(TASKS)))
    return found
