"""Whether an address is that of this machine, and may be used."""

from __future__ import annotations

from ipaddress import ip_address

from core.text.errors import SettingError

ALLOW_NETWORK = "--allow-network"
"""The option by which a person allows what goes beyond this machine."""


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
