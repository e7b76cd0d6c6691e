"""`serve`: the program in a browser."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from core.contract import registry
from core.files import config
from core.text.errors import NotFoundError
from tui.cli.lookup import exists
from tui.cli.options import LangOption
from tui.cli.output import say
from tui.serving.gate import is_loopback
from tui.serving.server import BrowserServer, listen, quiet
from tui.shell.language_choice import speak


def serve(
    path: Annotated[
        Path | None,
        typer.Argument(
            help="A file or folder of items, or a benchmark's name.", show_default=False
        ),
    ] = None,
    benchmark: Annotated[
        str | None, typer.Option("--benchmark", help="The benchmark; recognised when left out.")
    ] = None,
    model: Annotated[str | None, typer.Option("--model", help="The model to start with.")] = None,
    language: LangOption = None,
    host: Annotated[
        str,
        typer.Option(
            "--host", help="Where to listen; nobody but this machine reaches it by default."
        ),
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, help="The port; 0 takes any that is free.")
    ] = 8000,
) -> None:
    """Open the program in a browser: every tab is a program of its own."""
    # The page around the program speaks too.
    speak(language, config.read_or_defaults()[0])
    if path is not None and not exists(path) and str(path) not in registry.names():
        raise NotFoundError(
            f"There is no file “{path}”.", hint=f"Benchmarks: {', '.join(registry.names())}."
        )
    words = []
    for name, value in (("--benchmark", benchmark), ("--model", model), ("--lang", language)):
        words += [] if value is None else [f"{name}={value}"]
    words += [] if path is None else ["--", str(path)]
    with listen(host, port) as listening:
        server = BrowserServer(["browse", *words] if words else [], listening)
        quiet()
        asyncio.run(server.run(lambda: _tell(server.address, alone=is_loopback(host))))


def _tell(address: str, *, alone: bool) -> None:
    say(f"Open {address}")
    say(
        "Only this machine reaches it."
        if alone
        else "Everybody who reaches this machine and knows the address can use the program, and "
        "your files, as you. The connection is not encrypted."
    )
    say("Ctrl-C stops it, and every tab with it.")
