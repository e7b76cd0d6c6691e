"""`config`: checks a configuration and shows the one in use."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from textual.theme import BUILTIN_THEMES

from core.files import config, paths
from core.files.config import Config
from core.models.resolver import shown_name
from core.text.errors import ConfigError
from core.text.language import of_environment
from tui.cli.options import JsonOption
from tui.cli.output import complain, error_json, out, out_json
from tui.shell import keymap, language_choice, themes


def check(
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="FILE", help="The file to check; your own configuration when left out."
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Check a configuration.

    Checks its values, its theme, its language, and every key that it binds.
    """
    problems = problems_of(config.read(file))
    if as_json:
        out_json({"ok": not problems, "problems": [error_json(error) for error in problems]})
    elif not problems:
        path = file or paths.config()
        out(f"ok     {path}" if file or path.exists() else f"ok     {path}: none, all defaults")
    else:
        for problem in problems:
            complain(problem)
    if problems:
        raise typer.Exit(2)


def show(as_json: JsonOption = False) -> None:
    """Print the configuration in use, as YAML.

    Values that you left out have their defaults; the output is a valid configuration.
    """
    chosen = config.read()
    # A JSON value is valid YAML.
    document = {
        "model": shown_name(chosen.model),
        "model_folders": [str(folder) for folder in chosen.model_folders],
        "theme": chosen.theme or themes.DEFAULT,
        "concurrency": chosen.concurrency,
        "gpu_layers": chosen.gpu_layers,
        "context": chosen.context,
        "language": chosen.language or of_environment(),
        "keymap": {name: ",".join(keys) for name, keys in keymap.check(chosen).keys.items()},
    }
    if chosen.prices is not None:
        document["prices"] = dict(zip(("input", "output"), chosen.prices, strict=True))
    if as_json:
        out_json(document)
    else:
        for key, value in document.items():
            out(f"{key}: {json.dumps(value, ensure_ascii=False)}")


def problems_of(chosen: Config) -> list[ConfigError]:
    """The problems of a configuration that could be read: its theme, language and keys."""
    own, _ = themes.user_themes(paths.themes())
    known = [theme.name for theme in (*themes.shipped_themes(), *own)]
    wrong = themes.unknown_theme(chosen, known, BUILTIN_THEMES)
    return [
        *([wrong] if wrong else []),
        *language_choice.wrong(chosen),
        *keymap.check(chosen).problems,
    ]
