"""Opens a chat model by name: `dashscope:qwen-plus`, `ollama:qwen3:8b`, `vllm:Qwen/Qwen3-8B`, `openai:…` at any address."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from . import address
from .provider import Named, Provider, find_model, provider_of_host, providers
from .refused import ModelRefused

if TYPE_CHECKING:
    from langchain_core.language_models.chat_models import BaseChatModel

    from assistant.settings import Settings

NO_KEY = "none"
"""Sent to servers that ask for no key; the client insists on one."""
LONGEST_WAIT_S = 10.0
"""A server that asks for a longer wait before a second try is not tried again; nor beyond a quarter of the turn's time."""
CONNECT_S = 5.0


@dataclass(frozen=True)
class Endpoint:
    """Where a model is served, by whose rules, with which key. The key never shows."""

    named: Named
    base_url: str
    key: Any  # SecretStr | None

    @property
    def provider(self) -> Provider:
        """The row of the table whose rules the server follows."""
        return self.named.provider


def open_chat_model(llm: str, *, settings: Settings) -> BaseChatModel:
    """The chat model of `provider:name`. Nothing is asked of any server yet.

    Raises ModelRefused (a SettingsError) with the way out: unknown provider, missing package, key or address.
    """
    endpoint = find_endpoint(llm, settings=settings)
    provider = endpoint.provider
    if find_spec(provider.package.partition(".")[0]) is None:
        raise ModelRefused("no_package", llm=find_model(llm).llm, package=provider.package.replace("_", "-"), install=provider.install)
    if provider.speaks == "openai":
        return _open_openai(endpoint, settings)
    if provider.speaks == "ollama":
        return _open_ollama(endpoint, settings)
    return _open_by_langchain(endpoint, settings)


def find_endpoint(llm: str, *, settings: Settings) -> Endpoint:
    """Address, rules and key that a `provider:name` means under these settings. Raises ModelRefused."""
    named = find_model(llm)
    if named.provider.speaks == "ollama":
        given, variable = _given_address(named.provider, settings)
        return Endpoint(named, address.ollama_url(given or named.provider.base_url, variable=variable), _key(named, named.provider, settings))
    if named.provider.speaks == "langchain":
        given, variable = _given_address(named.provider, settings)
        return Endpoint(named, address.base_url(given, variable=variable) if given else "", _key(named, named.provider, settings))
    return _openai_endpoint(named, settings)


def context_window(llm: str, *, settings: Settings) -> int:
    """Tokens that a conversation with this model may fill."""
    if settings.llm_context:
        return settings.llm_context
    provider = find_endpoint(llm, settings=settings).provider
    return settings.llm_num_ctx if provider.speaks == "ollama" else provider.context


def _openai_endpoint(named: Named, settings: Settings) -> Endpoint:
    asked = rules = named.provider
    given, variable = _given_address(asked, settings)
    if given:
        url = address.base_url(given, variable=variable)
        host = address.host_of(url)
        if asked.name == "openai":  # anybody's address: by its rules if it is known, by the plainest if not
            rules = provider_of_host(host) or providers()["compatible"]
        url = address.base_url(url, variable=variable, path=rules.path or ("/v1" if rules.name == "openai" else ""))
    else:
        url = asked.regions.get(settings.llm_region) or asked.base_url
    return Endpoint(Named(rules, named.model), url, _key(named, rules, settings))


def _given_address(provider: Provider, settings: Settings) -> tuple[str | None, str]:
    """The address that is set, if any, and the variable that holds it."""
    if settings.llm_base_url:
        return settings.llm_base_url, "XUANKA_LLM_BASE_URL"
    if provider.base_url_from:
        return getattr(settings, provider.base_url_from), provider.base_url_from.upper()
    return None, "XUANKA_LLM_BASE_URL"


