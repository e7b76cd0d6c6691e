"""Reads the files of prompts and words that ship with the code, and fills in placeholders."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar

from core.text.errors import DataError
from core.text.language import _

_Wording = TypeVar("_Wording")
PLACEHOLDER = re.compile(r"\{([a-z_]+)\}")


def fill_placeholders(wording: str, values: Mapping[str, str]) -> str:
    """Replace each `{name}` that has a value, in one pass, so that values stay unchanged."""
    return PLACEHOLDER.sub(lambda match: values.get(match[1], match[0]), wording)


def read_wording(path: Path, kind: type[_Wording], name: str = "The prompts") -> _Wording:
    """Decode a YAML file that ships with the code; raises `DataError` for an unexpected one."""
    # Imported here because modules that read prompts are imported before a prompt is needed.
    import msgspec

    try:
        return msgspec.yaml.decode(path.read_bytes(), type=kind)
    except OSError as error:
        raise DataError(
            _("{name} cannot be read: {why}.", name=name, why=error.strerror),
            where=path,
            hint=_("Install the program again."),
        ) from error
    except (ValueError, RecursionError) as error:
        raise DataError(
            _(
                "{name} are not as expected: {error}.",
                name=name,
                error=" ".join(str(error).split()),
            ),
            where=path,
            hint=_("It was changed: install the program again."),
        ) from error
