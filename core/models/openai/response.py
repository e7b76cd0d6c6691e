"""Reads what a server sends, within limits of bytes and of time.

Whatever answers a request may send without end, compress gigabytes into megabytes, or keep the
connection open for ever. Everything is read here, so nothing of it is held before it is bounded.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

import aiohttp

from core.text.errors import ModelError
from core.text.language import _

MOST_BYTES = 1_000_000
"""Most bytes of a list of models and of an error."""
STREAM_BYTES = 4_000_000
"""Most bytes of a streamed answer."""
LONGEST_LINE = 1_000_000
"""Most bytes of a line of a streamed answer."""
_LOOK_SECONDS = 1.0
"""Seconds without a byte after which to check that the connection is still open."""
_AFTERWARDS_BYTES = 65_536
_AFTERWARDS_SECONDS = 1.0


class Response:
    """An open response, to be read once.

    Whatever reads it raises `aiohttp.ClientError`, and `TimeoutError` when the time of the request
    is over.
    """

    def __init__(self, response: aiohttp.ClientResponse, where: str) -> None:
        self.status = response.status
        self.retry_after = response.headers.get("Retry-After", "")
        self._encoding = response.headers.get("Content-Encoding", "").strip().lower()
        self._received = response.content
        self._response = response
        self._where = where

    async def beginning(self, most: int = MOST_BYTES) -> bytes:
        """The first bytes of the body; nothing of a compressed one."""
        body = bytearray()
        if not self._compressed:
            while len(body) < most and (chunk := await self._next_chunk()):
                body += chunk
        return bytes(body[:most])

    async def body(self, most: int = MOST_BYTES) -> bytes:
        """The body; raises `ModelError` for a compressed or too long one."""
        self._refuse_compressed()
        body = await self.beginning(most + 1)
        if len(body) > most:
            raise self._too_much(most)
        return body

    async def lines(self) -> AsyncGenerator[bytes, None]:
        """The lines of the body without their ends.

        Raises `ModelError` for a compressed or too long body and for a too long line, before
        either is held.
        """
        self._refuse_compressed()
        unread, received = bytearray(), 0
        while chunk := await self._next_chunk():
            received += len(chunk)
            if received > STREAM_BYTES:
                raise self._too_much(STREAM_BYTES)
            searched = len(unread)
            unread += chunk
            if (end := unread.rfind(b"\n", searched)) >= 0:
                complete = bytes(unread[:end])
                del unread[: end + 1]
                for line in complete.split(b"\n"):
                    self._refuse_long(line)
                    yield line.rstrip(b"\r")
            self._refuse_long(unread)
        yield bytes(unread)

    async def read_on(self) -> None:
        """Read the little that follows a complete answer, so that the connection can be reused."""
        received = 0
        if self._received.is_eof():
            return
        try:
            async with asyncio.timeout(_AFTERWARDS_SECONDS):
                while received < _AFTERWARDS_BYTES and (chunk := await self._next_chunk()):
                    received += len(chunk)
        except (TimeoutError, aiohttp.ClientError):
            return

    async def _next_chunk(self) -> bytes:
        """The next bytes of the body; empty at its end.

        Raises `aiohttp.ServerDisconnectedError` if the connection was closed before. When a chunk
        is malformed, aiohttp closes the connection without telling the reader.
        """
        while True:
            looking = asyncio.timeout(_LOOK_SECONDS)
            try:
                async with looking:
                    return await self._received.readany()
            except TimeoutError:
                if not looking.expired():
                    raise
            connection = self._response.connection
            gone = connection is None or connection.transport is None
            if gone and not self._received.is_eof():
                raise aiohttp.ServerDisconnectedError

    @property
    def _compressed(self) -> bool:
        return self._encoding not in {"", "identity"}

    def _refuse_compressed(self) -> None:
        if self._compressed:
            raise ModelError(
                _("The server compresses what it sends, though it was asked not to."),
                where=self._where,
            )

    def _refuse_long(self, line: bytes | bytearray) -> None:
        if len(line) > LONGEST_LINE:
            raise ModelError(_("The server sent an event without end."), where=self._where)

    def _too_much(self, most: int) -> ModelError:
        return ModelError(
            _("The server sent more than {most:,} bytes.", most=most), where=self._where
        )
