"""What the hours of a training run rest on, in words."""

from __future__ import annotations

from collections.abc import Iterator

from knowledge import facts
from knowledge.rows import Gpu
from tools.cards import card_label
from tools.phrases import Language

from .figures import count, hours_words, percent, sentence
from .training_run import PASS_TOKENS, TokenRun, TrainingRun
from .training_share import Share

LONG = 8192


def given_words(language: Language) -> list[str]:
    """Of hours that were given."""
    return [sentence("train.given_hours", language)]


def token_words(
    task: TokenRun, run: TrainingRun, share: Share, gpu: Gpu, flop: float, language: Language
) -> tuple[list[str], list[str]]:
    """(assumptions, cautions) of hours that follow from tokens."""
    assumptions = [_work(task, flop, language), _share(share, gpu, language), *_not_said(run, language)]
    if task.recompute:
        assumptions.append(sentence("train.checkpointing", language))
    assumptions += [sentence(code, language) for code in ("train.padding", "train.overhead", "train.fits_not_checked")]
    cautions = [
        sentence(f"train.{row.kind}", language, low=percent(100 * row.low), high=percent(100 * row.high), n=row.n) for row in share.slower
    ]
    if not task.shape_known and task.sequence > LONG:
        cautions.append(sentence("train.long", language))
    return assumptions, cautions


def _work(task: TokenRun, flop: float, language: Language) -> str:
    passes = [sentence(f"train.passes.{task.kind}", language)]
    if task.recompute:
        passes.append(sentence("train.passes.recompute", language))
    if task.shape_known:
        passes.append(sentence("train.passes.attention", language))
    return sentence(
        "train.work", language, parameters=count(task.work.parameters, language), tokens=count(task.tokens, language), method=sentence("method.full", language) if task.kind == "full" else task.label,
        gflop=hours_words(flop / 1e9), passes="".join(passes),
    )  # fmt: skip


def _share(share: Share, gpu: Gpu, language: Language) -> str:
    row = share.row
    measured = ("、" if language == "zh" else ", ").join(card_label(facts.gpus()[name], language) for name in row.gpu_ids)
    figures: dict[str, object] = {
        "peak": f"{gpu.bf16_tflops or gpu.fp16_tflops or 0:g}", "n": row.n, "cards": measured, "card": card_label(gpu, language),
        "low": percent(100 * row.low), "high": percent(100 * row.high),
    }  # fmt: skip
    if share.borrowed is None:
        return sentence("train.share", language, **figures)
    return sentence("train.share_borrowed", language, **figures, factor=percent(100 * share.borrowed.low))


def _not_said(run: TrainingRun, language: Language) -> Iterator[str]:
    if run.method is None:
        yield sentence("train.method_assumed", language)
    if run.sample_tokens is None and run.pass_tokens is None:
        yield sentence("train.seq_assumed", language, tokens=f"{PASS_TOKENS:,}")
