"""Where files go that the person asks for."""

from __future__ import annotations

import os
from pathlib import Path

from core.files import paths


def export_folder() -> Path:
    """Where exports go unless the person says otherwise: here, or else the data folder."""
    try:
        here = Path.cwd()
    except FileNotFoundError:
        # The folder was removed while the program was open.
        return paths.data() / "exports"
    return here if os.access(here, os.W_OK) else paths.data() / "exports"
