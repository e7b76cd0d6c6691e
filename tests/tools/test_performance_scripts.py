"""The scripts that measure: each can be imported, so no rename has left one behind."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
_ELSEWHERE = {"lm_eval"}
"""Packages that only a comparison with another program needs."""
_IMPORT_ALL = """
import importlib, sys
sys.path.insert(0, sys.argv[1])
for name in sys.argv[2:]:
    try:
        importlib.import_module(name)
    except ModuleNotFoundError as missing:
        print(name, missing.name)
"""


def test_every_script_finds_what_it_imports() -> None:
    folder = ROOT / "performance"
    names = sorted(path.stem for path in folder.glob("*.py"))
    assert "decoding" in names
    found = subprocess.run(
        [sys.executable, "-c", _IMPORT_ALL, str(folder), *names],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    lacking = [line.split() for line in found.stdout.splitlines()]
    assert [each for each in lacking if each[1] not in _ELSEWHERE] == []
