"""Errors for failed requests to a server, worded here.

What the library says repeats what was sent and received: the address of a proxy with its password,
or a part of a header with the key in it. Nothing of that is shown.
"""

from __future__ import annotations

import os
import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus

import aiohttp

from core.models.openai.key import KEY_VARIABLE, Key
from core.models.openai.proxies import PROXIES
from core.models.openai.response import Response
from core.models.openai.stream import error_of
from core.text.errors import LongPromptError, ModelError
from core.text.language import _

LONGEST_WAIT = 60.0
"""Most seconds before another try."""

_TOO_LONG = re.compile(r"context[ _-]?(length|size|window)|prompt is too long", re.IGNORECASE)
"""What servers say of a prompt that is longer than the model's context."""


class LaterError(ModelError):
    """A failure that another try may mend, after so many seconds where the server named them."""

    wait = 0.0


class BadRequestError(ModelError):
    """The server says that the request itself is wrong (status 400)."""


class NotThereError(ModelError):
    """The server has nothing at this address."""


def unreachable(error: aiohttp.ClientError, where: str) -> ModelError:
    """The error for a request that did not reach the server, or got no answer."""
    look = _("Look at {name} in the environment.", name=PROXIES)
    if isinstance(error, aiohttp.ClientHttpProxyError):
        refused: type[ModelError] = LaterError if error.status >= 500 else ModelError
        return refused(
            _("The proxy for this server refused ({status}).", status=error.status),
            where=where,
            hint=look,
        )
    if isinstance(error, aiohttp.ClientProxyConnectionError):
        return LaterError(
            _("The proxy for this server does not answer: {error}.", error=_reason(error)),
            where=where,
            hint=look,
        )
    return LaterError(
        _("The server does not answer: {error}.", error=_reason(error)),
        where=where,
        hint=_("Is it running, and is the address right?"),
    )


def _reason(error: aiohttp.ClientError) -> str:
    match error:
        case aiohttp.ClientConnectorDNSError():
            return _("no machine has this name")
        case aiohttp.ClientConnectorCertificateError():
            return _("its certificate is not trusted")
        case aiohttp.ClientSSLError():
            return _("no secure connection can be made")
        case aiohttp.ServerTimeoutError():
            return _("nothing came for too long")
        case aiohttp.ClientResponseError() | aiohttp.ClientPayloadError():
            return _("what it sent is malformed, or broke off")
        case aiohttp.ClientConnectorError(errno=int(code)) if code > 0:
            return os.strerror(code)
        case _:
            return _("the connection broke")


def wrong_proxy(where: str) -> ModelError:
    """The error for a proxy whose address cannot be used."""
    return ModelError(
        _("The proxy for this server has an address that cannot be used."),
        where=where,
        hint=_("Look at {name} in the environment.", name=PROXIES),
    )


def late(seconds: float, where: str) -> LaterError:
    """The error for a request that takes too long."""
    return LaterError(
        _("The server did not finish within {seconds:.0f} s.", seconds=seconds), where=where
    )


def refusal(response: Response, body: bytes, where: str, key: Key) -> ModelError:
    """The error for a status other than 200: a `LaterError` if another try may succeed."""
    status = response.status
    hints = {
        401: _("Put the key into the environment variable {variable}.", variable=KEY_VARIABLE),
        403: _("The key does not open this model."),
        404: _("The server has no such model or interface."),
        407: _("Is the password of the proxy in {name} right?", name=PROXIES),
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
    return min(LONGEST_WAIT, max(0.0, wait)) if wait == wait else 0.0
