"""Shows the sizing of any job: what the commands of `size` share besides their options."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tools.jobs.ask import JobAsk
    from tools.jobs.results import JobSizing
    from tools.phrases import Language
    from tools.sizing_results import LlmSizing


def show_job(ask: JobAsk, *, solve: str | None, language: Language, as_json: bool) -> None:
    """Sizes the job and prints it, as text or as JSON with `estimate` and `recommendations` at its top."""
    from tools.jobs.size import size_job

    sizing = size_job(ask, solve=solve, language=language)
    if as_json:
        from .screen import show_json

        show_json(sized_json(sizing))
        return
    from .job_blocks import job_blocks
    from .screen import show

    show(job_blocks(sizing, language))


def sized_json(sizing: JobSizing | LlmSizing) -> dict[str, object]:
    """A sizing as JSON, as in an Answer: the estimate, what fits and the three closest misses, then the rest."""
    advice = sizing.advice
    chosen = [*(advice.recommendations or advice.multi), *advice.near_misses[:3]]
    rest = sizing.model_dump(mode="json", by_alias=True)
    return {
        "estimate": rest.pop("estimate"),
        "recommendations": [row.model_dump(mode="json", by_alias=True) for row in chosen],
        **rest,
    }
