"""A command that does not write over what it reads."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from typer.core import TyperCommand

from core.files import paths
from core.text.errors import SettingError

_OUTPUTS = {"--to", "--out", "--export", "--vector"}
"""Options that name what is written."""


class OwnCommand(TyperCommand):
    """A command of this program, which refuses to replace a file that is named as its input."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command; raises `SettingError` where its output is one of its inputs."""
        outputs = {each.name: each.opts[0] for each in self.params if _OUTPUTS & {*each.opts}}
        read = [value for name, value in ctx.params.items() if name not in outputs]
        for name, option in outputs.items():
            path = ctx.params.get(name or "")
            if path is not None and any(_is_same(path, each) for each in _files(read)):
                raise SettingError(
                    "This command reads that file, and would replace it.",
                    where=f"{option} {path}",
                    hint="Name another file.",
                )
        return super().invoke(ctx)


def _files(values: Iterable[Any]) -> Iterable[str | Path]:
    """What may name a file among the values of parameters."""
    for value in values:
        if isinstance(value, str | Path):
            yield value
        elif isinstance(value, list | tuple):
            yield from _files(value)


def _is_same(path: Path, other: str | Path) -> bool:
    """Whether both name one file, and no folder, to which more may be added."""
    try:
        path = paths.expanded(path)
        return path.is_file() and path.samefile(paths.expanded(other))
    except (OSError, RuntimeError, ValueError):  # Most words name no file.
        return False
