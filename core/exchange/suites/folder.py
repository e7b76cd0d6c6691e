"""What suites consist of, beside the questions."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from core.exchange.exporters.document import ExportError

FACTS = "suite.json"
"""The file that says what a suite is; a folder without it is never overwritten."""


def write_json(path: Path, document: Mapping[str, Any]) -> None:
    """Write a JSON document that a person can read."""
    path.write_text(json.dumps(document, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")


def check_not_empty(layers: Sequence[object]) -> None:
    """Raise `ExportError` for a suite without a layer, in which an engine finds nothing to run."""
    if not layers:
        raise ExportError(
            "No layer asks anything of these items.", hint="Choose another collection or setting."
        )


def copy_shipped(name: str, target: Path) -> None:
    """Copy one of the files beside this module, whose names end in `.txt` here."""
    shutil.copyfile(Path(__file__).with_name(f"{name}.txt"), target)
