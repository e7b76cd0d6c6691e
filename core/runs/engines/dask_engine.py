"""Which workers of dask.distributed a person chose; the library is not imported for it."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from urllib.parse import urlsplit

from core.files.installation import command_to_add_extra
from core.text.addresses import check_reach
from core.text.errors import SettingError

WORKERS = 2
"""Workers that are started where no address is named."""
_PACKAGES = ("distributed", "cryptography")
_SCHEMES = ("tcp", "tls")


@dataclass(frozen=True, slots=True)
class DaskEngine:
    """Workers that are started on this machine, or those of a scheduler that runs already."""

    address: str = ""
    """Of the scheduler, `tcp://HOST:PORT` or `tls://HOST:PORT`; empty to start workers here."""
    workers: int = WORKERS
    """How many are started here."""


def dask_engine(
    address: str | None = None, workers: int | None = None, *, allow_network: bool = False
) -> DaskEngine:
    """The engine of a person's words.

    Raises `SettingError` where the extra is missing, where the address is none, and where it leads
    beyond this machine unencrypted without `allow_network`: who listens there runs code as you.
    """
    if any(find_spec(name) is None for name in _PACKAGES):
        raise SettingError(
            "The packages of this engine are not installed.",
            where="--engine dask",
            hint=command_to_add_extra("dask"),
        )
    if address is None:
        return DaskEngine(workers=workers or WORKERS)
    if workers is not None:
        raise SettingError(
            "The workers at an address are started there.",
            where="--workers",
            hint="Leave out --workers or --address.",
        )
    full = address if "://" in address else f"tcp://{address}"
    try:
        parts = urlsplit(full)
        known = parts.scheme in _SCHEMES and parts.hostname and parts.port
    except ValueError:
        known = None
    if not known:
        raise SettingError(
            f"“{address}” is no address of a scheduler.",
            where="--address",
            hint="Write tcp://HOST:PORT, or tls://HOST:PORT.",
        )
    if parts.scheme == "tcp":
        check_reach(
            parts.hostname or "",
            allowed=allow_network,
            where="--address",
            risk="Whoever answers there, or listens on the way, can run code as you; tls:// with "
            "certificates is safe.",
        )
    return DaskEngine(address=full)
