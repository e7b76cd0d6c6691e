"""A server that speaks the OpenAI-compatible interface, behind the `Model` protocol.

The key is read from the environment for every request and kept nowhere: not in the model, not in
a record, not in a message. A server may say back what it was sent, so the key is taken out of
whatever it says. Redirections are not followed, so it goes to the named server only.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, Sequence
from contextlib import AbstractContextManager, aclosing, asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from hashlib import sha256
from http import HTTPStatus
from types import TracebackType
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import aiohttp
import stamina

from core.contract.question import OptionScore, Prompt
from core.models.openai.connections import Connections, is_address
from core.models.openai.key import KEY_VARIABLE, Key
from core.models.openai.response import Response
from core.models.openai.stream import BrokenOffError, error_of, model_names, tokens
from core.models.protocol import Ability, InterruptedAnswerError, ModelInfo, Token, Traffic
from core.text.errors import ModelError
from core.text.language import _

_LONGEST_WAIT = 60.0
_LIST_SECONDS = 60.0
"""Most seconds in which a server names its models."""

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


class OpenAIModel:
    """A model on a server. Made by `connect`. Requests run side by side, as many as are made."""

    def __init__(self, connections: Connections, name: str, info: ModelInfo, limits: Limits):
        self.info = info
        """What is known of it."""
        self.traffic = Traffic()
        """How its requests fare."""
        self._connections = connections
        self._name = name
        self._limits = limits

    @classmethod
    async def connect(cls, url: str, *, limits: Limits | None = None) -> OpenAIModel:
        """Ask the server at `url` which model it has.

        `url` is that of the interface, with or without the final `/v1`; after `#` it may name
        one of several models. Raises `ModelError` when nobody answers there.
        """
        limits = limits or Limits()
        base, wanted = _base(url)
        connections = Connections(base, timeout=limits.timeout)
        model = cls(connections, wanted, _info(base, wanted), limits)
        try:
            served = await model._served()
            name = wanted or (served[0] if served else "")
            if not name or (served and name not in served):
                raise ModelError(
                    _("The server has no model “{wanted}”.", wanted=wanted)
                    if wanted
                    else _("The server has no model."),
                    where=base,
                    hint=_("It has: {names}.", names=", ".join(served[:10])) if served else "",
                )
        except BaseException:
            await connections.close()
            raise
        return cls(connections, name, _info(base, name), limits)

    async def score(self, prompt: Prompt, options: Sequence[str]) -> tuple[OptionScore, ...]:
        """Raise `ModelError`: the interface gives no likelihood of a given text."""
        raise ModelError(
            _("A server gives no likelihoods of options."),
            where=self.info.source,
            hint=_("Let it write its answer, or use a model file on this machine."),
        )

    async def generate(
        self, prompt: Prompt, *, max_tokens: int, stop: Sequence[str] = ()
    ) -> AsyncGenerator[Token, None]:
        """Continuation of the prompt at temperature 0, piece by piece. Raises `ModelError`.

        A request is tried again as long as nothing of its answer has come.
        """
        body: dict[str, Any] = {
            "model": self._name,
            "max_tokens": max_tokens,
            "temperature": 0,
            "stream": True,
        }
        if stop:
            body["stop"] = list(stop)
        if isinstance(prompt, str):
            path, body["prompt"] = "completions", prompt
        else:
            path = "chat/completions"
            body["messages"] = [{"role": turn.role, "content": turn.content} for turn in prompt]
        begun = False
        async for attempt in self._tries():
            with attempt:
                try:
                    async with aclosing(self._stream(path, body, max_tokens)) as pieces:
                        async for token in pieces:
                            begun = True
                            yield token
                except _LaterError as error:
                    if begun:
                        raise InterruptedAnswerError.of(error) from None
                    raise
                except TimeoutError:
                    late = _late(self._limits.deadline, self.info.source)
                    raise (ModelError.of(late) if begun else late) from None

    async def close(self) -> None:
        """Close the connections."""
        await self._connections.close()

    async def _tries(self) -> AsyncGenerator[AbstractContextManager[object], None]:
        """The tries of a request, with waits between them; raises the error of the last one."""
        first = _FirstTry()
        yield first
        if first.error is None:
            return
        limits = self._limits
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

    async def _stream(
        self, path: str, body: dict[str, Any], max_tokens: int
    ) -> AsyncGenerator[Token, None]:
        async with self._open("POST", path, self._limits.deadline, body) as (response, key):
            where = self.info.source
            if response.status != HTTPStatus.OK:
                raise _refusal(response, await response.beginning(), where, key)
            pieces = tokens(response, max_tokens=max_tokens, where=where, key=key)
            async for token in key.hide_in(pieces):
                yield token

    async def _served(self) -> list[str]:
        """The models that the server names; empty where it has no such list."""
        where, served = self.info.source, list[str]()
        async for attempt in self._tries():
            with attempt:
                try:
                    async with self._open("GET", "models", _LIST_SECONDS) as (response, key):
                        if response.status == HTTPStatus.NOT_FOUND:
                            continue
                        if response.status != HTTPStatus.OK:
                            raise _refusal(response, await response.beginning(), where, key)
                        served = model_names(await response.body(), key, where)
                except TimeoutError:
                    raise _late(_LIST_SECONDS, where) from None
        return served

    @asynccontextmanager
    async def _open(
        self, method: str, path: str, seconds: float, body: dict[str, Any] | None = None
    ) -> AsyncGenerator[tuple[Response, Key], None]:
        """A response, and the key that was sent.

        Raises `_LaterError` where the connection fails, and `TimeoutError` after `seconds`.
        """
        key, where = Key(), self.info.source
        try:
            async with self._connections.send(
                method, path, body, headers=key.headers(), seconds=seconds
            ) as response:
                yield Response(response, where), key
        except BrokenOffError:
            raise _LaterError(_("The answer of the server broke off."), where=where) from None
        except aiohttp.ClientError as error:
            unreachable = _unreachable(error, where, key)
            # Nobody listens there: waiting would not help a person who mistyped the address.
            if body is None and isinstance(error, aiohttp.ClientConnectorError):
                raise ModelError.of(unreachable) from None
            raise unreachable from None


class _LaterError(ModelError):
    """A failure that another try may mend, after so many seconds where the server named them."""

    wait = 0.0


class _FirstTry:
    """The first try of a request. Most succeed, so the others are made ready only when it fails."""

    error: _LaterError | None = None

    def __enter__(self) -> None:
        """Do nothing."""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        """Keep the error of a failure that another try may mend."""
        self.error = error if isinstance(error, _LaterError) else None
        return self.error is not None

    def fail(self) -> None:
        """Raise the error that was kept."""
        if self.error is not None:
            raise self.error


def _wait_after(error: Exception) -> bool | float:
    """Whether a failed request is tried again, or after how many seconds."""
    if not isinstance(error, _LaterError):
        return False
    return error.wait or True


def _base(url: str) -> tuple[str, str]:
    """The interface's address ending in `/v1/`, and the model named after `#`."""
    if not is_address(url):
        raise ModelError(
            _("This is not the address of a server."), where=url, hint=_("Write http://…")
        )
    parts = urlsplit(url)
    if parts.username or parts.password:
        raise ModelError(
            _("An address with a password in it would be stored with every run."),
            where=parts.hostname or "",
            hint=_("Put the key into the environment variable {variable}.", variable=KEY_VARIABLE),
        )
    path = parts.path.rstrip("/")
    path = path if path.endswith("/v1") else f"{path}/v1"
    return urlunsplit((parts.scheme, parts.netloc, f"{path}/", "", "")), parts.fragment


def _info(base: str, name: str) -> ModelInfo:
    """What can be known of a model on a server: its name and where, but not its weights."""
    source = f"{base.rstrip('/')}#{name}"
    return ModelInfo(
        name=name,
        source=source,
        fingerprint="server:" + sha256(source.encode()).hexdigest()[:16],
        abilities=frozenset({Ability.GENERATE, Ability.CHAT}),
        system_turn=True,
    )


def _unreachable(error: aiohttp.ClientError, where: str, key: Key) -> _LaterError:
    message = key.hide(str(error)) or type(error).__name__
    return _LaterError(
        _("The server does not answer: {error}.", error=message),
        where=where,
        hint=_("Is it running, and is the address right?"),
    )


def _late(seconds: float, where: str) -> _LaterError:
    return _LaterError(
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
    later = status == HTTPStatus.TOO_MANY_REQUESTS or status >= 500
    error = (_LaterError if later else ModelError)(
        _("The server refused ({status}): {said}.", status=status, said=error_of(body, key)),
        where=where,
        hint=hints.get(status, ""),
    )
    if isinstance(error, _LaterError):
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
