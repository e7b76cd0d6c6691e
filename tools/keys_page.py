"""Writes the page of all keys from the program's own registry.

python tools/keys_page.py docs/keys.md
"""

from __future__ import annotations

import sys
from pathlib import Path

from tui.shell.commands import keys_table

HEAD = """# Keys

Made from the program's registry of commands. Every key can be changed in `config.yaml` under
`keymap:`, by place and action (`browse.copy: "Y"`); `commonsense-tui locate config` says where that
file is.

"""

if __name__ == "__main__":
    Path(sys.argv[1]).write_text(HEAD + keys_table() + "\n", encoding="utf-8")
