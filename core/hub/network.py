"""The connections of our requests, each step of which has the deadline of its request."""

from __future__ import annotations

import ssl
from collections.abc import Iterable
from typing import Any

from httpcore2 import NetworkBackend, NetworkStream, TimeoutException

from core.hub import deadline


def watch(client: Any) -> None:
    """Watch all connections that an HTTP client makes, also those through a proxy."""
    for transport in (client._transport, *client._mounts.values()):
        if transport is not None:
            pool = transport._pool
            pool._network_backend = _WatchedBackend(pool._network_backend)


def _left(timeout: float | None) -> float | None:
    """Seconds that a step may take; raises `HubError` where none are left."""
    current = deadline.current()
    return timeout if current is None else current.left(timeout)


class _WatchedBackend(NetworkBackend):
    """Makes connections that are watched."""

    def __init__(self, backend: NetworkBackend) -> None:
        self._backend = backend

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> NetworkStream:
        """Connect to a server."""
        stream = self._backend.connect_tcp(
            host, port, _left(timeout), local_address, socket_options
        )
        return _WatchedStream(stream)

    def sleep(self, seconds: float) -> None:
        """Wait before another try."""
        self._backend.sleep(seconds)


class _WatchedStream(NetworkStream):
    """A connection of which every step ends at the deadline."""

    def __init__(self, stream: NetworkStream) -> None:
        self._stream = stream

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """Read what is there."""
        try:
            return self._stream.read(max_bytes, _left(timeout))
        except TimeoutException:
            _left(timeout)  # A deadline that is over is told as such.
            raise

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Write all."""
        self._stream.write(buffer, _left(timeout))

    def close(self) -> None:
        """Close the connection."""
        self._stream.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> NetworkStream:
        """Encrypt what follows."""
        return _WatchedStream(self._stream.start_tls(ssl_context, server_hostname, _left(timeout)))

    def get_extra_info(self, info: str) -> Any:
        """A fact about the connection, by the library's name for it."""
        return self._stream.get_extra_info(info)
