"""Prints results on stdout, and everything else on stderr."""

from __future__ import annotations

import json
import math
import os
import re
import sys
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.text.errors import CommonsenseError
from core.text.escaping import UNESCAPED_IN_JSON, escape_control_characters
from tui.shell.terminal_size import terminal_size

_TEXT_LIMIT = 1_000_000

Log = Callable[[str, str], None]
"""Takes a level ("debug", "info", "warning" or "error") and a text."""


@dataclass(slots=True)
class _Remarks:
    """Where remarks go."""

    quiet: bool = False
    log: Log | None = None


_remarks = _Remarks()


class WorkFailedError(Exception):
    """The command was understood and its work failed: exit code 1; a person's mistake gives 2."""

    def __init__(self, cause: CommonsenseError) -> None:
        super().__init__(str(cause))
        self.cause = cause


def out(text: str = "") -> None:
    """Print a result as text, with every control character but line breaks escaped."""
    _write(escape_control_characters(text, lines=True, limit=_TEXT_LIMIT))


def out_line(text: str) -> None:
    """Print a result as one line: line breaks are escaped too, but for those at its end."""
    _write(escape_control_characters(text.rstrip(), limit=_TEXT_LIMIT))


def out_note(text: str) -> None:
    """Print a sentence with a space in front; a terminal gets it in lines broken at spaces."""
    lines = [text]
    if sys.stdout.isatty():
        lines = textwrap.wrap(text, max(20, width() - 2), break_on_hyphens=False)
    out("\n".join(f" {line}" for line in lines))


def be_quiet(quiet: bool) -> None:
    """Print no remarks and no progress from now on, or print them again; errors are printed."""
    _remarks.quiet = quiet


def is_quiet() -> bool:
    """Whether remarks and progress are not printed."""
    return _remarks.quiet


def log_remarks(log: Log | None) -> None:
    """Hand every remark and error to `log` too, or to nobody."""
    _remarks.log = log


def log(level: str, text: str) -> None:
    """Write a text to the log file, where there is one."""
    if _remarks.log is not None:
        _remarks.log(level, text)


def say(text: str) -> None:
    """Print a remark on stderr, and log it."""
    log("info", text)
    if not _remarks.quiet:
        _print_error(text)


def _print_error(text: str) -> None:
    write_error(_encodable(escape_control_characters(text, lines=True), sys.stderr) + "\n")


def write_error(text: str) -> None:
    """Write text to stderr as it is; where stderr cannot take it, write to nowhere from now on.

    The work goes on, as if stderr were closed: its results are recorded, and go to stdout. Raises
    `BrokenPipeError`, with which a person who reads no more ends it.
    """
    try:
        print(text, end="", file=sys.stderr, flush=True)
    except BrokenPipeError:
        raise
    except OSError:
        _discard(sys.stderr)


def complain(error: CommonsenseError) -> None:
    """Print an error: what happened, where, what to do; and log it."""
    log("error", str(error))
    lines = [f"{error.title}: {escape_control_characters(error.what)}"]
    if error.where:
        lines.append(f"  where: {escape_control_characters(error.where)}")
    if error.hint:
        lines.append(f"  to do: {escape_control_characters(error.hint)}")
    _print_error("\n".join(lines))


def error_json(error: CommonsenseError) -> dict[str, str]:
    """An error as part of a JSON document."""
    return {"where": error.where, "what": error.what, "hint": error.hint}


def out_json(document: Any) -> None:
    """Print one JSON document."""
    _write(_json(document, indent=2))


def out_json_line(document: Any) -> None:
    """Print one JSON document on one line."""
    _write(_json(document, indent=None))


def width() -> int:
    """Columns of the terminal, within its limits; 80 where there is none."""
    return terminal_size().columns


def open_missing_streams() -> None:
    """Open the null device in the place of a standard stream that the shell has closed."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115


def quiet_pipe() -> None:
    """Keep the interpreter from failing at its end because the reader of stdout has gone."""
    _discard(sys.stdout)


def _discard(stream: Any) -> None:
    """Lead what a stream still holds, and what is written to it, to nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _json(document: Any, *, indent: int | None) -> str:
    text = json.dumps(_finite(document), ensure_ascii=False, indent=indent, allow_nan=False)
    text = UNESCAPED_IN_JSON.sub(_escaped, text)
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        return json.dumps(_finite(document), indent=indent, allow_nan=False)
    return text


def _escaped(character: re.Match[str]) -> str:
    """A character as JSON escapes it, in one or two units of UTF-16."""
    units = character.group().encode("utf-16-be").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


def _finite(value: Any) -> Any:
    """The value with null in the place of NaN and the infinities, which JSON does not have."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): _finite(part) for key, part in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_finite(part) for part in value]
    return value


def _write(text: str) -> None:
    print(_encodable(text, sys.stdout))


def _encodable(text: str, stream: Any) -> str:
    """The text with escapes for the characters that the stream's encoding lacks."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    return text.encode(encoding, "backslashreplace").decode(encoding)
