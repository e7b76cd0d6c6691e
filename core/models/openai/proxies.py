"""The proxies that the environment names, and the secrets in their addresses."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterator
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies, getproxies_environment, proxy_bypass

from core.text.addresses import is_loopback

PROXIES = "http_proxy, https_proxy"
"""The environment variables that name them."""
_SCHEME = re.compile(r"\s*[a-z][a-z0-9+.-]*:[/\\]{1,2}", re.IGNORECASE)
_AFTER_HOST = re.compile(r"[/\\?#]")


def proxy_of(base: str) -> str | None:
    """The proxy before a server; none before one on the same machine."""
    parts = urlsplit(base)
    if is_loopback(parts.hostname or "") or proxy_bypass(parts.netloc):
        return None
    proxies = getproxies()
    return proxies.get(parts.scheme) or proxies.get("all")


def proxy_passwords() -> Iterator[str]:
    """Names and passwords of all proxies, together and alone, as typed and as sent."""
    for address in set(getproxies_environment().values()):
        for typed in _users(address):
            user, colon, password = typed.partition(":")
            sent = f"{unquote(user)}:{unquote(password)}"
            for secret in {typed, sent, password if colon else user, unquote(password)}:
                yield secret
                # An address has the bytes of other letters.
                yield secret.encode("utf-8", "surrogatepass").decode("latin-1")
            for encoding in ("latin-1", "utf-8"):
                header = b64encode(sent.encode(encoding, "replace")).decode()
                yield header
                yield f"Basic {header.rstrip('=')}"


def _users(address: str) -> set[str]:
    """What stands before the host of an address, well formed or not."""
    rest = _SCHEME.sub("", address, count=1)
    parts = (_AFTER_HOST.split(rest, maxsplit=1)[0], rest)
    return {part.rpartition("@")[0] for part in parts} - {""}
