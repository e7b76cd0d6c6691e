"""A server that speaks the OpenAI-compatible interface, behind the `Model` protocol.

The key is read from the environment for every request and kept nowhere: not in the model, not in
a record, not in a message. A server may say back what it was sent, so the key is taken out of
whatever it says. Redirections are not followed, so it goes to the named server only.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from hashlib import sha256
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit, urlunsplit

from core.contract.question import OptionScore, Prompt
from core.models.openai.key import KEY_VARIABLE, Key
from core.models.openai.stream import error_text, tokens
from core.models.protocol import Ability, ModelInfo, Token
from core.text.errors import ModelError
from core.text.language import _

if TYPE_CHECKING:
    import httpx

_AGAIN = frozenset({408, 429, 500, 502, 503, 504})
"""Statuses that say “later”. Every other 4xx says that the request is wrong, and stays so."""
_LONGEST_WAIT = 60.0


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits on concurrent requests, retries and time."""

    concurrency: int = 4
    """Most requests under way at once."""
    tries: int = 5
    """Most tries of one request."""
    first_wait: float = 0.5
    """Seconds before the second try; each further wait is twice as long, give or take a half."""
    timeout: float = 120.0
    """Seconds without a byte from the server."""


class OpenAIModel:
    """A model on a server. Made by `connect`. Requests run side by side, up to the limit."""

    def __init__(self, client: httpx.AsyncClient, name: str, info: ModelInfo, limits: Limits):
        self.info = info
        """What is known of it."""
        self._client = client
        self._name = name
        self._limits = limits
        self._gate = asyncio.Semaphore(limits.concurrency)

    @classmethod
    async def connect(cls, url: str, *, limits: Limits | None = None) -> OpenAIModel:
        """Ask the server at `url` which model it has.

        `url` is that of the interface, with or without the final `/v1`; after `#` it may name
        one of several models. Raises `ModelError` when nobody answers there.
        """
        import httpx

        limits = limits or Limits()
        base, wanted = _base(url)
        client = httpx.AsyncClient(
            base_url=base,
            timeout=httpx.Timeout(limits.timeout, connect=10.0),
            # A proxy must not stand between the program and a server on the same machine.
            trust_env=not _loopback(base),
        )
        model = cls(client, wanted, _info(base, wanted), limits)
        try:
            served = await model._served()
        except BaseException:
            await client.aclose()
            raise
        name = wanted or (served[0] if served else "")
        if not name or (served and name not in served):
            await client.aclose()
            raise ModelError(
                _("The server has no model “{wanted}”.", wanted=wanted)
                if wanted
                else _("The server has no model."),
                where=base,
                hint=_("It has: {names}.", names=", ".join(served[:10])) if served else "",
            )
        return cls(client, name, _info(base, name), limits)

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
        async with self._gate:
            for number in range(1, self._limits.tries + 1):
                begun = False
                try:
                    async with aclosing(self._stream(path, body)) as pieces:
                        async for token in pieces:
                            begun = True
                            yield token
                    return
                except _Later as later:
                    if begun or number == self._limits.tries:
                        raise later.error from None
                    await asyncio.sleep(later.wait or self._wait(number))

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    async def _stream(self, path: str, body: dict[str, Any]) -> AsyncGenerator[Token, None]:
        import httpx

        key, where = Key(), self.info.source
        request = self._client.stream("POST", path, json=body, headers=key.headers())
        try:
            async with request as response:
                if response.status_code != httpx.codes.OK:
                    await response.aread()
                    raise _refusal(response, where, key)
                pieces = tokens(response.aiter_lines(), where=where, key=key)
                async for token in key.hide_in(pieces):
                    yield token
        except httpx.HTTPError as error:
            raise _Later(_unreachable(error, where, key)) from None

    async def _served(self) -> list[str]:
        """The models that the server names; empty where it has no such list."""
        import httpx

        key, where = Key(), self.info.source
        for number in range(1, self._limits.tries + 1):
            try:
                response = await self._client.get("models", headers=key.headers())
                if response.status_code == httpx.codes.NOT_FOUND:
                    return []
                if response.status_code != httpx.codes.OK:
                    raise _refusal(response, where, key)
                return _names(response, where, key)
            except httpx.ConnectError as error:
                # Nobody listens there: waiting would not help a person who mistyped the address.
                raise _unreachable(error, where, key) from None
            except httpx.HTTPError as error:
                if number == self._limits.tries:
                    raise _unreachable(error, where, key) from None
            except _Later as later:
                if number == self._limits.tries:
                    raise later.error from None
            await asyncio.sleep(self._wait(number))
        return []

    def _wait(self, number: int) -> float:
        wait: float = self._limits.first_wait * 2 ** (number - 1)
        return min(_LONGEST_WAIT, wait * random.uniform(0.5, 1.5))


class _Later(Exception):
    """A failure that another try may mend."""

    def __init__(self, error: ModelError, wait: float = 0.0) -> None:
        super().__init__(str(error))
        self.error = error
        self.wait = wait


def _base(url: str) -> tuple[str, str]:
    """The interface's address ending in `/v1/`, and the model named after `#`."""
    if not _is_address(url):
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


def _is_address(url: str) -> bool:
    """Whether requests can be sent there: the client takes fewer addresses than Python does."""
    import httpx

    try:
        url.encode()
        return urlsplit(url).scheme in ("http", "https") and bool(httpx.URL(url).host)
    except (ValueError, httpx.InvalidURL):
        return False


def _loopback(base: str) -> bool:
    host = urlsplit(base).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


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


def _names(response: httpx.Response, where: str, key: Key) -> list[str]:
    try:
        listed = response.json()["data"]
        return [key.hide(str(entry["id"])) for entry in listed]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise ModelError(
            _("What answers there does not speak the OpenAI-compatible interface."), where=where
        ) from None


def _unreachable(error: httpx.HTTPError, where: str, key: Key) -> ModelError:
    message = key.hide(str(error)) or type(error).__name__
    return ModelError(
        _("The server does not answer: {error}.", error=message),
        where=where,
        hint=_("Is it running, and is the address right?"),
    )


def _refusal(response: httpx.Response, where: str, key: Key) -> Exception:
    """What a status other than 200 means: try again, or do not."""
    try:
        message = error_text(response.json(), key)
    except (ValueError, RecursionError):
        message = error_text(response.text, key)
    status = response.status_code
    hints = {
        401: _("Put the key into the environment variable {variable}.", variable=KEY_VARIABLE),
        403: _("The key does not open this model."),
        404: _("The server has no such model or interface."),
    }
    error = ModelError(
        _("The server refused ({status}): {said}.", status=status, said=message),
        where=where,
        hint=hints.get(status, ""),
    )
    return _Later(error, _retry_after(response)) if status in _AGAIN else error


def _retry_after(response: httpx.Response) -> float:
    """Seconds that the server asks to wait, at most a minute; 0 where it does not say."""
    from datetime import UTC, datetime

    header = response.headers.get("retry-after", "")
    try:
        wait = float(header)
    except ValueError:
        try:
            wait = (parsedate_to_datetime(header) - datetime.now(UTC)).total_seconds()
        except (ValueError, TypeError):
            return 0.0
    return min(_LONGEST_WAIT, max(0.0, wait)) if wait == wait else 0.0
