"""Loads a model for a command and unloads it however the command ends."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable, Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from core.files import config, paths
from tui.cli.engines import cluster_of
from tui.cli.output import is_quiet

if TYPE_CHECKING:
    from core.models.protocol import Model
    from core.runs.engines.dask_engine import DaskEngine


def run_with_model(
    name: str | None,
    store: Path | None,
    work: Callable[[Model], Awaitable[None]],
    engine: DaskEngine | None = None,
    gpu_layers: int | None = None,
    threads: int | None = None,
    context: int | None = None,
    *,
    exact: bool = False,
) -> None:
    """Load the model that was named, or the configured one, and do the work with it.

    A recorded run is looked for in `store`, or in the person's own store. With an `engine` the
    model is loaded by its workers. An accelerator computes `gpu_layers` layers, or as many as
    configured; the processor computes with `threads` threads, or as many as are the fastest. Its
    context takes at most `context` tokens, or as many as configured; where `exact`, keys and
    values are kept as 32-bit numbers.
    """
    if engine is None:
        run_async(_work_with_model(name, store, work, gpu_layers, threads, context, exact=exact))
    else:
        run_async(_work_with_workers(name, engine, work))


def run_async(work: Coroutine[Any, Any, None]) -> None:
    """Run a command's work to its end; Ctrl-C cancels it cleanly, with exit code 130."""
    # Help and completion of a command that asks a model come here too, and need no event loop.
    import asyncio

    try:
        asyncio.run(work)
    except KeyboardInterrupt:
        raise typer.Exit(130) from None


async def _work_with_model(
    name: str | None,
    store: Path | None,
    work: Callable[[Model], Awaitable[None]],
    gpu_layers: int | None,
    threads: int | None,
    context: int | None,
    *,
    exact: bool,
) -> None:
    from core.models.resolver import load_model
    from core.runs.replay import replay

    chosen = config.read()
    model = await load_model(
        name or chosen.model,
        gpu_layers=chosen.gpu_layers if gpu_layers is None else gpu_layers,
        threads=threads or 0,
        context=chosen.context if context is None else context,
        exact=exact,
        on_progress=_show_progress,
        replay=lambda run: replay(store or paths.runs(), run),
    )
    try:
        await work(model)
    finally:
        await model.close()


async def _work_with_workers(
    name: str | None, engine: DaskEngine, work: Callable[[Model], Awaitable[None]]
) -> None:
    from core.runs.engines.cluster_model import ClusterModel

    async with cluster_of(engine) as cluster:
        model = await ClusterModel.load(cluster, name or config.read().model)
        try:
            await work(model)
        finally:
            await model.close()


def _show_progress(share: float) -> None:
    """Show on a terminal what share of the file is loaded, 0 to 1."""
    if sys.stderr.isatty() and not is_quiet():
        end = "\n" if share >= 1 else ""
        print(f"\rloading the model {share:4.0%}", end=end, file=sys.stderr, flush=True)
