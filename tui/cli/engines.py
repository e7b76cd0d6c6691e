"""`--engine`: whether work is done in this process or by workers of dask.distributed."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from core.models.protocol import Distributed, Model
from core.text.errors import SettingError
from core.text.quantities import counted
from tui.cli.lookup import check_choice
from tui.cli.options import AllowNetworkOption
from tui.cli.output import say

if TYPE_CHECKING:
    from core.runs.engines.cluster import Cluster
    from core.runs.engines.dask_engine import DaskEngine


class Engine(StrEnum):
    """Where work is done."""

    LOCAL = "local"
    DASK = "dask"


@dataclass(frozen=True, slots=True)
class EngineOptions:
    """Where a command's work is done, as it was typed."""

    engine: Annotated[
        str,
        typer.Option(
            "--engine",
            help="Work in this process (local), or on workers of dask.distributed (dask): started "
            "here, or those at --address.",
        ),
    ] = "local"
    address: Annotated[
        str | None,
        typer.Option(
            "--address",
            metavar="TCP://HOST:PORT",
            help="With --engine dask: use the workers of this scheduler. One beyond this machine "
            "needs tls:// or --allow-network.",
        ),
    ] = None
    workers: Annotated[
        int | None,
        typer.Option(
            "--workers",
            min=1,
            max=256,
            metavar="N",
            help="With --engine dask: start N workers on this machine; 2 when left out.",
        ),
    ] = None
    allow_network: AllowNetworkOption = False


def parse_engine(typed: EngineOptions) -> DaskEngine | None:
    """The workers of --engine; None for this process. Raises `SettingError`, `NotFoundError`."""
    check_choice(typed.engine, Engine, "engine", "--engine")
    if typed.engine == Engine.DASK:
        from core.runs.engines.dask_engine import dask_engine

        return dask_engine(typed.address, typed.workers, allow_network=typed.allow_network)
    for name, given in (("--address", typed.address), ("--workers", typed.workers)):
        if given is not None:
            raise SettingError(
                "This process has no workers.", where=name, hint="Add --engine dask."
            )
    return None


def places_of(model: Model | None) -> int:
    """How many requests at once keep a model busy: one, or all that its workers take."""
    return model.places if isinstance(model, Distributed) else 1


@asynccontextmanager
async def cluster_of(engine: DaskEngine) -> AsyncIterator[Cluster]:
    """The workers of an engine, of which there is one at least; says what is waited for."""
    from core.runs.engines.cluster import connected

    if not engine.address:
        say(f"Starting {counted(engine.workers, 'worker')}.")
    async with connected(engine) as cluster:
        if not cluster.workers:
            say(f"Waiting for a worker of {cluster.where}.")
        await cluster.first_worker()
        yield cluster
