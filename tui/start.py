"""The installed command. With nothing typed behind it, it opens the program at once."""

from __future__ import annotations

import sys


def main() -> None:
    """Open the program, or hand what was typed to the command line, which takes longer to read."""
    if len(sys.argv) > 1:
        from tui import cli

        cli.main()
        return
    from core.errors import CommonsenseError
    from tui.commandline.output import complain, open_missing_streams
    from tui.opening import open_program

    open_missing_streams()
    try:
        sys.exit(open_program())
    except CommonsenseError as error:
        complain(error)
        sys.exit(2)
