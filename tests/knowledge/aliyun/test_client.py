import json
import os
import re
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest

from knowledge.aliyun.account import open_cloud
from knowledge.aliyun.cloud import CloudOptions, Credentials, split_endpoint
from knowledge.aliyun.rights import RIGHTS
from knowledge.errors import CloudError, KnowledgeUnavailable, SettingsError
from tests.knowledge.aliyun.samples import SMALL
from tests.knowledge.aliyun.stub import KEYS, NOW, Stub


@pytest.mark.parametrize(
    "keys", [Credentials(), Credentials("test-key-id"), Credentials("", "test-key-secret"), Credentials(" ", "\n"), Credentials(security_token="t")]
)
def test_without_a_key_nothing_is_sent(stub: Stub, keys: Credentials) -> None:
    with pytest.raises(CloudError) as raised:
        stub.open(keys).list_types("cn-hangzhou", ["gn7i"])
    assert raised.value.kind == "credentials"
    assert stub.requests == []


def test_keys_of_the_environment_are_not_taken(stub: Stub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALIBABA_CLOUD_ACCESS_KEY_ID", "test-other-id")
    monkeypatch.setenv("ALIBABA_CLOUD_ACCESS_KEY_SECRET", "test-other-secret")
    with pytest.raises(CloudError):
        stub.open(Credentials()).list_types("cn-hangzhou", ["gn7i"])
    stub.open().list_types("cn-hangzhou", ["gn7i"])
    [request] = stub.requests
    assert "Credential=test-key-id," in request.headers["authorization"]


def test_a_temporary_key_sends_its_token(stub: Stub) -> None:
    stub.open(Credentials("test-key-id", "test-key-secret", "test-token")).list_types("cn-hangzhou", ["gn7i"])
    assert stub.requests[0].headers["x-acs-security-token"] == "test-token"
    assert "x-acs-security-token" not in json.dumps(stub.requests[0].query)


def test_white_space_around_keys_is_no_part_of_them(stub: Stub) -> None:
    stub.open(Credentials(" test-key-id\n", "test-key-secret ")).list_types("cn-hangzhou", ["gn7i"])
    assert "Credential=test-key-id," in stub.requests[0].headers["authorization"]


def test_the_metadata_service_is_closed_unless_asked_for(stub: Stub) -> None:
    os.environ["ALIBABA_CLOUD_ECS_METADATA_DISABLED"] = "false"  # the fixture puts it back
    stub.open().list_types("cn-hangzhou", ["gn7i"])
    assert os.environ["ALIBABA_CLOUD_ECS_METADATA_DISABLED"] == "true"


def test_a_role_that_cannot_be_had_is_said(stub: Stub) -> None:
    """Here the metadata service is out of reach."""
    with pytest.raises(CloudError) as raised:
        stub.open(Credentials(ram_role=True)).list_types("cn-hangzhou", ["gn7i"])
    assert raised.value.kind == "credentials"
    assert "metadata" in raised.value.said("en") and "元数据" in raised.value.said("zh")
    assert stub.requests == []


@pytest.mark.parametrize("name", ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY"])
def test_a_proxy_never_gets_calls_to_this_machine(stub: Stub, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, f"http://{stub.host}")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with pytest.raises(CloudError) as raised:
        stub.open().list_types("cn-hangzhou", ["gn7i"])
    assert raised.value.kind == "unavailable" and "HTTP_PROXY" in str(raised.value)
    assert stub.requests == []


def test_a_proxy_is_used_for_calls_to_the_cloud(stub: Stub, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing leaves this machine: the proxy here does not know CONNECT."""
    monkeypatch.setenv("HTTPS_PROXY", f"http://{stub.host}")
    with pytest.raises(CloudError) as raised:
        stub.open(endpoint=None).list_types("cn-hangzhou", ["gn7i"])
    assert raised.value.kind == "unavailable"


@pytest.mark.parametrize("region", ["", "hangzhou", "cn-hangzhou.example.com", "cn-hangzhou/..", "CN-HANGZHOU", "cn-" + "x" * 10**5, "杭州", "a\nb"])
def test_regions_that_are_none_are_no_part_of_a_host_name(region: str) -> None:
    with pytest.raises(CloudError) as raised:
        open_cloud(KEYS).list_types(region, ["gn7i"])
    assert raised.value.kind == "region"
    assert len(str(raised.value)) < 250 and "\n" not in str(raised.value)


def test_the_sdk_chooses_the_endpoint_of_a_region() -> None:
    """Names are not looked up here: the sentence tells that one was."""
    with pytest.raises(CloudError) as raised:
        open_cloud(KEYS, options=CloudOptions(attempts=1)).list_types("cn-hangzhou", ["gn7i"])
    assert raised.value.kind == "unavailable"


@pytest.mark.parametrize(
    ("given", "split"),
    [
        ("ecs-vpc.cn-hangzhou.aliyuncs.com", ("ecs-vpc.cn-hangzhou.aliyuncs.com", "HTTPS")),
        ("https://ecs.cn-hangzhou.aliyuncs.com/", ("ecs.cn-hangzhou.aliyuncs.com", "HTTPS")),
        ("127.0.0.1:8080", ("127.0.0.1:8080", "HTTPS")),
        (" http://localhost:8080 ", ("localhost:8080", "HTTP")),
    ],
)
def test_endpoints(given: str, split: tuple[str, str]) -> None:
    assert split_endpoint(given) == split


@pytest.mark.parametrize("given", ["", "http://example.com", "example.com/path", "a b", "user:word@example.com", "ftp://example.com", "x" * 10**5])
def test_endpoints_that_cannot_be_used(given: str) -> None:
    for name in ("endpoint", "billing_endpoint"):
        with pytest.raises(SettingsError) as raised:
            CloudOptions(**{name: given})  # type: ignore[arg-type]
        assert len(str(raised.value)) < 200


@pytest.mark.parametrize("value", [0, -1, float("nan"), float("inf"), 10**12])
def test_limits_that_make_no_sense(value: float) -> None:
    for name in ("connect_timeout_s", "read_timeout_s", "calls_per_second", "attempts"):
        with pytest.raises(SettingsError):
            CloudOptions(**{name: value})  # type: ignore[arg-type]


@pytest.mark.parametrize("module", ["alibabacloud_credentials.utils.auth_util", "alibabacloud_ecs20140526.client"])
def test_without_the_extra_one_sentence_says_what_to_install(stub: Stub, monkeypatch: pytest.MonkeyPatch, module: str) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(KnowledgeUnavailable, match=r"install xuanka\[aliyun\]"):
        stub.open().list_types("cn-hangzhou", ["gn7i"])


def test_opening_the_cloud_loads_no_sdk() -> None:
    code = (
        "import sys; from knowledge.aliyun.account import open_cloud; from knowledge.aliyun.cloud import Credentials;"
        "open_cloud(Credentials('test-key-id', 'test-key-secret'));"
        "print([name for name in sys.modules if name.startswith(('alibabacloud', 'darabonba', 'Tea', 'requests', 'aiohttp'))])"
    )
    root = Path(__file__).resolve().parents[3]
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=root, check=True)
    assert done.stdout.strip() == "[]"


def test_the_policy_grants_the_right_of_every_action_and_no_other(stub: Stub) -> None:
    cloud = stub.open()
    cloud.list_types("cn-hangzhou", ["gn7i"])
    cloud.offered("cn-hangzhou")
    cloud.prices("cn-hangzhou", SMALL, "hour")
    cloud.spot_history("cn-hangzhou", SMALL, NOW)
    cloud.spot_advice("cn-hangzhou", ["gn7i"])
    cloud.bulk_prices("cn-hangzhou")
    cloud.plan_rates("cn-hangzhou", ["gn7i"])
    assert {request.action for request in stub.requests} == set(RIGHTS)
    policy = json.loads(files("knowledge.aliyun").joinpath("policy.json").read_text(encoding="utf-8"))
    [statement] = policy["Statement"]
    assert statement["Action"] == list(RIGHTS.values())
    assert statement["Effect"] == "Allow"


def test_every_action_only_reads() -> None:
    assert all(re.match(r"(Describe|Query)[A-Z]", action) for action in RIGHTS)
