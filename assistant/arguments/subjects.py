"""Whether two names mean the same model, network or encoder: each by the table of its kind."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Literal

from knowledge.errors import XuankaError
from tools.lookup import look_up_model

from .said import glue

SAME_SIZE = 0.15
"""Share by which a model of a series may differ from the bare size that stands for it: 7B is 7.2 or 7.6 billion."""
Likeness = Literal["same", "example", "other"]


def likeness(kind: str, given: str, wanted: str) -> Likeness:
    """Whether `given` is what the user calls `wanted`; `example`: one of those that a bare size or a series stands for."""
    if not given:
        return "other"
    if glue(given) == glue(wanted):
        return "same"
    if kind == "model":
        return _as_models(given, wanted)
    found, meant = _IDS[kind](given), _IDS[kind](wanted)
    if found and meant:
        return "same" if found & meant else _as_models(given, wanted) if kind == "encoder" else "other"
    return _as_models(given, wanted) if kind in ("encoder", "diffusion", "speech") else "other"


@lru_cache(maxsize=1024)
def _as_models(given: str, wanted: str) -> Likeness:
    found, meant = _look_up(given), _look_up(wanted)
    if meant is None:  # a series without its size, or a name that no table has
        return "example" if len(glue(wanted)) > 2 and glue(wanted) in glue(given) else "other"
    if found is None:
        return "other"
    (ids, params, typical), (meant_ids, meant_params, meant_typical) = found, meant
    if typical or meant_typical:
        near = abs(params / meant_params - 1) <= SAME_SIZE
        return "other" if not (near and meant_typical) else "same" if typical else "example"
    return "same" if ids & meant_ids else "other"


@lru_cache(maxsize=1024)
def _look_up(name: str) -> tuple[frozenset[str], int, bool] | None:
    """Ids that a name may mean, parameters, and whether it is only a size."""
    try:
        match = look_up_model(name)
    except XuankaError:
        return None
    return frozenset({match.model.id, *match.alternatives}), match.model.params_total, match.how == "typical"


def native_precision(name: str) -> str:
    """The precision in which a model is published; bf16 where nothing is known of it."""
    from tools.sizing_job import NATIVE_PRECISION

    try:
        native = look_up_model(name).model.native_dtype or ""
    except XuankaError:
        return "bf16"
    return NATIVE_PRECISION.get(native, native or "bf16")


def _networks(name: str) -> set[str]:
    from tools.vision.names import find_network, named_whole

    found = find_network(name) or named_whole(name)
    return {found.id} if found else set()


def _diffusion(name: str) -> set[str]:
    from tools.diffusion.names import find_diffusion_model

    return {_drawn(span.id) for span in find_diffusion_model(name)[:1]}


def _drawn(name: str) -> str:
    """Without whether it starts from words or from a picture: the question tells that apart from the name."""
    return name.replace("I2V", "T2V")


def _speech(name: str) -> set[str]:
    from tools.speech.names import find_speech_model

    return {span.id for span in find_speech_model(name)[:1]}


def _encoders(name: str) -> set[str]:
    from tools.encoders.names import find_encoder

    return {span.id for span in find_encoder(name)[:1]}


_IDS: dict[str, Callable[[str], set[str]]] = {"network": _networks, "diffusion": _diffusion, "speech": _speech, "encoder": _encoders}
