"""What the libraries below read from the environment and would fail at."""

from __future__ import annotations

import os

from tui.shell.terminal_size import MOST_COLUMNS, MOST_LINES

COLOURS = "TEXTUAL_COLOR_SYSTEM"
DRIVER = "TEXTUAL_DRIVER"
_NUMBERS = {
    "COLUMNS": MOST_COLUMNS,
    "LINES": MOST_LINES,
    "ESCDELAY": 10_000,
    "TEXTUAL_DIM_FACTOR": 100,
    "TEXTUAL_FPS": 1000,
}
"""Variables with a number, and the most that it may be."""
_SCREENSHOT = "TEXTUAL_SCREENSHOT"
"""Seconds until Textual ends the program and writes a picture. The program has a key for that."""


def hold_within_limits() -> None:
    """Hold numbers within their limits, and forget what is no number.

    It must be done before Textual is imported, which reads them then.
    """
    os.environ.pop(_SCREENSHOT, None)
    for name, most in _NUMBERS.items():
        value = os.environ.pop(name, "")
        if value.isdecimal():
            # More digits than these are a larger number than any limit.
            os.environ[name] = str(min(int(value[:9]), most))


def check_colours() -> None:
    """Raise `SettingError` where the colours that are asked for are none that Textual knows."""
    # Every start of the program imports this module, before it answers to Ctrl-C.
    from rich.console import COLOR_SYSTEMS

    from core.text.errors import SettingError
    from core.text.language import _

    known = ("auto", *COLOR_SYSTEMS)
    if os.environ.get(COLOURS, "auto") not in known:
        raise SettingError(
            _("No terminal has the colours that this variable asks for."),
            where=f"{COLOURS}={os.environ[COLOURS]}",
            hint=_("Unset it, or set it to one of these: {names}.", names=", ".join(known)),
        )
