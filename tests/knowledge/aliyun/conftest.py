from collections.abc import Iterator

import pytest

from tests.knowledge.aliyun.stub import PROXIES, Stub, open_stub


@pytest.fixture
def stub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stub]:
    """The cloud's interface, on this machine. Proxy variables are gone, and those of the SDK are put back afterwards."""
    for name in PROXIES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ALIBABA_CLOUD_ECS_METADATA_DISABLED", "true")
    with open_stub() as opened:
        yield opened
