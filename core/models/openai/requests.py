"""Requests to a server: sent within limits, and tried again."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator
from contextlib import AbstractContextManager, asynccontextmanager
from dataclasses import dataclass
from http import HTTPStatus
from types import TracebackType
from typing import Any

import aiohttp
import stamina

from core.models.openai.connections import Connections
from core.models.openai.failures import (
    LONGEST_WAIT,
    LaterError,
    late,
    refusal,
    unreachable,
    wrong_proxy,
)
from core.models.openai.key import Key
from core.models.openai.response import MOST_BYTES, Response
from core.models.openai.stream import BrokenOffError
from core.models.protocol import Traffic
from core.text.errors import ModelError
from core.text.language import _

# The library says on stderr what it tries again, where nobody listens to its log.
logging.getLogger("stamina").addHandler(logging.NullHandler())


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits on retries and time."""

    tries: int = 5
    """Most tries of one request."""
    first_wait: float = 0.5
    """Least seconds before the second try; each further wait is twice as long, and up to as much
    again by chance."""
    timeout: float = 120.0
    """Seconds without a byte from the server."""
    deadline: float = 600.0
    """Seconds for one try, from the request to the end of the answer."""
    patience: float = 1200.0
    """Seconds after which a request is not tried again."""


class Requests:
    """Makes requests of one server. They run side by side, as many as are made."""

    def __init__(self, connections: Connections, where: str, limits: Limits) -> None:
        """`where` names the server in messages."""
        self.where = where
        self.limits = limits
        self.traffic = Traffic()
        """How they fare."""
        self._connections = connections

    def with_limits(self, limits: Limits) -> Requests:
        """The same with other limits; their traffic is counted together."""
        same = Requests(self._connections, self.where, limits)
        same.traffic = self.traffic
        return same

    async def read(
        self,
        method: str,
        path: str,
        body: dict[str, Any] | None = None,
        *,
        seconds: float = 0.0,
        most: int = MOST_BYTES,
    ) -> tuple[bytes, Key]:
        """The body of a response, of at most so many bytes, and the key that was sent.

        It is there in so many seconds, or in those of the limits. Raises `ModelError`.
        """
        seconds = seconds or self.limits.deadline
        answer, key = b"", Key()
        async for attempt in self.tries():
            with attempt:
                try:
                    async with self.open(method, path, seconds, body) as (response, key):
                        answer = await response.body(most)
                except TimeoutError:
                    raise late(seconds, self.where) from None
        return answer, key

    async def tries(self) -> AsyncGenerator[AbstractContextManager[object], None]:
        """The tries of a request, with waits between them; raises the error of the last one."""
        first = _FirstTry()
        yield first
        if first.error is None:
            return
        limits = self.limits
        tries = aiter(
            stamina.retry_context(
                on=_wait_after,
                attempts=limits.tries,
                timeout=limits.patience,
                wait_initial=limits.first_wait,
                wait_jitter=limits.first_wait,
                wait_max=LONGEST_WAIT,
            )
        )
        with await anext(tries):
            first.fail()
        while True:
            self.traffic.waiting += 1
            try:
                attempt = await anext(tries, None)
            finally:
                self.traffic.waiting -= 1
            if attempt is None:
                return
            self.traffic.failures += 1
            yield attempt

    @asynccontextmanager
    async def open(
        self, method: str, path: str, seconds: float, body: dict[str, Any] | None = None
    ) -> AsyncGenerator[tuple[Response, Key], None]:
        """A response whose status says that all is well, and the key that was sent.

        Raises `ModelError` for another status, `LaterError` where the connection fails, and
        `TimeoutError` after `seconds`.
        """
        key, where = Key(), self.where
        try:
            async with self._connections.send(
                method, path, body, headers=key.headers(), seconds=seconds
            ) as response:
                answer = Response(response, where)
                if answer.status != HTTPStatus.OK:
                    raise refusal(answer, await answer.beginning(), where, key)
                yield answer, key
        except BrokenOffError:
            raise LaterError(_("The answer of the server broke off."), where=where) from None
        except (aiohttp.InvalidURL, aiohttp.NonHttpUrlClientError, UnicodeError):
            # That of the server was looked at before.
            raise wrong_proxy(where) from None
        except aiohttp.ClientError as error:
            failed = unreachable(error, where)
            # Nobody listens there: waiting would not help a person who mistyped the address.
            if body is None and isinstance(error, aiohttp.ClientConnectorError):
                raise ModelError.of(failed) from None
            raise failed from None


class _FirstTry:
    """The first try of a request. Most succeed, so the others are made ready only when it fails."""

    error: LaterError | None = None

    def __enter__(self) -> None:
        """Do nothing."""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        """Keep the error of a failure that another try may mend."""
        self.error = error if isinstance(error, LaterError) else None
        return self.error is not None

    def fail(self) -> None:
        """Raise the error that was kept."""
        if self.error is not None:
            raise self.error


def _wait_after(error: Exception) -> bool | float:
    """Whether a failed request is tried again, or after how many seconds."""
    if not isinstance(error, LaterError):
        return False
    return error.wait or True
