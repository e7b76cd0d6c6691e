"""`serve`: opens the program in a web browser."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from core.contract import registry
from core.files import config
from core.models.resolver import load_model
from core.text.addresses import check_reach, is_loopback
from core.text.errors import NotFoundError, SettingError
from core.text.language import _
from tui.cli.lookup import exists
from tui.cli.options import (
    AllowNetworkOption,
    LangOption,
    OpenedBenchmarkOption,
    OpenedModelOption,
    OpenedPathArgument,
)
from tui.cli.output import say
from tui.serving.plain import PlainPages
from tui.serving.server import BrowserServer, host_to_open, listen, log_in_single_lines
from tui.shell.environment import check_colours
from tui.shell.language_choice import speak

_LOOPBACK = "127.0.0.1"
_PORT = 8000
_ROOM_PORT = 8010


def serve(
    path: OpenedPathArgument = None,
    benchmark: OpenedBenchmarkOption = None,
    model: OpenedModelOption = None,
    language: LangOption = None,
    host: Annotated[
        str | None,
        typer.Option(
            "--host",
            help="Listen at this address, by default that of this machine alone; one that other "
            "machines reach needs --allow-network.",
        ),
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(
            "--port",
            min=0,
            max=65535,
            help="Listen at this port, by default 8000, a room 8010; 0 takes any free one.",
        ),
    ] = None,
    allow_network: AllowNetworkOption = False,
    room: Annotated[
        bool,
        typer.Option(
            "--room",
            help="Serve no program, but a page for phones, on which the audience of the running "
            "lesson votes; with --allow-network for the phones of this network.",
        ),
    ] = False,
    keep: Annotated[
        Path | None,
        typer.Option(
            "--keep",
            metavar="FILE",
            help="With --room: add the counts to this file (JSON lines) when the lesson ends; they "
            "are forgotten when left out.",
        ),
    ] = None,
) -> None:
    """Open the program in a web browser, or let a room vote.

    Prints an address to open. Every tab runs a program of its own, with a model of its own. With
    --room the page only votes: no names, and nothing is kept when the lesson ends.
    """
    if room:
        of_programs = {"PATH": path, "--benchmark": benchmark, "--model": model}
        for name, value in of_programs.items():
            if value is not None:
                raise SettingError(
                    "A room serves no program, only a page to vote on.",
                    where=name,
                    hint="Leave it out, or --room.",
                )
        _serve_room(host, port, language, keep, allow_network=allow_network)
        return
    if keep is not None:
        raise SettingError("Only a room has counts.", where="--keep", hint="Add --room.")
    host, port = host or _LOOPBACK, _PORT if port is None else port
    risk = "Whoever reaches it and knows the address that is printed can use your files as you."
    check_reach(host, allowed=allow_network, where="--host", risk=risk)
    # Every tab inherits the environment, and would end before it draws anything.
    check_colours()
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
    plain = PlainPages(lambda: load_model(model or config.read_or_defaults()[0].model))
    say(_reach(alone=is_loopback(host)))
    with listen(host, port) as listening:
        server = BrowserServer(["browse", *words] if words else [], listening, plain)
        log_in_single_lines()
        asyncio.run(server.run(lambda: _print_address(server.address)))


def _serve_room(
    host: str | None,
    port: int | None,
    language: str | None,
    keep: Path | None,
    *,
    allow_network: bool,
) -> None:
    """Serve the page on which the audience of the running lesson votes."""
    # A program without a room needs no QR codes.
    from core.layout.qr_code import qr_rows
    from tui.serving.room import RoomServer

    host = host or ("0.0.0.0" if allow_network else _LOOPBACK)  # nosec B104
    risk = "Whoever reaches it and knows the address that is printed can vote."
    check_reach(host, allowed=allow_network, where="--host", risk=risk)
    speak(language, config.read_or_defaults()[0])
    say(
        _("Only this machine reaches the room; --allow-network opens it to phones.")
        if is_loopback(host)
        else _(
            "Every phone in the network of this machine that knows the address can vote, and do "
            "nothing else. The connection is not encrypted."
        )
    )
    if keep is not None and not keep.parent.is_dir():
        raise NotFoundError("There is no such folder.", where=keep.parent)
    with listen(host, _ROOM_PORT if port is None else port) as listening:
        server = RoomServer(listening, host_to_open(host), keep)
        log_in_single_lines()

        def ready() -> None:
            for row in qr_rows(server.address, dark=True):
                say(row)
            say(_("Vote at {address}", address=server.address))
            say(_("It follows the lesson that runs here. Ctrl-C stops it and forgets the votes."))

        asyncio.run(server.run(ready))


def _reach(*, alone: bool) -> str:
    """Who can reach the program, said before anybody can."""
    if alone:
        return _("Only this machine reaches it.")
    return _(
        "Everybody who reaches this machine and knows the address can use the program, and your "
        "files, as you. The connection is not encrypted."
    )


def _print_address(address: str) -> None:
    say(_("Open {address}", address=address))
    say(_("Ctrl-C stops it, and every tab with it."))
