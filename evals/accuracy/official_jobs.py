"""Official statements on language models as jobs of `size llm` and `size train`."""

from __future__ import annotations

from knowledge.errors import InputError
from tools.advise import Wish
from tools.architecture import complete_shape
from tools.lookup import look_up_model
from tools.places import Place
from tools.sizing import LlmRequest, size_llm
from tools.training.ask import TrainRequest, train_ask
from tools.units import GIB
from tools.weights import weights_bytes

from .official_places import is_slice, on_name
from .official_sums import Judged, batch_of, judge_ask, model_of, precision_of
from .rows import Row, number, text

SHORT_CONTEXT = 2048
"""Tokens of prompt and answer where a page states none: "short context, one user"."""
SHORT_TEXT = 1024
"""Tokens of a training text where a page states none, batch 1: minima are for the gallery's own texts, whose length the pages
read here do not give. Assumed; at 2,048 two more statements (7B LoRA on one A10) would not hold."""

ENGINES = ("vllm", "sglang")
PLAIN_ENGINE = "transformers"
METHODS = (("qlora", "qlora"), ("lora", "lora"), ("p-tuning", "p-tuning v2"), ("full", "full"), ("sft", "full"))
"""Words of the field `method`, the first that occurs: "QLoRA/LoRA (gallery default)" of a 16 GB line is QLoRA."""


def weights_gib(row: Row) -> float | None:
    """Weights by plain arithmetic, for language models whose row has none; None for all else."""
    if not (text(row, "workload") or "").startswith("llm"):
        return None
    model = complete_shape(look_up_model(model_of(row)).model)
    return weights_bytes(model, "int4" if _is_quantised(row) else precision_of(row) or "bf16") / GIB


def judge_serving(row: Row, place: Place, utilization: float) -> Judged:
    """By the engine that the page names; where it names none, by vLLM, and by plain generation where vLLM does not do."""
    named = next((engine for engine in ENGINES if engine in (text(row, "engine") or "").lower()), None)
    judged = _served(row, place, utilization, named or ENGINES[0])
    if named or judged.fits:
        return judged
    plain = _served(row, place, utilization, PLAIN_ENGINE)
    return plain if plain.fits else judged


def _served(row: Row, place: Place, utilization: float, engine: str) -> Judged:
    if is_slice(place):
        raise InputError(f"a slice of {place.gpu.memory_gb:g} GB is no place to serve a language model from")
    context = number(row, "context_tokens")
    request = LlmRequest(
        model=model_of(row),
        weight_dtype=precision_of(row),
        context=int(context) if context else SHORT_CONTEXT,
        concurrency=1,
        engine=engine,
        on=(on_name(place),),
        wish=Wish(utilization=utilization),
    )
    sizing = size_llm(request)
    check = sizing.checks[0]
    settings = f"{engine}, {sizing.weight_dtype}, {sizing.context} tokens, {sizing.concurrency} user"
    why = check.blocked or (f"fits with {check.fits_with}" if check.fits_with else "")
    return Judged(check.fits, check.required_gib, check.limit_gib, settings, why)


def judge_training(row: Row, place: Place, utilization: float) -> Judged:
    """On all cards, cut as the sum itself chooses."""
    context, method = number(row, "context_tokens"), method_of(row)
    request = TrainRequest(
        model=model_of(row),
        method=method,
        seq=int(context) if context else SHORT_TEXT,
        micro_batch=batch_of(row) or 1,
        precision="int4" if method != "full" and _is_quantised(row) else None,
        gpus=place.gpus,
    )
    return judge_ask(train_ask(request), place, utilization, ("method", "base", "seq", "micro_batch"))


def method_of(row: Row) -> str:
    """Method of the row in one word of ours. Raises InputError when it states none, or is no training."""
    words = (text(row, "method") or "").lower()
    if not words:
        raise InputError("missing: method")
    if "conversion" in words:
        raise InputError(f"method {text(row, 'method')}: converting a checkpoint is not sized")
    found = next((method for word, method in METHODS if word in words), None)
    if found is None:
        raise InputError(f"method {text(row, 'method')} is not known")
    return found


def _is_quantised(row: Row) -> bool:
    return "qlora" in (text(row, "method") or "").lower() or "int4" in (text(row, "precision") or "").lower()
