"""Access control: a request needs the token, and must come from a page of this server.

The host is checked against DNS rebinding, the origin of a websocket against other pages in the same
browser, the token against everybody else, other users of the same machine included.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Awaitable, Callable
from urllib.parse import urlsplit

from aiohttp import web

from core.text.addresses import is_loopback
from core.text.language import _

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

_QUERY = "token"
_LOCAL_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})
_OWN_PAGES = frozenset({"same-origin", "none"})
"""What `Sec-Fetch-Site` says where a page of this server asks, or a person."""
_FIRST_PAGES = frozenset({"/", "/plain"})
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
"""What every answer says: not to cache, share or sniff it."""
PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""What a page of plain HTML may load: its own script and style, and nothing from elsewhere."""


class Gate:
    """Admits requests with the token, which is in the address at first and then in a cookie."""

    def __init__(self, host: str, port: int) -> None:
        """`host` and `port` are where the server listens."""
        self.token = secrets.token_urlsafe(16)
        self._local = is_loopback(host)
        self._names = {host, *_LOCAL_NAMES}
        # A browser sends a cookie to every port of a host, so the port is in its name.
        self._cookie = f"commonsense-tui-{port}"

    @web.middleware
    async def check(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Refuse a request without access; move the token from the address into a cookie."""
        host = _split(f"//{request.host}")
        if host is None or (self._local and host[0] not in self._names):
            raise web.HTTPForbidden(text=_("This address is not served here.") + "\n")
        origin = request.headers.get("Origin")
        if (origin is not None and _split(origin) != host) or (
            # A browser sends the cookie also for a page of another port of this host, and for a
            # link on any page. Only what asks no model may be opened from elsewhere.
            request.path not in _FIRST_PAGES
            and request.headers.get("Sec-Fetch-Site", "none") not in _OWN_PAGES
        ):
            raise web.HTTPForbidden(text=_("Another page may not talk to this program.") + "\n")
        token = request.query.get(_QUERY)
        if token is not None and request.path == "/" and self._is_token(token):
            rest = {name: value for name, value in request.query.items() if name != _QUERY}
            response = web.HTTPFound(request.rel_url.with_query(rest))
            response.set_cookie(
                self._cookie, self.token, httponly=True, samesite="Lax", secure=request.secure
            )
            raise response
        if not self._is_token(request.cookies.get(self._cookie, "")):
            raise web.HTTPForbidden(
                text=_(
                    "Open the whole address that `commonsense-tui serve` printed: it has a token "
                    "at its end."
                )
                + "\n"
            )
        return await handler(request)

    def _is_token(self, given: str) -> bool:
        # Bytes of a cookie that are not UTF-8 come as lone surrogates.
        return hmac.compare_digest(given.encode("utf-8", "replace"), self.token.encode("utf-8"))


async def put_headers(_request: web.Request, response: web.StreamResponse) -> None:
    """Tell the browser not to cache, share or sniff a response."""
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)


def _split(address: str) -> tuple[str, int | None] | None:
    """Host and port of an address; None if it has none."""
    try:
        parts = urlsplit(address)
        return (parts.hostname, parts.port) if parts.hostname else None
    except ValueError:
        return None
