"""The figures of a study as a table: CSV or Parquet, with the method in words."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable

from core.exchange.exporters.verdict_table import defused, parquet_modules
from core.studies.report import StudyReport


def study_csv(report: StudyReport) -> bytes:
    """UTF-8 CSV with a header, below the finding and the method in lines that begin with `#`.

    A text that a spreadsheet would take for a formula gets an apostrophe before it.
    """
    text = io.StringIO(newline="")
    for sentence in (report.title, *report.findings, *report.method):
        text.write(f"# {_without_formulas(' '.join(sentence.split()))}\r\n")
    writer, exported = csv.writer(text), report.exported
    writer.writerow(exported.columns)
    for row in exported.rows:
        writer.writerow([defused(cell) if isinstance(cell, str) else cell for cell in row])
    return text.getvalue().encode("utf-8", "replace")


def _without_formulas(line: str) -> str:
    """A line of which a spreadsheet, which takes its parts for cells, runs none."""
    return "".join(map(defused, re.split("([,;\t])", line)))


def study_parquet(report: StudyReport) -> bytes:
    """Parquet with the finding and the method in the metadata of its schema.

    Raises `ExportError` where pyarrow is not installed.
    """
    pa, parquet = parquet_modules(".csv")
    exported = report.exported
    columns = zip(*exported.rows, strict=True) if exported.rows else ()
    table = pa.table(dict(zip(exported.columns, map(pa.array, columns), strict=False)))
    words = {
        "title": report.title,
        "findings": "\n".join(report.findings),
        "method": "\n".join(report.method),
    }
    buffer = io.BytesIO()
    parquet.write_table(table.replace_schema_metadata(words), buffer, compression="zstd")
    return buffer.getvalue()


TABLES: dict[str, Callable[[StudyReport], bytes]] = {".csv": study_csv, ".parquet": study_parquet}
"""The ways of writing a table, by the ending of the file."""
