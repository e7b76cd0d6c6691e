"""The HTTP session of Hugging Face's library, and the headers of our requests.

Every transfer goes through it, also that of data from other servers. It reads no body of an error
or a redirection and none that is packed, and its connections are watched (`core.hub.network`).
Proxies are those of the environment; the passwords in `.netrc` are not read.
"""

from __future__ import annotations

import os
from typing import Any

from core.hub import deadline
from core.hub.failures import refused
from core.hub.token import Token
from core.text.errors import HubError
from core.text.language import _

LONGEST_WAIT = 60
"""Seconds that a server may ask us to wait."""
_PLAIN = "identity"
_HTTP = ("http://", "https://")
_PROXIES = ("http_proxy", "https_proxy", "all_proxy")


def session() -> Any:
    """The HTTP session that the library shares, made by us; raises `HubError`."""
    from huggingface_hub import get_session, set_client_factory
    from huggingface_hub.utils import _http

    if _http._GLOBAL_CLIENT_FACTORY is not _client:
        set_client_factory(_client)
    return get_session()


def headers(*, with_token: bool = True) -> dict[str, str]:
    """What a request says of us: the program and its version, and the token if there is one.

    The library's own headers are not used: to make them it asks the server for variables of the
    environment, and tells it which of them are set.
    """
    from importlib.metadata import version

    said = {
        "user-agent": f"commonsense-tui/{version('commonsense-tui')}",
        "accept-encoding": _PLAIN,
    }
    return said | Token().headers() if with_token else said


def _client() -> Any:
    from httpx2 import InvalidURL
    from huggingface_hub.utils._http import default_client_factory

    from core.hub.network import watch

    try:
        client = default_client_factory()
    except (ImportError, ValueError, InvalidURL) as error:
        # Another package is needed for SOCKS; any other scheme, or what is no address.
        raise _no_proxy() from error
    client.event_hooks = {**client.event_hooks, "response": [_check_answer]}
    watch(client)
    return client


def _no_proxy() -> HubError:
    """The error for a proxy that cannot be used; it names the variables, not what they hold."""
    named = {name: value for name, value in os.environ.items() if name.lower() in _PROXIES}
    others = [name for name, value in named.items() if not value.startswith(_HTTP)]
    return HubError(
        _("The proxy that is set cannot be used: it has to be an HTTP proxy."),
        where=", ".join(sorted(others or named)),
        hint=_("Name an address that begins with http:// there, or unset it."),
    )


def _check_answer(response: Any) -> None:
    """Raise `HubError` for a packed answer, and for one that asks for a long wait.

    Nothing is put in the place of the body of an answer that gives nothing: the library reads it to
    its end.
    """
    from httpx2 import ByteStream

    current = deadline.current()
    where = current.where if current else ""
    if response.is_error or response.has_redirect_location:
        response.stream.close()
        response.stream = ByteStream(b"")
        wait = _asked_to_wait(response)
        if wait > LONGEST_WAIT:
            raise refused(response.status_code, where)
        if current:
            current.add(wait)
    elif response.headers.get("Content-Encoding", "").strip().lower() not in ("", _PLAIN):
        # A few bytes could unpack to any number, and many to none; packed was not asked for.
        raise HubError(
            _("The server packs what it sends, and was not asked to."),
            where=where,
            hint=_("Try again later."),
        )


def _asked_to_wait(response: Any) -> float:
    """Seconds that the library waits, before it asks again, because the server says so."""
    from huggingface_hub.utils._http import parse_ratelimit_headers

    if response.status_code not in (408, 429):
        return 0
    rate = parse_ratelimit_headers(response.headers)
    if response.status_code == 429 and rate is not None and rate.remaining == 0:
        return float(rate.reset_in_seconds)
    asked = response.headers.get("Retry-After", "").strip()
    return float(asked) if asked.isdecimal() else 0
