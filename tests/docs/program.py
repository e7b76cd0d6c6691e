"""The program as a command, for processes that run it from elsewhere."""

from tui.cli.start import main

if __name__ == "__main__":
    main()
