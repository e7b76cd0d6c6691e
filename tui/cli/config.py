"""`config`: whether a configuration can be used, and what it comes to."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from core.text.errors import ConfigError
from tui.cli.find import JsonOption
from tui.cli.output import complain, out, out_json

if TYPE_CHECKING:
    from core.files.config import Config


def add_to(app: typer.Typer) -> None:
    """Put the commands of this module on the command line."""
    config = typer.Typer(
        rich_markup_mode=None, no_args_is_help=True, help="Check and show the configuration."
    )
    config.command("check")(check)
    config.command("show")(show)
    app.add_typer(config, name="config")


def check(
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="FILE", help="The configuration; your own when left out.", show_default=False
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Check a configuration: its values, its theme, and every key that it binds."""
    from core.files import config, paths

    problems = found_in(config.read(file))
    if as_json:
        told = [{"where": p.where, "what": p.what, "hint": p.hint} for p in problems]
        out_json({"ok": not problems, "problems": told})
    elif not problems:
        place = file or paths.config()
        out(f"ok     {place}" if file or place.exists() else f"ok     {place}: none, all defaults")
    else:
        for problem in problems:
            complain(problem)
    if problems:
        raise typer.Exit(2)


def show(as_json: JsonOption = False) -> None:
    """Print what your configuration comes to, as YAML that could stand in its place."""
    from core.files import config
    from core.text.language import of_environment
    from tui.shell.keymap import check, textual_keymap

    chosen = config.read()
    # A text in JSON is the same text in YAML.
    document = {
        "model": chosen.model,
        "model_folders": [str(folder) for folder in chosen.model_folders],
        "theme": chosen.theme or _default_theme(),
        "language": chosen.language or of_environment(),
        "keymap": textual_keymap(check(chosen).keys),
    }
    if as_json:
        out_json(document)
    else:
        import json

        for key, value in document.items():
            out(f"{key}: {json.dumps(value, ensure_ascii=False)}")


def found_in(config: Config) -> list[ConfigError]:
    """What is wrong with a configuration that could be read."""
    from textual.theme import BUILTIN_THEMES

    from core.files import paths
    from tui.shell import keymap, language_choice, themes

    own, _ = themes.user_themes(paths.themes())
    known = [theme.name for theme in (*themes.shipped_themes(), *own)]
    wrong = themes.unknown_theme(config, known, BUILTIN_THEMES)
    return [
        *([wrong] if wrong else []),
        *language_choice.wrong(config),
        *keymap.check(config).problems,
    ]


def _default_theme() -> str:
    from tui.shell.themes import DEFAULT

    return DEFAULT
