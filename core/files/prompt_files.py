"""Reads the files of prompts and words that ship with the code that uses them."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

from core.text.errors import DataError

_Wording = TypeVar("_Wording")


def read_wording(path: Path, kind: type[_Wording]) -> _Wording:
    """Decode a YAML file that ships with the code; raises `DataError` for an unexpected one."""
    # Imported here because modules that read prompts are imported before a prompt is needed.
    import msgspec

    try:
        return msgspec.yaml.decode(path.read_bytes(), type=kind)
    except OSError as error:
        raise DataError(
            f"The prompts cannot be read: {error.strerror}.",
            where=path,
            hint="Install the program again.",
        ) from error
    except (ValueError, RecursionError) as error:
        raise DataError(
            f"The prompts are not as expected: {' '.join(str(error).split())}.",
            where=path,
            hint="It was changed: install the program again.",
        ) from error
