"""A connection of a browser: what it may take, and the headers of every answer to it."""

from __future__ import annotations

import asyncio
from http import HTTPStatus

from aiohttp import web

from tui.serving.gate import HEADERS

MOST_CONNECTIONS = 128
"""Most connections at a time. A tab has one, and some more while its page is fetched."""
REQUEST_SECONDS = 15.0
"""How long a connection may take over a request, or wait without one, before it is closed."""
MOST_HEADER_BYTES = 8_190
"""Most bytes of a line or a field of a request."""
_FULL = b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


class Connection(web.RequestHandler):
    """A connection, which is closed when its browser keeps it open and says nothing."""

    def __init__(self, server: web.Server) -> None:
        super().__init__(
            server,
            loop=asyncio.get_running_loop(),
            keepalive_timeout=REQUEST_SECONDS,
            max_line_size=MOST_HEADER_BYTES,
            max_field_size=MOST_HEADER_BYTES,
        )
        self._server = server

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin; refuse a connection beyond `MOST_CONNECTIONS`."""
        if len(self._server.connections) < MOST_CONNECTIONS:
            super().connection_made(transport)
        elif isinstance(transport, asyncio.Transport):
            transport.write(_FULL)
            transport.close()

    def handle_error(
        self,
        request: web.BaseRequest,
        status: int = 500,
        exc: BaseException | None = None,
        message: str | None = None,
    ) -> web.StreamResponse:
        """The answer to a malformed or failed request, with the headers of every other answer.

        Nothing of the request is repeated.
        """
        plain = f"{status} {HTTPStatus(status).phrase}\n"
        response = super().handle_error(request, status, exc, plain)
        response.headers.update(HEADERS)
        return response
