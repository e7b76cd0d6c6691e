"""`export`: a view as a file to take away."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tui.commandline.find import (
    BenchmarkArgument,
    DataOption,
    ItemArgument,
    SetOption,
    find_item_in,
    load_benchmark,
    words,
)
from tui.commandline.output import out, say


def add_to(app: typer.Typer) -> None:
    """Put the command of this module on the command line."""
    app.command("export")(export)


def export(
    form: Annotated[
        str,
        typer.Argument(
            metavar="FORMAT", help="html, svg, md, text, json, graphml, dot or mermaid."
        ),
    ],
    benchmark: BenchmarkArgument,
    item: ItemArgument,
    to: Annotated[Path, typer.Option("--out", metavar="FILE", help="The file to write.")],
    data: DataOption = None,
    settings: SetOption = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite a file that is there.")] = False,
) -> None:
    """Write an item under a setting to a file, and print its path."""
    from core.exchange.export import files, formats
    from core.exchange.export.document import document_of
    from core.setting import Setting

    formats.format_named(form)
    bench = load_benchmark(benchmark)
    collection, found = find_item_in(bench, item, data)
    setting = Setting.from_words(bench.switches(found), words(settings))
    document = document_of(bench, found, setting, collection.about)
    warning = formats.warning(form, document)
    path = files.write(to, formats.export(form, document), force=force)
    if warning:
        say(warning)
    out(str(path))
