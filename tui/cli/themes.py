"""`themes check`: checks theme files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from core.text.errors import NotFoundError
from tui.cli.lookup import exists
from tui.cli.options import JsonOption
from tui.cli.output import out, out_json
from tui.shell import themes


def check(
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="FILE...", help="Theme files; the bundled ones and your own when left out."
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Check themes line by line.

    Exits with 1 if a theme is broken.
    """
    for file in files or ():
        if not exists(file):
            raise NotFoundError("There is no such file.", where=file)
    checked = {str(file): themes.check(file) for file in files or themes.installed_files()}
    wrong = sum(len(findings) for findings in checked.values())
    if as_json:
        out_json(
            {
                "ok": not wrong,
                "themes": {
                    name: [{"where": f.where, "what": f.what, "hint": f.hint} for f in findings]
                    for name, findings in checked.items()
                },
            }
        )
    else:
        for name, findings in checked.items():
            out(f"{'ok    ' if not findings else 'BROKEN'} {name}")
            for finding in findings:
                out(f"       {finding.where}: {finding.what} {finding.hint}")
    if wrong:
        raise typer.Exit(1)
