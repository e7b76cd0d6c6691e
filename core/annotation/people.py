"""Annotators: their names, and whose votes are discarded."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import msgspec

from core.annotation.append_file import AppendedFile, lines_from
from core.system.typed_values import ready
from core.text.errors import DataError, SettingError
from core.text.escaping import escape_control_characters
from core.text.language import _
from core.text.person_name import LONGEST, shown_name

_WORDS = re.compile(r"[a-z0-9]+")


def checked_name(name: str) -> str:
    """A person's name as displayed; raises `SettingError` if it is invalid."""
    kept = shown_name(name)
    if not kept:
        raise SettingError(
            _("An annotator needs a name."),
            where=escape_control_characters(name, limit=LONGEST),
            hint=_("Write at most {most} letters.", most=LONGEST),
        )
    return kept


def key_of(name: str) -> str:
    """The key of a name, equal for all ways of typing it."""
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


def file_stem(name: str) -> str:
    """A safe file name for a person, such as "anna-1b2c3d4e"."""
    key = key_of(name)
    readable = "-".join(_WORDS.findall(key))[:24] or "annotator"
    return f"{readable}-{sha256(key.encode('utf-8', 'replace')).hexdigest()[:8]}"


class _Line(msgspec.Struct, forbid_unknown_fields=True):
    """A decision on whether a person's votes count, those cast before it too."""

    annotator: str
    counts: bool


class Disqualified:
    """The people whose votes are discarded, stored as an append-only file of decisions.

    The leader of the annotation inspects the votes and decides (AbsPyramid, appendix A.4:
    "disqualify those annotators who cannot continue to annotate with high accuracy").
    """

    def __init__(self, path: Path) -> None:
        """Read the decisions at `path`, which need not exist; raises `DataError`."""
        self._path = path
        self._keys: set[str] = set()
        for line in self._lines():
            self._take(line)

    def __contains__(self, name: str) -> bool:
        return key_of(name) in self._keys

    def decide(self, name: str, *, counts: bool) -> None:
        """Discard a person's votes, or count them again; raises `DataError`, `SettingError`."""
        line = _Line(checked_name(name), counts)
        with AppendedFile(self._path, "Somebody else decides about annotators just now.") as file:
            file.append(msgspec.json.encode(line))
        self._take(line)

    def _take(self, line: _Line) -> None:
        if line.counts:
            self._keys.discard(key_of(line.annotator))
        else:
            self._keys.add(key_of(line.annotator))

    def _lines(self) -> Iterator[_Line]:
        for number, _end, raw in lines_from(self._path, 0, 1):
            try:
                yield msgspec.json.decode(raw, type=ready(_Line))
            except (ValueError, RecursionError) as error:
                raise DataError(
                    _(
                        "This is not a decision about an annotator: {error}.",
                        error=escape_control_characters(str(error)),
                    ),
                    where=f"{self._path}:{number}",
                    hint=_('Expected are lines like {"annotator": "Anna", "counts": false}.'),
                ) from error
