"""`published`: prints the figures that the papers of the benchmarks published."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from core.exchange.published import library
from core.exchange.published.table import PublishedTable
from tui.cli import completion
from tui.cli.figures import print_table, table_parts, table_width
from tui.cli.options import JsonOption
from tui.cli.output import out, out_json, out_note, say

TableArgument = Annotated[
    str,
    typer.Argument(
        metavar="TABLE",
        help="The name of a table, as `published list` prints it.",
        show_default=False,
        autocompletion=completion.published_tables,
    ),
]


def list_tables(as_json: JsonOption = False) -> None:
    """List the tables of published figures.

    Each with its benchmark, the place in the paper, and its number of figures.
    """
    tables = library.tables()
    if as_json:
        out_json({"tables": [_listed_json(table) for table in tables]})
        return
    rows = [
        (
            table.name,
            table.benchmark,
            table.source,
            str(sum(1 for _ in table.figures())),
            table.title,
        )
        for table in tables
    ]
    print_table("Published figures", ("table", "benchmark", "source", "figures", "about"), rows)
    say("Print one with: commonsense-tui published show TABLE")


def show_table(table: TableArgument, as_json: JsonOption = False) -> None:
    """Print a table of published figures, with its source.

    Figures keep the digits in which they are printed; "-" stands where the source prints none, "?"
    where a printed one cannot be read in the text that was at hand.
    """
    published = library.table(table)
    if as_json:
        out_json(_table_json(published))
        return
    columns = ("", *(column.name for column in published.columns))
    rows = [(row.label, *row.texts) for row in published.rows]
    for part in table_parts(columns, rows, table_width()):
        title = f"{published.title} ({_unit(published, part)})"
        shown = [tuple(row[i] for i in part) for row in rows]
        print_table(title, tuple(columns[i] for i in part), shown)
        out()
    out(f" {published.paper}, {published.source}")
    if published.conditions:
        out(f" {_in_words(published.conditions)}")
    _print_row_conditions(published)
    for note in published.notes:
        out_note(note)


def _unit(table: PublishedTable, part: list[int]) -> str:
    """The unit of the columns beside the first, or that of each where they differ."""
    units = [table.columns[i - 1].unit.value for i in part[1:]]
    return units[0] if len(set(units)) == 1 else ", ".join(units)


def _print_row_conditions(table: PublishedTable) -> None:
    labels: dict[str, list[str]] = {}
    for row in table.rows:
        if row.conditions:
            labels.setdefault(_in_words(row.conditions), []).append(row.label)
    for conditions, alike in labels.items():
        more = f" and {len(alike) - 1} more" if len(alike) > 1 else ""
        out(f" {alike[0]}{more}: {conditions}")


def _in_words(conditions: Mapping[str, str]) -> str:
    return "; ".join(f"{name}: {text}" for name, text in conditions.items())


def _listed_json(table: PublishedTable) -> dict[str, Any]:
    return {
        "name": table.name,
        "benchmark": table.benchmark,
        "title": table.title,
        "paper": table.paper,
        "source": table.source,
        "rows": len(table.rows),
        "columns": len(table.columns),
        "figures": sum(1 for _ in table.figures()),
    }


def _table_json(table: PublishedTable) -> dict[str, Any]:
    """The table: `values` and `printed` have one list a row, null or "-" for no figure."""
    return {
        "name": table.name,
        "benchmark": table.benchmark,
        "title": table.title,
        "paper": table.paper,
        "source": f"{table.paper}, {table.source}",
        "place": table.source,
        "conditions": table.conditions,
        "rows": [row.label for row in table.rows],
        "columns": [column.name for column in table.columns],
        "values": [row.values for row in table.rows],
        "printed": [row.texts for row in table.rows],
        "units": [column.unit.value for column in table.columns],
        "layers": [column.layer for column in table.columns],
        "metrics": [column.metric for column in table.columns],
        "kinds": [row.kind.value for row in table.rows],
        "row_conditions": [row.conditions for row in table.rows],
        "notes": table.notes,
    }
