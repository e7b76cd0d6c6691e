"""The installed command. With nothing typed behind it, it opens the program at once."""

from __future__ import annotations

import os
import sys

from tui.shell.interrupts import ended_by_interrupt

_PICTURES = "120"
"""Most pictures a second. Textual's own 60 let a key wait for the next one."""

_COMPLETES = "_COMMONSENSE_TUI_COMPLETE"
"""What a shell sets when it wants to know how a word goes on; it types nothing behind the name."""


def main() -> None:
    """Open the program, or hand what was typed to the command line, which takes longer to read."""
    os.environ.setdefault("TEXTUAL_FPS", _PICTURES)
    try:
        if len(sys.argv) > 1 or _COMPLETES in os.environ:
            with ended_by_interrupt():
                from tui.cli import main
            main.main()
        else:
            _open()
    except KeyboardInterrupt:
        sys.exit(130)


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
