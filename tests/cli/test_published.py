"""The commands of published figures."""

from __future__ import annotations

import json

import pytest

from core.exchange.published.library import names, table
from tests.cli.support import ok, run
from tui.cli import completion, figures


def test_every_table_is_listed_with_its_source() -> None:
    listed = ok("published", "list", "--json").json["tables"]
    assert [entry["name"] for entry in listed] == names()
    for entry in listed:
        published = table(entry["name"])
        assert entry["figures"] == sum(1 for _ in published.figures()) > 0
        assert (entry["rows"], entry["columns"]) == (len(published.rows), len(published.columns))
    printed = ok("published", "list").out
    for name in names():
        assert name in printed
        assert table(name).source in printed


@pytest.mark.parametrize("name", names())
def test_a_table_is_printed_as_published_with_its_source(name: str) -> None:
    published = table(name)
    printed = ok("published", "show", name).out
    assert f"{published.paper}, {published.source}" in printed
    lines = printed.splitlines()
    for row in published.rows:
        assert any(line.split() == [*row.label.split(), *row.texts] for line in lines), row.label
    for note in published.notes:
        assert note in printed


@pytest.mark.parametrize("name", names())
def test_a_table_as_json_has_numbers_by_row_and_column(name: str) -> None:
    published = table(name)
    shown = ok("published", "show", name, "--json").json
    assert shown["source"] == f"{published.paper}, {published.source}"
    assert shown["rows"] == [row.label for row in published.rows]
    assert shown["columns"] == [column.name for column in published.columns]
    assert shown["values"] == [list(row.values) for row in published.rows]
    assert shown["printed"] == [list(row.texts) for row in published.rows]
    for key in ("units", "layers", "metrics"):
        assert len(shown[key]) == len(shown["columns"])
    assert shown["notes"] == list(published.notes)


def test_a_figure_that_is_not_printed_is_null() -> None:
    shown = ok("published", "show", "abspyramid-table-4", "--json").out
    document = json.loads(shown, parse_constant=pytest.fail)
    majority = document["rows"].index("Majority Vote")
    assert document["values"][majority][:3] == [59.3, None, 50.0]
    assert document["printed"][majority][:3] == ["59.30", "-", "50.00"]
    assert document["kinds"][majority] == "majority"


@pytest.mark.parametrize("name", ["gita-metrics", "abspyramid-table-5", "com2-table-2"])
@pytest.mark.parametrize("columns", [20, 60, 80])
def test_no_figure_is_broken_on_a_narrow_terminal(
    name: str, columns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tui.cli.published.table_width", lambda: columns)
    assert figures.table_width() > columns  # the tables themselves are drawn for a pipe
    printed = ok("published", "show", name).out
    words = printed.split()
    published = table(name)
    for row in published.rows:
        for text in row.texts:
            assert text in words
    heads = printed.count(f"{published.title} (")
    assert 1 < heads <= len(published.columns)


def test_an_unknown_table_is_the_mistake_of_who_typed() -> None:
    ran = run("published", "show", "com2-tabel-2")
    assert (ran.code, ran.out) == (2, "")
    assert "Did you mean “com2-table-2”?" in ran.err


def test_names_of_tables_are_completed() -> None:
    assert completion.published_tables("com2-t") == [
        "com2-table-1",
        "com2-table-2",
        "com2-training",
    ]
