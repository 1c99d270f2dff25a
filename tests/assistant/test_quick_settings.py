"""The settings that every command needs agree with the settings themselves, however they are given."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.quick_settings import QuickSettings, of, quick_settings
from assistant.settings import Settings, read_settings
from knowledge.errors import SettingsError


def whole() -> QuickSettings:
    read_settings.cache_clear()
    return of(read_settings())


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"XUANKA_REGION": "cn-beijing"},
        {"xuanka_region": "cn-beijing"},
        {"XUANKA_SITE": "intl", "XUANKA_STALE_AFTER_DAYS": "0"},
        {"XUANKA_STALE_AFTER_DAYS": "007"},
        {"XUANKA_STALE_AFTER_DAYS": " 7 "},
        {"XUANKA_LLM": "openai:qwen-plus"},
    ],
)
def test_both_ways_of_reading_agree(monkeypatch: pytest.MonkeyPatch, given: dict[str, str]) -> None:
    monkeypatch.delenv("XUANKA_STALE_AFTER_DAYS")
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    assert quick_settings() == whole()


def test_the_folder_of_the_user_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XUANKA_DATA_DIR")
    assert quick_settings().data_dir == whole().data_dir


def test_a_file_of_settings_counts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("XUANKA_SITE=intl\nXUANKA_REGION=us-east-1\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert (quick_settings().site, quick_settings().region) == ("intl", "us-east-1")
    assert quick_settings() == whole()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("XUANKA_SITE", "mars"),
        ("XUANKA_SITE", ""),
        ("XUANKA_STALE_AFTER_DAYS", "-1"),
        ("XUANKA_STALE_AFTER_DAYS", "soon"),
        ("XUANKA_STALE_AFTER_DAYS", "99999"),
        ("XUANKA_STALE_AFTER_DAYS", "٣"),
    ],
)
def test_what_cannot_be_used_is_named(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(SettingsError, match=name):
        quick_settings()


def test_lists_are_read_as_people_write_them(monkeypatch: pytest.MonkeyPatch) -> None:
    assert Settings().refresh_regions == ("cn-hangzhou", "cn-shanghai", "cn-beijing")
    for text in ("cn-beijing,us-east-1", "cn-beijing, us-east-1,", " cn-beijing us-east-1", "cn-beijing，us-east-1"):
        monkeypatch.setenv("XUANKA_REFRESH_REGIONS", text)
        assert Settings().refresh_regions == ("cn-beijing", "us-east-1")
    monkeypatch.setenv("XUANKA_REFRESH_FAMILIES", "")
    assert Settings().refresh_families == ()


def test_keys_never_show(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ACCESS_KEY_ID", "ACCESS_KEY_SECRET", "SECURITY_TOKEN"):
        monkeypatch.setenv(f"XUANKA_ALIYUN_{name}", f"hidden-{name}")
    settings = Settings()
    shown = f"{settings!r} {settings} {settings.model_dump()} {settings.model_dump_json()}"
    assert "hidden-" not in shown
    assert settings.aliyun_access_key_secret is not None
    assert settings.aliyun_access_key_secret.get_secret_value() == "hidden-ACCESS_KEY_SECRET"
    assert settings.aliyun_use_ram_role is False
