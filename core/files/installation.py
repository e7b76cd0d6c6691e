"""How a person adds a package to the environment that the program runs in."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path


def command_to_add(package: str) -> str:
    """The command that installs a package, as pip names it, beside the program.

    pipx and uv leave a file of their own in each environment that they make; `pip install` would
    install into another one there.
    """
    prefix = Path(sys.prefix)
    if (prefix / "pipx_metadata.json").is_file():
        installer = f"pipx runpip {shlex.quote(prefix.name)} install"
    elif (prefix / "uv-receipt.toml").is_file():
        installer = f"uv pip install --python {shlex.quote(str(prefix))}"
    else:
        installer = "pip install"
    return f"{installer} {shlex.quote(package)}"


def command_to_add_extra(extra: str) -> str:
    """The command that installs what an extra of ours needs."""
    return command_to_add(f"commonsense-tui[{extra}]")
