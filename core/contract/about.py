"""Reads `ABOUT.yaml` in a folder of items: origin, licence, citation."""

from __future__ import annotations

from pathlib import Path

from core.contract.collection import About
from core.files import strict_yaml
from core.text.errors import ConfigError, DataError
from core.text.escaping import escape_control_characters
from core.text.language import _

_FIELDS = "title, licence, citation, origin, note and language"


def read_about(folder: Path, errors: list[DataError]) -> About | None:
    """Read `ABOUT.yaml` in a folder; None without one. An unreadable one is added to `errors`."""
    path = folder / "ABOUT.yaml"
    try:
        return _about(path) if path.exists() else None
    except ConfigError as error:
        what, where = (
            f"{path.name} is left out: {error.what}",
            escape_control_characters(error.where),
        )
        errors.append(DataError(what, where=where, hint=error.hint or f"Expected are {_FIELDS}."))
    except OSError as error:
        errors.append(DataError(f"{error.strerror}.", where=path))
    return None


def _about(path: Path) -> About:
    """Read the file; unknown keys are allowed. Raises `ConfigError`."""
    root = strict_yaml.read(path, path.name)
    if root is None:
        raise ConfigError(_("It is empty."), where=path)
    fields = root.members(needed=("title",), lacks=f"Expected are {_FIELDS}.")
    texts = {
        key: fields[key].text().strip()
        for key in ("title", "licence", "origin", "note", "language")
        if key in fields
    }
    language = f"Language: {texts['language']}." if "language" in texts else ""
    return About(
        title=texts["title"],
        origin=texts.get("origin", ""),
        licence=texts.get("licence", "unknown"),
        citation=_citation(fields["citation"]) if "citation" in fields else (),
        note=f"{texts.get('note', '')} {language}".strip(),
    )


def _citation(value: strict_yaml.Value) -> tuple[str, ...]:
    try:
        parts = value.parts()
    except ConfigError:
        parts = [value]
    return tuple(part.text() for part in parts)
