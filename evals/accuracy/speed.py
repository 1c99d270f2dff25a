"""Adapter of published speeds: rows with `speed_tokens_per_s` of llm_inference.jsonl, one stream or a batch.

Most pages count the answer's tokens over the whole time; those of Qwen3 on H20 count prompt and answer (their `note`).
Transformers spreads a model over cards one layer after the other, so its cards do not work at once.
"""

from __future__ import annotations

from dataclasses import dataclass

from knowledge.errors import InputError
from knowledge.rows import Gpu, Model
from tools.cards import resolve_card
from tools.lookup import look_up_model
from tools.speed.efficiency import Choice, band_of, choose_efficiency
from tools.speed.loads import Loads, make_loads
from tools.speed.roofline import Peak, peak_of
from tools.speed.times import Times, request_times
from tools.weights import canonical_precision, served_precision

from .inference_rows import engine_name
from .rows import Measure, Refusal, Row, need, number, text, whole

COUNTS_PROMPT = "(prompt+generated)/time"
"""What the note of such a page says."""

SEQUENTIAL = ("transformers",)


@dataclass(frozen=True)
class SpeedRow:
    """What one row says: the setting, and tokens per second as its page counts them."""

    id: str
    model: Model
    precision: str
    gpu: Gpu
    engine: str
    version: str | None
    published: str | None
    cards: int
    batch: int
    input_tokens: int
    output_tokens: int
    counts_prompt: bool
    tokens_per_s: float

    @property
    def loads(self) -> Loads:
        """What one of the cards that work at once reads and computes."""
        return make_loads(self.model, self.precision, tensor_parallel=self.cards)

    def speed(self, times: Times) -> float:
        """Our figure as the page counts."""
        counted = self.output_tokens + (self.input_tokens if self.counts_prompt else 0)
        return self.batch * counted / times.request_s


def predict(row: Row) -> list[Measure] | Refusal:
    """The speed of the row beside ours, with its band; a Refusal naming what the row does not say."""
    identifier = text(row, "id") or "?"
    try:
        read = read_row(row)
        choice, peak = choose(read)
    except InputError as problem:
        return Refusal(identifier, str(problem))
    times = request_times(
        read.loads, peak, choice.row,
        concurrency=read.batch, input_tokens=read.input_tokens, output_tokens=read.output_tokens,
    )  # fmt: skip
    speed, band = read.speed(times), band_of(choice, concurrency=read.batch)
    groups = {
        "engine": f"{read.engine} {read.version or choice.row.from_version}", "card": read.gpu.gpu_id,
        "precision": served_precision(read.model, read.precision).kind, "kind": choice.row.arch,
    }  # fmt: skip
    low, high = speed * (1 + band.low_pct / 100), speed * (1 + band.high_pct / 100)
    return [Measure(read.id, "tokens_per_s", read.tokens_per_s, speed, low, high, groups)]


def read_row(row: Row) -> SpeedRow:
    """The row in our own terms. InputError naming the missing field, or the model, card or engine that is not known."""
    need(row, "model", "engine", "gpu", "speed_tokens_per_s", "input_len", "output_len")
    engine = engine_name(row)
    _need_positive(row, "batch_size", "tp", "input_len", "output_len", "speed_tokens_per_s")
    cards = resolve_card(str(text(row, "gpu")))
    if not cards:
        raise InputError(f"unknown card: {text(row, 'gpu')}")
    match = look_up_model(str(text(row, "model")).split("/")[-1])
    stated = text(row, "quantization") or match.weight_dtype or text(row, "dtype") or match.model.native_dtype
    return SpeedRow(
        id=str(text(row, "id")),
        model=match.model,
        precision=canonical_precision(stated or "bf16"),
        gpu=cards[0],
        engine=engine,
        version=text(row, "engine_version"),
        published=text(row, "source_date"),
        cards=1 if engine in SEQUENTIAL else whole(row, "tp") or 1,
        batch=whole(row, "batch_size") or 1,
        input_tokens=whole(row, "input_len") or 1,
        output_tokens=whole(row, "output_len") or 1,
        counts_prompt=COUNTS_PROMPT in (text(row, "note") or ""),
        tokens_per_s=number(row, "speed_tokens_per_s") or 0.0,
    )


def _need_positive(row: Row, *names: str) -> None:
    """InputError naming the fields that hold a figure of none or less; empty ones pass."""
    wrong = [name for name in names if (value := number(row, name)) is not None and value <= 0]
    if wrong:
        raise InputError(f"not positive: {', '.join(wrong)}")


def choose(read: SpeedRow) -> tuple[Choice, Peak]:
    """The efficiency that holds for the row, and its card's rates. InputError where either is unknown."""
    choice = choose_efficiency(
        read.model, read.precision, read.gpu, engine=read.engine, version=read.version, published=read.published
    )
    peak = peak_of(read.gpu, choice.row.kind, nvlink=True)
    if peak is None:
        raise InputError(f"bandwidth unknown: {read.gpu.name}")
    return choice, peak
