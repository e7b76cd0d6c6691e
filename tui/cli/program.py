"""`browse`, `models`, `themes check`, `doctor` and `locate`: the program itself."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from core.text.errors import NotFoundError
from core.text.suggestions import suggestion
from tui.cli import completion
from tui.cli.find import JsonOption, StoreOption
from tui.cli.output import out, out_json, say


def add_to(app: typer.Typer) -> None:
    """Put the commands of this module, all but `browse`, on the command line."""
    themes = typer.Typer(rich_markup_mode=None, no_args_is_help=True, help="Check themes.")
    themes.command("check")(check_themes)
    app.command("models")(models)
    app.add_typer(themes, name="themes")
    app.command("doctor")(doctor)
    app.command("locate")(locate)


def models(store: StoreOption = None, as_json: JsonOption = False) -> None:
    """List what --model may name; a store of runs that cannot be read hides no model."""
    from core.files import config, paths
    from core.models.model_files import find_models
    from core.text.errors import RunError
    from tui.shell.model_choices import demo_entry, file_entry, folders, recorded_runs

    files = find_models(folders(config.read().model_folders))
    found = [demo_entry(), *(file_entry(file) for file in files)]
    notes = []
    try:
        found += recorded_runs(store or paths.runs())
    except RunError as error:
        notes.append(f"The recorded runs cannot be read: {error}")
    if as_json:
        out_json(
            {
                "models": [
                    {
                        "source": entry.source,
                        "kind": entry.kind.value,
                        "name": entry.name,
                        "facts": entry.facts,
                        "trouble": entry.trouble,
                    }
                    for entry in found
                ],
                "notes": notes,
            }
        )
        return
    for entry in found:
        words = ", ".join(part for part in (*entry.facts, entry.trouble) if part)
        out(f"{entry.source}\n    {entry.name}{': ' if words else ''}{words}")
    for note in notes:
        say(note)


def check_themes(
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="FILE...", help="Theme files; the bundled and your own when left out."
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Check themes, and say what is wrong with which line."""
    from tui.cli.checks import theme_files
    from tui.shell.themes import check

    checked = {str(file): check(file) for file in files or theme_files()}
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


def locate(
    name: Annotated[
        str | None,
        typer.Argument(
            help="config, themes, data or runs; all of them when left out.",
            autocompletion=completion.places,
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Print where your configuration, themes, data and runs are."""
    from core.files import paths

    places = paths.places()
    if name is not None and name not in places:
        raise NotFoundError(
            f"There is no place “{name}”.",
            hint=suggestion("Places", places, name),
        )
    chosen = {key: str(path) for key, path in places.items() if name in {None, key}}
    if as_json:
        out_json(chosen)
    elif name is not None:
        out(chosen[name])
    else:
        for key, path in chosen.items():
            out(f"{key}: {path}")


def doctor(store: StoreOption = None, as_json: JsonOption = False) -> None:
    """Check that what the program needs is there.

    The exit code is 1 if something is broken.
    """
    from tui.cli.checks import check_all

    checks = check_all(store)
    if as_json:
        out_json(
            {
                "ok": all(check.ok for check in checks),
                "checks": [
                    {"name": c.name, "ok": c.ok, "detail": c.detail, "hint": c.hint} for c in checks
                ],
            }
        )
    else:
        for check in checks:
            mark = {True: "ok    ", False: "BROKEN", None: "      "}[check.ok]
            out(f"{mark} {check.name}: {check.detail}")
            if check.hint:
                out(f"       to do: {check.hint}")
    if any(check.ok is False for check in checks):
        raise typer.Exit(1)
