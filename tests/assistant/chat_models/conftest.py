"""Chat models of the test machine's own environment must not be found."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import pytest
from pydantic import SecretStr

from assistant.settings import Settings

KEY = "test-key"
FOREIGN = ("OPENAI_", "DASHSCOPE_", "DEEPSEEK_", "SILICONFLOW_", "OLLAMA_", "ANTHROPIC_", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")


@pytest.fixture(autouse=True)
def no_keys(clean_environment: None, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.upper().startswith(FOREIGN)]:
        monkeypatch.delenv(name)


@pytest.fixture
def made() -> Callable[..., Settings]:
    """Settings with a key and short waits."""

    def make(**given: Any) -> Settings:
        return Settings(**{"llm_api_key": SecretStr(KEY), "llm_timeout_s": 5.0, **given})

    return make
