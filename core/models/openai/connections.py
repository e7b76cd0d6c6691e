"""Connections to a server that are kept open between requests."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import httpx

from core.models.openai.response import HEADERS


class Connections:
    """As many connections as there are requests under way.

    Each is a client of its own: one client with many connections looks through all of them several
    times a request, which with a hundred takes longer than the request.
    """

    def __init__(self, base_url: str, *, timeout: httpx.Timeout, trust_env: bool) -> None:
        self._base_url = base_url
        self._timeout = timeout
        self._trust_env = trust_env
        # Reading the certificates takes longer than all else that makes a client.
        self._certificates = httpx.create_ssl_context(trust_env=trust_env)
        self._clients: list[httpx.AsyncClient] = []
        self._free: list[httpx.AsyncClient] = []

    @asynccontextmanager
    async def free(self) -> AsyncGenerator[httpx.AsyncClient, None]:
        """A client for one request at a time: the one that was used last, or a new one."""
        client = self._free.pop() if self._free else self._made()
        try:
            yield client
        finally:
            self._free.append(client)

    async def close(self) -> None:
        """Close all of them."""
        for client in self._clients:
            await client.aclose()

    def _made(self) -> httpx.AsyncClient:
        client = httpx.AsyncClient(
            base_url=self._base_url,
            headers=HEADERS,
            timeout=self._timeout,
            verify=self._certificates,
            trust_env=self._trust_env,
        )
        self._clients.append(client)
        return client
