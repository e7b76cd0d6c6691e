"""Files of rows of which some bytes are others."""

from __future__ import annotations

import bz2
import json
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from core.benchmarks.com2.collection import open_items
from core.text.errors import DataError


def open_damaged(path: Path, rows: list[Any], data: st.DataObject) -> Any:
    """The collection of a damaged file; None where it cannot be opened, with the right error.

    The file's ending says how the rows are written: .json, .jsonl or .jsonl.bz2.
    """
    whole = json.dumps(rows) if path.suffix == ".json" else "\n".join(map(json.dumps, rows))
    raw = bytearray(whole.encode())
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(raw) - 1))
        raw[at : at + data.draw(st.integers(0, 9))] = data.draw(st.binary(max_size=4))
    path.write_bytes(bz2.compress(bytes(raw)) if path.suffix == ".bz2" else bytes(raw))
    try:
        return open_items(path)
    except DataError:
        return None
