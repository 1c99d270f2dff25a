"""Calls of the official SDK: one request at a time, at a pace, and every failure as a Fault.

The SDK is loaded when the first call is made (about a second). What it does by itself and must not:
    retries      `RuntimeOptions(max_attempts=…)` does nothing; `RetryOptions` works but past our pace, so it is switched off
    credentials  with keys in its Config it never walks its chain of providers; the metadata service is closed to it as well
    DEBUG=sdk    it would log all headers, signature and token among them: such records are stopped
    proxies      it reads HTTP_PROXY and ignores NO_PROXY: calls to this machine are refused while a proxy is set
"""

from __future__ import annotations

import importlib
import logging
import os
import re
from collections.abc import Callable, Mapping
from typing import Any, Literal
from urllib.request import getproxies_environment

from knowledge.errors import KnowledgeUnavailable

from .answers import Json, is_region
from .cloud import LOCAL_HOSTS, CloudOptions, Credentials, split_endpoint
from .faults import Call, Fault, fault, fault_of_code, fault_of_exception
from .pace import Pace

Product = Literal["ecs", "billing"]
_PACKAGES: dict[Product, str] = {"ecs": "alibabacloud_ecs20140526", "billing": "alibabacloud_bssopenapi20171214"}
_BILLING_HOST = {"cn": "business.aliyuncs.com", "intl": "business.ap-southeast-1.aliyuncs.com"}
"""By site of the account, whatever the region that is asked about."""
_METADATA = "ALIBABA_CLOUD_ECS_METADATA_DISABLED"


class Client:
    """Sends actions by their names on the wire, parameters and answers as plain JSON."""

    def __init__(self, credentials: Credentials, options: CloudOptions, pace: Pace) -> None:
        self._credentials, self._options, self._pace = credentials, options, pace
        self._clients: dict[tuple[Product, str], Any] = {}

    def ask(self, product: Product, action: str, region: str, **parameters: Any) -> Json:
        """The body of the answer. Raises CloudError."""
        answer = self.try_to_ask(product, action, region, **parameters)
        if isinstance(answer, Fault):
            raise answer.error
        return answer

    def try_to_ask(self, product: Product, action: str, region: str, **parameters: Any) -> Json | Fault:
        """The body of the answer, or why there is none. Raises KnowledgeUnavailable where the SDK is not installed."""
        call = Call(action, region)
        if refused := self._refused(product, call):
            return refused
        return self._pace.run(lambda: self._send(product, call, parameters))

    def _refused(self, product: Product, call: Call) -> Fault | None:
        """What can be told before any request."""
        if not self._credentials.complete:
            return fault("no_keys", call, code="InvalidCredentials")
        if not is_region(call.region):
            return fault("region", Call(call.action, re.sub(r"[^\w-]", "?", call.region[:40])), code="InvalidRegionId")
        endpoint, _ = self._endpoint(product)
        if endpoint and endpoint.split(":")[0] in LOCAL_HOSTS and getproxies_environment().keys() & {"http", "https"}:
            return fault("proxy", call, endpoint=endpoint)
        return None

    def _send(self, product: Product, call: Call, parameters: Mapping[str, Any]) -> Json | Fault:
        """One request."""
        client = self._guarded(call, lambda: self._client(product, call.region))
        if isinstance(client, Fault):
            return client
        models = _package(f"{_PACKAGES[product]}.models")
        request = getattr(models, f"{call.action}Request")().from_map(dict(parameters))
        send = getattr(client, f"{_snake(call.action)}_with_options")
        body = self._guarded(call, lambda: send(request, _runtime()).to_map().get("body"))
        if isinstance(body, Fault):
            return body
        if not isinstance(body, Mapping):
            return fault("no_answer", call)
        if body.get("Success") is False:  # the billing interface fails with HTTP 200
            return fault_of_code(body.get("Code"), call, secrets=self._credentials.secrets)
        return body

    def _guarded(self, call: Call, do: Callable[[], Any]) -> Any:
        """What it returns, or the fault behind whatever it raises: exceptions of the SDK carry the signed request."""
        try:
            return do()
        except KnowledgeUnavailable:
            raise
        except Exception as error:
            return fault_of_exception(error, call, secrets=self._credentials.secrets)

    def _client(self, product: Product, region: str) -> Any:
        key = (product, region if product == "ecs" else "")
        if key not in self._clients:
            self._clients[key] = self._open(product, region)
        return self._clients[key]

    def _open(self, product: Product, region: str) -> Any:
        keys = self._credentials
        _close_leaks(metadata=keys.ram_role)
        module = _package(f"{_PACKAGES[product]}.client")
        config = _package("alibabacloud_tea_openapi.utils_models").Config
        endpoint, protocol = self._endpoint(product)
        common = {
            "region_id": region,
            "endpoint": endpoint,
            "protocol": protocol,
            "connect_timeout": max(1, round(self._options.connect_timeout_s * 1000)),
            "read_timeout": max(1, round(self._options.read_timeout_s * 1000)),
            "retry_options": _package("darabonba.policy.retry").RetryOptions({"retryable": False}),
        }
        if keys.ram_role:
            return module.Client(config(credential=_role(), **common))
        signing = {
            "access_key_id": keys.access_key_id.strip(),
            "access_key_secret": keys.access_key_secret.strip(),
            "security_token": keys.security_token.strip() or None,
        }
        return module.Client(config(**signing, **common))

    def _endpoint(self, product: Product) -> tuple[str | None, Literal["HTTP", "HTTPS"]]:
        """Host and protocol; no host: the SDK chooses by region."""
        options = self._options
        given = options.endpoint if product == "ecs" else options.billing_endpoint
        if given is None and product == "billing":
            given = _BILLING_HOST[options.site]
        return split_endpoint(given) if given else (None, "HTTPS")


def _runtime() -> Any:
    return _package("darabonba.runtime").RuntimeOptions()


def _role() -> Any:
    """Temporary keys of the machine's RAM role, from the metadata service."""
    models = _package("alibabacloud_credentials.models")
    return _package("alibabacloud_credentials.client").Client(models.Config(type="ecs_ram_role"))


def _close_leaks(*, metadata: bool) -> None:
    """Before the SDK is loaded: the metadata service is open only when asked for, and records of wire headers go nowhere."""
    os.environ[_METADATA] = "false" if metadata else "true"
    _package("alibabacloud_credentials.utils.auth_util").environment_ecs_metadata_disabled = os.environ[_METADATA]
    for name in ("darabonba-core", "alibabacloud-tea", "credentials"):
        logger = logging.getLogger(name)
        if _nothing not in logger.filters:
            logger.addFilter(_nothing)


def _nothing(record: logging.LogRecord) -> bool:
    return False


def _package(name: str) -> Any:
    """A module of the SDK, loaded when it is needed."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise KnowledgeUnavailable(
            f"{name.partition('.')[0]} is not installed; install xuanka[aliyun]"
        ) from error


def _snake(action: str) -> str:
    """DescribeInstanceTypes → describe_instance_types."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", action).lower()
