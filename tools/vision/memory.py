"""The account of any vision job: by coefficients, by parts of detectors, by a published preset, or traced."""

from __future__ import annotations

from functools import cache

from knowledge.errors import InputError
from knowledge.vision_facts import vision_memory, vision_networks
from tools.phrases import Language, read_phrases, say
from tools.trace.front import has_torch
from tools.units import from_gib, to_gib

from .account import VisionAccount
from .coefficients import by_coefficients, find_coefficients
from .detection import by_parts
from .job import PHRASES, VisionJob, check_job
from .network import Network, backbones_of


@cache
def vision_account(job: VisionJob, *, language: Language = "en") -> VisionAccount:
    """Bytes on one GPU. InputError, one sentence, for what cannot be asked for or is not known."""
    check_job(job, language=language)
    if job.module or job.trace:
        from .traced import by_trace

        return by_trace(job, language=language)
    network = job.network
    assert network is not None
    if network.preset is not None:
        return _of_preset(job)
    if network.task == "detection":
        return by_parts(job, language=language)
    row = find_coefficients(job)
    if row is not None:
        return by_coefficients(job, row)
    if network.id in vision_networks() and has_torch():
        from .traced import by_trace

        return by_trace(job, language=language)
    raise InputError(_unknown(network, language))


def _of_preset(job: VisionJob) -> VisionAccount:
    """The published figure, which nvidia-smi showed: context and cache are in it. Its GB are taken as GiB, as nvidia-smi counts."""
    preset = job.network.preset if job.network else None
    assert preset is not None
    return VisionAccount(0, 0, 0, 0, from_gib(preset.shown_gb), cached_pct=0.0, way="preset", outside=0)


def _unknown(network: Network, language: Language) -> str:
    """Why there is no figure: this setting, this backbone, or the network as a whole is not in the table."""
    table = read_phrases("tools", PHRASES)
    if any(key[0] == network.id for key in vision_memory()):
        return say(table, "no_coefficients", language, network=network.label)
    known = backbones_of(network.method.method)
    if not known or network.id in vision_networks():
        return say(table, "unknown_network_memory", language, network=network.label)
    method = network.method.label or network.method.task
    return say(table, "unknown_backbone", language, network=network.label, method=method, known=", ".join(known))


def allocated_gib(account: VisionAccount) -> float:
    """What `torch.cuda.max_memory_allocated()` reports."""
    return to_gib(account.allocated)
