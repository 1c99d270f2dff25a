"""Composes what needs no look-up: greeting, refusal, impossible input, and asking back."""

from __future__ import annotations

from assistant.evidence import Evidence
from assistant.plan_jobs import names_subject
from assistant.read.reading import Reading
from knowledge import facts
from tools.phrases import Language
from tools.sizing_results import LlmSizing

from . import words
from .draft import Draft, Voice, paragraphs
from .guidance import compose_guidance

ASKED_BY = (5.0, 7.0, 13.0, 50.0, 101.0)
"""Figures of the names that the sentences asking back give as examples: 7B, 13B, R-50."""
JOB_TOPICS = {
    "llm_training": ("training",),
    "vision_training": ("training", "vision"),
    "vision_inference": ("vision", "inference"),
    "encoder_inference": ("cpu", "inference"),
    "cpu_inference": ("cpu",),
    "diffusion_inference": ("model",),
    "diffusion_training": ("model",),
    "asr_inference": ("model",),
}
"""What a passage must be about to say anything on a job that could not be summed."""


def compose_fixed(reading: Reading, evidence: Evidence) -> Draft:
    """The answer when nothing was found to answer from: ask back, decline, or name the impossible."""
    voice = Voice("fixed", reading.language)
    if reading.closed_models:
        closed = words.and_list(reading.closed_models, reading.language)
        return Draft(kind="out_of_scope", constant=True, text=voice("closed_model", models=closed))
    if reading.absurd:
        return Draft(kind="error", constant=True, text=_absurd(voice, reading))
    if "hostile" in reading.intents:
        return Draft(kind="out_of_scope", constant=True, text=voice("hostile"))
    if "greeting" in reading.intents:
        return Draft(kind="guidance", constant=True, text=voice("greeting"))
    if reading.intents[0] == "out_of_scope":
        return Draft(kind="out_of_scope", constant=True, text=voice("out_of_scope"))
    failed = next((f for f in evidence.findings if f.error), None)
    if failed:
        return _failed(voice, failed.error, [str(n) for n in (failed.data or {}).get("nearest", [])])
    if reading.intents[0] in ("sizing", "price") and not reading.models:
        return _ask_back(voice, reading, evidence)
    guidance = compose_guidance(reading, evidence)
    return guidance or Draft(kind="clarify", constant=True, text=voice("unsure"))


def compose_unsized(reading: Reading, evidence: Evidence) -> Draft:
    """A job that could not be summed: why, what the guides say, and what is missing."""
    later = _why_unsized(reading, evidence)
    guidance = compose_guidance(reading, evidence, topics=JOB_TOPICS.get(reading.job or "", ()))
    if guidance is None:
        return Draft(kind="clarify", constant=True, text=later or Voice("fixed", reading.language)("unsure"))
    lead = _told(later, Voice("fixed", reading.language)) if later else ""
    return guidance.model_copy(update={"text": paragraphs(lead, guidance.text), "derived": [*guidance.derived, *ASKED_BY]})


def _why_unsized(reading: Reading, evidence: Evidence) -> str:
    """The tool's own sentence where it refused, else what has to be named."""
    voice = Voice("fixed", reading.language)
    failed = next((finding for finding in evidence.findings if finding.error), None)
    if failed is None and names_subject(reading):
        return ""
    if failed is None:
        return voice("ask_network" if (reading.job or "").startswith("vision") else "ask_model")
    return failed.error


def _told(reason: str, voice: Voice) -> str:
    """A reason as a sentence by itself: what cannot be summed, and then what the guides say."""
    text = reason.rstrip("。.")
    return voice("no_sum", reason=text)


def _absurd(voice: Voice, reading: Reading) -> str:
    code, _, said = reading.absurd[0].partition(":")
    return voice(code if voice.has(code) else "impossible", said=said.strip())


def _failed(voice: Voice, error: str, nearest: list[str]) -> Draft:
    near = words.and_list(nearest, voice.language)
    return Draft(kind="clarify", constant=True, text=voice("did_you_mean", nearest=near) if near else voice("cannot", reason=error))


def _ask_back(voice: Voice, reading: Reading, evidence: Evidence) -> Draft:
    """Names the missing facts, and gives a feel by sizes that were summed for the purpose."""
    sized = [finding.read(LlmSizing) for finding in evidence.of_tool("size_llm")]
    lines = [line for one in sized if (line := _feel(voice, voice.language, one, evidence))]
    load = {"context": words.tokens(sized[0].context), "users": sized[0].concurrency} if sized else {}
    feel = paragraphs(voice("feel", **load), "\n".join(lines)) if lines else ""
    missing = words.and_list([voice(f"missing_{name}") for name in reading.missing], voice.language)
    assumptions = [voice("feel_assumed", **load)] if lines else []
    return Draft(
        kind="clarify",
        derived=[4.0, 8.0],  # the load that `feel` names
        text=paragraphs(voice("ask", missing=missing) if missing else voice("ask_all"), feel),
        assumptions=assumptions,
    )


def _feel(voice: Voice, language: Language, sizing: LlmSizing, evidence: Evidence) -> str:
    picks = sizing.advice.recommendations
    if not picks or picks[0].price is None:
        return ""
    first = picks[0]
    return voice(
        "feel_line",
        size=words.plain(round(sizing.model.params_billion, 1)),
        instance=first.instance_type,
        cards=words.cards(facts.gpus()[first.gpu_id], first.gpu_count, language),
        price=words.price(picks[0].price, language),
        mark=evidence.mark([picks[0].price.source_id]),
    )
