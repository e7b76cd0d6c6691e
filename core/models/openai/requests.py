"""Requests to a server: sent within limits, tried again, their failures put in words."""

from __future__ import annotations

import logging
import re
from collections.abc import AsyncGenerator
from contextlib import AbstractContextManager, asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from types import TracebackType
from typing import Any

import aiohttp
import stamina

from core.models.openai.connections import Connections
from core.models.openai.key import KEY_VARIABLE, Key
from core.models.openai.response import MOST_BYTES, Response
from core.models.openai.stream import BrokenOffError, error_of
from core.models.protocol import Traffic
from core.text.errors import LongPromptError, ModelError
from core.text.language import _

_LONGEST_WAIT = 60.0

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
                wait_max=_LONGEST_WAIT,
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
                    raise _refusal(answer, await answer.beginning(), where, key)
                yield answer, key
        except BrokenOffError:
            raise LaterError(_("The answer of the server broke off."), where=where) from None
        except aiohttp.ClientError as error:
            unreachable = _unreachable(error, where, key)
            # Nobody listens there: waiting would not help a person who mistyped the address.
            if body is None and isinstance(error, aiohttp.ClientConnectorError):
                raise ModelError.of(unreachable) from None
            raise unreachable from None
        except UnicodeError:
            raise ModelError(
                _("The proxy for this server has a name that no machine can have."),
                where=where,
                hint=_("Look at {name} in the environment.", name="http_proxy, https_proxy"),
            ) from None


_TOO_LONG = re.compile(r"context[ _-]?(length|size|window)|prompt is too long", re.IGNORECASE)
"""What servers say of a prompt that is longer than the model's context."""


class LaterError(ModelError):
    """A failure that another try may mend, after so many seconds where the server named them."""

    wait = 0.0


class BadRequestError(ModelError):
    """The server says that the request itself is wrong (status 400)."""


class NotThereError(ModelError):
    """The server has nothing at this address."""


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


def _unreachable(error: aiohttp.ClientError, where: str, key: Key) -> LaterError:
    message = key.hide(str(error)) or type(error).__name__
    return LaterError(
        _("The server does not answer: {error}.", error=message),
        where=where,
        hint=_("Is it running, and is the address right?"),
    )


def late(seconds: float, where: str) -> LaterError:
    """What it means that the time of a request is over."""
    return LaterError(
        _("The server did not finish within {seconds:.0f} s.", seconds=seconds), where=where
    )


def _refusal(response: Response, body: bytes, where: str, key: Key) -> ModelError:
    """What a status other than 200 means: try again, or do not."""
    status = response.status
    hints = {
        401: _("Put the key into the environment variable {variable}.", variable=KEY_VARIABLE),
        403: _("The key does not open this model."),
        404: _("The server has no such model or interface."),
    }
    kinds = {400: BadRequestError, 404: NotThereError}
    kind: type[ModelError] = kinds.get(status, ModelError)
    if status == HTTPStatus.TOO_MANY_REQUESTS or status >= 500:
        kind = LaterError
    said = error_of(body, key)
    if kind is BadRequestError and _TOO_LONG.search(said):
        kind = LongPromptError
    error = kind(
        _("The server refused ({status}): {said}.", status=status, said=said),
        where=where,
        hint=hints.get(status, ""),
    )
    if isinstance(error, LaterError):
        error.wait = _retry_after(response.retry_after)
    return error


def _retry_after(header: str) -> float:
    """Seconds that the server asks to wait, at most a minute; 0 where it does not say."""
    try:
        wait = float(header)
    except ValueError:
        try:
            wait = (parsedate_to_datetime(header) - datetime.now(UTC)).total_seconds()
        except (ValueError, TypeError, OverflowError):
            return 0.0
    return min(_LONGEST_WAIT, max(0.0, wait)) if wait == wait else 0.0