def _key(named: Named, rules: Provider, settings: Settings) -> Any:
    """The key that is sent. An OPENAI_API_KEY goes to OpenAI and to an address set under `openai:`, nowhere else."""
    fields = ["llm_api_key", rules.key_from, named.provider.key_from]
    for name in filter(None, fields):
        if key := getattr(settings, name):
            text = key.get_secret_value()
            if not text.isascii() or not re.fullmatch(r"[!-~]+", text.strip()) or '"' in text or "'" in text:
                raise ModelRefused("bad_key", variable=_variable(name))
            return type(key)(text.strip())
    if rules.key == "needed":
        code = "no_key.dashscope" if rules.name == "dashscope" else "no_key"
        raise ModelRefused(code, llm=named.llm, variable=_variable(rules.key_from))
    return None


def _variable(name: str) -> str:
    return f"XUANKA_{name.upper()}" if name.startswith("llm_") else name.upper()


def _open_openai(endpoint: Endpoint, settings: Settings) -> BaseChatModel:
    from openai import Timeout
    from pydantic import SecretStr

    from .compatible import CompatibleChat, HttpClient, check_type, impatient

    provider, model = endpoint.provider, endpoint.named.model
    official = provider.name == "openai"
    extra = provider.thinking(settings.llm_thinking, model)
    timeout = Timeout(settings.llm_timeout_s, connect=min(CONNECT_S, settings.llm_timeout_s))
    wait = min(LONGEST_WAIT_S, settings.time_limit_s / 4)
    chat = CompatibleChat(
        model=model,
        base_url=endpoint.base_url,
        api_key=endpoint.key or SecretStr(NO_KEY),
        temperature=None if provider.plain and re.search(provider.plain, model) else settings.llm_temperature,
        max_completion_tokens=settings.llm_max_tokens,
        timeout=timeout,
        max_retries=1,
        stream_usage=True,
        streaming=provider.stream,
        use_responses_api=None if official else False,
        reasoning_effort=extra.pop("reasoning_effort", None),
        extra_body=extra or None,
        http_client=HttpClient(timeout=timeout, event_hooks={"response": [impatient(wait), check_type]}),
        max_tokens_field=provider.max_tokens,
        reasoning_back=provider.reasoning_back,
    )
    if not official:  # OPENAI_ORG_ID and OPENAI_PROJECT_ID are nobody else's business
        chat.root_client.organization = chat.root_client.project = None
    return chat


def _open_ollama(endpoint: Endpoint, settings: Settings) -> BaseChatModel:
    import httpx

    from .ollama_chat import OllamaChat

    headers = {"Authorization": f"Bearer {endpoint.key.get_secret_value()}"} if endpoint.key else {}
    return OllamaChat(
        model=endpoint.named.model,
        base_url=endpoint.base_url,
        temperature=settings.llm_temperature,
        num_predict=settings.llm_max_tokens,
        num_ctx=settings.llm_num_ctx,
        client_kwargs={"timeout": httpx.Timeout(settings.llm_timeout_s, connect=min(CONNECT_S, settings.llm_timeout_s)), "headers": headers},
        **endpoint.provider.thinking(settings.llm_thinking, endpoint.named.model),
    )


def _open_by_langchain(endpoint: Endpoint, settings: Settings) -> BaseChatModel:
    from langchain.chat_models import init_chat_model

    from .failure import clean_detail

    named = endpoint.named
    possible = {
        "temperature": settings.llm_temperature,
        "max_tokens": settings.llm_max_tokens,
        "base_url": endpoint.base_url or None,
        "api_key": endpoint.key,
        "timeout": settings.llm_timeout_s if "timeout" in endpoint.provider.takes else None,
        "max_retries": 1 if "max_retries" in endpoint.provider.takes else None,
    }
    given = {name: value for name, value in possible.items() if value is not None}
    try:
        model: BaseChatModel = init_chat_model(named.model, model_provider=named.provider.name, **given)
        return model
    except ImportError:
        package = named.provider.package.replace("_", "-")
        raise ModelRefused("no_package", llm=named.llm, package=package, install=named.provider.install) from None
    except Exception as error:  # each package raises its own for a missing key or region
        raise ModelRefused("not_opened", llm=named.llm, reason=clean_detail(str(error)) or type(error).__name__) from None
