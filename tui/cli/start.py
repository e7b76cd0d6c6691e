"""The installed command; without arguments it opens the program without the command line."""

from __future__ import annotations

import os
import sys

from tui.shell.interrupts import ended_by_interrupt

with ended_by_interrupt():
    from core.system.signals import signals_end_as_interrupts
    from tui.cli import COMPLETION_VARIABLE
    from tui.shell.environment import hold_within_limits

_NO_THREAD = "can't start new thread"
"""What Python says where the system allows no more."""
_FRAMES_PER_SECOND = "120"
"""Frames a second. With Textual's own 60 a key waits for the next frame."""
_CYCLES = "20"
"""Cycles, as a power of two, for which a thread of numpy's OpenBLAS awaits work before it sleeps.
With its own 28 each start of the program costs a tenth of a second on every processor."""


def main() -> None:
    """Open the program, or run the command line, whose import takes longer."""
    try:
        hold_within_limits()
        os.environ.setdefault("TEXTUAL_FPS", _FRAMES_PER_SECOND)
        os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", _CYCLES)
        if len(sys.argv) > 1 or COMPLETION_VARIABLE in os.environ:
            with ended_by_interrupt():
                from tui.cli import main
            with signals_end_as_interrupts():
                main.main()
        else:
            _open()
    except KeyboardInterrupt:
        sys.exit(130)
    except (MemoryError, RuntimeError) as error:
        if isinstance(error, RuntimeError) and str(error) != _NO_THREAD:
            raise
        _complain_of_limit(error)
        sys.exit(2)


def _complain_of_limit(error: Exception) -> None:
    from core.text.errors import CommonsenseError
    from core.text.language import _
    from tui.cli.output import complain

    what = _("There is not enough memory for this.")
    if isinstance(error, RuntimeError):
        what = _("The system lets this account start no more threads.")
    hint = _("End other programs, or ask for a higher limit (ulimit). What was recorded is kept.")
    complain(CommonsenseError(what, hint=hint))


def _open() -> None:
    with ended_by_interrupt():
        from core.text.errors import CommonsenseError
        from tui.app.opening import open_program
        from tui.cli.output import complain, open_missing_streams
    open_missing_streams()
    try:
        sys.exit(open_program())
    except CommonsenseError as error:
        complain(error)
        sys.exit(2)
