"""Another size, version or backbone of what was spoken of: "换成 B2", "what about R101?", "14B 呢", "turbo", "with a Swin-L backbone"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Any

from tools.diffusion.names import find_diffusion_model
from tools.speech.names import find_speech_model
from tools.vision.names import networks_in

from .models import find_model_mentions
from .networks import NetworkMention
from .reading import Reading

LONGEST = 48
"""Characters up to which a text names a variant and is no question of its own."""


@cache
def _token() -> re.Pattern[str]:
    return re.compile(
        r"(?<![a-z0-9.\-])(?:b\d|r-?\d{2,3}|resnet-?\d{2,3}|swin-?[tsbl]|mit-?b\d|convnext-?[tsblx]|vit-?[tsblh]|w\d{2}"
        r"|\d{1,3}(?:\.\d)?b|tiny|small|base|medium|large(?:-v[23])?|huge|turbo|nano|[tsblx])(?![a-z0-9])"
    )


@cache
def _rest() -> re.Pattern[str]:
    return re.compile(
        r"(?:[\W_]|那|还是|就|回到|换成?|改成?|用|要是|如果|呢|吧|的话|版本?|模型|骨干|主干|网络|行吗|可以吗|多少|显存"
        r"|(?<![a-z])(?:what|how|about|if|i|we|and|with|use|using|try|the|an?|of|instead|then|backbone|version|variant|model|size|one|to|switch|make|it|is|for|back|go)(?![a-z]))*"
    )


def variant_of(reading: Reading, previous: Reading | None) -> dict[str, Any]:
    """The fields of what is to be run with another size or backbone than before; empty where the text names none."""
    lower = reading.normal.lower()
    if previous is None or len(lower) > LONGEST:
        return {}
    tokens = _token().findall(lower)
    if len(tokens) != 1 or not _rest().fullmatch(_token().sub(" ", lower)):
        return {}
    return _network(tokens[0], previous) or _of_table(tokens[0], previous) or _language_model(tokens[0], previous)


@cache
def _list() -> re.Pattern[str]:
    """A further size behind a name: the B2 and B5 of "SegFormer-B0、B2、B5"."""
    return re.compile(r"\s?(?:、|,|，|/|和|与|或|还是|and|or|vs\.?)\s?(?P<token>b\d|r-?\d{2,3}|swin-?[tsbl]|\d{2,3})(?![a-z0-9×*]|\s?[x×*]|\s?(?:张|卡|类|epochs?|classes|gpus?|batch))")


def listed_networks(text: str, networks: Sequence[NetworkMention]) -> list[NetworkMention]:
    """The networks of a question with those that a list names by their size alone."""
    lower, named = text.lower(), list(networks)
    for mention in networks[:1]:
        at = mention.end
        while match := _list().match(lower, at):
            at = match.end()
            name = next((one for one in _candidates(mention.text, match["token"]) if _same_method(one, mention.text)), "")
            if name and name not in [one.text for one in named]:
                named = [one for one in named if one.start != match.start("token")]  # a backbone read as a network of its own
                named.append(NetworkMention(match.start("token"), at, name, mention.task))
    return named


def _same_method(candidate: str, name: str) -> bool:
    """Whether a spelling names another network of the same method, whole."""
    found, before = networks_in(candidate), networks_in(name)
    if len(found) != 1 or not before or found[0].network == before[0].network:
        return False
    methods = [one[0].network.label.split()[0].split("-")[0] for one in (found, before)]
    return methods[0] == methods[1] and found[0].text.lower() == candidate.lower()


def _network(token: str, previous: Reading) -> dict[str, Any]:
    """The network before with its size or its backbone replaced: SegFormer-B5 to B2, Mask R-CNN R-50 to Swin-L."""
    for name in previous.networks[:1]:
        for candidate in _candidates(name, token):
            if _same_method(candidate, name):
                return {"network": candidate, "networks": [candidate], "task": previous.task}
    return {}


def _candidates(name: str, token: str) -> list[str]:
    """Spellings of a name with its last part replaced, and with a part more."""
    parts = re.split(r"([ \-]+)", name)
    spelt = [token.lstrip("r-") if token.startswith("r") else "", token.upper() if len(token) <= 2 else token]
    replaced = ["".join([*parts[:at], one]) for at in range(len(parts) - 1, 0, -1) if at % 2 == 0 for one in spelt if one]
    return [*replaced, f"{name} {token}", f"{name}-{token}"]


def _of_table(token: str, previous: Reading) -> dict[str, Any]:
    """The speech or picture model before in another size: whisper-large-v3 to turbo, Wan2.2 5B to 14B."""
    for field, find in (("speech_models", find_speech_model), ("diffusion_models", find_diffusion_model)):
        for name in getattr(previous, field)[:1]:
            before = [span.id for span in find(name)]
            for candidate in _candidates(name, token):
                spans = find(candidate)
                if len(spans) == 1 and [spans[0].id] != before and spans[0].text.lower() == candidate.lower():
                    return {field: [candidate], "models": []}
    return {}


def _language_model(token: str, previous: Reading) -> dict[str, Any]:
    """The same series in another size: Qwen2.5-7B to 14B."""
    if not re.fullmatch(r"\d{1,3}(?:\.\d)?b", token):
        return {}
    for mention in previous.models[:1]:
        name = re.sub(r"(?i)\d{1,3}(?:\.\d)?b(?![a-z])", token.upper(), mention.text, count=1)
        found = find_model_mentions(name).mentions if mention.model_id and name.lower() != mention.text.lower() else ()
        if len(found) == 1 and found[0].model_id and found[0].model_id != mention.model_id:
            return {"models": list(found)}
    return {}
