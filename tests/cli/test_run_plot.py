"""`runs plot`: pictures of runs for a paper."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.exchange.plots.gathering import KINDS, gather
from core.exchange.plots.plot import Plot, Point, Series
from core.exchange.plots.terminal import plot_lines
from core.runs.store import Store
from tests.cli.support import ok, recorded, run
from tui.cli.completion import plots


def test_a_plot_is_written_where_it_is_wanted(tmp_path: Path) -> None:
    store = tmp_path / "runs.sqlite"
    name = recorded(store)
    to = tmp_path / "plots" / "layers.pdf"
    words = ("runs", "plot", "layers", name, "--store", store, "--to", to)
    assert ok(*words).out == f"{to}\n"
    assert to.read_bytes().startswith(b"%PDF-")
    again = run(*words)
    assert again.code == 2
    assert "--force" in again.err
    assert ok(*words, "--force").out == f"{to}\n"


def test_the_points_are_the_figures_that_the_run_shows(tmp_path: Path) -> None:
    store = tmp_path / "runs.sqlite"
    name = recorded(store)
    shown = ok("runs", "show", name, "--store", store, "--json").json
    with Store(store, create=False) as opened:
        plot = gather(opened, "figures", [name])
    [series] = plot.series
    points = {
        category: point
        for category, point in zip(plot.categories, series.points, strict=True)
        if point
    }
    assert {each: point.value for each, point in points.items()} == shown["metrics"]
    assert {each: point.n for each, point in points.items()} == shown["denominators"]
    intervals = {each: point.interval for each, point in points.items() if point.interval}
    assert json.loads(json.dumps(intervals)) == shown["intervals"]


def test_without_a_file_the_plot_is_printed_with_its_figures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = tmp_path / "runs.sqlite"
    name = recorded(store)
    monkeypatch.setenv("COLUMNS", "70")
    printed = ok("runs", "plot", "figures", name, "--store", store).out.splitlines()
    with Store(store, create=False) as opened:
        plot = gather(opened, "figures", [name])
    for category, point in zip(plot.categories, plot.series[0].points, strict=True):
        if point is not None:
            line = printed[printed.index(category) + 1]
            assert f" {100 * point.value:.1f} " in line
            assert line.endswith(f"n={point.n}")
    assert max(map(len, printed)) <= 70


def test_a_printed_bar_ends_at_its_value_within_its_interval() -> None:
    points = (Point(0.5, 8, (0.2, 0.8)), Point(-0.25, 4), None)
    plot = Plot("forest", "t", ("a", "b", "c"), (Series("x\x1b", points),), "v", ("c",))
    lines = list(plot_lines(plot, 60))
    first, second = (line for line in lines if "n=" in line)
    assert second.index("#") < first.index("|") < first.index("#")
    assert first.index("-") < first.index("#") < first.index("- ")
    assert first.endswith("+50.0 [+20.0, +80.0] n=8")
    assert second.endswith("-25.0 n=4")
    assert not any("\x1b" in line for line in lines)


def test_a_printed_grid_has_a_cell_for_each_row_and_column() -> None:
    cells = (Point(0.5, 8), None, Point(1.0, 2), Point(0.25, 4))
    plot = Plot("grid", "t", ("0", "1"), (Series("m", cells),), "v", (), "over", ("1", "2"), "down")
    lines = [line.split() for line in plot_lines(plot, 60)]
    assert ["1", "50", "(8)"] in lines
    assert ["2", "100", "(2)", "25", "(4)"] in lines


@pytest.mark.parametrize("width", [40, 47, 54, 80])
def test_no_printed_line_is_wider_than_the_terminal(width: int) -> None:
    points = (Point(0.512, 1234, (0.45, 0.57), {}, 123.4), Point(-0.251, 42, (-0.3, -0.2)))
    series = (Series("a model with a long name", points), Series("b", points, 1, "anti-factual"))
    categories = ("a category with quite a long name indeed", "2")
    for kind in ("forest", "layers", "funnel"):
        lines = list(plot_lines(Plot(kind, "t", categories, series, "v", ("c",)), width))
        assert max(map(len, lines)) <= width
        if kind == "layers":
            shown = " ".join(" ".join(lines).split())
            assert shown.count("51.2 [45.0, 57.0] n=1234, 123.4 tokens") == 2
    grid = tuple(Point(0.5, number) for number in range(1001, 1013))
    numbers = tuple("012345")
    plot = Plot("grid", "t", numbers, (Series("m", grid),), "v", (), "over", ("1", "2"), "down")
    lines = list(plot_lines(plot, width))
    assert max(map(len, lines)) <= width
    assert all(" ".join(lines).count(f"({number})") == 1 for number in range(1001, 1013))


def test_what_cannot_be_drawn_is_refused_in_words(tmp_path: Path) -> None:
    store = tmp_path / "runs.sqlite"
    name = recorded(store)
    to = tmp_path / "a.svg"
    unknown = run("runs", "plot", "pie", name, "--store", store, "--to", to)
    assert unknown.code == 2
    assert "layers, figures, hops, grid, funnel, tokens, forest" in unknown.err
    hops = run("runs", "plot", "hops", name, "--store", store, "--to", to)
    assert hops.code == 2
    assert "layers, figures, funnel, tokens, forest" in hops.err
    assert not to.exists()


def test_kinds_are_completed_and_named_in_the_help() -> None:
    assert plots("f") == ["figures", "funnel", "forest"]
    shown = " ".join(ok("runs", "plot", "--help").out.split())
    assert all(kind in shown for kind in KINDS)
