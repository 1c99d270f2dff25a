"""Addresses of servers, made usable: what people paste is seldom the base URL itself."""

from __future__ import annotations

import ipaddress
import re
import unicodedata
from urllib.parse import SplitResult, urlsplit, urlunsplit

from .refused import ModelRefused

_TAIL = re.compile(r"/(chat/completions|completions|models|embeddings)/?$")
_OLLAMA_TAIL = re.compile(r"(/v1|/api)(/(chat|tags|generate))?/?$")
_HOST = re.compile(r"[A-Za-z0-9._\-]+|[0-9A-Fa-f:]+")
OLLAMA_PORT = 11434


def base_url(address: str, *, variable: str, path: str = "") -> str:
    """The base URL that an address means: with a scheme, without `/chat/completions`, and with `path` where it has none.

    `variable` names the setting in the error. Raises ModelRefused.
    """
    parts = _split(address, variable)
    if parts.username is not None:  # the key goes into the one header that a password would need
        raise ModelRefused("bad_url", variable=variable, address=_shown(address))
    tail = _TAIL.sub("", parts.path.rstrip("/")).rstrip("/")
    return urlunsplit((parts.scheme, parts.netloc, tail or path, "", ""))


def ollama_url(address: str, *, variable: str) -> str:
    """The address of an Ollama server. OLLAMA_HOST may be `0.0.0.0`, where the server listens: it is called on this machine."""
    parts = _split(address, variable)
    host = parts.hostname or ""
    plain = parts.scheme == "http"
    port = parts.port or (OLLAMA_PORT if plain else 443)
    if host in ("0.0.0.0", "::"):
        host = "127.0.0.1"
    user = parts.netloc.rpartition("@")[0]
    netloc = f"{user}@" if user else ""
    netloc += f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    return urlunsplit((parts.scheme, netloc, _OLLAMA_TAIL.sub("", parts.path).rstrip("/"), "", ""))


def host_of(address: str) -> str:
    """Host of a base URL, for messages and look-ups: no user, no password, no path."""
    return urlsplit(address).hostname or ""


def _split(address: str, variable: str) -> SplitResult:
    text = unicodedata.normalize("NFKC", address).strip().strip("'\"").strip()
    if "://" not in text:
        text = f"{'http' if _is_near(text) else 'https'}://{text}"
    try:
        parts = urlsplit(text)
        usable = parts.scheme in ("http", "https") and bool(_HOST.fullmatch(parts.hostname or "")) and (parts.port is None or parts.port > 0)
    except ValueError:  # a port that is no number, a broken IPv6 address
        usable = False
    if not usable or any(char.isspace() for char in text):
        raise ModelRefused("bad_url", variable=variable, address=_shown(text))
    return parts


def _is_near(text: str) -> bool:
    """Whether an address without a scheme is of this machine or a private network, where encryption is rare."""
    host = re.split(r"[/:]", text.rpartition("@")[2], maxsplit=1)[0]
    try:
        return ipaddress.ip_address(host).is_private
    except ValueError:
        return "." not in host


def _shown(text: str) -> str:
    """An address for a message: a password in it is none of a reader's business."""
    return "".join(char for char in re.sub(r"//[^/@]*@", "//…@", text) if char.isprintable())[:80]
