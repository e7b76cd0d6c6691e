"""The rows of a small CSV file with a header, by column."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from core.files.regular_file import read_text
from core.files.rows import at_line
from core.text.errors import DataError
from core.text.escaping import escape_control_characters
from core.text.language import _, ngettext

CSV_LIMIT = 2**20
"""Most bytes of a CSV file."""
_QUOTED = 200


def csv_rows(
    path: Path, known: tuple[str, ...], needed: tuple[str, ...]
) -> list[tuple[str, dict[str, str]]]:
    """The rows of a CSV file below its header, by column, each with the `file:line` it ends at.

    Cells are texts without blanks around them; "NA", "null" and an empty cell are texts too.

    Args:
        path: the file.
        known: the columns that there may be.
        needed: the columns that there must be.

    Raises:
        DataError: for a file that cannot be read, a column that is unknown, missing or there
            twice, and a row with more or fewer cells than the header.
    """
    text = read_text(path, CSV_LIMIT)
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    rows: list[tuple[str, dict[str, str]]] = []
    header: list[str] = []
    try:
        for cells in reader:
            where = at_line(path, reader.line_num)
            stripped = [cell.strip() for cell in cells]
            if not any(stripped):
                continue
            if not header:
                header = _checked(stripped, known, needed, where)
            elif len(stripped) != len(header):
                what = ngettext(
                    "This row has {cells} cell; the header has {header}.",
                    "This row has {cells} cells; the header has {header}.",
                    len(stripped),
                    cells=len(stripped),
                    header=len(header),
                )
                raise DataError(what, where=where, hint=_("Quote a cell that holds a comma."))
            else:
                rows.append((where, dict(zip(header, stripped, strict=True))))
    except csv.Error as error:
        where = at_line(path, reader.line_num)
        raise DataError(_("This is not CSV: {error}.", error=error), where=where) from error
    if not header:
        raise DataError(_("The file is empty."), where=path)
    return rows


def _checked(
    header: list[str], known: tuple[str, ...], needed: tuple[str, ...], where: str
) -> list[str]:
    hint = _("Columns: {known}.", known=",".join(known))
    for name in header:
        if name not in known:
            shown = escape_control_characters(name, limit=_QUOTED)
            raise DataError(
                _("The column “{shown}” is not known.", shown=shown), where=where, hint=hint
            )
    if len(set(header)) < len(header):
        raise DataError(_("A column stands here twice."), where=where, hint=hint)
    if missing := [name for name in needed if name not in header]:
        raise DataError(
            _("There is no column {missing}.", missing=", ".join(missing)), where=where, hint=hint
        )
    return header
