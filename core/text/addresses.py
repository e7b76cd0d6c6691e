"""Addresses: whether one is that of this machine, and how much of one may be shown."""

from __future__ import annotations

import re
from ipaddress import ip_address

from core.text.errors import SettingError

ALLOW_NETWORK = "--allow-network"
"""The option by which a person allows what goes beyond this machine."""
_SCHEME = re.compile(r"\s*(?:[a-z][a-z0-9+.-]*:(?:/|\\\\)|https?(?=[:/\\]))", re.IGNORECASE)
"""What an address begins with, and one whose colon was forgotten."""
_PLAIN = re.compile(
    r"\s*https?://(?:\[[0-9a-f:.]+(?:%[\w.-]+)?\]|[^\s/\\:@?#\[\]]+)(?::\d+)?(?:/[^@?#\\]*)?",
    re.IGNORECASE,
)
"""An address without a user, a query and the name of a model."""


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches a host."""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def check_reach(host: str, *, allowed: bool, where: str, risk: str) -> None:
    """Raise `SettingError` for a host beyond this machine, unless a person allowed it.

    `where` is the option that names the host; `risk` says in a sentence what they would allow.
    """
    if not (allowed or is_loopback(host)):
        raise SettingError(
            f"{host} is beyond this machine. {risk}", where=where, hint=f"Add {ALLOW_NETWORK}."
        )


def is_server(address: str) -> bool:
    """Whether an address is meant to be that of a server on the web."""
    return address.lstrip().lower().startswith(("http://", "https://"))


def shown_address(address: str) -> str:
    """As much of an address, well formed or not, as may be shown; other names as they are.

    A user and a password may stand before an @, and a key after a question mark. The name of a
    model after # is shown.
    """
    if not _may_be_address(address):
        return address
    server, sign, _model = address.partition("#")
    begin = 0 if sign and _PLAIN.fullmatch(server) else address.rfind("@") + 1
    end = address.find("?")
    shown = address[begin : end if end >= 0 else None]
    if not begin:
        return shown
    return f"…@{shown}" if shown else "…"


def _may_be_address(name: str) -> bool:
    """Whether a name is that of a place on a network, or would be but for a slip of the fingers."""
    before, at, _host = name.rpartition("@")
    first = re.split(r"[/\\]", before, maxsplit=1)[0]
    has_user = at and ":" in before and (":" in first or "//" in before or "\\\\" in before)
    return bool(_SCHEME.match(name) or has_user or "=" in name.partition("?")[2])
