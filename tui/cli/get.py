"""`get model` and `get data`: what makers publish, fetched at a person's word."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import msgspec
import typer

from core.hub import catalogue, datasets, models, record
from core.hub.names import parse
from core.hub.record import Fetched, FetchedKind
from core.models.memory import available_memory
from core.text.errors import HubError, SettingError
from core.text.sizes import human_bytes
from tui.cli import completion
from tui.cli.options import JsonOption
from tui.cli.output import WorkFailedError, out, out_json, say
from tui.cli.progress import ProgressLine

YesOption = Annotated[
    bool, typer.Option("--yes", help="Accept licence and size without being asked.")
]


def get_model(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[NAME]",
            help="hf:OWNER/REPO[:QUANT or FILE]; Q4_K_M where it says no quantisation.",
            autocompletion=completion.published_models,
        ),
    ] = None,
    yes: YesOption = False,
    as_json: JsonOption = False,
) -> None:
    """Fetch a GGUF model from where its makers publish it.

    Without a name, lists models of 0.1 to 8 billion parameters whose makers publish such files.
    Licence and size are shown and asked for; what was broken off goes on where it ended. The server
    is HF_ENDPOINT, the token HF_TOKEN, the cache HF_HOME; HF_HUB_OFFLINE forbids the network.
    """
    if name is None:
        _list_models(as_json=as_json)
        return
    with _failures():
        known = record.find(FetchedKind.MODEL, str(parse(name)))
        if known is not None and models.is_whole(known):
            say("It is on this machine.")
            _print(known, as_json=as_json)
            return
        offer = models.look_up(name)
        say(f"{offer.name}, from {offer.listing.page}")
        say(f"  commit   {offer.listing.revision}")
        for file in offer.files:
            say(f"  file     {file.name}, {human_bytes(file.bytes)}")
        say(f"  licence  {offer.listing.licence or 'none is named; see the page'}")
        free = available_memory()
        if free is not None and offer.bytes > free:
            say(
                f"  memory   its weights need {human_bytes(offer.bytes)}, {human_bytes(free)} are "
                "free: it cannot be loaded on this machine now"
            )
        models.check_room(offer)
        _ask(yes)
        with _progress(offer.bytes) as on_bytes:
            fetched = models.get(offer, on_bytes)
    _print(fetched, as_json=as_json)


def get_data(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[NAME]",
            help="gita, accord, com2, abspyramid, commonsenseqa, conceptnet or causenet, …",
            autocompletion=completion.published_data,
        ),
    ] = None,
    yes: YesOption = False,
    as_json: JsonOption = False,
) -> None:
    """Fetch a data set from where its makers publish it, as it is.

    Without a name, lists the data sets. Source, licence and citation are shown and asked for. What
    came the first time is compared with what comes after; the collection picker lists it.
    """
    if name is None:
        _list_data(as_json=as_json)
        return
    known = datasets.known_data(name)
    say(f"{known.title}, from {known.page}")
    say(f"  licence  {known.licence}")
    say(f"  cite     {known.citation}")
    with _failures():
        earlier = datasets.find_whole(known)
        if earlier is not None:
            say("It is on this machine, as it came.")
            _print(earlier, as_json=as_json)
            return
        offer = datasets.look_up(known)
        for file in offer.files:
            say(f"  file     {file.url}")
        say(f"  size     about {offer.megabytes:,.1f} MB")
        if offer.listing is not None:
            say(f"  commit   {offer.listing.revision}")
            say(f"  its card names the licence: {offer.listing.licence or 'none'}")
        _ask(yes)
        with _progress(int(offer.megabytes * 1e6)) as on_bytes:
            fetched = datasets.get(offer, on_bytes)
    _print(fetched, as_json=as_json)
    say(known.use.replace("PATH", fetched.path))


def _names(kind: FetchedKind) -> set[str]:
    """The names of what was fetched and is still there."""
    return {each.name for each in record.read() if each.kind is kind and each.is_there}


def _list_models(*, as_json: bool) -> None:
    fetched = _names(FetchedKind.MODEL)
    rows = catalogue.models()
    if as_json:
        listed = [{**_fields(row), "fetched": row.name in fetched} for row in rows]
        out_json({"models": listed})
        return
    for row in rows:
        mark = ", fetched" if row.name in fetched else ""
        out(f"{row.name}\n    {row.title}: {row.facts}{mark}")
    say("Sizes and licences as of the day in --json; `get model NAME` asks the server.")


def _list_data(*, as_json: bool) -> None:
    fetched = _names(FetchedKind.DATA)
    rows = catalogue.datasets()
    if as_json:
        listed = [{**_fields(row), "fetched": row.name in fetched} for row in rows]
        out_json({"data": listed})
        return
    for row in rows:
        mark = ", fetched" if row.name in fetched else ""
        hand = ", by hand only" if row.by_hand else ""
        out(f"{row.name}\n    {row.title}: {row.licence}{hand}{mark}\n    {row.page}")


def _fields(row: Any) -> dict[str, Any]:
    return dict(msgspec.to_builtins(row))


def _ask(yes: bool) -> None:
    """Ask whether to fetch; raises `SettingError` where nobody can be asked."""
    if yes:
        return
    if not sys.stdin.isatty():
        raise SettingError(
            "Nobody can be asked whether the licence is accepted.",
            where="--yes",
            hint="Read the licence, then give --yes.",
        )
    if not typer.confirm("Fetch it under this licence?", err=True):
        raise typer.Exit(1)


@contextmanager
def _failures() -> Iterator[None]:
    """Turn a transfer that failed into exit code 1."""
    try:
        yield
    except HubError as error:
        raise WorkFailedError(error) from error


@contextmanager
def _progress(whole: int) -> Iterator[Callable[[int], None]]:
    line = ProgressLine()

    def show(done: int) -> None:
        share = min(1, done / whole) if whole else 1
        line.show(f"{human_bytes(done)} of {human_bytes(whole)}, {share:.0%}")

    try:
        yield show
    finally:
        line.end()


def _print(fetched: Fetched, *, as_json: bool) -> None:
    if not as_json:
        out(fetched.path)
        return
    fields = _fields(fetched)
    out_json(
        {
            **fields,
            "bytes": fetched.bytes,
            "sha256": fetched.files[0].sha256 if len(fetched.files) == 1 else None,
        }
    )
