"""A connection to workers of dask.distributed that run functions of this program.

Imported late: `distributed` is optional, and takes a second.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable
from concurrent.futures import CancelledError
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from multiprocessing import resource_tracker
from tempfile import TemporaryDirectory
from typing import Any

import dask.config
import distributed
from distributed.comm.core import CommClosedError
from distributed.scheduler import KilledWorker

from core.runs.engines.dask_engine import DaskEngine
from core.runs.engines.local_worker import LocalWorker
from core.runs.engines.worker_models import versions
from core.system.signals import interrupts_wait
from core.text.errors import WorkersError

# The library tells its own story on stderr; what a person has to know, this program says.
for _name in ("distributed", "distributed.client"):
    logging.getLogger(_name).setLevel(logging.CRITICAL)

_dask: Any = distributed
"""Most of the library has no types."""
_PATIENCE = 20.0
"""Seconds in which a scheduler answers."""
_INSTALL = "Install the same version of it for the scheduler and for all workers."
_UNKNOWN_FUNCTION = "Error during deserialization of the task graph"
"""How the scheduler begins its error about a function that it does not have."""
_AHEAD = 2
"""Requests for each worker, so that none waits for the next."""


class Cluster:
    """Workers of a scheduler. Made by `connected`."""

    def __init__(self, client: Any, where: str) -> None:
        self._client = client
        self.where = where
        """The address of the scheduler."""

    @property
    def workers(self) -> int:
        """How many workers there were some seconds ago at most."""
        return int(self._client.scheduler_info()["n_workers"])

    @property
    def places(self) -> int:
        """How many calls of `run` at the same time keep all workers busy."""
        return max(1, _AHEAD * self.workers)

    async def first_worker(self) -> None:
        """Wait until there is a worker; raises `WorkersError` where one lacks the program."""
        await self._client.wait_for_workers(1)
        for worker, answer in (await self._client.run(versions, on_error="return")).items():
            if isinstance(answer, Exception):
                raise WorkersError(
                    f"This program cannot be imported there: {answer}.", where=worker, hint=_INSTALL
                )

    async def run(self, work: Callable[..., Any], *given: object) -> Any:
        """What a function of a module returns on one of the workers.

        A worker that ends meanwhile is replaced by another. Raises what the function raises, and
        `WorkersError` where the scheduler is gone, where several workers ended over this call, and
        where the program is not installed there. If the caller is cancelled, so is the call.
        """
        future = self._client.submit(work, *given, pure=False)
        try:
            return await future
        except KilledWorker as error:
            raise WorkersError(
                f"{error.allowed_failures + 1} workers ended over the same request.",
                where=self.where,
                hint="Most likely their memory ran out. What was done is kept.",
            ) from None
        except RuntimeError as error:
            if not str(error).startswith(_UNKNOWN_FUNCTION):
                raise
            raise WorkersError(
                "This program is not installed where the scheduler runs.",
                where=self.where,
                hint=_INSTALL,
            ) from None
        except (CancelledError, CommClosedError):
            raise WorkersError(
                "The connection to the scheduler is lost.",
                where=self.where,
                hint="What was done is kept; the same command goes on.",
            ) from None
        finally:
            future.release()

    async def everywhere(self, work: Callable[..., Any], *given: object) -> None:
        """Run a function once on each of the workers that can be reached."""
        # The scheduler may be gone, or go just now.
        if self._client.status == "running":
            with suppress(CommClosedError):
                await self._client.run(work, *given, on_error="ignore")


@asynccontextmanager
async def connected(engine: DaskEngine, *, patience: float = _PATIENCE) -> AsyncIterator[Cluster]:
    """The workers of an engine; those that are started here end with the block.

    They end with this process too, however it ends. Raises `WorkersError`, also where no scheduler
    answers within `patience` seconds.
    """
    async with AsyncExitStack() as stack:
        if engine.address:
            client = await _client(engine.address, None, patience)
            where = engine.address
        else:
            # The library imports from its folder, and takes one that all persons can write to.
            folder = stack.enter_context(TemporaryDirectory(prefix="commonsense-tui-"))
            stack.enter_context(dask.config.set({"temporary-directory": folder}))
            local = await stack.enter_async_context(_started(engine.workers))
            client, where = await _client(local, local.security, patience), local.scheduler_address
        await stack.enter_async_context(client)
        if not engine.address:
            await client.register_plugin(LocalWorker(engine.workers))
        yield Cluster(client, where)


async def _client(address: Any, security: Any, patience: float) -> Any:
    try:
        return await _dask.Client(
            address,
            security=security,
            asynchronous=True,
            set_as_default=False,
            timeout=patience,
        )
    except (OSError, TypeError, ValueError) as error:
        raise WorkersError(
            f"No scheduler answers: {str(error).splitlines()[0]}",
            where=address,
            hint="Is it running, and is the address right? For tls:// Dask's configuration names "
            "the certificates.",
        ) from None


@asynccontextmanager
async def _started(workers: int) -> AsyncIterator[Any]:
    """Workers in processes of their own, which nobody but this process can reach."""
    # Were it started with the first worker, that would hear of Ctrl-C.
    resource_tracker.ensure_running()
    with interrupts_wait():
        cluster = await _dask.LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            host="127.0.0.1",
            # Other persons on this machine reach its ports, and a scheduler runs code.
            security=_dask.Security.temporary(),
            dashboard_address=None,
            # Dask would watch and limit memory that is not where the model is.
            memory_limit=0,
            silence_logs=logging.CRITICAL,
            asynchronous=True,
        )
    async with cluster:
        cluster.scheduler.http_server.stop()
        yield cluster
