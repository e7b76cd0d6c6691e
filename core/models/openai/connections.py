"""Connections to a server that are kept open between requests."""

from __future__ import annotations

import json
import ssl
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

import aiohttp
import certifi
from yarl import URL

from core.models.openai.proxies import proxy_of

_HEADERS = {
    # Ask for what is not compressed.
    "Accept-Encoding": "identity",
    "Content-Type": "application/json",
    "User-Agent": "commonsense-tui",
}
_CONNECT_SECONDS = 10.0


class Connections:
    """As many connections as there are requests under way. Make it inside the event loop."""

    def __init__(self, base: str, *, timeout: float) -> None:
        """`base` is the address that paths follow; `timeout` are seconds without a byte."""
        self._base = URL(base)
        self._addresses: dict[str, URL] = {}
        self._timeout = timeout
        self._proxy = proxy_of(base)
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, ssl=_certificates(base)),
            headers=_HEADERS,
            # What a server compresses all the same is never expanded.
            auto_decompress=False,
            cookie_jar=aiohttp.DummyCookieJar(),
        )

    def send(
        self,
        method: str,
        path: str,
        body: dict[str, Any] | None,
        *,
        headers: Mapping[str, str],
        seconds: float,
    ) -> AbstractAsyncContextManager[aiohttp.ClientResponse]:
        """Send a request; the response, of which the body is not read yet, has `seconds` in all.

        `path` follows the address; one that begins with a slash follows the server's name.
        Raises `aiohttp.ClientError`, and `TimeoutError` when the time is over.
        """
        if path not in self._addresses:
            self._addresses[path] = self._base.join(URL(path))
        return self._session.request(
            method,
            self._addresses[path],
            data=None if body is None else json.dumps(body).encode(),
            headers=headers,
            timeout=aiohttp.ClientTimeout(
                seconds, sock_connect=_CONNECT_SECONDS, sock_read=self._timeout
            ),
            proxy=self._proxy,
            allow_redirects=False,
        )

    async def close(self) -> None:
        """Close all of them."""
        await self._session.close()


def is_address(url: str) -> bool:
    """Whether requests can be sent there."""
    try:
        url.encode()
        host = urlsplit(url).hostname or ""
        host.encode("idna")  # Labels between dots are neither empty nor long.
        if urlsplit(url).scheme not in ("http", "https") or not URL(url).host:
            return False
        if not all(letter.isprintable() and letter != " " for letter in url):
            return False
        if host.rpartition(".")[2].isdigit():
            ip_address(host)
    except ValueError:
        return False
    return True


def _certificates(base: str) -> ssl.SSLContext | bool:
    """The certificates of this machine and of certifi, as some Pythons know none of the former."""
    if not base.startswith("https:"):
        return True
    context = ssl.create_default_context()
    context.load_verify_locations(certifi.where())
    return context
