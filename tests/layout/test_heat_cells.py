"""Cells under a cursor: in sight whatever the room, every sign in its column, refs lead back."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from core.layout.heat_cells import Pointing, draw_cells
from core.layout.heatmap import HeatMap, HeatRow
from core.layout.rows import plain
from core.view import Role

FIGURES = st.one_of(st.none(), st.floats(-2, 3), st.just(math.nan), st.just(math.inf))


def spans_by_blocks(rows: int, columns: int, label: str = "a span") -> HeatMap:
    return HeatMap(
        "Trace",
        tuple(HeatRow(f"{row} {label}", (0.5,) * columns, str(row)) for row in range(rows)),
        tuple(str(column) for column in range(columns)),
        figure="share",
    )


def test_figures_stand_beside_shades_and_brackets_around_the_cursor() -> None:
    heat = HeatMap(
        "Trace", (HeatRow("0 rain", (0.0, 1.0, -0.001)), HeatRow("1 sun", (0.5,) * 3)), ("0",) * 3
    )
    names, rain, sun = plain(
        draw_cells(heat, Pointing((0, 1), {(1, 2): "▸"}), 80, 9, cell_len)
    ).splitlines()
    assert rain[rain.index("[") :].startswith("[ ██  1.00]")
    assert rain.split()[2:4] == ["··", "0.00["]
    assert rain.endswith("··  0.00")
    assert sun.count("▸") == 1
    assert sun.index("▸") == rain.index("]") + 1
    assert names.split() == ["block", "0", "0", "0"]


def test_a_row_without_figures_says_why() -> None:
    heat = HeatMap(
        "Trace", (HeatRow("0 a", (None,), note="not comparable", role=Role.MUTED),), ("0",)
    )
    assert "not comparable" in plain(draw_cells(heat, Pointing((0, 0)), 60, 5, cell_len))


def test_what_is_out_of_sight_is_counted() -> None:
    names = plain(draw_cells(spans_by_blocks(20, 4), Pointing((12, 0)), 80, 6, cell_len))
    assert "rows 10–14 of 20" in names
    names = plain(draw_cells(spans_by_blocks(3, 200), Pointing((0, 150)), 80, 9, cell_len))
    assert "of 200" in names
    assert "150" in names or " 50" in names


@given(
    st.integers(1, 12),
    st.integers(1, 60),
    st.integers(20, 150),
    st.integers(2, 20),
    st.text(max_size=30),
    st.data(),
)
def test_the_cursor_is_in_sight_and_nothing_is_too_wide(
    rows: int, columns: int, width: int, height: int, label: str, data: st.DataObject
) -> None:
    figures = [tuple(data.draw(st.lists(FIGURES, min_size=3, max_size=3))) for _ in range(rows)]
    drawn_rows = (
        HeatRow(f"{row} {label}", (some * 20)[:columns]) for row, some in enumerate(figures)
    )
    heat = HeatMap("Trace", tuple(drawn_rows), tuple(str(column) for column in range(columns)))
    at = data.draw(st.tuples(st.integers(0, rows - 1), st.integers(0, len(heat.columns) - 1)))
    drawn = draw_cells(heat, Pointing(at, {(0, 0): "▸"}), width, height, cell_len)
    assert len(drawn) <= height
    assert all(sum(cell_len(span.text) for span in row) <= width for row in drawn)
    refs = [span.ref for row in drawn for span in row]
    assert f"{at[0]}.{at[1]}" in refs
    assert str(at[0]) in refs
    row = next(row for row in drawn if any(span.ref == str(at[0]) for span in row))
    assert "[" in "".join(span.text for span in row if "." in span.ref)
