"""`serve`: opens the program in a web browser."""

from __future__ import annotations

import asyncio
from typing import Annotated

import typer

from core.contract import registry
from core.files import config
from core.text.addresses import check_reach, is_loopback
from core.text.errors import NotFoundError
from tui.cli.lookup import exists
from tui.cli.options import (
    AllowNetworkOption,
    LangOption,
    OpenedBenchmarkOption,
    OpenedModelOption,
    OpenedPathArgument,
)
from tui.cli.output import say
from tui.serving.server import BrowserServer, listen, log_in_single_lines
from tui.shell.language_choice import speak


def serve(
    path: OpenedPathArgument = None,
    benchmark: OpenedBenchmarkOption = None,
    model: OpenedModelOption = None,
    language: LangOption = None,
    host: Annotated[
        str,
        typer.Option(
            "--host",
            help="Listen at this address; one that other machines reach needs --allow-network.",
        ),
    ] = "127.0.0.1",
    port: Annotated[
        int,
        typer.Option("--port", min=0, max=65535, help="Listen at this port; 0 takes any free one."),
    ] = 8000,
    allow_network: AllowNetworkOption = False,
) -> None:
    """Open the program in a web browser.

    Prints an address to open. Every tab runs a program of its own, with a model of its own.
    """
    risk = "Whoever reaches it and knows the address that is printed can use your files as you."
    check_reach(host, allowed=allow_network, where="--host", risk=risk)
    # The page around the program is translated too.
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
        log_in_single_lines()
        asyncio.run(server.run(lambda: _print_address(server.address, alone=is_loopback(host))))


def _print_address(address: str, *, alone: bool) -> None:
    say(f"Open {address}")
    say(
        "Only this machine reaches it."
        if alone
        else "Everybody who reaches this machine and knows the address can use the program, and "
        "your files, as you. The connection is not encrypted."
    )
    say("Ctrl-C stops it, and every tab with it.")
