"""Reads `ABOUT.yaml` in a folder of items: origin, licence, citation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
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
    fields = root.members(needed=("title",), lacks=_(_EXPECTED))
    texts = {
        key: fields[key].text().strip()
        for key in ("title", "licence", "origin", "note", "language")
        if key in fields
    }
    language = f"Language: {texts['language']}." if "language" in texts else ""
    about = About(
        title=texts["title"],
        origin=texts.get("origin", ""),
        licence=texts.get("licence", "unknown"),
        citation=_citation(fields),
        note=f"{texts.get('note', '')} {language}".strip(),
    )
    others = fields["translations"].members() if "translations" in fields else {}
    translations = tuple((code, _translation(about, other)) for code, other in others.items())
    return replace(about, translations=translations)


def _translation(about: About, value: strict_yaml.Value) -> About:
    """The same in another language; what is not translated stays as it is."""
    fields = value.members(("title", "origin", "citation", "note"))
    texts = {key: fields[key].text().strip() for key in fields.keys() - {"citation"}}
    return replace(
        about,
        title=texts.get("title", about.title),
        origin=texts.get("origin", about.origin),
        note=texts.get("note", about.note),
        citation=_citation(fields) or about.citation,
    )


def _citation(fields: Mapping[str, strict_yaml.Value]) -> tuple[str, ...]:
    if "citation" not in fields:
        return ()
    citation = fields["citation"]
    return tuple(part.text() for part in (citation.parts() if citation.listed else [citation]))
