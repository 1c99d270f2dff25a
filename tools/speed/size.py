"""Machines for a model and a wished speed, from what the user said."""

from __future__ import annotations

from knowledge.errors import InputError
from tools.phrases import Language, read_phrases, say
from tools.sizing_job import find_model, make_job, require_language_model, with_share
from tools.variants import LlmRequest

from .copies import SpeedNeed
from .need_results import SpeedAnswer
from .needs import machines_for


def size_speed(request: LlmRequest, need: SpeedNeed, *, language: Language = "en") -> SpeedAnswer:
    """Machines of each type that keep the wished speed.

    Raises UnknownModel, and InputError for impossible quantities or a model that is not served as a language model.
    """
    if request.solve is not None:
        raise InputError(say(read_phrases("tools", "phrases/serving.toml"), "solve_or_speed", language))
    match = find_model(request, language)
    require_language_model(match.model, language)
    request = with_share(request)
    job, _ = make_job(request, match, language)
    return machines_for(need, job, wish=request.wish, tensor_parallel=request.tensor_parallel, language=language)
