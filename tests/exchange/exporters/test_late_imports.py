"""What pyvis brings along is loaded while a page is exported, and at no other time."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]
PROGRAM = """
import sys
from importlib import import_module
from pkgutil import walk_packages
import core.exchange
import tui.app.opening, tui.app.app
for module in walk_packages(core.exchange.__path__, "core.exchange."):
    import_module(module.name)
late = ("pyvis", "IPython", "jsonpickle")
print(*(name in sys.modules for name in late))
from tests.cli.support import ok
ok("export", "html", "com2", "driving-test:direct", "--to", sys.argv[1])
print(*(name in sys.modules for name in late))
"""


def test_pyvis_and_what_it_brings_wait_for_an_export(tmp_path: Path) -> None:
    words = [sys.executable, "-c", PROGRAM, str(tmp_path / "page.html")]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["False False False", "True True True"]
