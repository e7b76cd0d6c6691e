"""Heat maps: every figure has a sign, nothing is wider than the screen, no column is lost."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from core.contract.view import Role
from core.exchange.exporters.heat_html import heat_figures, heat_legend
from core.layout.heatmap import HeatMap, HeatRow, proportion_of_all, shade
from core.layout.heatmap_drawing import Pointing, draw_heat_map, draw_panel, frame
from core.layout.rows import Ink, plain

FIGURES = st.one_of(st.none(), st.floats(-2, 3), st.just(math.nan), st.just(math.inf))


def lines(heat: HeatMap, width: int = 60) -> list[str]:
    return plain(draw_heat_map(heat, width, cell_len)).splitlines()


def by_place(row: int, column: int) -> str:
    return f"{row}/{column}"


def options(leading: tuple[int | None, ...] = (0, 1, 1)) -> HeatMap:
    rows = (HeatRow("yes", (0.9, 0.3, 0.0)), HeatRow("no", (0.1, 0.7, 1.0), role=Role.FORCED))
    return HeatMap("Options", rows, ("0", "1", "2"), leading, "share")


def test_leader_and_flips_are_marked_in_their_columns() -> None:
    drawn = lines(options())
    head = next(line for line in drawn if line.split() == ["0", "1", "2"])
    yes = next(line for line in drawn if line.startswith("   yes"))
    no = next(line for line in drawn if line.startswith(" ◆ no"))
    flips = next(line for line in drawn if line.strip() == "△")
    columns = [head.index(number) for number in "012"]
    assert [yes[place - 2] == "▸" for place in columns] == [True, False, False]
    assert [no[place - 2] == "▸" for place in columns] == [False, True, True]
    assert [yes[place] for place in columns] == ["█", "▒", "·"]
    assert [no[place] for place in columns] == ["░", "▓", "█"]
    assert flips.index("△") == columns[1]
    assert "another option leads from here on" in " ".join(" ".join(drawn).split())


def test_marked_cells_have_a_star_that_the_legend_explains() -> None:
    heat = replace(options(()), marked=frozenset({(1, 2)}), mark_meaning="beyond chance")
    drawn = lines(heat)
    head = next(line for line in drawn if line.split() == ["0", "1", "2"])
    yes = next(line for line in drawn if line.startswith("   yes"))
    no = next(line for line in drawn if line.startswith(" ◆ no"))
    assert "*" not in yes
    assert no.index("*") == head.index("2") - 2
    assert no.count("*") == 1
    assert "* beyond chance" in " ".join(drawn)
    assert [heat_figures(heat, row) for row in (0, 1)] == [
        [".90", ".30", "0"],
        [".10", ".70", "* 1"],
    ]


def test_an_exported_legend_speaks_of_shares_only_where_the_figures_are_shares() -> None:
    assert heat_legend(options()).startswith("Each figure: share, from 0, none, to 1, all")
    assert heat_legend(replace(options(), full=4.0)).startswith("Each figure: share · ")


def test_the_name_of_the_column_under_the_cursor_is_lit() -> None:
    heat = options()
    shown = frame(heat, 60, cell_len, smallest=4)
    names = draw_panel(heat, shown, cell_len, pointing=Pointing((0, 1)))[0]
    assert [span.text.strip() for span in names if span.ink is Ink.KEY] == ["1"]


def test_without_flips_none_is_explained() -> None:
    assert options((1, 1, 1)).flips == ()
    assert "△" not in "\n".join(lines(options((1, 1, 1))))
    assert options((None, 1, None)).flips == (1, 2)


def test_figures_are_told_apart_without_colour() -> None:
    signs = [shade(value)[0] for value in (-0.5, 0.0, 0.2, 0.4, 0.6, 0.9, 1.5, None, math.nan)]
    assert len(set(signs)) == len(signs)
    assert shade(-0.05) == shade(0.05) == shade(0.0)
    assert shade(1.05)[0] == shade(1.0)[0]


def test_shares_are_marked_where_they_overshoot_by_a_quarter() -> None:
    assert shade(-0.24) == shade(0.0)
    assert shade(1.24) == shade(1.0)
    assert shade(-0.25)[0] == "▽"
    assert shade(1.25)[0] == "▲"


def test_another_figure_can_fill_a_cell() -> None:
    row = HeatRow("block 0", (-2.0, 0.0, 1.0, 4.0))
    heat = HeatMap("", (row,), ("0", "1", "2", "3"), full=4.0)
    assert [heat.shade(value)[0] for value in row.values] == ["▽", "·", "▒", "█"]
    assert "-2.0" in "\n".join(lines(heat))
    assert "4.00" in "\n".join(lines(heat))


@given(st.lists(st.floats(0.0, 1.0), min_size=2, max_size=8))
def test_more_is_never_drawn_lighter(values: list[float]) -> None:
    levels = ["·░▒▓█".index(shade(value)[0]) for value in sorted(values)]
    assert levels == sorted(levels)


@given(st.lists(st.lists(FIGURES, min_size=40, max_size=40), min_size=1, max_size=4), st.data())
def test_every_column_is_drawn_once_and_nothing_is_too_wide(
    figures: list[list[float | None]], data: st.DataObject
) -> None:
    width = data.draw(st.integers(20, 130))
    rows = tuple(HeatRow(f"row {n} 雨" * (n + 1), tuple(row)) for n, row in enumerate(figures))
    columns = tuple(str(block) for block in range(40))
    drawn = lines(HeatMap("Map", rows, columns, figure="share", notes=("A note.",)), width)
    assert max(map(cell_len, drawn)) <= width
    heads = [
        line.split() for line in drawn if line.split() and all(map(str.isdecimal, line.split()))
    ]
    assert [number for head in heads for number in head] == list(columns)


@pytest.mark.parametrize("hostile", ["\x1b[2J", "a\nb", "a\u202eb", "\x9b1m"])
def test_hostile_text_is_shown_and_not_obeyed(hostile: str) -> None:
    heat = HeatMap(hostile, (HeatRow(hostile, (0.5,), note=hostile),), (hostile,), notes=(hostile,))
    text = plain(draw_heat_map(heat, 60, cell_len))
    assert not {c for c in text if (ord(c) < 32 and c != "\n") or c in "\u202e\x9b"}
    assert len(text.splitlines()) == len(draw_heat_map(heat, 60, cell_len))


def test_what_cannot_be_compared_says_so_in_place_of_figures() -> None:
    rows = (HeatRow("one", (None, None), note="not comparable"), HeatRow("two", (0.0, 1.0)))
    drawn = lines(HeatMap("Trace", rows, ("0", "1"), figure="share"))
    assert any(line.strip().startswith("one") and "not comparable" in line for line in drawn)
    assert "nothing to say" not in "\n".join(drawn)
    narrow = HeatMap("Trace", (HeatRow("a" * 40, (None,), note="not comparable: why"),), ("0",))
    (line,) = (line for line in lines(narrow, 40) if "aaa" in line)
    assert line.endswith("…  not comparable: why")


def test_a_map_without_rows_or_columns_is_drawn() -> None:
    assert lines(HeatMap("Nothing", (), ()))[0] == " Nothing"
    assert lines(HeatMap("No blocks", (HeatRow("yes", ()),), ()))


@given(st.lists(st.floats(0.0, 1.0), min_size=1, max_size=80), st.data())
def test_the_column_of_the_cursor_is_always_in_sight(
    values: list[float], data: st.DataObject
) -> None:
    at = data.draw(st.integers(0, len(values) - 1))
    width = data.draw(st.integers(20, 130))
    rows = tuple(HeatRow(f"option {n} 雨" * (n + 1), tuple(values)) for n in range(3))
    columns = tuple(map(str, range(len(values))))
    heat = HeatMap("Map", rows, columns, (1,) * len(values), column_texts=("next",) * len(values))
    shown = frame(heat, width, cell_len, cursor=(1, at))
    assert at in shown.columns
    drawn = draw_panel(heat, shown, cell_len, by_place, Pointing((1, at)))
    assert max(cell_len("".join(span.text for span in row)) for row in drawn) <= width
    refs = {span.ref for row in drawn for span in row if span.ref}
    assert refs == {f"{row}/{column}" for row in range(3) for column in shown.columns}


def test_the_cell_of_the_cursor_stands_in_brackets_and_moves_nothing() -> None:
    heat = options()
    shown = frame(heat, 60, cell_len)
    bare = plain(draw_panel(heat, shown, cell_len)).splitlines()
    for column in range(3):
        drawn = plain(
            draw_panel(heat, shown, cell_len, pointing=Pointing((1, column)))
        ).splitlines()
        assert drawn[1] == bare[1]
        assert drawn[2].count("[") == drawn[2].count("]") == 1
        inside = drawn[2][drawn[2].index("[") + 1 : drawn[2].index("]")]
        assert proportion_of_all(heat.rows[1].values[column]) in inside
        assert drawn[2].replace("[", " ").replace("]", " ").rstrip() == bare[2]


def spans_by_blocks(rows: int, columns: int, label: str = "a span") -> HeatMap:
    return HeatMap(
        "Trace",
        tuple(HeatRow(f"{row} {label}", (0.5,) * columns, str(row)) for row in range(rows)),
        tuple(str(column) for column in range(columns)),
        figure="share",
        across="block",
    )


def corner(heat: HeatMap, at: tuple[int, int], width: int, height: int) -> str:
    shown = frame(heat, width, cell_len, cursor=at, height=height)
    drawn = draw_panel(heat, shown, cell_len, by_place, Pointing(at))
    assert len(drawn) <= height
    return drawn[0][0].text.strip()


def test_what_is_out_of_sight_is_counted() -> None:
    assert corner(spans_by_blocks(20, 4), (12, 0), 80, 30) == "block"
    assert corner(spans_by_blocks(20, 4, "a longer span"), (12, 0), 80, 6) == "rows 10–14/20"
    assert corner(spans_by_blocks(3, 200, "a longer span"), (0, 150), 80, 9).endswith("/200")


def test_signs_stand_in_their_cells() -> None:
    heat = spans_by_blocks(3, 4)
    shown = frame(heat, 60, cell_len)
    bare = plain(draw_panel(heat, shown, cell_len)).splitlines()
    signed = plain(draw_panel(heat, shown, cell_len, pointing=Pointing(None, {(1, 2): "•"})))
    other = [(y, x) for y, line in enumerate(signed.splitlines()) for x in range(len(line))]
    other = [(y, x) for y, x in other if signed.splitlines()[y][x] != bare[y][x]]
    assert len(other) == 1
    ((y, x),) = other
    assert (y, bare[y][x + 1]) == (2, "▓")
    assert bare[0][x + 2] == "2"


@given(
    st.integers(1, 12),
    st.integers(1, 60),
    st.integers(20, 150),
    st.integers(2, 20),
    st.text(max_size=30),
    st.data(),
)
def test_the_cursor_is_in_sight_in_any_room(
    rows: int, columns: int, width: int, height: int, label: str, data: st.DataObject
) -> None:
    heat = spans_by_blocks(rows, columns, label)
    at = data.draw(st.tuples(st.integers(0, rows - 1), st.integers(0, columns - 1)))
    shown = frame(heat, width, cell_len, cursor=at, height=height)
    drawn = draw_panel(heat, shown, cell_len, by_place, Pointing(at, {(0, 0): "▸"}))
    assert len(drawn) <= height
    assert all(sum(cell_len(span.text) for span in row) <= width for row in drawn)
    row = next(row for row in drawn if any(span.ref == by_place(*at) for span in row[1:]))
    bracket = next(span for span in row[1:] if span.text == "[")
    assert bracket.ref == by_place(*at)


def test_right_and_wrong_leaders_are_drawn_as_such() -> None:
    rows = (
        HeatRow("yes", (0.9, 0.3), lead=Role.BAD),
        HeatRow("no", (0.1, 0.7), lead=Role.GOOD),
    )
    heat = HeatMap("Options", rows, ("0", "1"), (0, 1))
    drawn = draw_panel(heat, frame(heat, 60, cell_len), cell_len)
    shades = [[span.ink for span in row if set(span.text) <= set("░▒▓█")] for row in drawn[1:3]]
    assert shades[0][0] == Role.BAD
    assert shades[1][-1] == Role.GOOD
    assert Role.GOOD not in shades[0]


@pytest.mark.parametrize(
    ("value", "sign"),
    [
        *((0.0, "0"), (1.0, "1"), (0.001, "<.01"), (0.999, ">.99"), (0.5, ".50")),
        *((-0.5, "-.50"), (1.2, "1.20"), (None, "–"), (math.nan, "?"), (-1e9, "-999")),
        *((-0.001, "<0"), (1.001, ">1"), (-1.0, "-1.0"), (12.3, "12"), (math.inf, "9999")),
        *((-0.999, "-1.0"), (-0.99, "-.99"), (-9.96, "-10"), (9.996, "10"), (9.94, "9.94")),
    ],
)
def test_a_figure_is_never_a_false_0_or_1(value: float | None, sign: str) -> None:
    assert proportion_of_all(value) == sign


@given(st.one_of(st.floats(), st.floats(-12, 12)))
def test_a_figure_has_four_signs_at_most(value: float) -> None:
    assert 1 <= len(proportion_of_all(value)) <= 4
