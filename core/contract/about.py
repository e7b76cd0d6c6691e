"""Reads `ABOUT.yaml` in a folder of items: origin, licence, citation."""

from __future__ import annotations

from pathlib import Path

from core.contract.collection import About
from core.files import strict_yaml
from core.text.errors import ConfigError, DataError
from core.text.language import N_, _

_EXPECTED = N_("Expected are title, licence, citation, origin, note and language.")


def read_about(folder: Path, errors: list[DataError]) -> About | None:
    """Read `ABOUT.yaml` in a folder; None without one. An unreadable one is added to `errors`."""
    path = folder / "ABOUT.yaml"
    try:
        return _about(path) if path.exists() else None
    except ConfigError as error:
        what = _("{name} is left out: {reason}", name=path.name, reason=error.what)
        hint = error.hint or _(_EXPECTED)
        errors.append(DataError(what, where=error.where, hint=hint))
    except OSError as error:
        errors.append(DataError(f"{error.strerror}.", where=path))
    return None


def _about(path: Path) -> About:
    """Read the file; unknown keys are allowed. Raises `ConfigError`."""
    root = strict_yaml.read(path, path.name)
    if root is None:
        raise ConfigError(_("It is empty."), where=path)
    fields = root.members(needed=("title",), lacks=_(_EXPECTED))
    texts = {
        key: fields[key].text().strip()
        for key in ("title", "licence", "origin", "note", "language")
        if key in fields
    }
    titles = fields["titles"].members() if "titles" in fields else {}
    citations: list[strict_yaml.Value] = []
    if "citation" in fields:
        citation = fields["citation"]
        citations = citation.parts() if citation.listed else [citation]
    language = f"Language: {texts['language']}." if "language" in texts else ""
    return About(
        title=texts["title"],
        origin=texts.get("origin", ""),
        licence=texts.get("licence", "unknown"),
        citation=tuple(part.text() for part in citations),
        note=f"{texts.get('note', '')} {language}".strip(),
        titles=tuple((code, title.text().strip()) for code, title in titles.items()),
    )
