"""Names of chat models, addresses and keys: what people type, and what is made of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pydantic import SecretStr

from assistant.chat_models.chat_model import context_window, find_endpoint, open_chat_model
from assistant.chat_models.provider import find_model, providers
from assistant.chat_models.refused import ModelRefused
from assistant.settings import Settings, read_settings
from knowledge.errors import SettingsError


@pytest.mark.parametrize(
    ("llm", "provider", "model"),
    [
        ("openai:gpt-4.1-mini", "openai", "gpt-4.1-mini"),
        ("ollama:qwen3:8b", "ollama", "qwen3:8b"),
        ("ollama:hf.co/Qwen/Qwen3-8B-GGUF:Q4_K_M", "ollama", "hf.co/Qwen/Qwen3-8B-GGUF:Q4_K_M"),
        ("vllm:Qwen/Qwen3-8B", "vllm", "Qwen/Qwen3-8B"),
        ("qwen:qwen-plus", "dashscope", "qwen-plus"),
        ("百炼:qwen-plus", "dashscope", "qwen-plus"),
        ("通义千问：qwen-max", "dashscope", "qwen-max"),
        ("DashScope : qwen-plus ", "dashscope", "qwen-plus"),
        ("ｏｐｅｎａｉ：ｇｐｔ－４ｏ", "openai", "gpt-4o"),
        ("'OLLAMA:qwen3'", "ollama", "qwen3"),
        ("llama.cpp:qwen3", "llamacpp", "qwen3"),
        ("LM Studio:qwen3", "lmstudio", "qwen3"),
        ("google-genai:gemini-2.5-flash", "google_genai", "gemini-2.5-flash"),
        ("bedrock:anthropic.claude-v2:1", "bedrock_converse", "anthropic.claude-v2:1"),
        ("深度求索:deepseek-chat", "deepseek", "deepseek-chat"),
    ],
)
def test_names(llm: str, provider: str, model: str) -> None:
    found = find_model(llm)
    assert (found.provider.name, found.model) == (provider, model)


@pytest.mark.parametrize(
    ("llm", "zh", "en"),
    [
        ("qwen-plus", "dashscope:qwen-plus", "dashscope:qwen-plus"),
        ("qwen", "dashscope:qwen-plus", "provider:name"),
        ("Qwen/Qwen3-8B", "vllm:Qwen/Qwen3-8B", "names no provider"),
        ("deepseek-chat", "deepseek:deepseek-chat", "deepseek:deepseek-chat"),
        ("claude-sonnet-4-5", "anthropic:claude-sonnet-4-5", "anthropic:"),
        ("dashscope:", "缺模型名", "dashscope:qwen-plus"),
        ("dashscope:   ", "缺模型名", "names no model"),
        ("vllm:a b c", "缺模型名", "vllm:Qwen/Qwen3-8B"),
        ("dashscop:qwen-plus", "dashscope", "no provider dashscop"),
        ("olama:qwen3", "ollama", "the nearest are ollama"),
        ("compatible:x", "没有名为", "XUANKA_LLM_BASE_URL"),
        ("", "没有写对话模型", "No chat model"),
        ("：", "没有写对话模型", "No chat model"),
        (":qwen-plus", "dashscope:qwen-plus", "qwen-plus names no provider"),
        ("ollama:" + "x" * 500, "缺模型名", "names no model"),
        ("openai:x\ninjected: y", "缺模型名", "names no model"),
    ],
)
def test_names_that_are_none(llm: str, zh: str, en: str) -> None:
    with pytest.raises(ModelRefused) as refused:
        find_model(llm)
    assert zh in refused.value.said("zh") and en in refused.value.said("en")
    assert isinstance(refused.value, SettingsError) and "\n" not in str(refused.value) and len(str(refused.value)) < 700


@pytest.mark.parametrize(
    ("llm", "address", "url"),
    [
        ("vllm:m", None, "http://127.0.0.1:8000/v1"),
        ("sglang:m", "10.0.0.7:30000", "http://10.0.0.7:30000/v1"),
        ("vllm:m", "gpu-box:8000", "http://gpu-box:8000/v1"),
        ("vllm:m", "llm.example.com", "https://llm.example.com/v1"),
        ("vllm:m", " http://127.0.0.1:8000/v1/chat/completions ", "http://127.0.0.1:8000/v1"),
        ("vllm:m", "http://127.0.0.1:8000/", "http://127.0.0.1:8000/v1"),
        ("vllm:m", "http：／／127.0.0.1：8000", "http://127.0.0.1:8000/v1"),
        ("vllm:m", "http://127.0.0.1:8000/team/v1", "http://127.0.0.1:8000/team/v1"),
        ("openai:m", "http://127.0.0.1:9000", "http://127.0.0.1:9000/v1"),
        ("openai:m", "https://api.openai.com", "https://api.openai.com/v1"),
        ("openai:qwen-plus", "https://dashscope.aliyuncs.com", "https://dashscope.aliyuncs.com/compatible-mode/v1"),
        ("ollama:m", "0.0.0.0", "http://127.0.0.1:11434"),
        ("ollama:m", "0.0.0.0:9999", "http://127.0.0.1:9999"),
        ("ollama:m", "http://box:11434/v1", "http://box:11434"),
        ("ollama:m", "http://box/api/chat", "http://box:11434"),
        ("ollama:m", "https://ollama.example.com", "https://ollama.example.com:443"),
        ("ollama:m", "[::1]:11434", "http://[::1]:11434"),
        ("ollama:m", "::", None),
        ("vllm:m", "ftp://box/v1", None),
        ("vllm:m", "http://", None),
        ("vllm:m", "http://box:port/v1", None),
        ("vllm:m", "http://user:hidden@box/v1", None),
        ("vllm:m", "not a url", None),
        ("vllm:m", "javascript:alert(1)", None),
    ],
)
def test_addresses(llm: str, address: str | None, url: str | None, made: Callable[..., Settings]) -> None:
    settings = made(llm_base_url=address)
    if url:
        assert find_endpoint(llm, settings=settings).base_url == url
        return
    with pytest.raises(ModelRefused) as refused:
        find_endpoint(llm, settings=settings)
    assert "XUANKA_LLM_BASE_URL" in str(refused.value) and "hidden" not in str(refused.value)


@pytest.mark.parametrize(
    ("region", "host"),
    [
        ("cn-beijing", "dashscope.aliyuncs.com"),
        ("ap-southeast-1", "dashscope-intl.aliyuncs.com"),
        ("us-east-1", "dashscope-us.aliyuncs.com"),
        ("cn-hongkong", "cn-hongkong.dashscope.aliyuncs.com"),
    ],
)
def test_regions_of_model_studio(region: str, host: str, made: Callable[..., Settings]) -> None:
    assert find_endpoint("dashscope:qwen-plus", settings=made(llm_region=region)).base_url == f"https://{host}/compatible-mode/v1"


def test_an_address_is_known_by_its_host(made: Callable[..., Settings]) -> None:
    for url, name in {
        "https://dashscope-intl.aliyuncs.com/compatible-mode/v1": "dashscope",
        "https://ws-1.cn-beijing.maas.aliyuncs.com/compatible-mode/v1": "dashscope",
        "https://api.deepseek.com": "deepseek",
        "https://api.openai.com/v1": "openai",
        "https://notdashscope.aliyuncs.com.example.com/v1": "compatible",
        "http://127.0.0.1:8000/v1": "compatible",
    }.items():
        assert find_endpoint("openai:qwen-plus", settings=made(llm_base_url=url)).provider.name == name, url


def test_keys_go_where_they_belong(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI", "DASHSCOPE", "DEEPSEEK", "SILICONFLOW"):
        monkeypatch.setenv(f"{name}_API_KEY", f"of-{name.lower()}")
    monkeypatch.setenv("XUANKA_LLM_BASE_URL", "")
    settings = read_settings()

    def key(llm: str, settings: Settings = settings) -> str | None:
        found = find_endpoint(llm, settings=settings).key
        return found.get_secret_value() if found else None

    assert [key(llm) for llm in ("openai:x", "qwen:x", "deepseek:x", "siliconflow:x")] == ["of-openai", "of-dashscope", "of-deepseek", "of-siliconflow"]
    assert [key(llm) for llm in ("vllm:x", "ollama:x", "anthropic:x")] == [None, None, None]
    assert key("qwen:x", settings.model_copy(update={"llm_api_key": SecretStr(" own ")})) == "own"
    assert key("openai:x", settings.model_copy(update={"llm_base_url": "https://dashscope.aliyuncs.com"})) == "of-dashscope"


def test_variables_that_others_use_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("OLLAMA_HOST", "0.0.0.0:1")
    settings = read_settings()
    assert find_endpoint("openai:x", settings=settings).base_url == "http://127.0.0.1:9/v1"
    assert find_endpoint("vllm:x", settings=settings).base_url == "http://127.0.0.1:8000/v1"
    assert find_endpoint("ollama:x", settings=settings).base_url == "http://127.0.0.1:1"


@pytest.mark.parametrize(("llm", "variable"), [("openai:x", "OPENAI_API_KEY"), ("qwen:x", "DASHSCOPE_API_KEY"), ("deepseek:x", "DEEPSEEK_API_KEY")])
def test_a_missing_key_is_named(llm: str, variable: str) -> None:
    with pytest.raises(ModelRefused, match=variable):
        open_chat_model(llm, settings=Settings())


@pytest.mark.parametrize("key", ["sk-坏", "two words", 'quo"te', "a\nb"])
def test_a_key_that_is_none_never_shows(key: str) -> None:
    with pytest.raises(ModelRefused, match="XUANKA_LLM_API_KEY") as refused:
        find_endpoint("openai:x", settings=Settings(llm_api_key=SecretStr(key)))
    assert key not in str(refused.value)


@pytest.mark.parametrize(("llm", "install"), [("cohere:command-r", "langchain-cohere"), ("bedrock:x", "langchain-aws"), ("fireworks:x", "langchain-fireworks")])
def test_a_missing_package_is_named(llm: str, install: str, made: Callable[..., Settings]) -> None:
    with pytest.raises(ModelRefused, match=f"pip install {install}"):
        open_chat_model(llm, settings=made())


def test_the_table_holds_what_langchain_knows() -> None:
    from langchain.chat_models import base

    known = {name: row[0].partition(".")[0] for name, row in base._BUILTIN_PROVIDERS.items() if name not in ("langsmith", "bedrock")}
    ours = {name: row.package for name, row in providers().items()}
    assert {name: ours.get(name) for name in known if ours.get(name) != "langchain_openai"} == {
        name: package for name, package in known.items() if ours.get(name) != "langchain_openai"
    }
    names = [alias for row in providers().values() for alias in (row.name, *row.aliases)]
    assert len(names) == len(set(names)), "a name means one provider"


def test_context_that_a_conversation_may_fill(made: Callable[..., Settings]) -> None:
    assert context_window("ollama:x", settings=made()) == 16_384
    assert context_window("dashscope:x", settings=made()) == 98_304
    assert context_window("openai:x", settings=made(llm_base_url="http://127.0.0.1:1")) == 32_768
    assert context_window("vllm:x", settings=made(llm_context=8192)) == 8192


@pytest.mark.parametrize(("given", "llm"), [("", "offline"), (" Offline ", "offline"), ("none", "offline"), (" qwen:qwen-plus", "qwen:qwen-plus")])
def test_offline_is_read_as_people_write_it(given: str, llm: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XUANKA_LLM", given)
    assert Settings().llm == llm


@pytest.mark.parametrize(("name", "value"), [("TEMPERATURE", "3"), ("MAX_TOKENS", "0"), ("REGION", "mars"), ("THINKING", "maybe"), ("NUM_CTX", "1")])
def test_settings_that_cannot_be_used_are_named(name: str, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(f"XUANKA_LLM_{name}", value)
    with pytest.raises(SettingsError, match=f"XUANKA_LLM_{name}"):
        read_settings()


def test_keys_never_show_in_settings_or_endpoints(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("XUANKA_LLM_API_KEY", "OPENAI_API_KEY", "DASHSCOPE_API_KEY", "DEEPSEEK_API_KEY", "SILICONFLOW_API_KEY"):
        monkeypatch.setenv(name, "hidden-key")
    settings = Settings()
    shown = f"{settings!r} {settings.model_dump()} {settings.model_dump_json()} {find_endpoint('openai:x', settings=settings)!r}"
    shown += f"{open_chat_model('openai:x', settings=settings)!r} {open_chat_model('ollama:x', settings=settings)!r}"
    assert "hidden" not in shown


def test_every_setting_of_chat_models_is_explained() -> None:
    text = (Path(__file__).resolve().parents[3] / ".env.example").read_text(encoding="utf-8")
    for name in Settings.model_fields:
        if name.startswith("llm"):
            assert f"XUANKA_{name.upper()}=" in text, name
