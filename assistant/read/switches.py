"""Settings that are said in words: optimizer, checkpointing, sharding, offload, packing, mixed precision … (settings.toml)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from .lexicon import Hit, Lexicon, both_languages, flatten, read_table

_NEAR = 24
"""Characters around a setting in which it is turned off."""


@dataclass(frozen=True, slots=True)
class Switches:
    """Settings as fields of a Reading; `offload` is `plain` where nothing says what is offloaded. `hits`: their words."""

    objective: str | None = None
    optimizer: str | None = None
    checkpointing: str | None = None
    sharding: str | None = None
    offload: str | None = None
    packing: bool | None = None
    flash_attention: bool | None = None
    cross_entropy: str | None = None
    amp: bool | None = None
    enforce_eager: bool | None = None
    expert_parallel: bool | None = None
    hits: tuple[Hit, ...] = ()

    @property
    def of_training(self) -> bool:
        """Whether a setting is named that only training has."""
        return any((self.optimizer, self.checkpointing, self.sharding, self.packing is not None, self.cross_entropy))


_EITHER = re.compile(r"(?:([开用做加上])不\1|要不要(?:开|用|做|上)?|该不该(?:开|用)?|是否(?:开启?|启用|使用|用)?)\s?$")
"""Asks whether to turn on what follows."""


@cache
def _lexicon() -> Lexicon:
    table = read_table("settings")
    return Lexicon({name: both_languages(rows) for name, rows in table.items() if name != "_off"})


@cache
def _off() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    table = read_table("settings")["_off"]
    turned = re.compile(r"(?:开|关|启用|禁用|打开|关掉|去掉|enable|disable|turn(?:ing)? (?:on|off)|with|without)(?:了|掉|上|着|the|it)?\s?$|\s?(?:开|关|off|on(?![a-z])|打开|启用|禁用)")
    return re.compile(table["before"]), re.compile(table["after"]), turned


def find_switches(text: str) -> Switches:
    """All settings of a normalised text."""
    flat = flatten(text)
    hits = tuple(hit for hit in _lexicon().scan(text) if _is_meant(flat, hit))
    first = {table: _values(flat, hits, table) for table in {hit.table for hit in hits}}
    said = {table: values[0] for table, values in first.items() if values}
    return Switches(
        objective=_objective(hits), optimizer=_on(said.get("optimizer")), checkpointing=_checkpointing(said.get("checkpointing")),
        sharding=_sharding(flat, hits), offload=_offload(flat, hits), packing=_flag(said.get("packing")),
        flash_attention=_flag(said.get("flash")), cross_entropy=_on(said.get("loss")), amp=_flag(said.get("mixed")),
        enforce_eager=_flag(said.get("eager")), expert_parallel=_flag(said.get("experts")), hits=hits,
    )  # fmt: skip


def _is_off(flat: str, hit: Hit) -> bool:
    before, after, _ = _off()
    if _EITHER.search(flat[max(0, hit.start - _NEAR) : hit.start]):
        return False
    return before.search(flat[max(0, hit.start - _NEAR) : hit.start]) is not None or after.match(flat, hit.end) is not None


def _is_meant(flat: str, hit: Hit) -> bool:
    """Whether a word that may mean something else is a setting: 检查点 turned on or off, "stage 3" of DeepSpeed."""
    if hit.name == "_bare":
        return _is_turned(flat, hit)
    return not flat.startswith("stage", hit.start) or re.search(r"deepspeed|zero|(?<![a-z])ds(?![a-z])", flat) is not None


def _is_turned(flat: str, hit: Hit) -> bool:
    """Whether a bare 检查点 is turned on or off, and so is no file."""
    turned = _off()[2]
    return turned.search(flat[max(0, hit.start - 12) : hit.start]) is not None or turned.match(flat, hit.end) is not None


def _values(flat: str, hits: Sequence[Hit], table: str) -> list[tuple[str, bool]]:
    """Names of one table in the order of the text, and whether each is on."""
    return [(hit.name, not _is_off(flat, hit)) for hit in hits if hit.table == table]


def _on(said: tuple[str, bool] | None) -> str | None:
    return said[0] if said and said[1] else None


def _flag(said: tuple[str, bool] | None) -> bool | None:
    """True for a setting that is on, False for one that is off; "off" turned off is on again."""
    return None if said is None else (said[0] == "on") == said[1]


def _checkpointing(said: tuple[str, bool] | None) -> str | None:
    if said is None:
        return None
    return "none" if not said[1] else "full" if said[0] == "_bare" else said[0]


def _objective(hits: Sequence[Hit]) -> str | None:
    """The first objective; one that shapes the answers (GRPO, DPO) before the SFT that it follows."""
    names = [hit.name for hit in hits if hit.table == "objective" and hit.name != "_not"]
    return next((name for name in names if name != "sft"), names[0] if names else None)


_PARAMS_TOO = ("zero3", "fsdp")
"""Schemes that shard the weights: a plain offload takes them along, as LLaMA-Factory's ds_z3_offload and FSDP's CPUOffload do."""


def _sharding(flat: str, hits: Sequence[Hit]) -> str | None:
    """The scheme named; DDP beside a ZeRO stage is how DeepSpeed runs."""
    names = [name for name, on in _values(flat, hits, "sharding") if on]
    return next((name for name in names if name != "ddp"), names[0] if names else None)


def _offload(flat: str, hits: Sequence[Hit]) -> str | None:
    names = [name for name, on in _values(flat, hits, "offload") if on]
    return next((name for name in names if name != "plain"), names[0] if names else None)


def offload_of(switches: Switches, job: str | None) -> str | None:
    """What a plain offload moves: the whole model in diffusion, the weights under ZeRO-3 and FSDP, else the optimizer."""
    if switches.offload != "plain":
        return switches.offload
    if job is not None and job.startswith("diffusion_inf"):
        return "model"
    if job is not None and not job.endswith("training"):
        return None
    return "params" if switches.sharding in _PARAMS_TOO else "optimizer"
