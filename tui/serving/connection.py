"""A connection of a browser: what it may take, and the headers of every answer to it."""

from __future__ import annotations

import asyncio
import errno
import socket
from http import HTTPStatus

from aiohttp import web

from core.system.process_limits import most_open_files
from tui.serving.gate import HEADERS

MOST_CONNECTIONS = 128
"""Most connections at a time. A tab has one, and some more while its page is fetched."""
REQUEST_SECONDS = 15.0
"""How long a connection may take over a request, or wait without one, before it is closed."""
_KEPT_FILES = 100
"""Open files that the server needs besides its connections."""
MOST_HEADER_BYTES = 8_190
"""Most bytes of a line or a field of a request."""
_FULL = b"".join(
    (
        b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n",
        *(f"{name}: {value}\r\n".encode() for name, value in HEADERS.items()),
        b"\r\n",
    )
)
"""The answer to a connection for which there is no place."""


class Connection(web.RequestHandler):
    """A connection, which is closed when its browser keeps it open and says nothing."""

    def __init__(self, server: web.Server, most: int) -> None:
        """Wait for a browser of a server that has `most` connections at a time."""
        super().__init__(
            server,
            loop=asyncio.get_running_loop(),
            keepalive_timeout=REQUEST_SECONDS,
            max_line_size=MOST_HEADER_BYTES,
            max_field_size=MOST_HEADER_BYTES,
        )
        self._server = server
        self._most = most

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin; refuse a connection beyond the most of its server."""
        if len(self._server.connections) < self._most:
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
        if isinstance(exc, UnicodeEncodeError):
            # aiohttp repeats what a request expects. Bytes that are not UTF-8 come as surrogates.
            status = HTTPStatus.BAD_REQUEST
        elif isinstance(exc, OSError) and exc.errno == errno.ENAMETOOLONG:
            status = HTTPStatus.NOT_FOUND
        plain = f"{status} {HTTPStatus(status).phrase}\n"
        if status == HTTPStatus.INTERNAL_SERVER_ERROR:
            response = super().handle_error(request, status, exc, plain)
        else:
            # A malformed request is no news: aiohttp would log every one.
            response = web.Response(status=status, text=plain)
            response.force_close()
        response.headers.update(HEADERS)
        return response


def allowed(connections: int) -> int:
    """As many connections, or fewer where the system lets this process open few files.

    A flood would else take those that an answer needs.
    """
    return max(1, min(connections, 3 * _spare_files() // 4))


def _spare_files() -> int:
    return most_open_files() - _KEPT_FILES


async def accept(
    runner: web.AppRunner, listening: socket.socket, most: int | None = None
) -> asyncio.Server:
    """Accept connections at a bound socket for an application that is set up.

    At most `most` at a time, or as many as `allowed` of `MOST_CONNECTIONS` when left out.
    """
    # As many are accepted at once before the first is refused, and wait meanwhile.
    backlog = max(1, min(MOST_CONNECTIONS, _spare_files() // 4))
    server = runner.server
    if server is None:
        raise RuntimeError("the runner was set up without a server")
    at_most = most or allowed(MOST_CONNECTIONS)
    return await asyncio.get_running_loop().create_server(
        lambda: Connection(server, at_most), sock=listening, backlog=backlog
    )
